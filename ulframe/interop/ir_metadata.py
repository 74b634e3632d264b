"""ir_metadata: what a run was made by, as YAML in comments at the head of a TREC run.

Breuer, Keller and Schaer 2022, ir_metadata: An Extensible Metadata Schema for IR Experiments. The
readers of runs pass these lines over, as all comments.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ulframe.frames.atomic import appearing
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.packings import opened
from ulframe.frames.write import refuse_file

START, END = "# ir_metadata.start", "# ir_metadata.end"


def read_metadata(path: str | Path) -> dict[str, Any] | None:
    """The metadata at the head of a run, plain or packed; None where there is none.

    Raises `BadUsage` where PyYAML is not installed, `BadData` for a head that does not end or is no
    YAML with names.
    """
    lines = []
    with opened(Path(path)) as file:
        if file.readline().decode("utf-8", "replace").strip() != START:
            return None
        for raw in file:
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if line.strip() == END:
                break
            if not line.startswith("#"):
                raise BadData(f"{path}: its metadata does not end with {END!r}")
            lines.append(line[1:].removeprefix(" "))
        else:
            raise BadData(f"{path}: its metadata does not end with {END!r}")
    yaml = _yaml()
    try:
        held = yaml.safe_load("\n".join(lines))
    except yaml.YAMLError as error:
        raise BadData(f"{path}: its metadata is no YAML: {error}") from error
    if not isinstance(held, dict):
        raise BadData(f"{path}: its metadata is no YAML with names")
    return held


def write_metadata(run: str | Path, metadata: Mapping[str, Any], path: str | Path) -> None:
    """Write a TREC run with metadata at its head, in place of what it may have had.

    In: a run in TREC text, plain or packed; what `yaml` can write; the file, which is plain text
    and appears only when complete.
    """
    refuse_file(path, [str(run)])
    text = _yaml().safe_dump(dict(metadata), sort_keys=False, allow_unicode=True)
    head = "\n".join([START, *(f"# {line}".rstrip() for line in text.splitlines()), END, ""])
    had = read_metadata(run) is not None
    with opened(Path(run)) as source, appearing(Path(path)) as made, made.open("wb") as target:
        target.write(head.encode())
        inside = had
        for line in source:
            if not inside:
                target.write(line)
            inside = inside and line.decode("utf-8", "replace").strip() != END


def _yaml() -> Any:
    try:
        import yaml
    except ImportError as error:
        raise BadUsage("ir_metadata needs PyYAML: pip install PyYAML") from error
    return yaml
