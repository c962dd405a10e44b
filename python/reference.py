"""Writes docs/reference/python.md from the docstrings:    python python/reference.py > docs/reference/python.md"""

import inspect
import re
import textwrap

import carat
import carat.ray
import carat.spark
import carat.testing

HEAD = """# Python

Made from the docstrings of the package by `python/reference.py`. [From Python](../python.md) is the guide.
"""


def prose(text: str) -> str:
    """A docstring as Markdown: doctests become code."""
    text = re.sub(r":(?:class|meth|func):`(?:carat\.)?([^`]*)`", r"`\1`", text).replace("``", "`")
    blocks = []
    for block in text.split("\n\n"):
        blocks.append(f"```python\n{block}\n```" if block.startswith(">>>") else block)
    return "\n\n".join(blocks)


def signature(name: str, function: object) -> str:
    parameters = str(inspect.signature(function, eval_str=False))  # type: ignore[arg-type]
    # Annotations are kept as texts; a method is shown as it is called.
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", parameters).replace("(self, ", "(").replace("(self)", "()")
    one_line = f"{name}{plain}"
    if len(one_line) <= 110:
        return one_line
    inside, _, back = plain[1:].rpartition(")")
    parts = re.split(r", (?![^\[(]*[\])])", inside)
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){back}"


def documented(kind: type) -> list[str]:
    lines = []
    # The order of a compiled class is that of its build.
    members = vars(kind) if kind.__module__ != "carat" or "__dict__" in vars(kind) else sorted(vars(kind))
    for name in members:
        member = vars(kind)[name]
        if name.startswith("_") or not inspect.getdoc(member):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        if inspect.isfunction(member):
            lines.append(f"- `{signature(name, member)}`: {summary(member)}")
        elif isinstance(member, property) or not callable(member):
            lines.append(f"- `{name}`: {summary(member)}")
    return lines


def summary(member: object) -> str:
    return prose((inspect.getdoc(member) or "").split("\n\n")[0]).replace("\n", " ")


def section(name: str, member: object) -> str:
    text = f"## {name}\n\n"
    if inspect.isclass(member):
        text += prose(inspect.getdoc(member) or "")
        members = documented(member)
        text += "\n\n" + "\n".join(members) if members else ""
    else:
        text += f"```python\n{signature(name, member)}\n```\n\n{prose(inspect.getdoc(member) or '')}"
    return text


def reference() -> str:
    named = {name: getattr(carat, name) for name in carat.__all__ if name != "__version__"}
    functions = {name: member for name, member in named.items() if not inspect.isclass(member)}
    classes = {name: member for name, member in named.items() if inspect.isclass(member)}
    functions["testing.assert_no_worse"] = carat.testing.assert_no_worse
    for name in ("score", "score_groups", "run"):
        functions[f"ray.{name}"] = getattr(carat.ray, name)
        functions[f"spark.{name}"] = getattr(carat.spark, name)
    sections = [section(name, member) for part in (functions, classes) for name, member in part.items()]
    return HEAD + "\n" + "\n\n".join(textwrap.dedent(one).rstrip() for one in sections) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
