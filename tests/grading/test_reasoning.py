"""What a model thinks aloud is no answer."""

from __future__ import annotations

import pytest

from longreach.grading.reading.reply_text import strip_reasoning

PAIRS = [
    ("<think>", "</think>"),
    ("<Thinking>", "</Thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<analysis>", "</analysis>"),
    ("<thought>", "</thought>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<reflection>", "</reflection>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
]


@pytest.mark.parametrize(("opens", "closes"), PAIRS)
def test_every_tag(opens: str, closes: str) -> None:
    assert strip_reasoning(f"{opens}Bath?\nno{closes}\nYork").strip() == "York"
    assert strip_reasoning(f"Bath?\nno{closes}\nYork").strip() == "York"
    assert strip_reasoning(f"{opens}Bath? I must see").strip() == ""
    assert strip_reasoning(f"{opens}a{opens}b{closes}York").strip() == "York"
    assert strip_reasoning(f"Y{opens}a{closes}o{opens}b{closes}rk") == "York"
    assert strip_reasoning(f"York{opens}or is it Bath") == "York"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "<|channel|>analysis<|message|>Bath?<|end|><|start|>assistant<|channel|>final<|message|>York<|return|>",
            "York",
        ),
        ("<|channel|>analysis<|message|>Bath?", ""),
        ("analysisThe user asks. Bath?assistantfinalYork", "York"),
        ("<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>York<|end_of_solution|>", "York"),
        ("analysis of the letter", "analysis of the letter"),
        ("She had [reasons]; 3 < 4 think > 2", "She had [reasons]; 3 < 4 think > 2"),
        ("", ""),
    ],
)
def test_channels_and_plain_text(text: str, said: str) -> None:
    assert strip_reasoning(text) == said
    assert strip_reasoning(said) == said


@pytest.mark.parametrize("piece", ["<think>", "</think>", "<|channel|>", "analysis", "[/THINK]a"])
def test_a_megabyte_of_tags_is_read(piece: str) -> None:
    assert len(strip_reasoning(piece * (1_000_000 // len(piece)))) <= 1_000_000
