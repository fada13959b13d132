"""Pages in a real Chromium: what readers do, in two sizes and two schemes, judged by axe-core."""

from __future__ import annotations

import json

import page_files
import pytest
from support.axe import check_page
from support.pairs import gold_pair
from tokalign.view import page_pairs, render_page

pytest.importorskip("selenium", reason="selenium is not installed; make test-pages does")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

SIZES, SCHEMES = ((1280, 800), (390, 844)), ("light", "dark")
STATES = {
    "view": ("", "#grid=1", "#beside=1", "#q=nothing-is-called-so"),
    "evaluate": ("", "#error=missing"),
    "compare": ("", "#grid=1&beside=1"),
    "links": ("", "#pair=long", "#pair=long&grid=1"),
    "diff": ("",),
    "ground": ("",),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Pages by name."""
    return page_files.write_pages(tmp_path_factory.mktemp("pages"))


def at(page, name):
    return page.find_element(By.ID, name)


def choose(page, name, value):
    if not at(page, "panel").is_displayed():
        at(page, "filters").click()
    Select(at(page, name)).select_by_value(value)


def copied(page, form):
    Select(at(page, "copy")).select_by_value(form)
    return at(page, "text").get_property("value")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(
    ("name", "state"), [(name, each) for name in STATES for each in STATES[name]]
)
def test_axe_finds_nothing_and_nothing_runs_off_the_edge(
    look, written, name, state, width, height, scheme
):
    page = look(written[name], width=width, height=height, scheme=scheme, state=state)
    check_page(page, width)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("name", ["view", "evaluate", "compare", "links"])
def test_the_pair_is_on_the_first_screen_and_the_bar_stays(look, written, name, width, height):
    page = look(written[name], width=width, height=height)
    assert at(page, "drawn").rect["y"] < height / 2
    page.execute_script("scrollTo(0, document.body.scrollHeight)")
    top = page.execute_script("return document.getElementById('bar').getBoundingClientRect().top")
    assert top == 0


@pytest.mark.parametrize(
    ("pair", "width", "layout"),
    [("car", 1280, "rows"), ("long", 1280, "lines"), ("long", 390, "lines")],
)
def test_sentences_take_the_room_that_there_is(look, written, pair, width, layout):
    page = look(written["links"], width=width, state=f"#pair={pair}")
    stage = page.find_element(By.CSS_SELECTOR, ".stage")
    assert f"is-{layout}" in stage.get_attribute("class")
    edge = page.execute_script(
        "return Math.max(...[...document.querySelectorAll('.word')].map("
        "each => each.getBoundingClientRect().right))"
    )
    assert edge <= width


def test_a_sentence_too_wide_for_a_row_stands_in_columns(look, written):
    page = look(written["view"], width=390, state="#pair=name-04")
    assert "is-columns" in page.find_element(By.CSS_SELECTOR, ".stage").get_attribute("class")


def test_a_stage_is_drawn_anew_when_the_window_changes(look, written):
    page = look(written["view"], state="#pair=name-04")
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    assert "is-rows" in page.find_element(By.CSS_SELECTOR, ".stage").get_attribute("class")
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    WebDriverWait(page, 10).until(
        lambda page: "is-columns" in page.execute_script(
            "return document.querySelector('.stage').className"
        )
    )  # fmt: skip


ENDS = """
return [...document.querySelectorAll('.stage')].flatMap((stage, k) => {
  const origin = stage.querySelector('svg').getBoundingClientRect();
  const isAcross = stage.classList.contains('is-columns');
  const boxes = [...stage.querySelectorAll('.row')].map((row) =>
    [...row.querySelectorAll('.word')].map((word) => word.getBoundingClientRect()));
  return [...stage.querySelectorAll('path.link')].flatMap((path) =>
    [path.getPointAtLength(0), path.getPointAtLength(path.getTotalLength())].map((end, side) => {
      const x = end.x + origin.left, y = end.y + origin.top;
      const far = (box) => isAcross
        ? Math.hypot(x - (side ? box.left : box.right), y - box.top - box.height / 2)
        : Math.hypot(x - box.left - box.width / 2, y - (side ? box.top : box.bottom));
      return [k, Math.min(...boxes[side].map(far))];
    }));
})
"""
"""For each end of a curve: the number of its stage, and how far it is from a word's edge."""


@pytest.mark.parametrize("width", [1600, 1280, 390])
@pytest.mark.parametrize("name", ["view", "compare"])
def test_curves_side_by_side_end_at_their_words(look, written, name, width):
    page = look(written[name], width=width, state="#beside=1")
    ends = page.execute_script(ENDS)
    assert {stage for stage, _ in ends} == {0, 1}
    assert max(far for _, far in ends) < 3


def test_sentences_are_read_as_sentences_and_ids_are_said_once(look, tmp_path):
    pair = gold_pair("abc", "abd", {(0, 0)}, name="490:490")
    path = tmp_path / "twice.html"
    path.write_text(render_page("twice", "", page_pairs([pair], [{(0, 0): 1.0}])))
    page = look(path)
    texts = [each.text for each in at(page, "read").find_elements(By.TAG_NAME, "p")]
    assert texts == [pair.source.text, pair.target.text]
    assert at(page, "name").text == "pair 490"
    first = page.find_element(By.CSS_SELECTOR, "#items button")
    assert first.text.split()[1:] == ["490", *pair.target.text.split()]


def test_the_list_shows_what_it_is_sorted_by(look, written):
    for order in ("most harm first", "lowest F1 first", "longest first"):
        page = look(written["evaluate"], state=f"#sort={order.replace(' ', '+')}")
        shown = [float(each.text) for each in page.find_elements(By.CSS_SELECTOR, "#items small")]
        assert shown == sorted(shown, reverse=order != "lowest F1 first") and len(set(shown)) > 1


def test_heads_of_the_grid_stay(look, written):
    page = look(written["links"], width=390, state="#pair=long&grid=1")
    places = page.execute_script(
        "const box = document.querySelector('.matrix'); box.scrollTop = box.scrollLeft = 400;"
        "const to = box.getBoundingClientRect();"
        "return [...box.querySelectorAll('th')].filter(each => { const own = "
        "each.getBoundingClientRect(); return each.scope === 'row' ? "
        "Math.abs(own.left - to.left) < 2 : Math.abs(own.top - to.top) < 2; }).length"
    )
    assert places == 160


def test_the_search_says_that_it_finds_nothing_and_leaves_no_old_pair(look, written):
    page = look(written["view"])
    at(page, "search").send_keys("nothing-is-called-so")
    assert at(page, "nothing").is_displayed()
    assert page.find_elements(By.CSS_SELECTOR, ".word") == []
    at(page, "again").click()
    assert not at(page, "nothing").is_displayed()
    assert at(page, "found").text == "72 of 72 pairs"


def test_filters_have_counts_and_none_and_stand_in_the_address(look, written):
    page = look(written["view"])
    choose(page, "error", "missing")
    label = Select(at(page, "error")).first_selected_option.text
    n = int(label.removeprefix("missing (").removesuffix(")"))
    assert 0 < n < 72
    assert at(page, "found").text == f"{n} of 72 pairs"
    again = look(written["view"], state=page.execute_script("return location.hash"))
    assert at(again, "found").text == f"{n} of 72 pairs"
    assert "missing" in at(again, "lines").get_property("textContent")
    choose(again, "error", "none")
    assert "missing" not in at(again, "lines").get_property("textContent")


def test_relations_and_tags_are_filters_where_pairs_have_them(look, written):
    page = look(written["links"])
    choose(page, "relation", "opposite")
    assert at(page, "name").text == "pair car"
    assert at(page, "found").text == "1 of 3 pairs"
    choose(page, "relation", "none")
    assert at(page, "found").text == "2 of 3 pairs"
    assert not at(page, "tag").is_displayed()
    tagged = look(written["evaluate"])
    at(tagged, "filters").click()
    assert any(each.text.startswith("NN (") for each in Select(at(tagged, "tag")).options)


def test_a_large_corpus_has_only_the_items_in_sight_in_the_page(look, tmp_path):
    path = tmp_path / "large.html"
    corpus = [gold_pair("ab", "ab", {(0, 0)}, name=f"pair-{k}") for k in range(20_000)]
    shown = page_pairs(corpus, [{(0, 0)}] * len(corpus), has_gold=False)
    path.write_text(render_page("large", "", shown, has_gold=False), encoding="utf-8")
    page = look(path)
    page.execute_script("document.getElementById('list').scrollTop = 1e9")
    texts = "return [...document.querySelectorAll('#items li')].map(each => each.textContent)"
    WebDriverWait(page, 10).until(lambda page: "pair-19999  a b" in page.execute_script(texts))
    assert len(page.execute_script(texts)) < 60


def test_a_click_on_a_link_shows_the_pairs_that_link_its_words(look, written):
    page = look(written["view"])
    page.execute_script(
        "[...document.querySelectorAll('.hit')].find(each => / ~ \\. /.test(each.textContent))"
        ".dispatchEvent(new MouseEvent('click'))"
    )
    n = int(at(page, "found").text.split()[0])
    assert 1 < n < 72
    assert at(page, "found").text.endswith("pairs, linking . ~ .")
    assert "link=.+%7E+." in page.current_url
    at(page, "next").click()
    assert ". ~ ." in at(page, "lines").get_property("textContent")


def test_keys_step_and_switch_and_the_address_keeps_it(look, written):
    page = look(written["view"])
    body = page.find_element(By.TAG_NAME, "body")
    first = at(page, "name").text
    body.send_keys("n")
    second = at(page, "name").text
    assert second != first
    body.send_keys("g")
    assert page.find_elements(By.CSS_SELECTOR, ".matrix")
    again = look(written["view"], state=page.execute_script("return location.hash"))
    assert at(again, "name").text == second
    assert again.find_elements(By.CSS_SELECTOR, ".matrix")
    again.find_element(By.TAG_NAME, "body").send_keys("p")
    assert at(again, "name").text == first


def test_the_way_to_the_figures_keeps_the_view(look, written):
    page = look(written["evaluate"], state="#grid=1")
    at(page, "to-figures").click()
    assert page.execute_script("return document.activeElement.id") == "figures"
    assert page.find_elements(By.CSS_SELECTOR, ".matrix")
    assert "grid=1" in page.current_url


def test_errors_of_wrapped_sentences_are_underlined(look, tmp_path):
    path, words = tmp_path / "errors.html", page_files.LONG
    gold = [gold_pair(words, words, {(0, 0), (1, 1)}, name="x")]
    path.write_text(render_page("x", "", page_pairs(gold, [{(0, 0), (5, 5)}])), encoding="utf-8")
    page = look(path)
    for status, word in (("missing", "quick"), ("wrong", "over")):
        found = page.find_elements(By.CSS_SELECTOR, f".is-lines .has-{status}")
        assert [each.text for each in found] == [word, word]


def test_two_systems_stand_side_by_side(look, written):
    page = look(written["compare"], state="#beside=1&first=0&second=1")
    names = [each.text for each in page.find_elements(By.CSS_SELECTOR, ".systems h3")]
    assert names == ["joint", "s2t"]
    assert len(page.find_elements(By.CSS_SELECTOR, ".stage")) == 2
    choose(page, "second", "2")
    assert page.find_elements(By.CSS_SELECTOR, ".systems h3")[1].text == "en"
    assert "second=2" in page.current_url


def test_a_pair_is_copied_in_each_notation(look, written):
    page = look(written["links"], state="#pair=car")
    assert copied(page, "pharaoh") == "0-0 1-1 2-2"
    assert json.loads(copied(page, "json")) == {
        "id": "car",
        "source": ["A", "car", "stopped"],
        "target": ["A", "vehicle", "left"],
        "links": [[0, 0, 0.9], [1, 1, 0.8], [2, 2, 0.3]],
    }
    assert "  car & vehicle & 0.80 \\\\" in copied(page, "latex")
    drawn = copied(page, "tikz")
    assert drawn.count("\\node") == 6
    assert "(s1.south) to[out=-90, in=90] (t1.north);" in drawn


@pytest.mark.parametrize(("form", "begins"), [("svg", b"<svg "), ("png", b"\x89PNG")])
def test_a_picture_is_saved(look, written, form, begins):
    page = look(written["links"], state="#pair=car")
    Select(at(page, "copy")).select_by_value(form)
    path = page.saved / f"car.{form}"
    WebDriverWait(page, 20).until(lambda _: path.is_file() and path.stat().st_size)
    assert path.read_bytes().startswith(begins)


def test_links_have_a_text_and_words_a_name(look, written):
    page = look(written["links"], state="#pair=car")
    lines = page.find_elements(By.CSS_SELECTOR, "#lines li")
    assert "car ~ vehicle (1-1): link, confidence 0.800, narrower" in [
        each.get_property("textContent") for each in lines
    ]
    word = page.find_elements(By.CSS_SELECTOR, ".word")[1]
    assert word.get_attribute("aria-label") == "car, with vehicle"
    word.send_keys(Keys.NULL)
    assert "lit" in page.find_elements(By.CSS_SELECTOR, ".word")[4].get_attribute("class")


def test_the_threshold_takes_links_away(look, written):
    page = look(written["links"], state="#pair=car&from=0.5")
    assert copied(page, "pharaoh") == "0-0 1-1"


def test_print_leaves_the_pair_alone(look, written):
    page = look(written["view"])
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not at(page, "bar").is_displayed()
    assert not at(page, "list").is_displayed()
    assert at(page, "drawn").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_the_difference_is_read_by_keys(look, written):
    page = look(written["diff"])
    body = page.find_element(By.TAG_NAME, "body")
    body.send_keys("n")
    focused = page.switch_to.active_element
    assert "is-here" in focused.get_attribute("class")
    n_changes = int(at(page, "counter").text.partition(" of ")[2])
    focused.send_keys("m")
    focused.send_keys("n")
    assert at(page, "meaning").get_attribute("aria-pressed") == "true"
    assert page.switch_to.active_element.get_attribute("data-alarm") is not None
    assert 0 < int(at(page, "counter").text.partition(" of ")[2]) < n_changes


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_axe_finds_nothing_in_the_other_views_of_a_difference(look, written, width, height, scheme):
    page = look(written["diff"], width=width, height=height, scheme=scheme)
    body = page.find_element(By.TAG_NAME, "body")
    for keys in ("v", "n", "m", "v"):
        body.send_keys(keys)
        check_page(page, width)
