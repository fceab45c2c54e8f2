"""Settings as they are typed on the command line: the form of each value, its choices, default and bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem
from pydantic import BeforeValidator, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from longreach.core.formatting import Depths, Lengths, parse_seconds, tokens_setting
from longreach.core.settings import Sampling, Settings, Spec
from longreach.errors import BadInput, did_you_mean, one_line

from .base import TOKENS, Integer, Number, NumberOrDefault, SettingOption
from .user_settings import key_values


class SettingType(click.ParamType[str]):
    """One setting: text that the spec reads and checks; `form` is what `--help` shows."""

    def __init__(self, form: str, choices: Sequence[str] = ()) -> None:
        self.name = form
        self.form = form
        self.choices = tuple(choices)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        return self.form

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        before, comma, last = incomplete.rpartition(",") if self.form.endswith(",...") else ("", "", incomplete)
        return [CompletionItem(f"{before}{comma}{choice}") for choice in self.choices if choice.startswith(last)]


def spec_options(spec: type[Spec], others: Mapping[str, FieldInfo]) -> list[click.Option]:
    """One option per setting of a spec that is a flag, and --set for all of them and for some `others`."""
    options: list[click.Option] = []
    for name, form in setting_types(spec).items():
        field = spec.model_fields[name]
        if not is_flag(field):
            continue
        key = field.alias or name
        notes = [bounds(field)] if bounds(field) else []
        if field.default not in (None, ()):
            whole = len(field.default) > 4 if isinstance(field.default, tuple) else False
            every = whole and set(field.default) == set(form.choices)
            notes.append("default: all" if every else f"default: {setting_value(field.default)}")
        text = f"{_sentence(field.description or name, form)}." + (f"  [{'; '.join(notes)}]" if notes else "")
        # A switch that is off may be given without a value: `--switch` is `--switch true`.
        switch: dict[str, Any] = {"is_flag": False, "flag_value": "true"} if field.default is False else {}
        options.append(
            SettingOption(
                [f"--{key.replace('_', '-')}", f"set_{key}"], help=text, type=form, multiple=name == "docs", **switch
            )
        )
    fields = {name: field for name, field in spec.model_fields.items() if name != "family"}
    return [*options, SetOption({**fields, **others})]


def under_headings(options: Sequence[click.Option], *classes: type[Settings]) -> list[click.Option]:
    """The options, each under the heading of the class that declares its setting."""
    headings: dict[str, str] = {}
    for base in (base for made in classes for base in reversed(made.__mro__) if issubclass(base, Settings)):
        headings |= dict.fromkeys(vars(base).get("__annotations__", {}), base.heading)
    for option in options:
        if isinstance(option, SettingOption):
            option.heading = headings.get((option.name or "").removeprefix("set_"), "")
    return list(options)


def is_flag(field: FieldInfo) -> bool:
    """Whether a setting has a flag of its own, beside spec files and --set."""
    return _extra(field).get("flag", "") is not None


def names_models(spec: type[Spec]) -> bool:
    """Whether a setting of a spec names a model that helps with building."""
    return any("MODEL" in form.form.split(",") for form in setting_types(spec).values())


def _extra(field: FieldInfo) -> dict[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}


class SetOption(click.Option):
    """--set KEY=VALUE, for every one of some settings; its help names those that have no flag."""

    def __init__(self, fields: Mapping[str, FieldInfo]) -> None:
        self.fields = {field.alias or name: field for name, field in fields.items()}
        unlisted = [name for name, field in self.fields.items() if field.description and not is_flag(field)]
        about = f"Any setting by its name, also {', '.join(unlisted)}. May repeat."
        super().__init__(["--set", "changed"], multiple=True, metavar="KEY=VALUE", help=about)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        return [CompletionItem(f"{name}=") for name in self.fields if name.startswith(incomplete)]


def set_values(pairs: Sequence[str], known: Iterable[str], flags: Collection[str] = ()) -> dict[str, Any]:
    """The settings of --set by name: known ones, of which no flag is given as well."""
    values, names = key_values(tuple(pairs), "--set", "seed=1"), list(known)
    for name in values:
        if name not in names:
            raise BadInput(f"--set {one_line(name, 80)}: no such setting.{did_you_mean(name, names)}")
        if name in flags:
            raise BadInput(f"--set {name}: its flag is given too; give one of them")
    return values


def setting_options(fields: Mapping[str, FieldInfo]) -> list[click.Option]:
    """One option per setting that has a description and a flag, with values of Click's own types."""
    options: list[click.Option] = []
    for name, field in fields.items():
        if field.description is None or not is_flag(field):
            continue
        extra = _extra(field)
        union = get_origin(field.annotation) in (Union, UnionType)
        kinds = [kind for kind in get_args(field.annotation) if kind is not NoneType] if union else [field.annotation]
        more: dict[str, Any] = {"type": _click_type(field, kinds, extra.get("form", ""))}
        if field.annotation is bool:
            off = {"flag_value": False, "default": True, "show_default": False}
            more = off if field.default else {"is_flag": True}
        elif any(get_origin(kind) is dict for kind in kinds) or _is_list(field):
            more["multiple"] = True
        elif field.default != "" and not isinstance(field.default, tuple):
            more["default"] = field.default
        flag = extra.get("flag") or f"--{name.replace('_', '-')}"
        more["hidden"] = bool(extra.get("hidden"))
        options.append(SettingOption([*flag.split(), name], help=field.description, metavar=extra.get("form"), **more))
    return options


