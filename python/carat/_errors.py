"""Errors as exceptions. Each has the program's code and exit code, and its text is the program's sentence."""

from __future__ import annotations


class CaratError(Exception):
    """Something that carat cannot do. Catch one of the classes below it to tell what is wrong.

    >>> import carat
    >>> try:
    ...     carat.extract("<p>text</p>", "ntaa")
    ... except carat.CaratError as error:
    ...     print(error.code, error.exit_code, "did you mean `nta`?" in str(error))
    E-REQUEST 2 True
    """

    #: As the program tells it, such as ``E-DIGEST``.
    code: str
    #: What the program ``carat`` would end with.
    exit_code: int
    #: The file that is at fault, and the line and column in it, counted from 1.
    file: str | None
    line: int | None
    column: int | None

    def __init__(
        self,
        message: str,
        code: str = "E-REQUEST",
        exit_code: int = 2,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        Exception.__init__(self, message)
        self.message = message
        self.code, self.exit_code = code, exit_code
        self.file, self.line, self.column = file, line, column

    def __str__(self) -> str:
        return self.message

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return type(self), (self.message, self.code, self.exit_code, self.file, self.line, self.column)


class RequestError(CaratError, ValueError):
    """The request is wrong: an unknown name, a value out of its range, a configuration that is not one."""


class DataError(CaratError, ValueError):
    """The data are wrong: a dataset that breaks its format, a page beyond a limit, a run folder that was changed."""


class FileError(CaratError, OSError):
    """An I/O or permission error: no permission, no room, a file that cannot be read."""


class GateFailed(CaratError):
    """The run is worse than its baseline."""


class Defect(CaratError, RuntimeError):
    """A defect of carat. Please report it."""


_BY_EXIT_CODE = {1: GateFailed, 2: RequestError, 3: DataError, 4: FileError, 5: Defect}


def made(
    code: str, exit_code: int, message: str, file: str | None, line: int | None, column: int | None
) -> CaratError:
    """The exception of the class that goes with an exit code."""
    kind = _BY_EXIT_CODE.get(exit_code, CaratError)
    return kind(message, code, exit_code, file, line, column)
