"""A build states which documents it uses, how much of each, and where contexts miss their length or depth."""

from __future__ import annotations

from pathlib import Path

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.grounded.record import Use, describe_use
from longreach.families.showing import assembler_of
from longreach.models.tokenizers import get_tokenizer
from longreach.text.documents import load_sources
from longreach.worlds.chronicle.book import load

TOKENIZER = get_tokenizer("o200k_base")


def test_the_documents_in_use_are_reported(tmp_path: Path) -> None:
    for number in range(4):
        text = "\n\n".join(document.text for document in load(f"{number + 3}/en/12k", warn=print))
        (tmp_path / f"part{number}.txt").write_text(text, encoding="utf-8")
    lines: list[str] = []
    settings = {"lengths": "2k,4k", "depths": "20,80", "passage_words": 100}
    spec = make_spec("grounded", {"docs": [str(tmp_path)], **settings})
    bench = build_bench(spec, tmp_path / "bench", BuildContext(warn=lines.append, progress=lines.append))
    sources = bench.build["sources"]
    assert len(sources) == 4
    used = [each for each in sources if each["share"]]
    assert 0 < len(used) < 4
    assert sum(each["questions"] for each in sources) == len({item.questions for item in bench.items.values()}) / 3
    (line,) = [line for line in lines if line.startswith("documents used:")]
    assert f"{len(used)} of 4" in line
    assert all(each["id"] in line for each in used)
    assert f"{4 - len(used)} are in no context of 4k tokens" in line
    for each in used:
        read = next(one for one in load_sources([str(tmp_path)], warn=print) if one.id == each["id"])
        inside = [passage for passage in read.text.split("\n\n") if _occurs(bench, passage)]
        share = sum(map(len, inside)) / len(read.text)
        assert abs(share - each["share"]) < 0.1


def _occurs(bench: Bench, passage: str) -> bool:
    assembler = assembler_of(bench)
    return any(passage.encode() in assembler.text(item.context.pieces) for item in bench.items.values())


def test_misses_of_depth_and_length_are_named(tmp_path: Path) -> None:
    """A text hardly longer than the length, in passages of a tenth of it: few depths can be met."""
    text = "\n\n".join(document.text for document in load_sources(["chronicle:7/en/20k"], warn=print))
    size = next(size for size in range(15_000, len(text), 50) if TOKENIZER.count(text[:size]) > 4010)
    (tmp_path / "text.txt").write_text(text[:size], encoding="utf-8")
    lines: list[str] = []
    spec = make_spec(
        "grounded", {"docs": [str(tmp_path / "text.txt")], "lengths": "4k", "depths": "10..90/10", "passage_words": 700}
    )
    bench = build_bench(spec, tmp_path / "bench", BuildContext(warn=lines.append, progress=lines.append))
    items = [item for item in bench.items.values() if "depth" in item.cell]
    misses = {item.id: abs(float(item.realised["depth"]) - float(item.cell["depth"])) for item in items}
    off = [name for name, miss in misses.items() if miss > 2]
    assert off
    (line,) = [line for line in lines if line.startswith("depth: ")]
    assert line.startswith(f"depth: {len(off)} of {len(items)} contexts miss it by more than 2.0 points (4000-")
    assert max(off, key=lambda name: (misses[name], [-ord(letter) for letter in name])) in line
    assert not [line for line in lines if line.startswith("length: ")], "the other side makes up for it"


def test_many_documents_make_a_short_line() -> None:
    use = [Use(id=f"d{number}", domain="d", tokens=1000, share=0.5, questions=1) for number in range(20)]
    line = describe_use([*use, Use(id="x", domain="d", tokens=0, share=0, questions=0)], 8000)
    assert line.startswith("documents used: 20 of 21 (d0 50% of 1k tokens, ")
    assert "and 14 more listed in build.json" in line
    assert "1 are in no context" in line
