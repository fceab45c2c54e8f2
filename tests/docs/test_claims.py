"""Every number of docs/claims.md that is called published follows from the papers' figures."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import mean

from longreach.core.files import csv_lines
from longreach.families.needles.figures import paper_scatter, paper_scores

TEXT = (Path(__file__).parents[2] / "docs" / "claims.md").read_text(encoding="utf-8")
WORDS = ("reproduced", "contradicted", "published figures only", "not tested")
Lines = list[dict[str, str]]


def table(family: str, name: str) -> Lines:
    return list(csv_lines(f"longreach.families.{family}", f"published/{name}.csv"))


def row(claim: str) -> str:
    (found,) = (line for line in TEXT.splitlines() if line.startswith(f"| {claim}"))
    return found


def fall(lines: Lines) -> str:
    sizes = {int(line["n"]) for line in lines}
    short, long = (
        mean(float(line["mean_pct"]) for line in lines if int(line["n"]) == n) for n in (min(sizes), max(sizes))
    )
    return f"{100 * (short - long) / short:.1f} %"


def test_every_claim_has_one_of_four_words() -> None:
    rows = [
        line.split(" | ")
        for line in TEXT.splitlines()
        if line.startswith("| ") and not re.match(r"\| (claim|---)", line)
    ]
    assert len(rows) >= 25
    assert {cells[1] for cells in rows} == set(WORDS)


def test_needles() -> None:
    scores = {(each.model, each.prompt, each.question_type): each for each in paper_scores()}

    def effect(model: str, kind: str, part: str) -> float:
        cautious, plain = (scores[model, prompt, kind] for prompt in ("anti_hallucination", "standard"))
        return round(100 * float(getattr(cautious, part) - getattr(plain, part)), 1)

    mini = "ChatGPT-5-mini"
    told = row("an anti-hallucination prompt can cost")
    for kind, sign in (("literal", ""), ("inference", ""), ("abstention", "+")):
        assert f"{kind} {sign}{effect(mini, kind, 'capacity')}" in told
    models = list(dict.fromkeys(each.model for each in paper_scores()))
    least = min(effect(m, k, "capacity") for m in models if m != mini for k in ("literal", "inference"))
    assert f"more than {-least} points" in told
    assert f"{effect(mini, 'literal', 'aggregate')} points over all lengths" in row("that cost is larger")
    gains = [f"{effect(model, 'abstention', 'aggregate'):+}" for model in models]
    assert f"{', '.join(gains[:3])} and {gains[3]} points" in row("the prompt reduces hallucination")
    drift = max(
        abs(each.aggregate - each.capacity)
        for each in paper_scores()
        if each.model in ("Gemini-2.5-flash", "Deepseek-v3.2-chat") and each.question_type != "abstention"
    )
    assert f"by {100 * drift:.1f} points at most" in row("Gemini-2.5-flash and Deepseek-v3.2-chat are as good")
    lowest = [
        100 * min(c.score for c in paper_scatter() if c.model == model and c.question_type != "abstention")
        for model in ("Gemini-2.5-flash", "Deepseek-v3.2-chat")
    ]
    assert "are {:.0f} % and {:.0f} %".format(*lowest) in row("Gemini-2.5-flash and Deepseek-v3.2-chat stay")
    cell = {(c.model, c.distribution, c.prompt, c.question_type): c.score for c in paper_scatter()}
    assert cell[mini, "rayleigh_flipped", "anti_hallucination", "literal"] == 0


def test_grounded() -> None:
    lines = [{name: line[name] for name in line} for line in table("grounded", "grounded_by_length")]
    score = {line["model"]: {name: float(line[name]) for name in ("8k", "16k", "96k", "128k")} for line in lines}
    fell = sum(each["128k"] < each["8k"] for each in score.values())
    assert f"{fell} of {len(score)} models" in row("every model gets worse")
    best = list(score.values())[:4]
    assert min(each["8k"] for each in best) > 90
    assert f"{sum(each['128k'] > 70 for each in best)} of 4" in row("the best four")
    small = [each[name] for each in list(score.values())[4:] for name in ("96k", "128k")]
    assert f"{min(small):.1f} to {max(small):.1f} %" in row("models under 10 billion")
    glm = score["GLM-4-9B-Chat"]
    assert f"{100 * (1 - glm['16k'] / glm['8k']):.1f} %" in row("GLM-4-9B-Chat")


def test_verbatim() -> None:
    sorting, grouping = table("verbatim", "verbatim_numeric_sorting"), table("verbatim", "verbatim_entity_grouping")
    assert fall(sorting) in row("sorting loses 40 %")
    sentences = table("verbatim", "verbatim_sentences_levenshtein") + table("verbatim", "verbatim_sentences_semantic")
    assert fall(sentences) in row("arranging sentences")
    for name in ("Category", "Global"):
        assert fall([line for line in grouping if line["metric"] == f"{name} Recall"]) in row("grouping entities")
    cells = {(line["order"], line["model"], line["n"]): float(line["mean_pct"]) for line in sorting}
    harder = [
        cells["Descending", model, n] < score for (order, model, n), score in cells.items() if order == "Ascending"
    ]
    assert f"{sum(harder)} of {len(harder)} cells" in row("descending order")


def test_novel() -> None:
    score: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for line in table("novel", "novel_detection"):
        own = score.setdefault((line["model"], line["method"]), {})
        own[line["length"]] = float(line["accuracy_pct"]), float(line["mcc"])
    whole = [each for each in score.values() if {"S", "XXL"} <= set(each)]
    assert f"{sum(each['XXL'][0] < each['S'][0] for each in whole)} of {len(whole)} models" in row("accuracy falls")
    for length, words in (
        ("S", "{:+.1f} points at 2k ({} of {} models better)"),
        ("XXL", "{:+.1f} at 100k ({} of {})"),
    ):
        gains = [
            each[length][0] - score[model, "zero-shot"][length][0]
            for (model, method), each in score.items()
            if method == "CoT"
        ]
        assert words.format(mean(gains), sum(gain > 0 for gain in gains), len(gains)) in row("reasoning first")
    long = [each[length][1] for each in score.values() for length in ("XL", "XXL") if length in each]
    assert f"above 0.2 in {sum(mcc > 0.2 for mcc in long)} rows" in row("detection is near chance")
    assert score["Qwen3-8B", "SFT"]["XXL"] == (59.0, 0.2676)
    assert score["Llama3.1-8B-instruct", "SFT"]["XXL"][0] == 0
