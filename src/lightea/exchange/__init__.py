"""Links in the formats of others: SSSOM, OAEI, RDF, Parquet, TSV.

Each format is a function from a `MappingSet` to pieces of a file, so that a million links never stand in
memory as one text.
"""

from lightea.exchange.formats import FORMATS, LinkFormat, chosen_formats, write_links
from lightea.exchange.mapping_set import MappingSet
from lightea.exchange.publication import Publication

__all__ = [
    "FORMATS",
    "LinkFormat",
    "MappingSet",
    "Publication",
    "chosen_formats",
    "write_links",
]
