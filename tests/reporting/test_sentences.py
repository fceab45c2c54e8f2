"""Every sentence of every page: short, with the verdict first and few brackets."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting.reading import brackets_of, sentences_of_page, sentences_of_text, words_of

from longreach.core.types import Verdict
from longreach.reporting.page import Contents, render_page
from longreach.reporting.views import Report

from .conftest import Maker

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
MOST_WORDS, MOST_BRACKETS = 30, 1


def too_long(html: str) -> list[str]:
    return [
        f"{words_of(said)} words, {brackets_of(said)} brackets: {said}"
        for said in sentences_of_page(html)
        if words_of(said) > MOST_WORDS or brackets_of(said) > MOST_BRACKETS
    ]


def test_sentences_are_counted_as_a_reader_counts_them() -> None:
    html = '<p title="One (a) of two (b).">It holds to 1.5k. At 64k it fails (7 of 10).</p><script>a b c</script>'
    html += "<li>x</li>"
    assert sentences_of_page(html) == ["One (a) of two (b).", "It holds to 1.5k.", "At 64k it fails (7 of 10).", "x"]
    assert words_of("It holds to 64k: 95 % of 100 – yes.") == 8
    assert brackets_of("One (a) of two (b).") == 2
    assert len(sentences_of_text("A 95 % CI. 4 of 5 are right.")) == 2


@pytest.mark.long  # the pages are made again before a release: python -m docs.examples.make
@pytest.mark.parametrize("page", sorted(EXAMPLES.glob("*.html")), ids=lambda page: page.stem)
def test_no_sentence_of_an_example_page_is_long(page: Path) -> None:
    assert too_long(page.read_text(encoding="utf-8")) == []


def _lost(report: Report, status: str, model: str) -> Report:
    """The same with one model's answers lost to a status."""
    verdict = Verdict(status=status, reason="")  # type: ignore[arg-type]
    rows = [row.model_copy(update={"verdict": verdict}) if row.model == model else row for row in report.rows]
    return report.model_copy(update={"rows": tuple(rows)})


@pytest.mark.parametrize("status", ["refused", "cut", "error", "unparsed"])
def test_what_broke_stands_above_everything_whatever_the_length(report_maker: Maker, status: str) -> None:
    made = report_maker(lengths=(500, 2000), depths=(10, 50, 90), each=2)
    lost = _lost(made, status, "embedded")
    html = render_page(lost.model_copy(update={"at": 500.0}))
    assert too_long(html) == []
    said = [each.text for each in Contents(lost.model_copy(update={"at": 500.0})).broken]
    assert any("embedded" in text for text in said)
    assert html.index('<section class="broken"') < html.index("<nav")
    assert all(text in html for text in said[:3])


def test_no_sentence_of_a_generated_page_is_long(report_maker: Maker) -> None:
    several = tuple(f"provider/model-{number}" for number in range(5))
    for models in (("embedded",), several):
        made = report_maker(models=models, lengths=(500, 2000, 8000), depths=(10, 50, 90), each=3)
        for at in (None, 2000.0, 1e6):
            assert too_long(render_page(made.model_copy(update={"at": at}))) == []
