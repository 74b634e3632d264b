"""How a file was made, where ulframe made it: .parquet and .arrow files, and pages.

  ulframe info scores.parquet

Printed is JSON: the inputs with their sizes, times and SHA-256, versions, options.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ulframe.frames.errors import BadData
from ulframe.frames.made import made


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe info`."""
    parser.add_argument("file", metavar="FILE", type=Path)


def run(options: argparse.Namespace) -> None:
    """Read, print."""
    if not options.file.is_file():
        raise BadData(f"{options.file}: no such file")
    told = made(options.file)
    if told is None:
        raise BadData(f"{options.file}: ulframe did not make it, or not by a command")
    print(json.dumps(told, indent=2, ensure_ascii=False))
