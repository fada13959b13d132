"""Stamps and other entries raise no alarm; a change that is made in many places raises one."""

from __future__ import annotations

import pytest
import tokalign
from tokalign.texts.diff import summarize

RELEASES = "# 2.0.1\n\n- Fine.\n\n# 2.0.0\n\n- Good.\n\n# 1.9.0\n\n- New.\n"
NEXT_RELEASES = "# 3.0.1: Better\n\n- Fix the lamp.\n\n# 3.0.0\n\n- Fun.\n\n# 2.9.0\n\n- Odd.\n"
BOLD_RELEASES = "**2.0.1 / 2026-05-06**\n\n- Fine.\n\n**2.0.0**: Good\n\n**1.9.0**\n\n- Odd.\n"
OTHER_NEWS = "".join(
    f"What's new in mill-core 2.{k}.1:\n\n* It is fine.\n\n* Do not lose wheels.\n\n" for k in "987"
)
NEWS = "".join(
    f"* Noteworthy changes in release {k} (2022-11-0{k[-1]}) [stable]\n\n  It is fine.\n\n"
    for k in ("4.9", "4.8", "4.7")
)
GNU_NEWS = "".join(f"202{k}-05-06  Ann Lee  <ann@a.org>\n\n\t* mill.c: Oil.\n\n" for k in "432")
OTHER_HEADINGS = (
    "CHANGES FROM 3.{} TO 3.9",
    'Major changes between "mill" versions 44{} and 451',
    "202{}.05.06 - GNU mill 8.4",
    "mill-ng-4.0.{}",
    "ver. 1.{} (2024/04/25) - grinds",
    "version 1.{} - Ann Lee, 2023-07-18",
)
LICENCE = (
    "Redistributions of source code must retain the above copyright notice.\n\n"
    "In no event shall the copyright holder be liable for any damages.\n"
)
RULE = "The host must not sell the grain of guests without asking.\n"
AROUND = "The mill is old. It stands at the river. It has a wheel. The wheel is slow. It turns."
NEW_ONES = "It is red. A boat waits. {} Dogs bark. Cats sleep."
MILL = "\n\nThe mill is old. It stands at the river.\n"


