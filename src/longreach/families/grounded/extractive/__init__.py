"""Questions written by code: a sentence of the passage with a name, number, date or term left out."""

from .cloze import ClozeWriter
from .lexicon import Lexicon, Sentence, plain_text

__all__ = ["ClozeWriter", "Lexicon", "Sentence", "plain_text"]
