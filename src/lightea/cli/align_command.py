"""`lightea align`: two graphs in, links out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lightea.cli.dry_run import DryRunOption, rehearse
from lightea.cli.inputs import (
    ColumnsOption,
    ExcludeOption,
    FormatOption,
    GraphOption,
    IncludeOption,
    Inputs,
    LangOption,
    MoreLeftOption,
    MoreRightOption,
    ReadingOptions,
    SeedsOption,
    TypeOption,
)
from lightea.cli.options import (
    CardinalityOption,
    ConfigOption,
    LogJsonOption,
    MemoryOption,
    NameIdsOption,
    NamesFileOption,
    NamesOption,
    PrecisionOption,
    PresetOption,
    QuietOption,
    RandomSeedOption,
    ThreadsOption,
    ThresholdOption,
    refuse_both,
    settings,
    threads_to_use,
)
from lightea.cli.publication_options import (
    AlsoOption,
    DateOption,
    LeftNamespaceOption,
    LeftSourceOption,
    LeftVersionOption,
    LicenseOption,
    NoTermFoundOption,
    PrefixOption,
    RightNamespaceOption,
    RightSourceOption,
    RightVersionOption,
    publication,
    split_formats,
)
from lightea.cli.terminal import Terminal, session
from lightea.clock import nobody

if TYPE_CHECKING:
    from lightea.alignment import Alignment
    from lightea.config import Config


def align(
    left: Annotated[
        Path, typer.Argument(metavar="LEFT", help="A graph: a file, a directory of files, or - for stdin.")
    ],
    right: Annotated[Path, typer.Argument(metavar="RIGHT", help="The other graph.")],
    *,
    seeds: SeedsOption = None,
    graph_format: FormatOption = None,
    more_left: MoreLeftOption = None,
    more_right: MoreRightOption = None,
    columns: ColumnsOption = None,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    lang: LangOption = None,
    classes: TypeOption = None,
    graph: GraphOption = None,
    dry_run: DryRunOption = False,
    preset: PresetOption = None,
    names: NamesOption = None,
    names_file: NamesFileOption = None,
    names_from_ids: NameIdsOption = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write a run directory instead of links to stdout."),
    ] = None,
    threshold: ThresholdOption = None,
    precision: PrecisionOption = None,
    cardinality: CardinalityOption = None,
    random_seed: RandomSeedOption = None,
    threads: ThreadsOption = None,
    memory: MemoryOption = None,
    config: ConfigOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse seeds that the graphs do not know.")
    ] = False,
    also: AlsoOption = None,
    no_term_found: NoTermFoundOption = False,
    prefix: PrefixOption = None,
    left_namespace: LeftNamespaceOption = None,
    right_namespace: RightNamespaceOption = None,
    left_source: LeftSourceOption = None,
    right_source: RightSourceOption = None,
    left_version: LeftVersionOption = None,
    right_version: RightVersionOption = None,
    license_iri: LicenseOption = None,
    date: DateOption = None,
    quiet: QuietOption = False,
    log_json: LogJsonOption = False,
) -> None:
    """Find which entities of two graphs are the same.

    Prints a table of left, right and probability; with --out writes a run directory and prints a summary.
    """
    refuse_both("--preset", "--config", given=bool(preset and config), why="the file names its preset")
    refuse_both("--threshold", "--precision", given=None not in (threshold, precision), why="it chooses one")
    if out is None and (also or no_term_found):
        raise typer.BadParameter("--also and --no-term-found need --out: only links.tsv goes to stdout")
    options = ReadingOptions(graph_format, columns, include or (), exclude or (), lang or (), graph or ())
    inputs = Inputs(
        (left, *(more_left or ())),
        (right, *(more_right or ())),
        seeds,
        options,
        classes or (),
        names_file,
    )
    inputs.refuse_two_pipes()
    with session(quiet=quiet, log_json=log_json) as terminal:
        chosen = settings(
            preset,
            config,
            names=names,
            from_ids=names_from_ids,
            threshold=threshold,
            precision=precision,
            cardinality=cardinality,
            random_seed=random_seed,
        )
        told = publication(
            prefix=prefix,
            date=date,
            no_term_found=no_term_found,
            left_namespace=left_namespace,
            right_namespace=right_namespace,
            left_source=left_source,
            right_source=right_source,
            left_version=left_version,
            right_version=right_version,
            license=license_iri,
        )
        if out is not None:
            from lightea.writing import check_writable

            check_writable(out)
        else:
            terminal.refuse_closed_output()
        if dry_run:
            rehearse(terminal, inputs, chosen, threads=threads_to_use(threads), memory=memory, strict=strict)
            return
        alignment = _run(
            terminal, inputs, chosen, threads=threads_to_use(threads), memory=memory, strict=strict
        )
        if out is None:
            _print_links(terminal, alignment)
        else:
            from lightea.writing import write_run

            with terminal.progress() as progress:
                written = write_run(
                    alignment,
                    out,
                    also=split_formats(also),
                    publication=told,
                    inputs=inputs.files(),
                    reading=inputs.record(),
                    threads=threads_to_use(threads),
                    progress=progress,
                )
            show_summary(terminal, alignment)
            terminal.say(
                f"Links are in {written / 'links.tsv'}, how they were found in {written / 'run.json'}."
            )
            terminal.say(f"To look at in a browser: {written / 'report.html'}")


def _run(
    terminal: Terminal, inputs: Inputs, config: Config, *, threads: int, memory: float | None, strict: bool
) -> Alignment:
    import lightea

    with terminal.progress() as progress:
        sides = inputs.read(progress or nobody)
        return lightea.align(
            sides.left,
            sides.right,
            sides.seeds,
            config=config,
            left_entities=sides.left_entities,
            right_entities=sides.right_entities,
            threads=threads,
            memory=memory,
            strict=strict,
            names=inputs.names,
            progress=progress,
        )


def _print_links(terminal: Terminal, alignment: Alignment) -> None:
    from lightea.writing import links_tsv

    terminal.write(links_tsv(alignment))


def show_summary(terminal: Terminal, alignment: Alignment) -> None:
    """How many entities were matched, and how long each stage took."""
    from lightea.standing import DOUBTFUL, link_counts

    counts = link_counts(alignment)
    terminal.table(
        ["<left entities", "count", "<meaning"],
        [
            ["searched", f"{counts['searched']:,}", f"all but the {counts['seeds']:,} given as seeds"],
            ["matched", f"{counts['matched']:,}", f"probability at least {alignment.config.threshold:g}"],
            ["doubtful", f"{counts['doubtful']:,}", f"no link, but a candidate of at least {DOUBTFUL:g}"],
            ["unmatched", f"{counts['unmatched']:,}", "no candidate worth a look"],
        ],
    )
    show_names(terminal, alignment)
    terminal.say(estimate(alignment))
    seconds = [[stage, f"{value:.2f}"] for stage, value in alignment.seconds.items()]
    terminal.table(["<stage", "seconds"], seconds)


def show_names(terminal: Terminal, alignment: Alignment) -> None:
    """Which names were compared, if any, and how many of them are equal."""
    names = alignment.names
    if names is None:
        return
    audit = names.audit
    rows = [
        [side, f"{named:.1%}", f"{stated:,}", f"{table.n_entities:,}"]
        for side, named, stated, table in (
            ("left", audit.left_named, audit.left_stated, names.left),
            ("right", audit.right_named, audit.right_stated, names.right),
        )
    ]
    terminal.table(["<names", "have one", "stated", "entities"], rows)
    terminal.say(f"Names were compared by {names.encoder}; {audit.equal:.1%} are equal on both sides.")


def estimate(alignment: Alignment) -> str:
    """How good the links are to be expected to be, or why nobody can tell."""
    quality = alignment.quality
    if quality is not None and len(alignment):
        hidden = alignment.calibration.n_hidden if alignment.calibration else 0
        return (
            f"Estimated precision {quality.precision:.3f}, recall {quality.recall:.3f}, F1 {quality.f1:.3f}, "
            f"by {hidden:,} seeds that were held back."
        )
    if len(alignment) == 0:
        why = "there are no links"
    elif alignment.calibration is not None:
        why = f"with --cardinality {alignment.config.cardinality} nobody knows how many partners there are"
    elif not alignment.config.evidence_rounds:
        why = (
            f"the probabilities of preset {alignment.config.preset} are not calibrated; auto calibrates them"
        )
    else:
        why = f"{len(alignment.seeds):,} seeds are too few to hold some back"
    return f"No estimate of precision and recall: {why}."
