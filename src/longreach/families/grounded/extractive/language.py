"""Which language a text is written in, by its script and its most common words."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["LANGUAGES", "written_language"]

LANGUAGES = ("en", "zh", "de")
"""Languages in which the builder without a model can write questions."""

_SAMPLE = 200_000
_COMMON = {
    "en": "the of and to in is that for it was with as his be on not he by are this from or which",
    "de": "der die und das nicht ist ein eine zu den mit von sich auf für dem des im auch werden wird oder",
    "French": "le la les des et est une dans que pour qui pas sur au avec il du par plus sont ce",
    "Spanish": "el los las que de una por con para es no se del al como más su lo son",
    "Italian": "il che di non una per gli sono della con del nel alla le si è come più anche",
    "Portuguese": "o que de não uma para com os do da em se no na por mais as dos é um",
    "Dutch": "de het een van en is dat op te in niet zijn voor met die aan er om ook als",
    "Polish": "nie się na jest do że to jak za od po przez dla są lub oraz jego który",
    "Swedish": "och att det som en på är av för med den till inte har ett om de eller kan",
    "Danish": "og at det som en på er af for med den til ikke har et om de eller kan der",
    "Norwegian": "og å det som en på er av for med den til ikke har et om de eller kan",
    "Czech": "se na je že to jako za od po pro jsou nebo aby který také do bylo byl při",
    "Turkish": "ve bir bu için ile da de olarak olan daha çok gibi en ya kadar sonra",
    "Indonesian": "yang dan di ini untuk dengan dari pada tidak adalah atau dalam akan oleh",
    "Vietnamese": "và của là có một cho các được không với trong này những để người",
    "Romanian": "și de la în nu cu pe este un o din care că pentru mai sau sunt",
    "Croatian": "i je u na se da za su od kao ili koji nije s ne biti",
    "Catalan": "el la els les de i que per amb un una és no es del al com",
}
_SCRIPTS = {
    "Russian or another language in Cyrillic": "\u0400-\u04ff",
    "Greek": "\u0370-\u03ff",
    "Arabic or Persian": "\u0600-\u06ff",
    "Hebrew": "\u0590-\u05ff",
    "Japanese": "\u3040-\u30ff",
    "Korean": "\uac00-\ud7af\u1100-\u11ff",
    "Hindi or another Indian language": "\u0900-\u0dff",
    "Thai": "\u0e00-\u0e7f",
    "zh": "\u3400-\u4dbf\u4e00-\u9fff",
}
_WORD = re.compile(r"[^\W\d_]+")
_LATIN_WORD = re.compile("[A-Za-z]+")
_SCRIPT_SHARE = 0.2
_HAN_SHARE = 0.3
"""Share of ideographs among ideographs and Latin words: listings and names are in Latin letters."""


def written_language(text: str) -> str:
    """`en`, `zh`, `de`, or the English name of another language."""
    if len(text) > _SAMPLE:
        middle = len(text) // 2
        text = text[: _SAMPLE // 2] + text[middle : middle + _SAMPLE // 2]
    letters = sum(map(str.isalpha, text))
    if not letters:
        return "en"
    for name, characters in _SCRIPTS.items():
        count = len(re.findall(f"[{characters}]", text))
        whole = count + len(_LATIN_WORD.findall(text)) if name == "zh" else letters
        share = {"Japanese": 0.1, "zh": _HAN_SHARE}.get(name, _SCRIPT_SHARE)
        if count > share * whole:
            return name
    words = Counter(word.casefold() for word in _WORD.findall(text))
    scores = {name: sum(words[word] for word in set(common.split())) for name, common in _COMMON.items()}
    best = max(scores, key=lambda name: scores[name])
    # Lists and tables have few such words in any language: the evidence for another one must be clear.
    return best if best != "en" and scores[best] > 1.3 * scores["en"] + 20 else "en"