def _alarms(old, new):
    return [str(each) for each in summarize(tokalign.diff(old, new)).alarms]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("&copy;2018 Ann Lee.", "&copy;2024 Ann Lee."),
        ('Powered by <a href="x">Mill 1.4.9</a>.', 'Powered by <a href="x">Mill 7.1.2</a>.'),
        (RELEASES, RELEASES + "- The reader no longer loses lines.\n"),
        (RELEASES, RELEASES + "- The reader did not accept options.\n"),
        (RELEASES, NEXT_RELEASES),
        (RELEASES + "- Fix the dull axle (#3301)\n", RELEASES + "- Fix the dull wheel (#5814)\n"),
        (RELEASES, RELEASES + "- Do not lose titles and allow colours.\n"),
        (":Updated: 2020-03-01" + MILL, ":Updated: 2024-05-06" + MILL),
        ("*Updated on 3 May 2020*" + MILL, "*Updated on 6 June 2024*" + MILL),
        ("revdate: 1 May 2020" + MILL, "revdate: 2 May 2021" + MILL),
        ("Revision: 1.12" + MILL, "Revision: 1.31" + MILL),
        ("Mill 0.9.1 (beta)" + MILL, "Mill 1.2.0 (beta)" + MILL),
        (MILL + "# -*- mode: text; fill-column: 72 -*-", MILL + "# -*- fill-column: 99 -*-"),
        (
            MILL + "Local Variables:\nfill-column: 72\nmode: text\nEnd:\n",
            MILL + "Local Variables:\nfill-column: 99\nmode: rst\nEnd:\n",
        ),
        ("<script>\nrun({3: 1, 5: 2});\n</script>", "<script>\nrun({4: 1, 6: 2});\n</script>"),
        ("It returns ``Optional[str]``, the key.", "It returns ``str | None``, the key."),
        (MILL + RULE, MILL + RULE + "\nOf the wheel:\n\n" + RULE),
        (MILL, MILL + "\n`name`: [OPTIONAL] - Name of the wheel.\n"),
        ("*New in version 5.0*", "*New in version 0.5.0*"),
        ("It is under `GPL-2+` now.", "It is under `GPL-2.0-or-later` now."),
        ("Set the mill’s wheel of old.", "Set the wheel of the mill of old."),
        (
            "Copyright: 2005 Ann Lee <a@b.org>\n           2010-2021 Bo Day <b@c.org>" + MILL,
            "Copyright: 2005 Ann Lee <a@b.org>\n           2010-2025 Bo Day <b@c.org>" + MILL,
        ),
        (
            "Files: a/mill.c a/axle.c\nIt is old." + MILL,
            "Files: b/mill.c b/axle.c\nIt is old." + MILL,
        ),
        (
            "VERSION\n  This is mill version 2.0.6" + MILL,
            "VERSION\n  This is mill version 2.0.7" + MILL,
        ),
        (
            MILL + "SEE ALSO\n  axle(8), wheel-old(8)\n",
            MILL + "SEE ALSO\n  axle(1), wheel-new(1)\n",
        ),
        ("This is mill version 2.10." + MILL, "This is mill version 3.6." + MILL),
        ("COPYRIGHT 2024, Ann Lee" + MILL, "Copyright 2026, Ann Lee" + MILL),
        ("See file:///home/mill#id45304." + MILL, "See file:///home/mill#id13." + MILL),
        ("Mill 5.1.2 Reference Documentation" + MILL, "Mill 5.1.8 Reference Documentation" + MILL),
        (MILL + "\n      v5.0.3     mill(1)", MILL + "\n      v5.8.1     mill(1)"),
        (MILL + "Generated on Fri by 1.8.19", MILL + "Generated on Tue by 1.9.4"),
        (MILL + "Last updated on: July 18th, 2009", MILL + "Last updated on: July 2nd, 2021"),
        ("12.4.1: Of wheels\n\n12.4.2: Of grain\n", "12.3.1: Of wheels\n\n12.3.2: Of grain\n"),
        ("19.1.8: `wheel`\n\n19.1.9: `axle`\n", "19.1.8: `hopper`\n\n19.1.9: `axle`\n"),
        ("- The Mill 3.8.0 documentation »" + MILL, "- The Mill 6.4.2 documentation »" + MILL),
        (MILL + "- Generated on Mon Jan 27 2020 by 1.8.16", MILL + "- Generated on Tue by 1.9.8"),
        (
            "-- Ann Lee <a@b.org>, Fri, 22 Jan 2021" + MILL,
            "-- Ann Lee <a@b.org>, Sun, 8 Jan" + MILL,
        ),
        (
            "mill (1.2-3) unstable; urgency=low" + MILL,
            "mill (1.3-1) unstable; urgency=high" + MILL,
        ),
        ("6.16 mill.left\n\n6.17 mill.right\n", "6.15 mill.left\n\n6.16 mill.right\n"),
        ("Definition: mill.h:1090" + MILL, "Definition: mill.h:1094" + MILL),
        ("The log is by default off.", "The log is by default no."),
        ("The value of the port isn't used.", "The value of the port is ignored."),
        ("License: GPLv3" + MILL, "License: GPL-3" + MILL),
        ("Take a wheel such as 3.7: it is fine.", "Take a wheel such as 3.10: it is fine."),
        (MILL, MILL + "\n-n, --no-axle do not turn the axle or the wheel\n"),
        (MILL, MILL + "\n'max' cuts the wheel, 'no' keeps all of it\n"),
        (MILL, MILL + "\nThe wheel may or may not be fit for other mills.\n"),
        (MILL, MILL + "\nDo not feel lost at the size of the wheel.\n"),
        (NEWS, NEWS + "  The reader no longer loses long lines.\n"),
        (OTHER_NEWS, OTHER_NEWS + "* Don't send lines of the wheel twice.\n"),
        ("2014-2020 Ann Lee" + MILL, "2014-2022 Ann Lee" + MILL),
        (MILL, MILL + "\nIt greases wheels that must be dry.\n"),
        (MILL, MILL + "\nnever Never grease the wheels of the mill\n"),
        (
            MILL + "This page was last edited on 3 May 2020, at 02:17.",
            MILL + "This page was last edited on 4 June 2023, at 10:26.",
        ),
        ("mill_to_ash, function in mill", "mill_to_oak, macro in mill.h"),
        (NEWS, NEWS + "  Address #14: the mill cannot be built on hills.\n"),
        ("Totally with\u2010\n  out a date.", "Totally without\n  a date."),
        ("-q is quiet -r is red", "-q is quiet -v, --vain don't show its name -r is red"),
        ("{% block mill %}" + MILL, "{% block mill %} {% if wheel %}" + MILL),
        (MILL + RULE, MILL + RULE + "The rest may be found in the mill of the town.\n"),
        ("All parts run at once.", "Parts run at once."),
        ("The wheel knows how parts should be named.", "The wheel knows the names of parts."),
        (
            MILL,
            MILL + "Wheels stop once they are not supported. Wheels whose type is not used stop.",
        ),
        (
            "- [`mill-water`](https://a.org/w) Plugin to share a Water connection.",
            "- [`mill-steam`](https://a.org/s) Plugin to share a Steam connection.",
        ),
        ("- 2.7.1 needs Mill 3.2 or 4.", "- 2.8.1 needs Mill 3.5 or 4."),
        (
            RELEASES + "- Use [`mill-oak`](https://a.org/o) to ride `1.2`.",
            RELEASES + "- Use [`mill-ash`](https://a.org/a) to ride `3.4`.",
        ),
        ("- Update [`mill-oak`] to `1.2` of May.", "- Update [`mill-ash`] to `3.4` of May."),
        ("Write `loop: <key>` there.", "Write `loop: <name>` there."),
        ("For example, run `mill grind` for it.", "For example, run `mill press` for it."),
        ("It has shops providing tea at all hours.", "It has shops and tea at all hours."),
        (".. contents::\n    :depth: 1\n" + MILL, ".. contents::\n    :depth: 2\n" + MILL),
        ("It hides your key (default None).", "It hides your key."),
        (BOLD_RELEASES, BOLD_RELEASES + "- Do not lose titles of wheels.\n"),
        (GNU_NEWS, GNU_NEWS + "\t* axle.c: Do not lose titles of wheels.\n"),
        (MILL * 60 + RELEASES, MILL * 60 + RELEASES + "- Do not lose titles of wheels.\n"),
        ("If you want to pass grain, just bring it.", "To pass grain, just bring it."),
        ("-o, --no-oil Do not oil it.", "-o, --[no-]oil Oil it."),
        (AROUND, AROUND + " On hills this key has no effect."),
        (
            "- **isNumeric(str)** - check if the string has only numbers.",
            "- **isPort(str)** - check if the string has a port number.",
        ),
    ],
)
def test_what_nobody_answers_for_raises_none(old, new):
    assert _alarms(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RELEASES, RELEASES + "- Python 3.6 is no longer supported.\n"),
        (MILL, MILL + LICENCE),
        ("The fee is paid back.", "The fee is paid back if the room is clean."),
        ("Staff may enter the mill.", "Only staff may enter the mill."),
        ("It is for Mill 2.6, 2.7, and 3.4 of all.", "It is for Mill 3.7, 3.8, and 3.11 of all."),
        (
            "See `mill-core/run.js`. Or read `mill-core/test/run.js` first.",
            "See `core/run.js`. Or read `core/test/run.js` first.",
        ),
        ("- [`mill`](https://a.org) Grinds all.", "- [`@a/mill`](https://a.org) Grinds all."),
        ("All members see it.", "Some members see it."),
        ("It is paid if the house is sold.", "It is paid even if the house is sold."),
        ("The driver should report it.", "The driver must report it."),
        ("It is under `GPL-2` now.", "It is under `GPL-2+` now."),
        ("Set `RUN_ALL`: `export RUN_ALL=1`.", "Set `RUN_EACH`: `export RUN_EACH=1`."),
        ("Coffee\n\n10.30: Lunch\n", "Coffee\n\n11.00: Lunch\n"),
        ("Deadline: 3 May 2020" + MILL, "Deadline: 6 June 2024" + MILL),
        ("Ann Lee keeps the copyright until 2030.", "Ann Lee keeps the copyright until 2035."),
        ("version 2 of the License" + MILL, "version 3 of the License" + MILL),
        ("The tea is 6.16 euros.\n\nCoffee is 7.", "The tea is 6.15 euros.\n\nCoffee is 7."),
        ("The log is by default on.", "The log is by default off."),
        ("The value of the port isn't used.", "The value of the port is used."),
        ("It does not refuse guests.", "It refuses guests."),
        (MILL, MILL + "\n-n, --no-axle N The number must not be more than 7.\n"),
        (MILL, MILL + "\nIt is 'max', and guests may not keep all of it.\n"),
        (NEWS, NEWS + "  The reader of long lines is no longer supported.\n"),
        (MILL, MILL + "\nOwners agree that guests must be dry.\n"),
        ("The host sells the grain.", "The host sells the grain not without consent of the town."),
        (
            "It reads dev=/mill/hdb6.\n\nAnd /mill/hdb6 is a key.",
            "It reads dev=/mill/sdb6.\n\nAnd /mill/sdb6 is a key.",
        ),
        ("Open `a/oak.c` and `b/elm.c` here.", "Open `a/ash.c` and `b/yew.c` here."),
        (
            "Read `/usr/share/mill/run`. Or `/usr/share/mill/doc/tags` is read.",
            "Read `/usr/lib/mill/run`. Or `/usr/lib/mill/doc/tags` is read.",
        ),
        (
            "Read `run.perl` first. Or `turn.perl` is read.",
            "Read `run.pl` first. Or `turn.pl` is read.",
        ),
        (MILL + RELEASES, MILL + "Do not touch the wheel.\n\n" + RELEASES),
        (
            MILL + "\n" + RELEASES + "# Rules\n\nBe good.\n",
            MILL + "\n" + RELEASES + "# Rules\n\nDo not touch the wheel.\n",
        ),
        (RELEASES + "# Rules\n\nBe good.\n", RELEASES + "# Rules\n\nDo not touch the wheel.\n"),
    ],
)
def test_what_somebody_answers_for_is_told_once(old, new):
    assert len(_alarms(old, new)) == 1


