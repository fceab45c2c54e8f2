"""Questions that are worded alike in every language, as data."""

from __future__ import annotations

__all__ = ["PHRASES"]

PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "under": "Under “{0}”: {1}",
        "both": "Which of these is mentioned both under “{0}” and under “{1}”?",
        "happened first": "Which of these happened first?",
        "happened last": "Which of these happened last?",
        "narrated first": "Which of these is narrated first?",
        "narrated last": "Which of these is narrated last?",
        "later year": "Which is the later of these two years: the year in which {0}, or the year in which {1}?",
        "earlier year": "Which is the earlier of these two years: the year in which {0}, or the year in which {1}?",
        "larger number": "Which is the larger of these two numbers: the number of {0}, or the number of {1}?",
        "smaller number": "Which is the smaller of these two numbers: the number of {0}, or the number of {1}?",
        "does": "What does {0} do?",
        "described": "How is {0} described?",
        "explained": "How is “{0}” explained?",
        "which": "Which of these is described as follows: “{0}”?",
        "which option": "Which option is described as follows: “{0}”?",
        "which call": "Which function is described as follows: “{0}”?",
        "field": "Under “{0}”: What is given as “{1}”?",
        "default": "What is the default value of {0}?",
        "option": "the option {0}",
        "call": "the function {0}",
        "says": "Who says “{0}”?",
        "asks": "Who asks “{0}”",
    },
    "zh": {
        "under": "在“{0}”一节中，{1}",
        "both": "“{0}”和“{1}”两节都提到了下列哪一项？",
        "happened first": "下列哪一件事发生得最早？",
        "happened last": "下列哪一件事发生得最晚？",
        "narrated first": "下列哪一件事被讲到得最早？",
        "narrated last": "下列哪一件事被讲到得最晚？",
        "later year": "“{0}”和“{1}”这两件事，较晚的一件发生在哪一年？",
        "earlier year": "“{0}”和“{1}”这两件事，较早的一件发生在哪一年？",
        "field": "在“{0}”一节中，“{1}”是什么？",
        "says": "“{0}”这句话是谁说的？",
        "asks": "“{0}”这句话是谁问的？",
    },
    "de": {
        "under": "Abschnitt „{0}“: {1}",
        "both": "Was wird sowohl unter „{0}“ als auch unter „{1}“ erwähnt?",
        "happened first": "Was geschah zuerst?",
        "happened last": "Was geschah zuletzt?",
        "narrated first": "Was wird zuerst erzählt?",
        "narrated last": "Was wird zuletzt erzählt?",
        "field": "Abschnitt „{0}“: Was ist als „{1}“ angegeben?",
        "says": "Wer sagt: „{0}“?",
        "asks": "Wer fragt: „{0}“?",
    },
}
"""Missing where a language has no such question."""
