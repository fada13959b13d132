"""The tests of each room, for `make test-room ROOM=texts`.

    python tests/rooms.py ROOM        (the files of its tests)

A file may belong to several rooms; tests/unit/test_contributing.py asks that each belongs to one.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parent

ROOMS = {
    "aligner": "aligner explanations first_guesses outcomes pickling pipe piping refusals golden",
    "functions": "functions option_keywords typed_options adding_an_option",
    "types": "types data_frames lengths offsets phrases shown option_keywords",
    "english/annotate": """
        backends/* languages native_annotator load_annotator parser* tagger* short_sentences
        lemmatize sentences tokenize texts forms held_out_accuracy""",
    "english/lexicon": """
        frequencies likeness vectors vocabulary wordnet words resources stems""",
    "english/reading": """
        reading* markup_option marks_of_pages quotation_marks read_words written_otherwise""",
    "english/spelling": "spelling*",
    "english/values": "values* value_conflicts",
    "crf": "lattice objective",
    "features": "feature_rows feature_table features strings distributional rules",
    "neural": "neural/* base_weights encoder_layers encoded_similarity neural_optional",
    "model": """
        model seen_pairs hostile_models model_cards training licenses styles
        cli_crossval""",
    "files": "tables hostile_tables fuzzed_files resources base_weights",
    "decoding": """
        alignment_accuracy batches calibration choice constraints constraint_errors
        convention encoded_similarity gate group_choice joint pair_memory phrases
        second_pass pair_order similarity styles symmetrize""",
    "relations": "relations relation_kinds conflicts one_judge units chunks modality exchanged",
    "edits": "edits edit_parts changes",
    "ranking": "ranking questions asked_part evidence cli_rank",
    "grounding": """
        grounding grounding_messages ground_* support value_support passages records
        citation_support cli_ground condensed_answers""",
    "texts": """
        align_texts documents difference* block_lines passages pieces sliding split text_windows
        cli_diff cli_split document_text file_pairs resident""",
    "comparison": "duplicates one_and_many cli_dedupe cli_matrix cli_similarity",
    "systems": "systems sultan* meteor trees cli_systems",
    "evaluate": "evaluate* metrics nulls calibration corpora cli_evaluate cli_compare",
    "view": "view pages/test_pages cli_tables",
    "showing": "shown terminal_text pages/*",
    "formats": "formats* conllu corpora sample",
    "codec": "codec fields contract_files error_reasons grounding_messages newer_servers",
    "batches": "batches forking packed processes killed_workers",
    "arrow": "arrow engines killed_workers cli_parquet",
    "integrations": "integrations/* citation_support",
    "cli": """
        cli_align cli_annotate cli_figures cli_files cli_flags cli_hands cli_jobs cli_main
        cli_progress adding_an_option""",
    "client": "client client_* restarts call_reports calls bench bench_* clients/*",
    "server/admission": """
        admission config cost fair_callers probes queue queue_policies reasons requests tokens""",
    "server/http": "http http_* openapi playground playground_examples http_clients/*",
    "server/observe": "channelz histogram logs prometheus tracing",
    "server/rpc": """
        answers bad_reload balancing cli_server end_to_end frames frontend peers real_*
        any_json any_message bad_arguments large_bodies receiving reload security
        serve_command served_* service unix_sockets *_under_load""",
    "server/workers": "batching engine memory one_machine pool pool_sharing",
    "deploy": "deploy kubernetes envoy*",
    "bench": "bench",
    "lab": "lab/* cli_figures",
    "project": """
        contributing cython_source docs docs_* docstrings error_lengths free_threading
        instruction_sets layering limits other_systems public_api shipped_versions stubs
        wheel_terms""",
}
"""Room -> its tests: names without ``test_``, or patterns of them, in any folder or in one."""


def files_of(room: str, names: str | None = None) -> list[Path]:
    """Return the files of a room's tests, or those of some names of its row."""
    found: set[Path] = set()
    for pattern in (names or ROOMS[room]).split():
        folder, _, name = pattern.rpartition("/")
        found.update(TESTS.glob(f"{folder or '**'}/test_{name.removeprefix('test_')}.py"))
    return sorted(found)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ROOMS:
        sys.exit(f"name a room, as in `make test-room ROOM=texts`: {', '.join(ROOMS)}")
    sys.stdout.write("\n".join(map(str, files_of(sys.argv[1]))))
