"""Values of options that several commands take."""

from __future__ import annotations

import argparse


def pool_option(text: str) -> str | int:
    """The pool: a number of documents, or a word."""
    return int(text) if text.isdigit() else text


def count_option(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)
