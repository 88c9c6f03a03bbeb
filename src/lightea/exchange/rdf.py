"""owl:sameAs statements: bare as N-Triples, or as Turtle with probabilities and provenance (PROV-O)."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from lightea.exchange.mapping_set import MappingSet, slices
from lightea.exchange.oaei import decimals

_SAME = "http://www.w3.org/2002/07/owl#sameAs"
_HEAD = """\
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sssom: <https://w3id.org/sssom/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

"""
_LINK = (
    "<{left}> owl:sameAs <{right}> .\n"
    "[] a owl:Axiom ; owl:annotatedSource <{left}> ; owl:annotatedProperty owl:sameAs ; "
    "owl:annotatedTarget <{right}> ; sssom:confidence {chance} ; prov:wasGeneratedBy <{run}> .\n"
)


def links_nt(mappings: MappingSet) -> Iterator[bytes]:
    """One owl:sameAs statement for each link."""
    for piece in slices(mappings.links):
        lines = pl.format(f"<{{}}> <{_SAME}> <{{}}> .\n", "left_iri", "right_iri")
        yield "".join(piece.select(lines).to_series()).encode("utf-8")


def links_turtle(mappings: MappingSet) -> Iterator[bytes]:
    """The links with their probabilities, and the run that they come from."""
    yield (_HEAD + _provenance(mappings)).encode("utf-8")
    left, right = pl.col("left_iri"), pl.col("right_iri")
    for piece in slices(mappings.links):
        text = _LINK.format(left="{}", right="{}", chance="{}", run=_run(mappings))
        lines = pl.format(text, left, right, left, right, decimals("probability"))
        yield "".join(piece.select(lines).to_series()).encode("utf-8")


def _run(mappings: MappingSet) -> str:
    return f"{mappings.iri}#run"


def _provenance(mappings: MappingSet) -> str:
    """The set of links, the run that made it, what that read, with which settings, and by which software.

    When it ran stands in the run's manifest, so that the same links are the same bytes.
    """
    run, tool, plan = (f"<{mappings.iri}#{part}>" for part in ("run", "lightea", "settings"))
    left, right = f"<{mappings.left_source}>", f"<{mappings.right_source}>"
    date = mappings.publication.date
    created = "" if date is None else f'    dcterms:created "{date.isoformat()}"^^xsd:date ;\n'
    return (
        f"<{mappings.iri}> a prov:Entity ;\n"
        f"    dcterms:title {_text(mappings.title)} ;\n"
        f"    dcterms:description {_text(mappings.description)} ;\n"
        f"    dcterms:license <{mappings.publication.license}> ;\n{created}"
        f"    prov:wasAttributedTo {tool} ;\n"
        f"    prov:wasDerivedFrom {left}, {right} ;\n"
        f"    prov:wasGeneratedBy {run} .\n"
        f"{run} a prov:Activity ;\n"
        f"    prov:used {left}, {right} ;\n"
        f"    prov:wasAssociatedWith {tool} ;\n"
        f"    prov:qualifiedAssociation [ a prov:Association ; prov:agent {tool} ; prov:hadPlan {plan} ] .\n"
        f"{tool} a prov:SoftwareAgent ;\n"
        f'    rdfs:label "lightea" ;\n    owl:versionInfo {_text(mappings.tool_version)} .\n'
        f"{plan} a prov:Plan, prov:Entity ;\n"
        f"    prov:value {_text(mappings.alignment.config.dumps())} .\n"
        f"{left} a prov:Entity ;\n"
        f"    rdfs:label {_text(mappings.left_name)} ; owl:versionInfo {_text(mappings.left_version)} .\n"
        f"{right} a prov:Entity ;\n"
        f"    rdfs:label {_text(mappings.right_name)} ; owl:versionInfo {_text(mappings.right_version)} .\n\n"
    )


def _text(value: str) -> str:
    """A Turtle literal on one line."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'
