"""The SSSOM file passes the validator of those who make the standard (the extra `validation`)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lightea.exchange import Publication, write_links
from links_to_write import linked

VALIDATE = """
import json, logging, sys, warnings
warnings.simplefilter("ignore")
from sssom.parsers import parse_sssom_table
from sssom.validators import validate
complaints = []
handler = logging.Handler()
handler.emit = lambda record: complaints.append(record.getMessage())
logging.getLogger().addHandler(handler)
read = parse_sssom_table(sys.argv[1])
reports = validate(read, fail_on_error=False)
complaints += [result.message for report in reports.values() for result in report.results]
columns = ["subject_id", "object_id", "confidence", "mapping_justification"]
rows = read.df.astype(str)[columns].values.tolist() if len(read.df) else []
iris = [read.converter.expand(row[0]) for row in rows]
print(json.dumps({"complaints": complaints, "rows": rows, "iris": iris, "checks": len(reports)}))
"""
pytestmark = pytest.mark.slow


def validated(file: Path) -> dict[str, list]:
    """What the validator reads and complains of, by a process of its own: it warns of its own code, too."""
    pytest.importorskip("sssom", reason="the validator of SSSOM is not installed: make test-slow installs it")
    done = subprocess.run(
        [sys.executable, "-c", VALIDATE, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_validator_accepts_links_of_all_kinds_of_names(tmp_path: Path) -> None:
    made = linked()
    told = Publication(no_term_found=True)
    found = validated(write_links(made, tmp_path / "links.sssom.tsv", publication=told))
    assert found["complaints"] == []
    assert found["checks"] == 3
    assert len(found["rows"]) == len(made) + 1
    assert "http://dbpedia.org/resource/Paris" in found["iris"]
    assert {justification for *_, justification in found["rows"]} == {"semapv:StructuralMatching"}


def test_the_validator_tells_a_file_that_is_wrong(tmp_path: Path) -> None:
    """Or its silence would mean nothing."""
    file = write_links(linked(), tmp_path / "links.sssom.tsv")
    file.write_text(file.read_text().replace("semapv:StructuralMatching", "semapv:Guessing"))
    assert validated(file)["complaints"]