def _is_list(field: FieldInfo) -> bool:
    """Whether a setting is a list that is no text with commas."""
    return get_origin(field.annotation) is tuple and not any(
        isinstance(rule, BeforeValidator) for rule in field.metadata
    )


def _click_type(field: FieldInfo, kinds: Sequence[Any], form: str) -> click.ParamType[Any] | None:
    if get_origin(kinds[0]) is Literal:
        return click.Choice(get_args(kinds[0]))
    rules = _rules(field)
    least, most = rules.get("ge", rules.get("gt")), rules.get("le")
    reads = [getattr(rule, "func", None) for rule in field.metadata]
    if tokens_setting in reads:
        return TOKENS
    if parse_seconds in reads:
        return click.STRING
    if int in kinds:
        return Integer(least, most)
    if float in kinds:
        return (NumberOrDefault if form.endswith("|default") else Number)(least, most, min_open="gt" in rules)
    return None


def setting_types(spec: type[Any]) -> dict[str, SettingType]:
    """Every setting with the form of its value."""
    hints = get_type_hints(spec, include_extras=True)
    return {name: _setting(hints[name], field) for name, field in spec.model_fields.items() if name != "family"}


def _setting(hint: Any, field: FieldInfo) -> SettingType:
    extra = _extra(field)
    if "form" in extra:
        return SettingType(str(extra["form"]), extra.get("choices", ()))
    if hint == Lengths:
        return SettingType("LENGTHS")
    if hint == Depths:
        return SettingType("PERCENT,...")
    form = _form(field.annotation)
    if "INTEGER" in form.form:
        whole: Any = Annotated[field.annotation, *field.metadata]
        accepts: TypeAdapter[Any] = TypeAdapter(whole)
        if not form.form.endswith(",...") and _takes(accepts, "4k"):
            return SettingType("TOKENS")
    return form


def _form(annotation: Any) -> SettingType:
    """The form of a type's values, as they must be typed."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _form(parts[0])
    if origin is Literal:
        choices = [str(part) for part in parts]
        return SettingType(f"[{'|'.join(choices)}]", choices)
    if origin in (Union, UnionType):
        forms = [_form(part) for part in parts if part is not NoneType]
        return forms[0] if len(forms) == 1 else SettingType("|".join(form.form for form in forms))
    if origin is tuple:
        inner = _form(parts[0])
        return SettingType(f"{inner.form},...", inner.choices)
    if origin is dict:
        return SettingType("NAME=VALUE,...")
    if annotation is bool:
        return SettingType("[true|false]", ("true", "false"))
    names = {str: "TEXT", int: "INTEGER", float: "NUMBER", Sampling: "NAME=VALUE,..."}
    return SettingType(names.get(annotation, "TEXT"))


def _takes(accepts: TypeAdapter[Any], value: str) -> bool:
    try:
        accepts.validate_python(value)
    except ValidationError:
        return False
    return True


def _rules(field: FieldInfo) -> dict[str, Any]:
    return {
        name: getattr(rule, name) for rule in field.metadata for name in ("ge", "gt", "le", "lt") if hasattr(rule, name)
    }


def bounds(field: FieldInfo) -> str:
    """The smallest and largest value of a setting, in words; empty where it has none."""
    found = _rules(field)
    if found.get("le") == 2**63 - 1:
        del found["le"]
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    if "ge" in found and "le" in found:
        return f"{found['ge']} to {found['le']}"
    return ", ".join(f"{words[name]} {value}" for name, value in found.items())


def setting_value(value: Any) -> str:
    """A setting's value as it is typed."""
    if isinstance(value, Sampling):
        return ",".join(f"{name}={part:g}" for name, part in value if part is not None)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return ",".join(f"{name}={setting_value(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return _range(value) or ",".join(setting_value(part) for part in value)
    return str(value)


def _range(values: Sequence[Any]) -> str:
    """Five or more numbers in equal steps, as a range."""
    texts = [setting_value(value) for value in values]
    percent = "%" if all(text.endswith("%") for text in texts) else ""
    try:
        numbers = [float(text.removesuffix("%")) for text in texts]
    except ValueError:
        return ""
    step = numbers[1] - numbers[0] if len(numbers) > 4 else 0
    if step <= 0 or any(abs(numbers[0] + step * i - number) > 1e-9 for i, number in enumerate(numbers)):
        return ""
    return f"{numbers[0]:g}{percent}..{numbers[-1]:g}{percent}/{step:g}{percent}"


def _sentence(text: str, form: SettingType) -> str:
    """With a capital letter, unless the first word is a value as it must be typed."""
    word = text.split(" ")[0].rstrip(":,;")
    return text if word in form.choices else text[:1].upper() + text[1:]
