"""The notebooks run from top to bottom, and what they store is what they show."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def shown(notebook):
    """What each code cell shows as plain text; pictures differ between machines, these do not."""
    return [
        [output.get("data", {}).get("text/plain") or output.get("text") for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_stores_what_it_shows(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    stored = shown(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert len(stored) == len(shown(notebook))
    assert all(any(cell) for cell in stored[1:]), "every cell but the first shows something"
