"""Fixtures that more than one test file uses, and nothing else."""

from pathlib import Path

import pytest

collect_ignore = ["bench", "peers"]  # run by hand, or in other interpreters: no tests

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data that lies beside the checkout and is never part of it."""
    folder = CHECKOUT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("real data not present beside the checkout: ../shared/data")
    return folder


@pytest.fixture(scope="session")
def peers() -> str:
    """A Python beside the checkout that has tools which do not go with ours, ranx among them."""
    python = CHECKOUT.parent / "peers" / "bin" / "python"
    if not python.is_file():
        pytest.skip("no interpreter with the other tools beside the checkout: ../peers")
    return str(python)
