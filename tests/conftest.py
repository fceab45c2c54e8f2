"""What many tests share: local tokenizers, a small folder of documents, a small benchmark, a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import settings
from tests.small import BY_CODE
from tests.texts import chinese, odd_english

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.text.documents import built_in_documents

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from tests.browsing import Watched

# The same few cases on every run, so that a change is judged by what it changes; `make test-all` looks for new ones.
settings.register_profile("steady", max_examples=12, derandomize=True, deadline=None)
settings.register_profile("searching", max_examples=200, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("LONGREACH_CASES", "steady"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test that takes a browser is marked; where there is none, it is skipped before its set-up."""
    taking = [item for item in items if "browser" in getattr(item, "fixturenames", ())]
    if not taking:
        return
    from tests.browsing import NO_BROWSER, chromium

    marks = [pytest.mark.browser] + [pytest.mark.skip(reason=NO_BROWSER)] * (chromium() is None)
    for item in taking:
        for mark in marks:
            item.add_marker(mark)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line of a run without Chromium: how many tests that leaves out, and how to get them."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or hasattr(config, "workerinput"):
        return
    from tests.browsing import NO_BROWSER

    skipped = sum(NO_BROWSER in str(report.longrepr) for report in terminal.stats.get("skipped", ()))
    if skipped:
        terminal.write_line(
            f"{skipped} browser tests were skipped ({NO_BROWSER}): apt-get install chromium,"
            " or LONGREACH_CHROMIUM=PATH make test"
        )


@pytest.fixture(scope="session")
def tokenizer_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small tokenizer.json files of the usual kinds, trained by the first worker that needs them."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "tokenizers"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            train_tokenizers(own / "trained")
            (own / "trained").rename(folder)
    return {file.parent.name: file for file in folder.glob("*/tokenizer.json")}


def train_tokenizers(folder: Path) -> None:
    """Write one tokenizer.json of each kind, each in a folder of its name."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    corpus = [document.text[:20_000] for document in built_in_documents()[::25]] + [
        odd_english(0, 200),
        chinese(0, 100),
    ]

    def keep(name: str, tokenizer: Tokenizer, trainer: trainers.Trainer | None = None) -> None:
        if trainer:
            tokenizer.train_from_iterator(corpus, trainer)
        (folder / name).mkdir(parents=True)
        tokenizer.save(str(folder / name / "tokenizer.json"))

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=2000, initial_alphabet=alphabet, special_tokens=["<|endoftext|>"], show_progress=False
    )
    keep("byte-level", tokenizer, trainer)

    for scheme in ("first", "always"):
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
        keep(
            f"metaspace-{scheme}",
            tokenizer,
            trainers.BpeTrainer(vocab_size=2000, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False),
        )

    # Like older SentencePiece models: a space is put before every text, and nothing is split before merging.
    tokenizer = Tokenizer.from_file(str(folder / "metaspace-first" / "tokenizer.json"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([])
    keep("sentencepiece", tokenizer)

    # Trained without splitting, so that tokens hold several words and reach over sentence ends.
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    trainer = trainers.BpeTrainer(vocab_size=1500, special_tokens=["<unk>"], show_progress=False)
    keep("across-sentences", tokenizer, trainer)

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    keep(
        "wordpiece",
        tokenizer,
        trainers.WordPieceTrainer(vocab_size=2000, special_tokens=["[UNK]", "[CLS]"], show_progress=False),
    )


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests keep replies and vectors apart from the user's, also those of processes they start, and have a key for
    models on loopback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_API_KEY", "none")
        patch.setenv("LONGREACH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _few_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every HTTP client reads all the world's certificates, for a tenth of a second; on loopback none is needed."""
    import certifi

    text = Path(certifi.where()).read_text(encoding="utf-8")
    first = tmp_path_factory.mktemp("certificates") / "one.pem"
    end = "-----END CERTIFICATE-----\n"
    first.write_text(text[text.index("-----BEGIN") : text.index(end) + len(end)], encoding="ascii")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(first))
        yield


@pytest.fixture(scope="session")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with five messages of the built-in haystack: about 10,000 tokens."""
    folder = tmp_path_factory.mktemp("docs")
    for document in built_in_documents()[:5]:
        (folder / f"{document.id}.txt").write_text(document.text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    """A small needles benchmark: 3 lengths, 4 depths, 2 prompts. Never change its folder."""
    settings = {"docs": [str(docs)], "lengths": "600,1000,2000", "depths": "0,30,60,100", "facts": 4, "sets": 1}
    folder = tmp_path_factory.mktemp("bench") / "needles"
    return build_bench(make_spec("needles", settings), folder, BuildContext(warn=lambda _: None))


@pytest.fixture(scope="session")
def extractive(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A small grounded benchmark by code: three questions at two lengths. Never change its folder."""
    folder = tmp_path_factory.mktemp("grounded") / "b"
    return build_bench(make_spec("grounded", BY_CODE), folder, BuildContext(warn=pytest.fail))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file."""
    from tests.browsing import open_browser

    with open_browser() as started:
        yield started


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """A fresh page, with everything it says and asks for."""
    from tests.browsing import watching

    with watching(browser) as page:
        yield page
