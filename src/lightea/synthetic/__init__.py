"""Pairs of knowledge graphs with a known answer, for demonstrations, tests and measurements at any scale.

How a pair comes about, each step in a module of its own:

1. `shape` holds the parameters, `ontology` the kinds of things and relations that there are.
2. `vocabulary`: kinds fall into types; relations connect types, a few of them very often, most rarely.
3. `world`: entities have a type and live in communities. They tell facts about each other, mostly within the
   community and mostly about the famous, and facts follow from facts. This world is never written down.
4. `side`: each of the two graphs keeps some facts, gets some wrong, joins or splits relations, and knows
   entities of its own that have no counterpart.
5. `naming` and `lexicon`, `literals`: each side calls everything by names of its own: by numbers given at
   random, or by words of an invented language with labels, years and numbers of inhabitants.
6. `files` writes graphs with their links, `pair` puts everything together.
"""

from lightea.synthetic.files import Layout
from lightea.synthetic.pair import NameStyle, SyntheticPair, demo_pair, make_pair, write_pair
from lightea.synthetic.shape import DBP1M, DBP15K, DEMO, SideShape, SyntheticShape

__all__ = [
    "DBP1M",
    "DBP15K",
    "DEMO",
    "Layout",
    "NameStyle",
    "SideShape",
    "SyntheticPair",
    "SyntheticShape",
    "demo_pair",
    "make_pair",
    "write_pair",
]
