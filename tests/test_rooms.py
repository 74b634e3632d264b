"""The rooms of the house: who may import whom, how long a file may be, what an import may cost."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
PACKAGE = CHECKOUT / "ulframe"
FILES = sorted(PACKAGE.rglob("*.py"))

# Each stands on those before: a study asks what systems do, a system knows of no study.
STOREYS = ["frames", "metrics", "evaluation", "analysis", "report", "systems", "studies"]
MAY_IMPORT = {room: {room, *STOREYS[:floor]} for floor, room in enumerate(STOREYS)}
MAY_IMPORT["interop"] = {"interop", "frames", "metrics", "evaluation"}
MAY_IMPORT["engines"] = {"engines", "frames", "metrics", "evaluation"}
MAY_IMPORT["cli"] = {"cli", "__init__", "engines", *STOREYS}
MAY_IMPORT["__main__"] = {"cli", "frames"}
MAY_IMPORT["testing"] = {"frames", "metrics", "evaluation", "analysis"}
MAY_IMPORT["__init__"] = {*STOREYS}

HEAVY = {"scipy", "numpy", "altair", "pyarrow", "rich", "pandas"}


def room(path: Path) -> str:
    """The first part below the package: a folder, or a module that is a room of its own."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> Iterator[str]:
    """Every room that the file imports from, also inside functions; `__init__` is `ulframe`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module="ulframe", names=names):
                modules = [f"ulframe.{alias.name}" for alias in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case _:
                continue
        for package, _, inner in (module.partition(".") for module in modules):
            if package == "ulframe":
                first = inner.partition(".")[0]
                yield first if first in MAY_IMPORT else "__init__"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_from_the_rooms_it_stands_on(path):
    assert room(path) in MAY_IMPORT, f"{path}: a room without a place in the house"
    assert set(imported_rooms(path)) <= MAY_IMPORT[room(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_can_be_read_in_one_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_import_loads_nothing_heavy():
    code = "import sys, ulframe; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    assert HEAVY & set(done.stdout.split()) == set()
