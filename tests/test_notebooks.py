"""The notebooks run from top to bottom, and what they store is of the kind that they show."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def shown(notebook):
    """What each code cell shows, by kind: tables, pictures, text."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [[sorted(output.get("data", [output.output_type])) for output in cell.outputs]
            for cell in cells]  # fmt: skip


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_stores_what_it_shows(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    stored = shown(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert stored == shown(notebook)
    assert any(stored)
