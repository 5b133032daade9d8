"""A Jinja2 sandbox that also bounds time and memory.

A chat template is a program that comes with a model, from anybody. Jinja2's own sandbox keeps it
from Python's internals, but lets it loop for hours or build a gigabyte of text. Here

- each operation that can make a large value is charged to a budget before it runs,
- filters and functions are the ones that chat templates use, others don't exist,
- the thread's processor time is checked at each line of the template.

Known gap: a comparison of lists that were nested on purpose some forty times runs in one native
step, which nothing in this thread can interrupt.
"""

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from jinja2 import nodes, pass_context
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

_FILTERS: Final = frozenset(
    {
        "abs",
        "attr",
        "capitalize",
        "count",
        "d",
        "default",
        "dictsort",
        "e",
        "escape",
        "first",
        "float",
        "format",
        "groupby",
        "indent",
        "int",
        "items",
        "join",
        "last",
        "length",
        "list",
        "lower",
        "map",
        "max",
        "min",
        "reject",
        "rejectattr",
        "replace",
        "reverse",
        "round",
        "safe",
        "select",
        "selectattr",
        "sort",
        "string",
        "sum",
        "title",
        "tojson",
        "trim",
        "unique",
        "upper",
    }
)
_COMPILED: Final = "<template>"
"""The file name that Jinja2 gives the code of a template that came from no file."""

_SLOW_METHODS: Final = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs", "translate"})
# What an entry of a list counts as: its own text, its separator, and the time to look at it.
_ENTRY: Final = 16

_MAX_INTEGER_BITS: Final = 4_096
_WIDE_PERCENT: Final = re.compile(r"%[^a-zA-Z%]*(\*|\d{4})")
_WIDE_BRACES: Final = re.compile(r"\{[^{}]*:[^{}]*(\{|\d{4})")


class BoundExceeded(Exception):
    """A template took more time or made larger values than any chat needs."""

    def __init__(self, what: str) -> None:
        super().__init__(f"it {what}")


