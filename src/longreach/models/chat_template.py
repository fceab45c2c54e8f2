"""A model's own chat template and tokenizer: messages as the token ids that its server would make of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench
from longreach.errors import BadInput, LongreachError, one_line

from .providers import is_engine, runs_here

_FILES = ("chat_template.jinja", "tokenizer_config.json")
_MARK = "<<content>>"


class ChatTemplate:
    """The template beside a tokenizer.json."""

    def __init__(self, folder: Path, template: str, tokens: Mapping[str, str]) -> None:
        from jinja2.exceptions import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment
        from tokenizers import Tokenizer

        self._folder, self._tokens = folder, tokens
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.globals |= {"raise_exception": _refuse, "strftime_now": lambda form: datetime.now().strftime(form)}
        environment.filters["tojson"] = lambda value, **given: json.dumps(value, ensure_ascii=False, **given)
        try:
            self._template = environment.from_string(template)
        except TemplateError as error:
            raise BadInput(f"{folder}: the chat template cannot be used ({one_line(str(error))}); send text") from None
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def text(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any] | None = None) -> str:
        """The messages as the model reads them; a last one of the assistant is left open, to be continued."""
        opened = messages[-1]["content"] if messages and messages[-1]["role"] == "assistant" else ""
        given = {"add_generation_prompt": not opened, **self._tokens, **(options or {})}
        try:
            text = self._template.render(messages=list(messages), **given)
        except Exception as error:
            raise BadInput(f"{self._folder}: its chat template fails ({one_line(str(error))}); send text") from None
        return text[: text.rindex(opened.strip()) + len(opened.strip())] if opened else text

    def ids(self, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any] | None = None) -> list[int]:
        """The tokens of that text."""
        return list(self._tokenizer.encode(self.text(messages, options), add_special_tokens=False).ids)

    @lru_cache(maxsize=4096)  # noqa: B019  (few templates are opened, each once)
    def added(self, messages: tuple[tuple[str, str], ...]) -> tuple[int, int]:
        """Tokens that the template adds to messages (role and text), and how many of them come before the first."""
        whole = self.text([{"role": role, "content": text} for role, text in messages])
        before = self.text([{"role": messages[0][0], "content": _MARK}]).partition(_MARK)[0]
        texts = [whole, before, *(text for _, text in messages)]
        all_, first, *own = (len(each) for each in self._tokenizer.encode_batch(texts, add_special_tokens=False))
        return all_ - sum(own), first


def served_template(bench: Bench, model: str) -> ChatTemplate | None:
    """The chat template that the user's own server applies to a benchmark's prompts, where it lies beside the
    benchmark's tokenizer."""
    provider = model.partition("/")[0]
    if is_engine(model) or provider.endswith("-completions") or not (runs_here(model) or provider == "openai-api"):
        return None
    try:
        return chat_template(bench.corpus.info.tokenizer)
    except LongreachError:  # one that cannot be read, or a benchmark stored without its text
        return None


@lru_cache(maxsize=4)
def chat_template(tokenizer: str) -> ChatTemplate | None:
    """The chat template beside a tokenizer.json, by the tokenizer's name; None if there is none."""
    path = Path(tokenizer).expanduser()
    folder = path if path.is_dir() else path.parent
    if not (folder / "tokenizer.json").is_file():
        return None
    settings: dict[str, Any] = {}
    try:
        if (about := folder / "tokenizer_config.json").is_file():
            settings = json.loads(about.read_text(encoding="utf-8"))
        if (alone := folder / "chat_template.jinja").is_file():
            settings["chat_template"] = alone.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder}: {' or '.join(_FILES)} cannot be read ({one_line(str(error))})") from None
    template = settings.get("chat_template")
    if isinstance(template, list):  # several, by name
        template = next((each.get("template") for each in template if each.get("name") == "default"), None)
    if not isinstance(template, str):
        return None
    named = {name: value for name, value in settings.items() if name.endswith("_token")}
    texts = {name: value["content"] if isinstance(value, dict) else value for name, value in named.items()}
    return ChatTemplate(folder, template, {name: text for name, text in texts.items() if isinstance(text, str)})


def _refuse(message: str) -> None:
    raise ValueError(message)
