"""Reading answers as items: the layer is named, the items are untouched."""

from __future__ import annotations

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.grading.reading.groups import Groups, read_groups
from longreach.grading.reading.lists import read_numbers, read_texts
from longreach.text.sentences import sentence_ends


def split(line: str, language: str) -> list[str]:
    ends = sentence_ends(line, language)
    return [line[start:end].strip() for start, end in zip([0, *ends], ends, strict=False)]


ENGLISH = partial(split, language="en")
CHINESE = partial(split, language="zh")


@pytest.mark.parametrize(
    ("text", "layer", "items"),
    [
        ("12, 3, 45", "list", ["12", "3", "45"]),
        ("12,3,45", "list", ["12", "3", "45"]),
        ("12 3 45", "list", ["12", "3", "45"]),
        ("12\n3\n45", "lines", ["12", "3", "45"]),
        ("12,\r\n3,\r\n45\r\n", "lines", ["12", "3", "45"]),
        ("- 12\n- 3\n- 45", "list", ["12", "3", "45"]),
        ("1. 12\n2. 3\n3. 45", "list", ["12", "3", "45"]),
        ("[12, 3, 45]", "structured", ["12", "3", "45"]),
        ('```json\n["012", "3"]\n```', "structured", ["012", "3"]),
        ('Sure: {"sorted": [12, 3]}', "structured", ["12", "3"]),
        ("[12, 3, 4", "list", ["12", "3", "4"]),
        ("12，3、45；6", "list", ["12", "3", "45", "6"]),
        ("１２, 3", "list", ["１２", "3"]),
        ("12O, 3", "list", ["12O", "3"]),
        ("-5, +7, 1.5", "list", ["-5", "+7", "1.5"]),
        ("123,456, 7", "list", ["123,456", "7"]),
        ("123,456\n789,012\n", "lines", ["123,456", "789,012"]),
        ("**12**, `3`.", "list", ["12", "3"]),
        ("007", "list", ["007"]),
        ("", "", []),
        ("There are none.", "", []),
    ],
)
def test_numbers(text: str, layer: str, items: list[str]) -> None:
    reading = read_numbers(text)
    assert (reading.layer, list(reading.items)) == (layer, items)


def test_words_around_numbers_are_counted_but_no_items() -> None:
    reading = read_numbers("Here are the 3 numbers in order: 12, 3, 45\n\nI hope that helps!")
    assert list(reading.items) == ["12", "3", "45"]
    assert reading.other == 2


def test_an_aside_in_json_is_not_the_answer() -> None:
    assert list(read_numbers("12, 34, 56, 78 (the input began with [56])").items)[:3] == ["12", "34", "56"]


@given(st.lists(st.integers(min_value=0, max_value=10**12), min_size=2, max_size=20))
def test_numbers_in_every_form_are_the_same_items(numbers: list[int]) -> None:
    items = [str(number) for number in numbers]
    forms = [", ".join(items), ",".join(items), "\n".join(items), " ".join(items), json.dumps(numbers)]
    forms += [json.dumps(items, indent=1), "\n".join(f"- {item}" for item in items)]
    for form in forms:
        assert list(read_numbers(form).items) == items


@pytest.mark.parametrize(
    ("text", "layer", "items"),
    [
        ("One.\nTwo, and so on.\n\nThree!", "lines", ["One.", "Two, and so on.", "Three!"]),
        ("One.\r\n  Two.  \r\n", "lines", ["One.", "Two."]),
        ("1. One.\n2. Two.\n3. Three.", "list", ["One.", "Two.", "Three."]),
        ("* One.\n* Two.", "list", ["One.", "Two."]),
        ('["One.", "Two \\u00e9."]', "structured", ["One.", "Two é."]),
        ('["One.", "Two.", "Thr', "structured", ["One.", "Two."]),
        ("```\nOne.\nTwo.\n```", "lines", ["One.", "Two."]),
        (
            "He came home. She went out. They met again.",
            "sentences",
            ["He came home.", "She went out.", "They met again."],
        ),
        ("One.", "lines", ["One."]),
        ("[Applause.]\nOne.", "lines", ["[Applause.]", "One."]),
        (" \n", "", []),
    ],
)
def test_sentences(text: str, layer: str, items: list[str]) -> None:
    reading = read_texts(text, ENGLISH)
    assert (reading.layer, list(reading.items)) == (layer, items)


