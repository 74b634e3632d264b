"""JSON read strictly: a name that stands twice in an object is an error, not its last value."""

import json
from typing import Any


def read_object(text: str | bytes) -> Any:
    """What a JSON text holds. `ValueError` where it is none, or a name stands twice in an object.

    >>> read_object('{"q1": {"d1": 1}}')
    {'q1': {'d1': 1}}
    >>> read_object('{"score": 1, "score": 2}')
    Traceback (most recent call last):
        ...
    ValueError: 'score' stands twice in one object
    """
    return json.loads(text, object_pairs_hook=_without_repeats)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{twice!r} stands twice in one object")
    return found
