"""Reading answers as groups."""

from __future__ import annotations

import pytest

from longreach.grading.reading.groups import Groups, read_groups

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