def test_a_list_inside_a_json_list_of_other_things_is_read() -> None:
    text = '["first try", {"order": null}, ["Ada left.", "Bo stayed."]]'
    assert read_texts(text, ENGLISH).items == ("Ada left.", "Bo stayed.")


def test_chinese_sentences_in_one_line_are_split() -> None:
    reading = read_texts("他今年四十一岁。她去过上海。我们走吧！", CHINESE)
    assert (reading.layer, len(reading.items)) == ("sentences", 3)


def test_marks_of_the_text_itself_stay() -> None:
    text = "1. The eggs.\n2. The flour."
    assert list(read_texts(text, ENGLISH, marked=True).items) == ["1. The eggs.", "2. The flour."]
    assert list(read_texts(text, ENGLISH).items) == ["The eggs.", "The flour."]


def test_names_in_one_line() -> None:
    assert list(read_texts("Ada, Bo, Cy", ENGLISH, commas=True).items) == ["Ada", "Bo", "Cy"]
    assert list(read_texts("Ada\nBo, Jr.\nCy\nDi", ENGLISH, commas=True).items) == ["Ada", "Bo, Jr.", "Cy", "Di"]


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for reading in (read_numbers(text), read_texts(text, ENGLISH), read_texts(text, ENGLISH, commas=True)):
        assert bool(reading.items) == bool(reading.layer)
        assert all(item.strip() == item for item in reading.items)


def test_a_hostile_answer_is_read_in_time() -> None:
    assert read_numbers("[" * 50_000).items == ()
    assert len(read_numbers("[1," * 20_000).items) == 20_000


NINE = ["104729863", "187263540", "233918476", "318405927", "396120584"]
NINE_FORMS = [
    "The sorted numbers are 104729863, 187263540, 233918476, 318405927, and 396120584.",
    "(1) 104729863 (2) 187263540 (3) 233918476 (4) 318405927 (5) 396120584",
    "[1] 104729863\n[2] 187263540\n[3] 233918476\n[4] 318405927\n[5] 396120584",
    "#1 104729863\n#2 187263540\n#3 233918476\n#4 318405927\n#5 396120584",
    "1: 104729863\n2: 187263540\n3: 233918476\n4: 318405927\n5: 396120584",
    "1 - 104729863\n2 - 187263540\n3 - 233918476\n4 - 318405927\n5 - 396120584",
    "①104729863\n②187263540\n③233918476\n④318405927\n⑤396120584",
    "1\t104729863\n2\t187263540\n3\t233918476\n4\t318405927\n5\t396120584",
    "1 104729863\n2 187263540\n3 233918476\n4 318405927\n5 396120584",
    "a) 104729863\nb) 187263540\nc) 233918476\nd) 318405927\ne) 396120584",
    "**1.** 104729863\n**2.** 187263540\n**3.** 233918476\n**4.** 318405927\n**5.** 396120584",
    "\\[ 104729863 < 187263540 < 233918476 < 318405927 < 396120584 \\]",
    "$$\\{104729863, 187263540, 233918476, 318405927, 396120584\\}$$",
    "\\boxed{104729863, 187263540, 233918476, 318405927, 396120584}",
    "104729863 → 187263540 → 233918476 → 318405927 → 396120584",
    "104729863 | 187263540 | 233918476 | 318405927 | 396120584",
    '{"count": 5, "sorted": [104729863, 187263540, 233918476, 318405927, 396120584]}',
    '{"given": [396120584, 104729863], "result": [104729863, 187263540, 233918476, 318405927, 396120584]}',
    '{"1": 104729863, "2": 187263540, "3": 233918476, "4": 318405927, "5": 396120584}',
    "[104729863, 187263540, 233918476, 318405927, 396120584,]",
    "['104729863', '187263540', '233918476', '318405927', '396120584']",
    "Input: 396120584, 104729863, 187263540, 318405927, 233918476\n"
    "Sorted: 104729863, 187263540, 233918476, 318405927, 396120584",
    "Draft:\n187263540, 104729863, 233918476, 318405927, 396120584\n\nThat is not right. Corrected:\n"
    "104729863, 187263540, 233918476, 318405927, 396120584",
    "104729863, 187263540, 233918476, 318405927, 396120584\n\nThe smallest is 104729863, the largest 396120584.",
    "| Rank | Number |\n|--|--|\n| 1 | 104729863 |\n| 2 | 187263540 |\n| 3 | 233918476 |\n| 4 | 318405927 |\n"
    "| 5 | 396120584 |",
    "| 104729863 | 187263540 | 233918476 |\n| 318405927 | 396120584 | |",
    "104729863、187263540、233918476、318405927和396120584。",
    "> 104729863\n> 187263540\n> 233918476\n> 318405927\n> 396120584",
]


