"""Questions written by code from self-contained sentences, with options from the surrounding text."""

from .language import LANGUAGES, written_language
from .reading import Stretch
from .sentences import plain_text
from .writer import DROPPED, FactWriter

__all__ = ["DROPPED", "LANGUAGES", "FactWriter", "Stretch", "plain_text", "written_language"]
