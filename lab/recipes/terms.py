"""Terms of tables that were learned from corpora, and a tool that writes them into headers.

    python -m lab.recipes.terms

Nothing else of the tables changes: arrays and their digests stay.
"""

from __future__ import annotations

from tokalign.files.shipped import data_dir
from tokalign.files.tables import Table, write_table

LICENSES = {
    "edits": "research use (arXivEdits names no licence; its papers have different ones)",
    "relations": "research use (SemEval 2016 task 2, MTRef)",
    "support": "ODC-By-1.0 (annotations of WiCE; its text: CC BY-SA and terms of Common Crawl)",
}
"""By the table's name."""


def main() -> None:
    for name, license in LICENSES.items():
        table = Table.open_shipped(name)
        header = table.header
        arrays = header["arrays"]
        write_table(
            data_dir() / f"{name}.table.xz",
            {key: table[key] for key in sorted(arrays, key=lambda key: arrays[key]["offset"])},
            name=name,
            version=header["version"],
            license=license,
            source=header["source"],
            meta=header["meta"],
        )


if __name__ == "__main__":
    main()