@pytest.mark.parametrize("text", NINE_FORMS)
def test_numbers_in_any_form_a_person_reads(text: str) -> None:
    assert list(read_numbers(text, NINE).items) == NINE


def test_thousands_set_apart_stay_as_written() -> None:
    for joint in (",", " ", "."):
        apart = [joint.join((number[:3], number[3:6], number[6:])) for number in NINE]
        assert list(read_numbers("\n".join(apart), NINE).items) == apart


PASSAGE = [
    "The ferry left at six.",
    "Nobody had counted the crates.",
    "“Who is steering?” asked the widow.",
    'A boy of ten said, "I am."',
    "They found the landing.",
]
PASSAGE_FORMS = {
    "numbers": "\n".join(f"{n}. {one}" for n, one in enumerate(PASSAGE, 1)),
    "brackets": "\n".join(f"({n}) {one}" for n, one in enumerate(PASSAGE, 1)),
    "labels": "\n".join(f"Sentence {n}: {one}" for n, one in enumerate(PASSAGE, 1)),
    "paragraphs": "\n\n".join(PASSAGE),
    "one line": "Here is the restored passage:\n\n" + " ".join(PASSAGE),
    "quotes": "\n".join(f'"{one}",' for one in PASSAGE),
    "second key": json.dumps({"count": 5, "sentences": PASSAGE}),
    "records": json.dumps([{"index": n, "sentence": one} for n, one in enumerate(PASSAGE)]),
    "numbered map": json.dumps({str(n): one for n, one in enumerate(PASSAGE, 1)}),
    "python": repr(PASSAGE),
    "trailing comma": "[" + ",\n".join(map(json.dumps, PASSAGE)) + ",\n]",
    "draft": "Draft:\n" + "\n".join(reversed(PASSAGE)) + "\n\nFinal answer:\n" + "\n".join(PASSAGE),
    "tags": "<answer>\n" + "\n".join(PASSAGE) + "\n</answer>",
    "html": "<ol>\n" + "\n".join(f"<li>{one}</li>" for one in PASSAGE) + "\n</ol>",
    "table": "| No. | Text |\n|---|---|\n" + "\n".join(f"| {n} | {one} |" for n, one in enumerate(PASSAGE, 1)),
    "short labels": "\n".join(f"S{n}: {one}" for n, one in enumerate(PASSAGE, 1)),
    "quoted block": "\n".join(f"> {one}" for one in PASSAGE),
    "bold": "\n".join(f"- **{one}**" for one in PASSAGE),
    "one string": json.dumps({"text": "\n".join(PASSAGE)}),
    "numbers above": "\n\n".join(f"{n}.\n{one}" for n, one in enumerate(PASSAGE, 1)),
    "remarks": "Sure! Here it is:\n\n" + "\n".join(PASSAGE) + "\n\nI hope this helps.",
}


