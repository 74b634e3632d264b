r"""How far two judges agree: their labels of the same documents, beyond what chance would agree on.

  ulframe agree alice.qrels bob.qrels
  ulframe agree gold.qrels llm.qrels -o agreement.parquet

Cohen's kappa, also weighted (labels that are near count as near), and Krippendorff's alpha: 1 is
full agreement, 0 chance's. Only documents that both judged count. The first table is how often the
one gave which label where the other gave which.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.analysis.judges import confusion, label_agreement
from ulframe.cli import output
from ulframe.cli.options import add_columns, add_writing, columns_of
from ulframe.cli.provenance import provenance
from ulframe.frames.second_look import explained
from ulframe.frames.sources import scan_qrels
from ulframe.frames.write import refuse_table


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe agree`."""
    parser.add_argument("a", metavar="A", help="qrels of the one")
    parser.add_argument("b", metavar="B", help="qrels of the other")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write the agreement to this table")
    add_writing(parser)
    add_columns(parser)


def run(options: argparse.Namespace) -> None:
    """Compare, write, print."""
    sources = [options.a, options.b]
    refuse_table(options.out, sources, force=options.force)
    columns = columns_of(options) or None
    try:
        a, b = (scan_qrels(source, columns=columns) for source in sources)
        pairs = confusion(a, b)
        found = label_agreement(pairs)
        only = [
            one.join(other, on=["query_id", "doc_id"], how="anti").select(pl.len()).collect().item()
            for one, other in ((a, b), (b, a))
        ]
    except pl.exceptions.PolarsError as error:
        raise explained(error, *sources) from error
    for count, name in zip(only, sources, strict=True):
        if count:
            output.remark(f"judged only in {name}, and so left out: {output.counted(count, 'row')}")
    if options.out:
        output.write(found, options.out, options, provenance(sources, vars(options)))
    output.remark(f"judged in both: {output.counted(found['documents'].item(), 'row')}")
    output.table(_crossed(pairs))
    print()
    rows = found.drop("documents").unpivot(variable_name="measure", value_name="value")
    output.table(rows)


def _crossed(pairs: pl.DataFrame) -> pl.DataFrame:
    """A row a label of A's, a column a label of B's."""
    a, b = (pairs[name].map_elements("{:g}".format, pl.String) for name in ("label_a", "label_b"))
    named = pairs.with_columns(A=a, B="B " + b).sort("label_b", "label_a")
    counts = named.pivot("B", index=["label_a", "A"], values="count", maintain_order=True)
    return counts.sort("label_a").drop("label_a").fill_null(0)
