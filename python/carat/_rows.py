"""Rows of a run, as people write them: specs, mappings and functions."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, overload

from ._errors import RequestError

#: What an extractor returns: the content of the page, or None for nothing.
Text = str | None


class PageGiven(NamedTuple):
    """The page that an extractor with ``wants="page"`` gets."""

    html: str
    url: str
    language: str


def value_text(value: object) -> str:
    """A value as it is written in specs: exact, so that 0.1 is 1/10.

    >>> value_text(0.1), value_text(True), value_text(Fraction(1, 3)), value_text(Decimal("1E-3"))
    ('0.1', 'true', '1/3', '0.001')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    if isinstance(value, (int, Fraction)):
        return str(value)
    if isinstance(value, str):
        return value
    # numpy's numbers and their like.
    if hasattr(value, "item"):
        return value_text(value.item())
    raise TypeError(f"a parameter is str, int, bool, float, Decimal or Fraction, not {type(value).__name__}")


def values_text(value: object) -> str | list[str]:
    """A value or several, as a configuration has them."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value_text(value)
    return [value_text(one) for one in value]


def spec(algorithm: str, parameters: Mapping[str, object]) -> str:
    """An algorithm with parameters of one value each, as on the command line.

    >>> spec("nta", {"coherence": 0.8})
    'nta:coherence=0.8'
    """
    if not isinstance(algorithm, str):
        raise TypeError(f"an algorithm is named by a str, not {type(algorithm).__name__}")
    pairs = []
    for name, value in parameters.items():
        text = values_text(value)
        text = "+".join(text) if isinstance(text, list) else text
        if any(mark in text for mark in ",|"):
            raise RequestError(f"{name}: `{text}` is not one value")
        pairs.append(f"{name}={text}")
    return algorithm + ("," if ":" in algorithm else ":") * bool(pairs) + ",".join(pairs)


@dataclass(eq=False)
class Extractor:
    """A function with what its row says of it: what :func:`carat.extractor` makes."""

    function: Callable[..., Text]
    name: str
    version: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    wants: str = "str"
    workers: int = 1

    def __post_init__(self) -> None:
        functools.update_wrapper(self, self.function)

    def __call__(self, *arguments: Any, **parameters: Any) -> Text:
        return self.function(*arguments, **parameters)

    @property
    def path(self) -> str:
        """The place of the function, ``MODULE:FUNCTION``."""
        module = getattr(self.function, "__module__", None) or "__main__"
        return f"{module}:{getattr(self.function, '__qualname__', self.name)}"[:200]


@overload
def extractor(function: Callable[..., Text]) -> Extractor: ...
@overload
def extractor(
    function: None = None,
    *,
    name: str | None = None,
    version: str | None = None,
    parameters: Mapping[str, object] | None = None,
    wants: str = "str",
    workers: int = 1,
) -> Callable[[Callable[..., Text]], Extractor]: ...
def extractor(
    function: Callable[..., Text] | None = None,
    *,
    name: str | None = None,
    version: str | None = None,
    parameters: Mapping[str, object] | None = None,
    wants: str = "str",
    workers: int = 1,
) -> Extractor | Callable[[Callable[..., Text]], Extractor]:
    """A decorator that says of a function what its row shall say.

    ``name`` names the row, ``python/NAME``; it is the function's own name unless given. ``version`` is your word that
    functions of one version extract the same: what they return is then kept, and a run that was cut goes on. ``parameters``
    are keywords with their defaults, which runs can sweep; a decimal is given as ``Decimal``, and a list is one of its words,
    the first by default. ``wants`` is what the function is given: ``"str"``, the decoded page; ``"bytes"``; or ``"page"``, with
    ``html``, ``url`` and ``language``. ``workers`` threads call it at a time, for functions that release the interpreter's lock.

    >>> import carat
    >>> @carat.extractor(parameters={"least": 1})
    ... def long_paragraphs(html, *, least):
    ...     paragraphs = [part.split("</p>")[0] for part in html.split("<p>")[1:]]
    ...     return "\\n".join(text for text in paragraphs if len(text) >= least)
    >>> run = carat.run("portals", [{long_paragraphs: {"least": [1, 40]}}], bounds=[])
    >>> run.rows["row"]
    ['python/long_paragraphs:least=1', 'python/long_paragraphs:least=40']
    """
    if function is None:
        return lambda function: _extractor(function, name, version, parameters or {}, wants, workers)
    return _extractor(function, name, version, parameters or {}, wants, workers)


def _extractor(
    function: Callable[..., Text],
    name: str | None,
    version: str | None,
    parameters: Mapping[str, object],
    wants: str,
    workers: int,
) -> Extractor:
    if not callable(function):
        raise TypeError(f"an extractor is a function, not {type(function).__name__}")
    if wants not in ("str", "bytes", "page"):
        raise RequestError(f"wants is str, bytes or page, not `{wants}`")
    if not isinstance(workers, int) or not 1 <= workers <= 64:
        raise RequestError(f"workers={workers}: from 1 to 64 threads call a function")
    if name is None:
        name = getattr(function, "__name__", "")
        if not re.fullmatch(r"[A-Za-z0-9_+-][A-Za-z0-9._+-]{0,63}", name):
            raise RequestError("a function without a name needs one: carat.extractor(function, name=...)")
    return Extractor(function, name, version, dict(parameters), wants, workers)


def as_extractor(function: Callable[..., Text]) -> Extractor:
    """The facts of a function that its row states."""
    return function if isinstance(function, Extractor) else _extractor(function, None, None, {}, "str", 1)


def declared(parameters: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Parameters as the hello of a worker declares them."""

    def one(name: str, default: object) -> dict[str, object]:
        if isinstance(default, Mapping):
            return dict(default)
        if isinstance(default, bool):
            return {"type": "bool", "default": default}
        if isinstance(default, int):
            return {"type": "int", "default": default}
        if isinstance(default, (float, Decimal, Fraction)):
            return {"type": "decimal", "default": value_text(default)}
        if isinstance(default, str):
            return {"type": "string", "default": default}
        if isinstance(default, Sequence) and default and all(isinstance(word, str) for word in default):
            return {"type": "enum", "values": list(default), "default": default[0]}
        raise RequestError(f"the parameter `{name}` has no default of a kind that can be swept: {default!r}")

    return {name: one(name, default) for name, default in parameters.items()}