@pytest.mark.parametrize("heading", OTHER_HEADINGS)
def test_entries_below_headings_of_releases_forbid_nothing(heading):
    releases = "".join(f"{heading.format(k)}\n\n* It is fine.\n\n" for k in "321")
    assert _alarms(releases, releases + "* Do not lose titles of wheels.\n") == []
    prices = releases.replace(heading.partition("{}")[0], "The price of it is 3 and ")
    assert len(_alarms(prices, prices + "* Do not lose titles of wheels.\n")) == 1


def test_wrapped_lines_and_lists_that_begin_with_versions_are_no_releases():
    text = "".join(f"It needs version\n2.{k}. It grinds. - Mill 3.{k}: old\n" for k in range(9))
    assert len(_alarms(text, text + "\nPlease do not touch the wheel.\n")) == 1


def test_rules_that_were_replaced_are_told_once():
    old = "".join(f"You must send part {k} of the source code to us.\n\n" for k in "abcdefghij")
    new = "".join(f"Mills shall grind {k} sorts of grain in all lands.\n\n" for k in "qrstuvwxyz")
    assert len(_alarms(old, new)) == 1


def test_rules_that_come_beside_others_are_each_told():
    old = "The flat is in Hull. The tenant must pay in time. The rent is due each month.\n\n"
    rules = (
        "The tenant must clean the stairs.",
        "The tenant must lock the gate at night and tell the landlord of any damage to it.",
        "In no event shall the tenant sublet the flat.",
        "The flat is let as is, and the tenant must not paint the walls or the doors.",
        "The tenant must endorse the cheque and send it to the landlord by the third of May.",
    )
    assert len(_alarms(old, old + "\n\n".join(rules))) == len(rules)
    assert len(_alarms(old + "\n\n".join(rules), old)) == len(rules)


