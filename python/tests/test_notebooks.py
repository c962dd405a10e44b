"""The notebooks of the examples, executed."""

from pathlib import Path

import pytest

FOLDER = next(
    folder / "examples/python" for folder in Path(__file__).resolve().parents if (folder / "examples/python").is_dir()
)


@pytest.mark.parametrize("name", ["compare.ipynb", "tune.ipynb"])
def test_a_notebook_runs_from_its_beginning(name, monkeypatch, tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="pip install nbclient ipykernel")
    nbclient = pytest.importorskip("nbclient", reason="pip install nbclient ipykernel")
    notebook = nbformat.read(FOLDER / name, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    wanted = {"compare.ipynb": "text/html", "tune.ipynb": "image/svg+xml"}[name]
    assert any(wanted in data for data in shown)