class _Generator(CodeGenerator):
    """Sends what the sandbox does not intercept, ``~`` and slices, through the environment."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        sliced = isinstance(node.arg, nodes.Slice)
        if sliced:
            self.write("environment.charged(")
        super().visit_Getitem(node, frame)
        if sliced:
            self.write(")")


class _Generation(Extension):
    """``{% generation %}``: marks the assistant's words for training; here it changes nothing."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """The environment that chat templates are written for, within bounds; see ``within``."""

    intercepted_binops = frozenset({"*", "**", "+", "%"})
    code_generator_class = _Generator

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[_Generation, "jinja2.ext.loopcontrols"],
            # Without these two, constant expressions would run, unbounded, while compiling.
            optimized=False,
            finalize=pass_context(lambda _context, value: self._finalized(value)),
        )
        self._left = 0
        # Captured blocks and macros are put together by this.
        self.concat = self.joined  # type: ignore[method-assign]
        self.globals = {
            "range": self.globals["range"],
            "dict": dict,
            "namespace": Namespace,
        }
        for name in set(self.filters) - _FILTERS:
            del self.filters[name]
        for name, function in list(self.filters.items()):
            self.filters[name] = self.guarded(name, function)

    @contextmanager
    def within(self, budget: int, cpu_s: float) -> Iterator[None]:
        """Runs a render in this thread with ``budget`` characters and ``cpu_s`` seconds.

        Raises:
            BoundExceeded: from inside, at the operation that went beyond.
        """
        self._left = budget
        deadline = time.thread_time() + cpu_s

        def check(frame: FrameType, _event: str, _argument: object) -> Any:
            if time.thread_time() > deadline:
                raise BoundExceeded("takes too long")
            # In code that is not the template's, only its calls are looked at.
            return check if frame.f_code.co_filename == _COMPILED else None

        before = sys.gettrace()
        sys.settrace(check)
        try:
            yield
        finally:
            sys.settrace(before)

    # --- charging ---

    def charge(self, size: int) -> None:
        """Takes ``size`` characters, or list entries, from the budget."""
        self._left -= size
        if self._left < 0:
            raise BoundExceeded("makes more text than any chat needs")

    def charged(self, value: Any) -> Any:
        """Charges a value that was made just now, without what its parts refer to."""
        self.charge(len(value) if isinstance(value, (str, list, tuple, dict)) else 1)
        return value

    def charge_text(self, value: Any) -> None:
        """Charges all that ``value`` becomes when it is written out, before it is."""
        waiting = [value]
        while waiting:
            part = waiting.pop()
            if isinstance(part, str):
                self.charge(len(part))
            elif isinstance(part, Mapping):
                self.charge(_ENTRY * len(part))
                waiting.extend(part.keys())
                waiting.extend(part.values())
            elif isinstance(part, (list, tuple, set, frozenset)):
                self.charge(_ENTRY * len(part))
                waiting.extend(part)
            else:
                self.charge(_ENTRY)

    def joined(self, parts: Iterable[Any]) -> str:
        """``~``, and the end of a captured block."""
        known = list(parts)
        self.charge_text(known)
        return "".join(map(str, known))

    def _finalized(self, value: Any) -> Any:
        self.charge_text(value)
        return value

    # --- what the sandbox asks ---

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "*":
            self._charge_product(left, right)
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            if left.bit_length() * abs(right) > _MAX_INTEGER_BITS:
                raise BoundExceeded("computes an absurd number")
        elif operator == "%" and isinstance(left, str):
            self._charge_format(_WIDE_PERCENT, left, right)
        elif operator == "+" and isinstance(left, (str, list, tuple)):
            self.charge(len(left) + (len(right) if isinstance(right, (str, list, tuple)) else 0))
        return super().call_binop(context, operator, left, right)

    def _charge_product(self, left: Any, right: Any) -> None:
        for value, times in ((left, right), (right, left)):
            if isinstance(value, (str, list, tuple)) and isinstance(times, int):
                self.charge(len(value) * max(times, 0))
        numbers = isinstance(left, int) and isinstance(right, int)
        if numbers and left.bit_length() + right.bit_length() > _MAX_INTEGER_BITS:
            raise BoundExceeded("computes an absurd number")

    def _charge_format(self, wide: re.Pattern[str], text: str, values: Any) -> None:
        if wide.search(text):
            raise BoundExceeded("pads text to an absurd width")
        # Each place in the text may repeat a value.
        for _ in range(1 + text.count("{")):
            self.charge_text(values)
        self.charge(len(text))

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, str):
            self._check_method(owner, obj.__name__, args)
        return self.charged(super().call(context, obj, *args, **kwargs))

    def _check_method(self, owner: str, name: str, args: tuple[Any, ...]) -> None:
        if name in _SLOW_METHODS:
            raise SecurityError(f"str.{name} is not for chat templates")
        if name == "replace" and len(args) >= 2:
            self._charge_replace(owner, args[0], args[1])
        elif name == "join":
            self._charge_join(owner, args[0] if args else ())

    def _charge_replace(self, text: str, old: Any, new: Any) -> None:
        if isinstance(old, str) and isinstance(new, str):
            self.charge(len(text) + text.count(old) * len(new))

    def _charge_join(self, separator: str, parts: Any) -> None:
        if isinstance(parts, (list, tuple)):
            self.charge(len(separator) * len(parts))
            self.charge_text(parts)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        text: str = value.__self__

        def format_bounded(*args: Any, **kwargs: Any) -> str:
            self._charge_format(_WIDE_BRACES, text, [args, kwargs])
            return wrapped(*args, **kwargs)

        return format_bounded

    # --- filters ---

    def guarded(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a filter: what it will make is charged before, or what it made after."""

        mark = getattr(function, "jinja_pass_arg", None)
        first = 0 if mark is None else 1

        def checked(*args: Any, **kwargs: Any) -> Any:
            values = list(args[first:])
            self._check_filter(name, values, list(kwargs.values()))
            return self.charged(function(*args[:first], *values, **kwargs))

        if mark is not None:
            # Jinja2 reads from this whether it passes the context or the environment first.
            checked.jinja_pass_arg = mark  # type: ignore[attr-defined]
        return checked

    def _check_filter(self, name: str, values: list[Any], named: list[Any]) -> None:
        """``values`` begins with what is filtered; an iterator there becomes a list."""
        given = [*values[1:], *named]
        match name:
            case "replace" if len(given) >= 2:
                self._charge_replace(str(values[0]), given[0], given[1])
            case "join":
                values[0] = list(values[0])
                self._charge_join(str(given[0]) if given else "", values[0])
            case "indent":
                self._charge_indent(str(values[0]), given[0] if given else 4)
            case "format":
                self._charge_format(_WIDE_PERCENT, str(values[0]), given)
            case "sum":
                values[0] = list(values[0])
                if any(isinstance(part, (list, tuple)) for part in [*values[0], *given]):
                    raise BoundExceeded("adds up lists")
            case "string" | "tojson" | "upper" | "lower" | "title" | "e" | "escape" | "trim":
                self.charge_text(values)

    def _charge_indent(self, text: str, width: Any) -> None:
        step = len(width) if isinstance(width, str) else int(width)
        self.charge(len(text) + max(step, 0) * (1 + text.count("\n")))
