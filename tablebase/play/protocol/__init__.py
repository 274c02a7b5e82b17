"""The Universal Chess Interface (UCI), for all games of pieces on squares: both ends of the line.

The protocol is that of *Description of the universal chess interface (UCI)*, April 2006, by S. Meyer-Kahlen, with the option
``UCI_Variant`` that programs for more than one game have added. A position after ``position fen`` is this package's text of it;
moves are written as everywhere else, ``a1a2``.
"""

from __future__ import annotations
