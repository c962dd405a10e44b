"""A function of a module as a worker of carat: ``python -m carat.worker MODULE:FUNCTION``.

It speaks the protocol ``carat-worker/1``, so that the function has a process, time limits and memory of its own. A page on
which it needs more memory than it has fails with ``MemoryError``.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import sys
from decimal import Decimal
from typing import Any


def main(path: str) -> None:
    """Answers page after page until the input ends."""
    # The protocol has stdout for itself: what the function prints goes to stderr.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    if limit := os.environ.get("CARAT_WORKER_MEMORY"):
        # Only Unix has it, and there it covers what C libraries of the function take too.
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    sys.path[:0] = [entry for entry in json.loads(os.environ.get("CARAT_WORKER_PATH", "[]")) if entry not in sys.path]
    from carat._rows import PageGiven, as_extractor, declared, source_digest

    module, _, name = path.partition(":")
    function: Any = functools.reduce(getattr, name.split("."), importlib.import_module(module))
    extractor = as_extractor(function)
    kinds = {name: kind.get("type") for name, kind in declared(extractor.parameters).items()}

    def say(message: dict[str, object]) -> None:
        print(json.dumps(message), file=out, flush=True)

    file = inspect.getsourcefile(inspect.unwrap(extractor.function))
    version = extractor.version or source_digest(extractor.function)
    hello = {"carat": 1, "name": extractor.name, "version": version, "parameters": declared(extractor.parameters)}
    say(hello | ({"files": [os.path.abspath(file)]} if file and os.path.isfile(file) else {}))
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        page = PageGiven(asked["html"], asked["url"], "") if extractor.wants == "page" else asked["html"]
        parameters = {
            name: Decimal(value) if kinds.get(name) == "decimal" else value for name, value in asked["parameters"].items()
        }
        try:
            text = extractor.function(page, **parameters)
            if text is not None and not isinstance(text, str):
                raise TypeError(f"the extractor returned {type(text).__name__}, not str or None")
            say({"id": asked["id"], "text": text or ""})
        except Exception as error:  # one page fails, the others go on
            told = str(error)
            say({"id": asked["id"], "error": f"{type(error).__name__}: {told}" if told else type(error).__name__})


if __name__ == "__main__":
    main(sys.argv[1])
