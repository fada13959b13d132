"""Some hundred files of the long fuzz run, the same ones every time."""

import fuzz_files


def test_a_changed_file_is_used_or_refused(tmp_path):
    counts = fuzz_files.fuzz(600, 1, tmp_path)
    kinds = (*fuzz_files.KINDS, "model")
    assert all(counts[kind, end] > 0 for kind in kinds for end in ("used", "refused")), counts


def test_a_changed_number_of_a_shipped_table_is_used_or_refused(tmp_path):
    counts = fuzz_files.fuzz_shipped(5, 1, tmp_path)
    assert sum(counts.values()) == 5 * len(fuzz_files.SHIPPED)
