"""Shortening a text by its sentences: any text, any target, the same bytes anywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.shortening import TOKENIZER, sentences, speeches, within
from tests.texts import chinese, odd_english

from longreach.errors import BadInput
from longreach.text.documents import built_in_documents
from longreach.text.shorten import shorten_by_sentences


def _is_subsequence(parts: list[str], text: str) -> bool:
    """Whether the parts stand in a text in this order."""
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["english", "chinese", "both"]),
    sentences=st.integers(3, 120),
    share=st.floats(0.02, 1.0),
)
def test_any_text_comes_within_one_percent(seed: int, kind: str, sentences: int, share: float) -> None:
    english, hanzi = odd_english(seed, sentences), chinese(seed, sentences)
    text = {"english": english, "chinese": hanzi, "both": f"{english}\n\n{hanzi}"}[kind]
    total = TOKENIZER.count(text)
    target = max(1, round(share * total))
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    assert shortened.tokens == TOKENIZER.count(shortened.text) <= target
    # Below 100 tokens 1 % is none at all, and one character may take more than are left.
    assert shortened.tokens >= min(0.99 * target, target - 3)
    assert (shortened.rounds, shortened.slices) == (0, 0)
    assert shortened == shorten_by_sentences(text, target, count=TOKENIZER.count)


@given(text=st.text(min_size=1, max_size=300), share=st.floats(0.01, 1.0))
def test_no_text_at_all_breaks_it(text: str, share: float) -> None:
    target = max(1, round(share * TOKENIZER.count(text)))
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    assert shortened.tokens == TOKENIZER.count(shortened.text) <= target


def test_whole_sentences_stay_in_order_with_their_own_spacing() -> None:
    text = speeches(5)
    target = TOKENIZER.count(text) // 2
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    within(shortened, target)
    whole, kept = set(sentences(text)), sentences(shortened.text)
    assert sum(sentence in whole for sentence in kept) >= 0.98 * len(kept), "sentences stay as they were"
    assert _is_subsequence(kept, text)
    assert "\n\n\n" not in shortened.text
    assert 0.4 < shortened.text.count("\n\n") / text.count("\n\n") <= 1, "paragraphs stay apart"


def test_paragraphs_that_lose_their_end_still_end() -> None:
    topic = "The harbour master counted the ships in the harbour."
    text = f"{topic} The ships lay in the harbour. Zounds!\n\n{topic} Many ships left the harbour."
    shortened = shorten_by_sentences(text, TOKENIZER.count(text) - 2, count=TOKENIZER.count)
    assert shortened.text == text.replace(" Zounds!", "")


def test_what_is_told_stays_and_what_strays_goes() -> None:
    told = [
        f"On day {day} the ships of the harbour brought {day + 3} barrels of salt to the merchants of the town."
        for day in range(1, 41)
    ]
    strays = {9: "Purple quokkas juggle.", 22: "My left elbow itches.", 31: "Xylophones rust quietly."}
    lines = [strays.get(place, line) for place, line in enumerate(told)]
    text = " ".join(lines)
    shortened = shorten_by_sentences(text, round(0.8 * TOKENIZER.count(text)), count=TOKENIZER.count)
    assert not any(stray in shortened.text for stray in strays.values())


def test_chinese_is_compared_by_its_own_words() -> None:
    told = [f"第{day}天，码头上的商船又给城里的盐商运来了{day}桶盐。" for day in range(1, 31)]
    text = "".join([*told[:15], "紫色的袋鼠正在杂耍！", *told[15:]])
    target = round(0.9 * TOKENIZER.count(text))
    shortened = shorten_by_sentences(text, target, count=TOKENIZER.count)
    assert "袋鼠" not in shortened.text
    assert 0.9 * target <= shortened.tokens <= target


def test_what_stays_is_spread_over_the_whole_text() -> None:
    text = speeches(40)
    total = TOKENIZER.count(text)
    for share in (0.5, 0.1):
        shortened = shorten_by_sentences(text, round(share * total), count=TOKENIZER.count)
        found = [0] * 20
        at = 0
        for sentence in sentences(shortened.text)[:-1]:
            at = text.find(sentence[:60], at)
            assert at >= 0
            found[at * 20 // len(text)] += 1
        assert min(found) > 0.25 * sum(found) / 20, f"no part is lost at {share}"


def test_a_long_text_is_counted_few_times() -> None:
    text = speeches(80)
    counted: list[int] = []

    def count(part: str) -> int:
        counted.append(len(part))
        return TOKENIZER.count(part)

    target = TOKENIZER.count(text) // 3
    within(shorten_by_sentences(text, target, count=count), target)
    assert sum(counted) < 4 * len(text)


def test_the_same_bytes_under_any_hash_seed() -> None:
    code = (
        "import hashlib; from longreach.text.shorten import Shortened, shorten_by_sentences as s;"
        "from longreach.text.documents import built_in_documents as b;"
        "t = b()[3].text; print(hashlib.sha256(s(t, 900, count=lambda x: len(x.split())).text.encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    own = shorten_by_sentences(built_in_documents()[3].text, 900, count=lambda text: len(text.split())).text
    assert digests == {hashlib.sha256(own.encode()).hexdigest() + "\n"}


@pytest.mark.parametrize(("target", "words"), [(0, "at least 1"), (-5, "-5"), (5_000, "5000")])
def test_a_target_out_of_reach_is_one_line(target: int, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        shorten_by_sentences("Only a few words.", target, count=TOKENIZER.count)
    assert "\n" not in str(caught.value)


def test_a_text_that_fits_is_left_alone() -> None:
    text = "  Only a few words.\n"
    tokens = TOKENIZER.count(text)
    assert shorten_by_sentences(text, tokens, count=TOKENIZER.count).text == text