def test_each_number_of_a_table_is_told_with_its_row():
    prices = {"Room": (80, 90), "Suite": (200, 240), "Breakfast": (15, 18), "Parking": (10, 12)}
    head = "| what | price |\n| --- | --- |\n"
    texts = [head + "".join(f"| {x} | {y[k]} |\n" for x, y in prices.items()) for k in (0, 1)]
    told = summarize(tokalign.diff(*texts)).alarms
    found = {(x.places[0].row, x.old, x.new) for x in told if len(x.places) == 1}
    assert found == {(name, str(old), str(new)) for name, (old, new) in prices.items()}


def _main_and_minor(old, new):
    found = summarize(tokalign.diff(old, new)).alarms
    sides = [[str(each) for each in found if each.is_minor is side] for side in (False, True)]
    assert [*sides[0], *sides[1]] == [str(each) for each in found]  # the minor ones come last
    return sides


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# The 40 rooms", "# The 45 rooms"),
        ("| Rooms | 40 |\n| Halls | 2 |\n", "| Rooms | 45 |\n| Halls | 2 |\n"),
        ("It opened on 3 May 2020 to guests.", "It opened on 4 May 2020 to guests."),
        ("The wheel must be greased each year.", ""),
        ("Mill.org is run by the town.", "Docs.mill.org is run by the town."),
        ("This page is of version 0.78 of the mill.", "This page is of version 0.81 of the mill."),
        ("Of v1.9.3:", "Of v1.9.4 2013-11-14:"),
        ("Get `mill-6.0.tar.gz` from the hall.", "Get `mill-6.01.tar.gz` from the hall."),
        ("A page of the mill 2020.11.0-1", "A page of the mill 2023.03-1"),
        ("3 May 2020 Ann Lee mailto:ann@a.org", "2025-03-02 Ann Lee mailto:ann@a.org"),
        ("Mill 2.6 (6 Feb 2021) by Ann Lee", "Mill 2.6 (19 Aug 2022) by Ann Lee"),
        ("It sends the name Mill/3.7 to all.", "It sends the name Mill/3.17 to all."),
        ("", "There is NO WARRANTY for it, to the extent permitted by law."),
        ("Get `mill-1.2.3.zip` from the hall.", "Get `mill-1.2.10.zip` from the hall."),
        ("", "The wheel is not supported if the river is low."),
        ("", NEW_ONES.format("The wheel must be greased each year.")),
        ("", NEW_ONES.format("The wheel is not for sale at all.")),
        ("Copy `/usr/share/mill` here.", "Copy `/usr/lib/mill` here."),
        ("It has the following 40 rooms.", "It has the following 45 rooms."),
        ("It is open for 40 guests in rooms:", "It is open for 45 guests in rooms:"),
        ("2.10 oil list of hosts main", "2.10 ash list of wheels 3.4 oil list of hosts main"),
        (
            "In the mill some 40 red boats lie at the fine house of Ann.",
            "Near a mill some 45 blue boats lay at the bare house of Ann.",
        ),
        (
            "THIS SOFTWARE IS OLD.",
            "THIS SOFTWARE IS OLD.\n\nIN NO EVENT SHALL WE BE LIABLE FOR IT.",
        ),
    ],
)
def test_what_seldom_matters_comes_last(old, new):
    old, new = (f"{AROUND}\n\n{each}\n\n{AROUND}\n" for each in (old, new))
    main, minor = _main_and_minor(old, new)
    assert not main and len(minor) == 1


