"""Questions written by code from self-contained sentences, with options from the surrounding text."""

from .language import LANGUAGES, written_language
from .reading import plain_text
from .writer import DROPPED, FactWriter, Stretch

__all__ = ["DROPPED", "LANGUAGES", "FactWriter", "Stretch", "plain_text", "written_language"]
