"""Questions written by code: facts of sentences that stand alone, with options from the text around them."""

from .language import LANGUAGES, written_language
from .reading import plain_text
from .writer import DROPPED, FactWriter, Stretch

__all__ = ["DROPPED", "LANGUAGES", "FactWriter", "Stretch", "plain_text", "written_language"]
