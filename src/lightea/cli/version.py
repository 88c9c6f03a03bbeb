"""`lightea --version`: what a report of a fault or of a time should say."""

from __future__ import annotations

from collections.abc import Iterator


def version_lines() -> Iterator[str]:
    """Versions, processor, cores and what multiplies matrices; the first line is lightea's own."""
    from lightea.machine import commit, machine_facts, versions

    known, facts, state = versions(), machine_facts(), commit()
    yield f"lightea {known.pop('lightea')}" + ("" if state is None else f" (commit {state})")
    yield ", ".join(f"{name} {version}" for name, version in known.items())
    memory = "" if facts["memory_mb"] is None else f", {facts['memory_mb'] / 1000:.0f} GB"
    yield f"{facts['system']}, {facts['cpu']}{memory}"
    yield f"threads: {facts['threads']} of {facts['cores']} allowed cores, unless --threads says less"
    for blas in facts["blas"]:
        kernel = f", kernels for {blas['architecture']}" if blas["architecture"] else ""
        yield f"BLAS: {blas['internal_api']} {blas['version']}{kernel}, {blas['num_threads']} threads"
