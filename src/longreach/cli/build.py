"""Make benchmarks and look at them: build, show, check, review."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longreach import api as verbs
from longreach.errors import BadInput, Stopped, did_you_mean, one_line
from longreach.families import FAMILIES

from .base import (
    FILE,
    FOLDER,
    MODEL,
    Command,
    Commands,
    Integer,
    SettingOption,
    cli,
    echo,
    json_option,
    next_step,
    print_json,
    say,
    styled,
    warn,
)
from .user_settings import read_spec

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from longreach.core.bench import Bench
    from longreach.families.helper_requests import HelperPlan


class _Families(Commands):
    """One subcommand per family, with an option for every setting of its spec; loaded only when named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(FAMILIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        if cmd_name not in FAMILIES:
            raise BadInput(f"unknown family '{cmd_name}'.{did_you_mean(cmd_name, FAMILIES)}")
        return _build_command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Families"):
            formatter.write_dl(list(FAMILIES.items()))


@cli.group(cls=_Families, subcommand_metavar="FAMILY [SPEC.yaml] [OPTIONS]")
def build() -> None:
    """Build a benchmark folder from documents.

    Settings come from flags, from a spec file, or from both: flags override the file, and --set KEY=VALUE gives any
    setting by its name. `longreach build FAMILY --help` lists them."""


def _build_command(family: str) -> click.Command:
    """`longreach build FAMILY`: an option for each field of the family's spec, checked by the spec itself."""
    from .setting_options import is_flag

    made = _FamilyBuild(family)
    spec_type = made.family.spec_type
    named = {field.alias or name for name, field in spec_type.model_fields.items() if is_flag(field)}
    return Command(
        family,
        params=made.options(),
        callback=made.build,
        help=f"{FAMILIES[family][:1].upper()}{FAMILIES[family][1:]}.",
        usual=["out", *(f"set_{name}" for name in spec_type.usual if name in named)],
        example=f"longreach build {family} {spec_type.example}" if spec_type.example else "",
    )


class _FamilyBuild:
    """The options of a family's build, and the build of what they say."""

    def __init__(self, family: str) -> None:
        from longreach.core.settings import BuildSettings, ConnectionSettings
        from longreach.families import get_family
        from longreach.families.parts import Preset, part_of

        from .setting_options import names_models

        self.name = family
        self.family = get_family(family)
        self.helping: dict[str, FieldInfo] = {}
        """Settings of models that help with the build, if the family uses any."""
        if names_models(self.family.spec_type):
            fields = ConnectionSettings.model_fields
            self.helping = {name: field for name, field in fields.items() if name != "base_url"}
        self.beside = self.helping | BuildSettings.model_fields
        """Settings that are no part of the spec."""
        fields = self.family.spec_type.model_fields
        self.presets = part_of(self.family, Preset).presets
        self.known = [field.alias or name for name, field in fields.items() if name != "family"]
        self.known += ["preset"] if self.presets else []

    def options(self) -> list[click.Parameter]:
        """The parameters of the command."""
        from .setting_options import spec_options, under_headings

        made = self.family
        options: list[click.Parameter] = [self._argument(), *_build_options()]
        options += _helper_options() if self.helping else []
        if self.presets:
            options.append(
                click.Option(
                    ["--preset", "set_preset"],
                    metavar=f"[{'|'.join(self.presets)}]",
                    help="Start from named settings; flags and the spec file override them.",
                )
            )
        return options + under_headings(spec_options(made.spec_type, self.beside), made.spec_type)

    def build(
        self,
        out: Path,
        target: str | None,
        as_json: bool,
        changed: tuple[str, ...],
        base_url: str | None = None,
        budget: str | None = None,
        yes: bool = False,
        spec_file: Path | None = None,
        words: tuple[str, ...] = (),
        **flags: Any,
    ) -> None:
        """Build the benchmark."""
        from longreach.core.settings import BuildSettings

        from .setting_options import set_values

        if words and Path(words[0]).suffix:  # a file, not the value of a setting
            spec_file, words = Path(words[0]), words[1:]
        settings = self._from_file(spec_file) | self._from_words(words)
        typed = {name.removeprefix("set_"): value for name, value in flags.items() if value not in (None, ())}
        chosen = set_values(changed, [*self.known, *self.beside], typed)
        own = BuildSettings.parse(
            {name: chosen[name] for name in BuildSettings.model_fields if name in chosen}, "--set"
        )
        settings |= typed | {name: value for name, value in chosen.items() if name in self.known}
        reach: Any = {"base_url": base_url} | {name: value for name, value in chosen.items() if name in self.helping}
        if budget is not None:
            from longreach.runner.budget import Budget

            Budget.read(budget)
        bench = verbs.build(
            self.name,
            out,
            model=target,
            where=str(spec_file or "flags"),
            warn=warn,
            progress=say,
            helpers=reach,
            budget=budget,
            plan=partial(agree_to_helpers, base_url=base_url, yes=yes, budget=budget),
            follow_links=own.follow_links,
            settings=settings,
        )
        _show_built(bench, out, target, flag=self.family.spec_type.contexts_flag, as_json=as_json)

    def _argument(self) -> click.Argument:
        """The spec file, and the settings that may be given without a flag."""
        if not self.family.spec_type.arguments:
            return click.Argument(["spec_file"], required=False, metavar="[SPEC.yaml]", type=FILE)
        words = " ".join(["[SPEC.yaml]", *(f"[{name.upper()}]" for name in self.family.spec_type.arguments)])
        return click.Argument(["words"], nargs=-1, metavar=f"{words}...")

    def _from_file(self, spec_file: Path | None) -> dict[str, Any]:
        settings = read_spec(spec_file) if spec_file else {}
        if settings.pop("family", self.name) != self.name:
            raise BadInput(f"{spec_file} is not a {self.name} spec; build it with the family it names")
        for key in settings:
            if key not in self.known:  # checked here, because `verbs.build` has parameters with other meanings
                raise BadInput(f"{spec_file}: unknown key '{one_line(key, 80)}'.{did_you_mean(key, self.known)}")
        return settings

    def _from_words(self, words: tuple[str, ...]) -> dict[str, Any]:
        """Settings given without a flag; the last one takes all that are left."""
        *first, last = self.family.spec_type.arguments or ("",)
        rest = {last: words[len(first) :]} if len(words) > len(first) else {}
        return dict(zip(first, words, strict=False)) | rest


def _build_options() -> list[click.Parameter]:
    """What every build has."""
    return [
        click.Option(["-o", "--out"], required=True, type=FOLDER, help="Folder to build; must be new or empty."),
        click.Option(
            ["-m", "--model", "target"],
            type=MODEL,
            help="Fit lengths and tokenizer to this model: its known window, its own tokenizer where that is public.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
    ]


def _show_built(bench: Bench, out: Path, target: str | None, *, flag: str, as_json: bool) -> None:
    """Print what was built; `flag` is the option that gives a benchmark more contexts."""
    info, tokens = bench.info, sum(item.tokens for item in bench.items.values())
    if as_json:
        print_json({"bench": str(out), "digest": info.digest, "items": info.items, "tokens": tokens})
        return
    from longreach.planning.measure import can_show

    echo(f"{out}: {info.items} items, {tokens:,} prompt tokens, digest {info.digest[:12]}")
    for each in can_show(bench):
        echo(f"can show: {each.line(flag)}")
    next_step(f"longreach plan {out} -m {target or 'MODEL'}")


def _helper_options() -> list[SettingOption]:
    """How models that help with building are reached, and what they may cost."""
    options = [
        SettingOption(["--base-url"], metavar="URL", help="Address of an OpenAI-compatible server for these models."),
        SettingOption(
            ["--budget"],
            metavar="AMOUNT",
            help="Most that this build may spend on these models: 5usd or 2Mtok. It stops there; replies are saved.",
        ),
        SettingOption(["-y", "--yes"], is_flag=True, help="Send to paid models without asking."),
    ]
    for option in options:
        option.heading = "Models that help with building"
    return options


def agree_to_helpers(planned: HelperPlan, *, base_url: str | None, yes: bool, budget: str | None) -> None:
    """Show what helper models will be asked; paid ones need consent: on the terminal, by --yes or by a --budget."""
    paid = planned.paid(base_url)
    asked = sys.stdin.isatty() and sys.stderr.isatty()
    for line in planned.lines():
        say(line)
    if not paid or yes or budget is not None:
        return
    if not asked:
        raise BadInput(f"{paid[0]} may cost money and there is no terminal to confirm on; pass --yes or a --budget")
    if not click.confirm("send?", default=True, err=True):
        raise Stopped("nothing was sent")


@cli.command()
@click.argument("bench", type=FOLDER)
@click.option("--item", metavar="ID", help="Show one item: the prompt as it will be sent, and all metadata.")
@json_option
def show(bench: Path, item: str | None, as_json: bool) -> None:
    """List a benchmark's items, or show one of them with its whole prompt."""
    from longreach.families.showing import item_details, item_line, item_prompt

    opened = verbs.open_bench(bench)
    if item is not None:
        details = item_details(opened, opened.item(item))
        prompt = item_prompt(opened, opened.item(item))
        if as_json:
            print_json({**details, "text": prompt})
        else:
            echo(json.dumps(details, ensure_ascii=False, indent=2))
            echo(f"\n{'-' * 20} prompt {'-' * 20}\n{prompt}")
    elif as_json:
        print_json({"items": [item_details(opened, entry) for entry in opened.items.values()]})
    else:
        info, entries = opened.info, list(opened.items.values())
        echo(f"{info.family} {info.digest[:12]}  {info.items} items  tokenizer {opened.corpus.info.tokenizer}")
        for entry in entries:
            echo(item_line(entry))


@cli.command()
@click.argument("bench", type=FOLDER)
@json_option
def check(bench: Path, as_json: bool) -> None:
    """Verify a benchmark: count and hash every prompt again. Exit code 1 on any difference."""
    problems = verbs.check(bench)
    if as_json:
        print_json({"bench": str(bench), "ok": not problems, "problems": problems})
    else:
        for problem in problems:
            echo(problem)
        good = f"{styled('ok', fg='green')}: every count and digest is as recorded"
        echo(styled(f"{len(problems)} differences", fg="red") if problems else good)
    if problems:
        sys.exit(1)


@cli.command()
@click.argument("bench", type=FOLDER)
@click.option("--sample", type=Integer(1, 1_000_000), metavar="N", help="Show this many questions, drawn at random.")
@click.option("--seed", type=Integer(0, 10**9), default=1, hidden=True)
@click.option(
    "--reviewer",
    default="",
    show_default=False,
    metavar="NAME",
    help="Save the decisions under this name, one file each.",
)
@click.option("--agreement", is_flag=True, help="Print pass rates by criterion and reviewer, with agreement and kappa.")
@click.option("--port", type=Integer(0, 65535), default=0, help="Port of the page; 0 picks a free one.")
@click.option("--no-browser", is_flag=True, help="Print the page's address and open nothing.")
@click.option(
    "-o", "--out", type=FOLDER, help="Write a new benchmark from the decisions made so far, without serving the page."
)
@json_option
def review(
    bench: Path,
    sample: int | None,
    seed: int,
    reviewer: str,
    agreement: bool,
    port: int,
    no_browser: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Accept, edit or reject a benchmark's questions on a local page; or mark answers as right or wrong.

    Decisions are saved beside the benchmark, by reviewer; -o turns them into a new benchmark, whose page reports the
    review under Checks. Of a folder of runs or of decide, wrong and undecided answers are shown: your verdicts win over
    the key and the judge, and the next decide, report or gate counts with them."""
    if agreement and out is None:
        found = verbs.review_agreement(bench)
        if as_json:
            print_json({"bench": str(bench), "criteria": [one.model_dump(mode="json") for one in found]})
            return
        from longreach.core.formatting import percent

        names = sorted({name for one in found for name in one.passed})
        rows = [("criterion", *names, "agreement", "kappa", "n")]
        for one in found:
            passed = (percent(one.passed[name]) if name in one.passed else "-" for name in names)
            agreed = "-" if one.agreement is None else percent(one.agreement)
            rows.append((one.name, *passed, agreed, "-" if one.kappa is None else f"{one.kappa:.2f}", str(one.both)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        return
    if out is None:
        counts = verbs.review(
            bench, reviewer=reviewer, sample=sample, seed=seed, port=port, browser=not no_browser, say=say
        )
        if as_json:
            print_json({"bench": str(bench), **counts})
        return
    made = verbs.apply_review(bench, out)
    done = made.build["reviews"][-1]
    counts = {name: done[name] for name in ("accepted", "edited", "rejected", "undecided")}
    if as_json:
        print_json({"bench": str(out), "digest": made.info.digest, "items": made.info.items, **counts})
    else:
        decided = ", ".join(f"{count} {name}" for name, count in counts.items())
        echo(f"{out}: {made.info.items} items, digest {made.info.digest[:12]} ({decided})")
        next_step(f"longreach plan {out} -m MODEL")
