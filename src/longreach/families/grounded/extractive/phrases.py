"""Questions that are worded alike in every language, as data."""

from __future__ import annotations

__all__ = ["PHRASES"]

PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "both": "Which of these is mentioned both under “{0}” and under “{1}”?",
        "section": "In which section is it stated that “{0}”?",
        "heading": "Which is the next heading after the sentence “{0}”?",
        "happened first": "Which of these happened first?",
        "happened last": "Which of these happened last?",
        "narrated first": "Which of these is narrated first?",
        "narrated last": "Which of these is narrated last?",
        "later year": "Which is the later of these two years: the year in which {0}, or the year in which {1}?",
        "earlier year": "Which is the earlier of these two years: the year in which {0}, or the year in which {1}?",
        "larger number": "Which is the larger of these two numbers: the number of {0}, or the number of {1}?",
        "smaller number": "Which is the smaller of these two numbers: the number of {0}, or the number of {1}?",
        "which option": "Which option is described as follows: “{0}”?",
        "which call": "Which function is described as follows: “{0}”?",
        "default": "What is the default value of {0}?",
        "option": "the option {0}",
        "call": "the function {0}",
        "says": "Who says “{0}”?",
        "asks": "Who asks “{0}”",
        "blank": "“{0}”: {1}?",
        "year": "in which year",
        "percentage": "what percentage",
        "count": "how many {0}",
        "amount": "how much money",
    },
    "zh": {
        "section": "“{0}”这句话出现在哪一节？",
        "heading": "“{0}”这句话之后的下一个标题是什么？",
        "happened first": "下列哪一件事发生得最早？",
        "happened last": "下列哪一件事发生得最晚？",
        "narrated first": "下列哪一件事被讲到得最早？",
        "narrated last": "下列哪一件事被讲到得最晚？",
        "later year": "“{0}”和“{1}”这两件事，较晚的一件发生在哪一年？",
        "earlier year": "“{0}”和“{1}”这两件事，较早的一件发生在哪一年？",
        "says": "“{0}”这句话是谁说的？",
        "asks": "“{0}”这句话是谁问的？",
        "blank": "“{0}”：{1}？",
        "year": "是哪一年",
        "percentage": "是百分之多少",
        "count": "是多少{0}",
    },
    "de": {
        "section": "In welchem Abschnitt steht: „{0}“?",
        "heading": "Welche Überschrift folgt als nächste nach dem Satz „{0}“?",
        "happened first": "Was geschah zuerst?",
        "happened last": "Was geschah zuletzt?",
        "narrated first": "Was wird zuerst erzählt?",
        "narrated last": "Was wird zuletzt erzählt?",
        "says": "Wer sagt: „{0}“?",
        "asks": "Wer fragt: „{0}“?",
        "blank": "„{0}“: {1}?",
        "year": "in welchem Jahr",
        "percentage": "wie viel Prozent",
        "count": "wie viele {0}",
    },
}
"""Missing where a language has no such question."""
