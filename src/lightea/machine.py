"""What a run ran on: processor, cores, BLAS, versions, memory; without them its times mean nothing."""

from __future__ import annotations

import contextlib
import importlib.metadata
import math
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lightea._version import __version__

_CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    visible = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(visible, _cores_of_quota() or visible)


def _cores_of_quota() -> int | None:
    """The cores whose time a container may use, a started one counted whole; None without a limit."""
    with contextlib.suppress(OSError, ValueError):  # no such file, or `max` in place of a number
        quota, period = _CPU_QUOTA.read_text(encoding="ascii").split()
        return max(1, math.ceil(int(quota) / int(period)))
    return None


def machine_facts(threads: int | None = None) -> dict[str, Any]:
    """Processor, cores, threads asked for (default: all allowed cores), BLAS and system, ready for JSON."""
    return {
        "cpu": cpu_model(),
        "cores": available_cores(),
        "threads": available_cores() if threads is None else threads,
        "blas": blas_facts(),
        "system": platform.platform(),
        "memory_mb": memory_mb(),
    }


def cpu_model() -> str:
    """The processor's name for itself."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def blas_facts() -> list[dict[str, Any]]:
    """Each BLAS in the process with the processor kind it chose, which decides its speed."""
    import numpy  # noqa: F401, PLC0415  (its BLAS must be loaded to be seen; and only then is it paid for)
    import threadpoolctl  # noqa: PLC0415  (only runs that are recorded need it)

    kept = ("internal_api", "version", "architecture", "num_threads", "threading_layer")
    return [
        {name: library.get(name) for name in kept}
        for library in threadpoolctl.threadpool_info()
        if library.get("user_api") == "blas"
    ]


def versions() -> dict[str, str]:
    """The versions of Python, lightea and the packages it builds on."""
    return {"python": platform.python_version(), "lightea": __version__} | dict(_dependency_versions())


def peak_rss_mb() -> float | None:
    """The most memory the process has held so far, in units of 10⁶ bytes; None where nobody counts it."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    return _peak_from_getrusage()


def commit() -> str | None:
    """The commit that this code was run from, marked `-dirty` if changed; None outside its own checkout."""
    package = Path(__file__).resolve().parent
    root = package.parent.parent
    git = shutil.which("git")
    if git is None or not (root / ".git").exists() or package != root / "src" / "lightea":
        return None
    describe = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    done = subprocess.run(describe, capture_output=True, text=True, check=False)  # noqa: S603  (fixed arguments)
    return done.stdout.strip() or None


def _dependency_versions() -> Iterator[tuple[str, str]]:
    """Each package that the metadata of lightea names as needed, without those of the extras."""
    with contextlib.suppress(
        importlib.metadata.PackageNotFoundError
    ):  # run from a source tree, not installed
        for requirement in importlib.metadata.requires("lightea") or []:
            if "extra ==" not in requirement:
                name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
                yield name, importlib.metadata.version(name)


def _peak_from_getrusage() -> float | None:
    try:
        import resource  # noqa: PLC0415  (Windows has none)
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e6


def memory_mb() -> int | None:
    """The memory of the machine, in units of 10⁶ bytes; None where nobody tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 10**6
    except (AttributeError, ValueError, OSError):
        return None


def free_memory_mb() -> int | None:
    """The memory that is free or can be freed at once, in units of 10⁶ bytes; None where nobody tells."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024 // 10**6
    return None