def test_only_names_of_licences_matter_where_licences_are_listed():
    head = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
    old = head + "Files: *\nLicense: GPL-2+\n\nThe tenant must pay 40 EUR in May.\n"
    new = old.replace("GPL-2+", "GPL-3+").replace("40", "45")
    assert _main_and_minor(old, new) == [["GPL-2+ → GPL-3+"], ["40 EUR → 45 EUR"]]


def test_what_changed_among_sentences_that_came_comes_last():
    old = f"{AROUND}\n\nIt has 40 rooms for guests. They are dear.\n"
    new = "It is red. A boat waits. It has 45 rooms for guests. Dogs bark. Cats sleep."
    assert _main_and_minor(old, f"{AROUND}\n\n{new}\n") == [[], ["40 → 45"]]
    assert _main_and_minor(old, old.replace("40", "45")) == [["40 → 45"], []]
    rules = f"{AROUND}\n\nGuests must pay 40 EUR. Guests must not smoke. Dogs may enter.\n"
    found = _main_and_minor(rules, rules.replace("40", "45").replace("Guests must not smoke. ", ""))
    assert found == [["40 EUR → 45 EUR", "deleted: Guests must not smoke."], []]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The host must not sell the grain of guests.", ""),
        ("Guests may leave their boats at the wheel.", ""),
        (
            "The gates close on 3 May in the year of a flood.",
            "The gates close on 4 May in the year of a flood.",
        ),
        ("", "IN NO EVENT SHALL WE BE LIABLE FOR IT."),
        (
            "4.3. The mill is run by Debian of old.",
            "4.3. The mill is run by Ubuntu of old.",
        ),
        ("The mill of 2014-2020 was red and slow.", "The mill of 2014-2022 was red and slow."),
        ("It requires version 0.78 of the mill.", "It requires version 0.81 of the mill."),
        ("Mill requires Python 3.6+.", "Mill requires Python 3.8+."),
        ("Boxes hold 40 pens.", "Boxes hold 45 pens."),
        (
            "Copy the pages of the town to `/usr/share/mill` first.",
            "Copy the pages of the town to `/usr/lib/mill` first.",
        ),
        ("It is open for 40 guests in rooms.", "It is open for 45 guests in rooms."),
        ("", "The wheel must be greased each year."),
        ("", NEW_ONES.format("The wheel is no longer supported.")),
        ("", NEW_ONES.format("Please do not touch the wheel.")),
        (
            "In the mill some 40 red boats lie at the fine house of Ann.",
            "In the mill some 45 red boats lie at the bare house of Ann.",
        ),
        ("It is 0.78 m of the mill.", "It is 0.81 m of the mill."),
    ],
)
def test_what_readers_rely_on_comes_first(old, new):
    old, new = (f"{AROUND}\n\n{each}\n\n{AROUND}\n" for each in (old, new))
    main, minor = _main_and_minor(old, new)
    assert len(main) == 1 and not minor


