"""The form of a difference: how white space is shared out, what JSON it is, what it refuses."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest
from support.differences import aligned, spans_of, texts_of
from tokalign import InputError
from tokalign.english.reading.text_reading import without_marks
from tokalign.texts.diff import (
    BlockKind,
    DiffBlock,
    DiffSegment,
    TextDiff,
    diff_of,
    same_texts,
    summarize,
)
from tokalign.texts.diff.duties import duty_of, is_of_rules
from tokalign.texts.diff.reading_order import paragraphs
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.texts import TextAlignment, TextBlock

OLD = "It opened in 1990. It has 40 workers. They make shoes and bags.\n\nThis is gone.\n"
NEW = "They make shoes and belts. It opened in 1990 and has 45 workers.\n\nThis is new.\n"
BLOCKS = [((2,), (0,), True), ((0, 1), (1,), False), ((3,), (2,), False)]


@pytest.fixture(scope="module")
def diff():
    """A moved, a merged and a changed sentence."""
    return diff_of(texts_of(OLD, NEW, BLOCKS))


def marked(old, new):
    """Return the segments of two texts of a sentence each, as a reader sees them."""
    found = diff_of(texts_of(old, new, [((0,), (0,), False)]))
    shown = ""
    for each in found.segments():
        gone, come = found.old_text(each), found.new_text(each)
        if each.kind is EditKind.EQUAL:
            shown += come
        elif each.kind is EditKind.MOVE:
            shown += f"<{gone}|{come}>"
        else:
            shown += (f"[{gone}]" if gone else "") + (f"{{{come}}}" if come else "")
    return shown


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a big dog", "a dog", "a [big ]dog"),
        ("a dog", "a big dog", "a {big }dog"),
        ("a dog, too", "a dog too", "a dog[,] too"),
        ("a dog too", "a dog, too", "a dog{,} too"),
        ("a dog barks.", "a dog.", "a dog[ barks]."),
        ("a dog.", "a dog barks.", "a dog{ barks}."),
        ("a dog\nbarks", "a dog barks", "a dog[\n]{ }barks"),
        ("one two", "uno due", "[one two]{uno due}"),
        ("now it rains", "it rains now", "it rains<now | now>"),
        ("It is “old”", 'It is "old"', 'It is [“]{"}old[”]{"}'),
    ],
)
def test_white_space_goes_with_the_words(old, new, shown):
    assert marked(old, new) == shown


def test_a_kept_word_whose_capital_changed_is_a_substitution_of_case():
    old, new = "Profits rose", "profits rose"
    edit = Edit(EditKind.EQUAL, (0,), (0,), Change.CASE)
    alignment = aligned(old, new, [edit, Edit(EditKind.EQUAL, (1,), (1,))])
    blocks = (TextBlock((0,), (0,), False, alignment),)
    found = diff_of(TextAlignment(old, new, spans_of(old), spans_of(new), blocks, "test", "1"))
    assert [(each.kind, each.change) for each in found.segments()] == [
        (EditKind.SUBSTITUTE, Change.CASE),
        (EditKind.EQUAL, None),
    ]


def test_blocks_say_what_became_of_their_sentences(diff):
    kinds = [(block.kind, block.move) for block in diff.blocks]
    assert kinds == [(BlockKind.MOVED, 1), (BlockKind.MERGED, None), (BlockKind.CHANGED, None)]
    (both,) = [block for block in diff.blocks if block.kind is BlockKind.MERGED]
    assert [OLD[slice(*each)] for each in both.old_sentences] == [
        "It opened in 1990.",
        "It has 40 workers.",
    ]


def test_what_happened_to_a_number_of_a_merged_sentence_is_told_first(diff):
    first = summarize(diff).alarms[0]
    assert (first.change, first.old, first.new) == ("number", "40", "45")
    assert first.places[0].sentence == "merged with another"


@pytest.mark.parametrize(
    ("sentence", "change"),
    [
        ("The host must not sell it.", "prohibition"),
        ("Guests may bring dogs.", "permission"),
        ("It is not for sale.", "denial"),
        ("It isn't for sale.", "denial"),
        ("It lists all costs, including but not limited to post.", None),
        ("It fell by 40% in May.", None),
        ("Take the --no-user-cfg option of install.", None),
        ("It is a not-for-profit corporation.", None),
        ("Look at the log and check there are no errors.", None),
        ("It is for readers with no time at all.", None),
        ("It is for readers that don't have time.", None),
        ("Since they do not check it, it is fast.", None),
        ("By default, the result is None.", None),
        ("It says what is not supported and how.", None),
        ("The value is not None in the end.", None),
        ("It is not always easy to see.", None),
        ("The member agrees that he must not smoke.", "prohibition"),
        ('It says "the mill has no wheel" then.', None),
        ("It asks for mills but not for wheels.", None),
        ("That is no longer allowed here.", "prohibition"),
        ("It repairs the mill not turning.", None),
        ("It fails for a type that cannot be read.", None),
        ("Note that it does not run at night.", "denial"),
        ("Guests may not bring dogs.", "prohibition"),
        ("It may be freely copied.", "permission"),
        ("Dogs may be kept in the hall.", "permission"),
        ("This method is not recommended.", "prohibition"),
        ("Neither party shall publish it.", "prohibition"),
        ("Neither the tenant nor the owner may sell it.", "prohibition"),
        ("In no case shall the host sell it.", "prohibition"),
        ("In any case the host shall sell it.", "obligation"),
        ("The tenant shall at no time keep dogs.", "prohibition"),
        ("Not only the tenant but also guests must sign.", "obligation"),
        ("Refrain from smoking in the hall.", "prohibition"),
        ("Guests can't smoke here.", "prohibition"),
        ("The tenant has to pay.", "obligation"),
        ("It has to do with money.", None),
        ("The licensee agrees to keep it secret.", "obligation"),
        ("Guests do not have to register.", "permission"),
        ("Guests don't need to register.", "permission"),
        ("The tenant need not pay.", "permission"),
        ("The tenant is entitled to a refund.", "permission"),
    ],
)
def test_a_sentence_that_obliges_permits_or_denies_is_told_where_it_comes_or_goes(sentence, change):
    gone = [((0,), (0,), False), ((1,), (), False)]
    come = [((0,), (0,), False), ((), (1,), False)]
    for texts, fate in (
        (texts_of(f"It rains. {sentence}", "It rains.", gone), "deleted"),
        (texts_of("It rains.", f"It rains. {sentence}", come), "inserted"),
    ):
        found = [
            (e.kind, e.old or e.new, e.places[0].sentence) for e in summarize(diff_of(texts)).alarms
        ]
        assert found == ([(change, sentence, fate)] if change else [])


@pytest.mark.parametrize(
    ("sentence", "duty"),
    [
        ("There may be a special need for mills.", None),
        ("The change may affect all guests.", None),
        ("It may not be supported in the future.", None),
        ("It should not impact most guests.", None),
        ("The mill is not quite old, it seems.", None),
        ("It cannot know of it.", None),
        ("It isn't hard to write a mill.", None),
        ("It has to be read, and not written.", None),
        ("If you ask, you may see none.", None),
        ("Mills of wood are not supported.", "denial"),
        ("The wheel no longer turns by itself.", "denial"),
        ("There is no warranty.", "denial"),
        ("It cannot be opened at night.", "prohibition"),
        (".. note:: Do not stop the wheel.", "prohibition"),
        ("If it rains, please do **not** open the gate.", "prohibition"),
        ("No other mills are allowed.", "prohibition"),
        ("A wheel must turn.", "obligation"),
        ("A licence is no longer required.", "denial"),
        ("The second wheel is optional.", None),
        ('"Work" shall mean the mill.', None),
    ],
)
def test_a_text_that_is_not_of_rules_obliges_and_denies_only_outright(sentence, duty):
    assert duty_of(without_marks(sentence), is_of_rules=False) == duty


def test_a_text_is_of_rules_if_one_of_ten_sentences_obliges():
    plain = "It rains today. " * 12
    assert not is_of_rules(plain)
    assert is_of_rules(f"{plain}Guests must pay. The firm is liable. ")
    assert is_of_rules("It rains today. It is cold.")


def test_a_rewritten_sentence_that_obliges_is_told():
    old, new = "Use 7-bit signs, please.", "Names must be plain."
    for texts, gone, come in (((old, new), "", new), ((new, old), new, "")):
        (alarm,) = summarize(diff_of(texts_of(*texts, [((0,), (0,), False)]))).alarms
        assert (alarm.kind, alarm.old, alarm.new) == ("obligation", gone, come)


def test_a_number_whose_sentence_was_rewritten_is_not_lost():
    blocks = [((0,), (), False), ((), (0,), False)]
    found = diff_of(texts_of("It fell by 40%.", "Down they went: 40 percent.", blocks))
    assert summarize(found).alarms == ()


@pytest.mark.parametrize(
    ("old", "new", "is_told"),
    [("1:30", "13:0", True), ("7:05", "70:5", True), ("v1.2", "1.2", False),
     ("a-b", "ab", False), ("555-0101", "5550101", False), ("A1-2", "A12", False)],
)  # fmt: skip
def test_digits_on_other_sides_of_a_sign_are_another_code(old, new, is_told):
    edit = DiffSegment(EditKind.SUBSTITUTE, (5, 5 + len(old)), (5, 5 + len(new)), Change.CODE)
    block = DiffBlock(
        BlockKind.CHANGED, (0, 5 + len(old)), (0, 5 + len(new)), ((0, 5 + len(old)),),
        ((0, 5 + len(new)),), (DiffSegment(EditKind.EQUAL, (0, 5), (0, 5)), edit),
    )  # fmt: skip
    alarms = summarize(TextDiff(f"Open {old}", f"Open {new}", (block,), "", "")).alarms
    assert [(each.old, each.new) for each in alarms] == [(old, new)] * is_told


def test_words_are_counted_and_signs_are_not(diff):
    summary = summarize(diff)
    assert (summary.n_deleted, summary.n_inserted, summary.n_moved) == (4, 4, 4)


def test_equal_texts_are_one_same_block_a_sentence():
    text = " One. Two.\n"
    found = same_texts(text, [(each.start, each.end) for each in spans_of(text)])
    found.check()
    assert found.is_same
    assert [block.kind for block in found.blocks] == [BlockKind.SAME, BlockKind.SAME]


@pytest.mark.parametrize(("old", "new"), [("", ""), ("", " \n"), (" ", ""), (" ", "\n")])
def test_texts_without_a_sentence_are_covered(old, new):
    found = diff_of(texts_of(old, new, []))
    found.check()
    assert found.rebuild_new(old) == new


def test_white_space_before_the_only_sentence_of_two_texts_is_covered():
    found = diff_of(texts_of(" \n", "Yes.\n", [((), (0,), False)]))
    found.check()
    assert found.rebuild_old("Yes.\n") == " \n"
    assert found.blocks[0].kind is BlockKind.INSERTED


def test_another_text_than_the_old_one_is_refused(diff):
    with pytest.raises(
        InputError, match=r"not the old text .* at character 3, saw 'closed"
    ) as error:
        diff.rebuild_new(OLD.replace("opened", "closed"))
    assert error.value.field == "old"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value.update(format="other"), "format is 'other'"),
        (lambda value: value.update(format_version=2), "format_version is 2; wanted 1"),
        (lambda value: value["blocks"][0].pop("segments"), "lacks 'segments'"),
        (lambda value: value["blocks"][0].update(kind="gone"), "'gone' is not a valid BlockKind"),
        (lambda value: value["blocks"][0]["segments"].pop(0), "covered up to"),
        (lambda value: value["blocks"].reverse(), "covered up to"),
        (lambda value: value["blocks"][0].update(old=[3, 1]), "is no range"),
        (lambda value: value["blocks"][0]["segments"][0].update(text="x"), "another length"),
        (lambda value: value.update(blocks=3), "damaged difference"),
        (lambda value: value["blocks"][0]["segments"][1].update(change="mood"), "'mood'"),
    ],
)
def test_a_damaged_difference_is_refused(diff, change, message):
    value = copy.deepcopy(diff.to_dict())
    change(value)
    with pytest.raises(InputError, match=message):
        TextDiff.from_dict(value)


@pytest.fixture(scope="module")
def schema():
    """The schema of the pages."""
    path = Path(__file__).parents[2] / "docs" / "diff.schema.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def test_the_json_follows_the_schema(diff, schema):
    value = diff.to_dict() | {"summary": summarize(diff).to_dict()}
    schema.validate(json.loads(json.dumps(value)))


def test_the_schema_knows_every_kind_and_change(schema):
    from tokalign.texts.diff.summary import CHANGES

    known = schema.schema["$defs"]
    assert set(known["BlockKind"]["enum"]) == {str(kind) for kind in BlockKind}
    segments = known["Block"]["properties"]["segments"]["items"]["discriminator"]["mapping"]
    assert set(segments) == {str(kind) for kind in EditKind}
    for name in ("Replaced", "Moved", "Deleted", "Inserted"):
        change = known[name]["properties"]["change"]
        assert change["enum"] == [str(change) for change in CHANGES]
    assert set(CHANGES) == {*Change, "markup", "space"}


def test_the_schema_refuses_a_segment_without_its_text(diff, schema):
    value = diff.to_dict()
    del value["blocks"][0]["segments"][0]["text"]
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(value)


def test_a_reader_of_the_json_rebuilds_both_texts_without_tokalign(diff):
    value = json.loads(json.dumps(diff.to_dict()))
    segments = [each for block in value["blocks"] for each in block["segments"]]
    new = "".join(each.get("text", each.get("new_text", "")) for each in segments)
    segments.sort(key=lambda each: each["old"])
    old = "".join(each.get("text", each.get("old_text", "")) for each in segments)
    assert (old, new) == (OLD, NEW)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("One. Two.\n\nThree.", 2),
        ("One.\r\n\r\nTwo.", 2),
        ("One.\nTwo.", 1),
        ("One.\n\n- Two.\n\n- Three.", 3),
        ("One.\n# Two.", 2),
        ("One.\n1. Two.", 2),
        ("One. - Two.", 1),
    ],
)
def test_paragraphs_end_at_blank_lines_headings_and_items(text, n):
    spans = [(each.start, each.end) for each in spans_of(text)]
    assert len(paragraphs(same_texts(text, spans))) == n