def asking(extractor: Extractor) -> Callable[[Any, str, str, str], str]:
    """A function for the module in Rust: page, URL, language and parameters as JSON to a text."""
    kinds = {name: kind.get("type") for name, kind in declared(extractor.parameters).items()}

    @functools.lru_cache(maxsize=64)
    def keywords(parameters: str) -> dict[str, object]:
        given = json.loads(parameters)
        return {name: Decimal(value) if kinds.get(name) == "decimal" else value for name, value in given.items()}

    def ask(page: Any, url: str, language: str, parameters: str) -> str:
        given = PageGiven(page, url, language) if extractor.wants == "page" else page
        text = extractor.function(given, **keywords(parameters))
        if text is None:
            return ""
        if not isinstance(text, str):
            raise TypeError(f"the extractor returned {type(text).__name__}, not str or None")
        return text

    return ask


def source_digest(function: Callable[..., Text]) -> str:
    """The digest of the file in which a function is defined; that of nothing where there is none."""
    file = inspect.getsourcefile(inspect.unwrap(function))
    content = Path(file).read_bytes() if file and Path(file).is_file() else b""
    return hashlib.sha256(content).hexdigest()[:16]


#: Address space without which an interpreter cannot start, in bytes.
_LEAST_MEMORY = 64 << 20


def _of_worker(
    extractor: Extractor, processes: int, timeout: float | None, memory_limit: int | None
) -> dict[str, object]:
    """The extractor as a program of its own, which ``carat.worker`` is."""
    if extractor.path.startswith("__main__:") or "<locals>" in extractor.path:
        raise RequestError(
            f"{extractor.path} cannot be imported by another process: define the function in a module, or leave out processes"
        )
    if extractor.wants == "bytes":
        raise RequestError(f"{extractor.name} wants bytes, and another process is sent the decoded page: leave out processes")
    environment = {"CARAT_WORKER_PATH": json.dumps([path for path in sys.path if path])}
    if memory_limit is not None:
        environment["CARAT_WORKER_MEMORY"] = str(memory_limit)
    asked: dict[str, object] = {
        "name": extractor.name,
        "function": "true",
        "command": [sys.executable, "-m", "carat.worker", extractor.path],
        "env": environment,
        "workers": str(processes),
    }
    if timeout is not None:
        asked["timeout_s"] = value_text(timeout)
    return asked


class Rows:
    """The rows that are asked for, one item of a configuration each, and the functions in them."""

    def __init__(
        self, items: Iterable[object], processes: int, timeout: float | None, memory_limit: int | None = None
    ) -> None:
        self.items: list[object] = []
        self.functions: list[Extractor] = []
        if not processes and (timeout is not None or memory_limit is not None):
            raise RequestError("timeout and memory_limit are of processes of a function's own: give processes=1 or more")
        if memory_limit is not None and (not isinstance(memory_limit, int) or memory_limit < _LEAST_MEMORY):
            raise RequestError(f"memory_limit={memory_limit}: a process needs at least {_LEAST_MEMORY} bytes to start")
        self._limits = (processes, timeout, memory_limit)
        for item in items:
            self._add(item)

    def _add(self, item: object) -> None:
        if isinstance(item, str):
            self.items.append(item)
        elif isinstance(item, Mapping):
            if len(item) != 1:
                raise RequestError('a row is one algorithm with its parameters, as in {"nta": {"coherence": 0.8}}')
            ((name, parameters),) = item.items()
            if callable(name):
                self._add_function(as_extractor(name), parameters)
            else:
                self.items.append({name: _written(parameters)})
        elif callable(item):
            self._add_function(as_extractor(item), {})
        else:
            raise TypeError(f"a row is a str, a mapping or a function, not {type(item).__name__}")

    def _add_function(self, extractor: Extractor, parameters: Mapping[str, object]) -> None:
        processes, timeout, memory_limit = self._limits
        written = {name: values_text(value) for name, value in parameters.items()}
        if processes:
            asked = _of_worker(extractor, processes, timeout, memory_limit)
            key = "external"
        else:
            asked = {"name": extractor.name, "function": extractor.path}
            if extractor.version is not None:
                asked["version"] = str(extractor.version)
            key = "python"
            self.functions.append(extractor)
        if written:
            asked["parameters"] = written
        self.items.append({key: asked})


def _written(value: object) -> object:
    """A part of a configuration with every scalar as its text."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {str(name): _written(one) for name, one in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_written(one) for one in value]
    return values_text(value)


def external_item(program: str | Mapping[str, object]) -> dict[str, object]:
    """An external program as an item of a configuration."""
    if isinstance(program, str):
        return {"external": {"command": shlex.split(program)}}
    return {"external": _written(program)}
