"""Two rankings of people compared, for tests of what measures say of them."""

from ulframe.studies.experts import compare, to_reference


def scored(a, b, measures, **procedure):
    """The scores of ranking `a` by ranking `b`, by the measure."""
    rankings = {"a": a, "b": b}
    return dict(
        compare(rankings, to_reference(rankings, "b"), list(measures), **procedure)
        .select("measure", "score")
        .collect()
        .iter_rows()
    )