@pytest.mark.parametrize("form", PASSAGE_FORMS)
def test_sentences_in_any_form_a_person_reads(form: str) -> None:
    assert list(read_texts(PASSAGE_FORMS[form], ENGLISH, known=PASSAGE).items) == PASSAGE


def test_what_was_changed_or_added_stays() -> None:
    changed = [PASSAGE[0].replace("six", "seven"), "The night was cold and quiet.", *PASSAGE[1:]]
    assert list(read_texts("\n".join(changed), ENGLISH, known=PASSAGE).items) == changed


# Reading answers as groups.

CATEGORIES = ("Animal", "Written Work")
NAMES = frozenset(("Red fox", "Cougar", "Dubliners", "Moll Flanders", "Good Bye, Lenin"))
TRUE = {"Animal": ("Red fox", "Cougar"), "Written Work": ("Dubliners", "Moll Flanders")}


def read(text: str) -> Groups:
    return read_groups(text, CATEGORIES, NAMES)


def as_dict(groups: Groups) -> dict[str | None, tuple[str, ...]]:
    found: dict[str | None, tuple[str, ...]] = {}
    for group in groups.groups:
        found[group.category] = found.get(group.category, ()) + group.names
    return found


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (
            "structured",
            '[{"category_name": "Animal", "entities": ["Red fox", "Cougar"]},'
            ' {"category_name": "Written Work", "entities": ["Dubliners", "Moll Flanders"]}]',
        ),
        (
            "structured",
            'Here you are:\n```json\n{"categories": [{"entities": ["Red fox", "Cougar"], "category_name": "animal"},'
            '{"entities": ["Dubliners", "Moll Flanders"], "category_name": "written_work"}]}\n```\nDone.',
        ),
        ("structured", '{"Animal": ["Red fox", "Cougar"], "Written Work": ["Dubliners", "Moll Flanders"]}'),
        (
            "structured",
            '[{"entity": "Red fox", "category": "Animal"}, {"entity": "Cougar", "category": "Animal"},'
            '{"entity": "Dubliners", "category": "Written Work"},'
            '{"entity": "Moll Flanders", "category": "Written Work"}]',
        ),
        ("list", "Animal: Red fox, Cougar\nWritten Work: Dubliners, Moll Flanders"),
        ("list", "**Animal:** Red fox, Cougar\n- **Written Work**: Dubliners; Moll Flanders"),
        ("list", "## Animal\n- Red fox\n- Cougar\n\n## Written Work\n1. Dubliners\n2. Moll Flanders"),
        ("list", "1. **Animal**\n   - Red fox\n   - Cougar\n2. **Written Work**\n   - Dubliners\n   - Moll Flanders"),
        ("list", "Animal\nRed fox\nCougar\nWritten Work\nDubliners\nMoll Flanders"),
        ("list", "Animal：Red fox、Cougar\nWritten Work：Dubliners、Moll Flanders"),
        ("lines", "Red fox - Animal\nCougar - Animal\nDubliners - Written Work\nMoll Flanders - Written Work"),
        ("lines", "Red fox: Animal\nCougar → Animal\n| Dubliners | Written Work |\nMoll Flanders => Written Work"),
    ],
)
def test_every_form(layer: str, text: str) -> None:
    found = read(text)
    assert found.layer == layer
    assert as_dict(found) == TRUE
    assert not found.cut


def test_json_that_broke_off_keeps_what_was_whole() -> None:
    found = read(
        '[{"category_name": "Animal", "entities": ["Red fox", "Cougar"]},'
        ' {"category_name": "Written Work", "entities": ["Dubliners", "Moll Fla'
    )
    assert (found.layer, found.cut) == ("structured", True)
    assert as_dict(found) == {"Animal": ("Red fox", "Cougar"), "Written Work": ("Dubliners",)}