def test_dates_of_first_and_last_lines_and_of_releases_come_last():
    gates = "The gates are closed on all the days from 7 June 2021 on."
    for text in ("The mill by Ann Lee, 3 May 2020\n\n{}", "{}\n\nMade by us on 3 May 2020"):
        for rest in (gates, f"{AROUND}\n\n{gates}\n\n{AROUND}"):
            old = text.format(rest)
            new = old.replace("3 May 2020", "4 May 2020")
            assert _main_and_minor(old, new) == [[], ["3 May 2020 → 4 May 2020"]]
            new = old.replace("7 June 2021", "8 June 2021")
            assert _main_and_minor(old, new) == [["7 June 2021 → 8 June 2021"], []]
    assert _main_and_minor("Due: 3 May 2020", "Due: 4 May 2020")[1] == []
    old = f"{AROUND}\n\n{NEWS}"
    assert _main_and_minor(old, old.replace("2022-11-08", "2022-12-08"))[0] == []


def test_duties_within_a_sentence_that_was_split_come_last():
    old = (
        f"{AROUND}\n\nOther words that hold grain and flour of the old town are on the list here.\n"
    )
    new = (
        f"{AROUND}\n\nWords that hold grain and flour of the old town that must be empty.\n\n"
        "Other words are on the list here.\n"
    )
    assert not _main_and_minor(old, new)[0]