def test_a_category_that_was_not_given_is_none() -> None:
    assert as_dict(read("Animal: Cougar\nBooks:\n- Dubliners")) == {"Animal": ("Cougar",), None: ("Dubliners",)}
    assert as_dict(read('{"Animal": ["Cougar"], "Novel": ["Dubliners"]}')) == {
        "Animal": ("Cougar",),
        None: ("Dubliners",),
    }


def test_a_name_with_a_comma_stays_whole() -> None:
    assert as_dict(read("Written Work: Dubliners, Good Bye, Lenin, Moll Flanders"))["Written Work"] == (
        "Dubliners",
        "Good Bye, Lenin",
        "Moll Flanders",
    )
    assert as_dict(read("Written Work\n- Good Bye, Lenin"))["Written Work"] == ("Good Bye, Lenin",)


def test_names_are_not_repaired() -> None:
    assert as_dict(read("Animal: Red Fox, Cougar."))["Animal"] == ("Red Fox", "Cougar.")


@pytest.mark.parametrize("text", ["", "I would rather not.", "Red fox, Cougar", "[]", '{"a": 1}'])
def test_what_has_no_groups(text: str) -> None:
    assert read(text) == Groups(layer="", groups=())


FORMS = [
    '{"Red fox": "Animal", "Cougar": "Animal", "Dubliners": "Written Work", "Moll Flanders": "Written Work"}',
    "[['Red fox', 'Animal'], ['Cougar', 'Animal'], ['Dubliners', 'Written Work'], ['Moll Flanders', 'Written Work']]",
    '{"groups": {"Animal": ["Red fox", "Cougar"], "Written Work": ["Dubliners", "Moll Flanders"]}, "notes": ["Done."]}',
    '[{"type": "Animal", "n": 2, "found": ["Red fox", "Cougar"]}, {"type": "Written Work", "n": 2, "found": '
    '["Dubliners", "Moll Flanders"]},]',
    '{"Animal": {"count": 2, "items": ["Red fox", "Cougar"]}, "Written Work": [{"name": "Dubliners"}, {"name": "Moll '
    'Flanders"}]}',
    '{\n"Animal": ["Red fox", "Cougar"], // beasts\n"Written Work": ["Dubliners", "Moll Flanders"]\n}',
    "- category_name: Animal\n  entities:\n  - Red fox\n  - Cougar\n- category_name: Written Work\n  entities:\n"
    "  - Dubliners\n  - Moll Flanders",
    "Animals: Red fox and Cougar\nWritten works: Dubliners and Moll Flanders",
    "**Animals (2):** Red fox, Cougar\n**Written Works (2):** Dubliners, and Moll Flanders",
    "1. Animal – Red fox, Cougar\n2. Written Work – Dubliners, Moll Flanders",
    "| Category | Names |\n|---|---|\n| Animal | Red fox, Cougar |\n| Written Work | Dubliners<br>Moll Flanders |",
    "| Name | Category |\n|---|---|\n| Red fox | Animal |\n| Cougar | Animal |\n| Dubliners | Written Work |\n"
    "| Moll Flanders | Written Work |",
    "| Animal | Written Work |\n|---|---|\n| Red fox | Dubliners |\n| Cougar | Moll Flanders |",
    "Red fox (Animal)\nCougar (Animal)\nDubliners (Written Work)\nMoll Flanders (Written Work)",
    "Draft:\nAnimal: Dubliners, Moll Flanders\nWritten Work: Red fox, Cougar\n\nFinal:\nAnimal: Red fox, Cougar\n"
    "Written Work: Dubliners, Moll Flanders",
    "Here you are:\n\nAnimal\nRed fox\nCougar\n\nWritten Work\nDubliners\nMoll Flanders\n\nLet me know if that helps!",
]


@pytest.mark.parametrize("text", FORMS)
def test_any_form_a_person_reads(text: str) -> None:
    assert as_dict(read(text)) == TRUE
