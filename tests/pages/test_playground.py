"""The playground in a real Chromium, asking a real server."""

from __future__ import annotations

import hashlib
import json
from urllib.parse import quote

import pytest
from support.axe import check_page
from support.server_process import started

pytest.importorskip("selenium", reason="selenium is not installed; make test-pages does")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

FRAME = "#answer iframe"
PAIR = f"#a={quote('Profits increased by 5%.')}&b={quote('Profits decreased by 7%.')}"
STATES = {
    "align": (PAIR, ".stage"),
    "grid": (f"{PAIR}&grid=1", ".matrix"),
    "beside": (f"{PAIR}&beside=en/strict", ".systems .stage"),
    "rank": (
        f"#tab=rank&a=Who+barked%3F&b={quote('Dogs barked.' + chr(10) + 'Cats slept.')}",
        "ol",
    ),
    "ground": ("#tab=ground&a=It+has+40+rooms.&b=The+mill+has+45+rooms.", FRAME),
    "diff": ("#tab=diff&a=It+opened+in+1990.&b=It+opened+in+1991.", FRAME),
    "wrong": (f"{PAIR}&must=[[0,99]]", "#problem:not([hidden])"),
}


@pytest.fixture(scope="module")
def server():
    with started("--http-port", "0", fake=False) as found:
        yield found


@pytest.fixture
def play(look, server):
    """Return what opens the playground and waits for what it answers."""

    def opened(state="", wanted=".stage", **how):
        page = look(f"{server.http_url}/", state=state, **how)
        wait(page, wanted)
        return page

    return opened


def wait(page, wanted):
    def is_there(page):
        found = page.find_elements(By.CSS_SELECTOR, wanted)
        return found and not page.find_elements(By.CSS_SELECTOR, "#answer.is-old")

    WebDriverWait(page, 60).until(is_there, f"no {wanted}")


def at(page, name):
    return page.find_element(By.ID, name)


def inside(page):
    """Turn to the page in the frame, once it is there."""
    page.switch_to.frame(page.find_element(By.CSS_SELECTOR, FRAME))
    WebDriverWait(page, 60).until(lambda page: page.find_elements(By.TAG_NAME, "main"))


def lines(page):
    """Return the links as text."""
    found = page.execute_script(
        "return [...document.querySelectorAll('#answer details li')].map((one) => one.textContent)"
    )
    return [each.partition(";")[0] for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", [name for name in STATES if name != "wrong"])
def test_axe_finds_nothing_and_nothing_runs_off_the_edge(play, name, width, scheme):
    state, wanted = STATES[name]
    page = play(state, wanted, width=width, scheme=scheme)
    check_page(page, width)
    if wanted == FRAME:
        inside(page)
        check_page(page, width)


def test_what_is_typed_is_answered_and_kept_in_the_address(play):
    page = play(PAIR)
    warnings = [each.text for each in page.find_elements(By.CSS_SELECTOR, "#answer .warning")]
    assert [each.split(" (")[0] for each in warnings] == [
        "opposite: increased / decreased",
        "value: 5 % / 7 %",
    ]
    at(page, "b").clear()
    at(page, "b").send_keys("Profits rose.")
    WebDriverWait(page, 60).until(lambda page: any("rose" in each for each in lines(page)))
    address = page.current_url
    assert "rose" in address
    page.get("about:blank")
    page.get(address)
    wait(page, ".stage")
    assert at(page, "b").get_property("value") == "Profits rose."


def test_a_link_is_explained_and_corrected(play):
    page = play(PAIR)
    (own,) = [each for each in lines(page) if each.startswith("increased ~ decreased")]
    assert "confidence" in own
    page.execute_script(
        "[...document.querySelectorAll('.stage .hit')].find((each) => "
        "each.textContent.startsWith('increased')).dispatchEvent(new MouseEvent('click'))"
    )
    assert at(page, "chosen").text == own
    assert len(page.find_elements(By.CSS_SELECTOR, "#why tr")) > 5
    at(page, "forbid").click()
    WebDriverWait(page, 60).until(lambda page: own not in lines(page))
    assert "1-1 not linked" in at(page, "constraints").text
    at(page, "train").click()
    line = json.loads(at(page, "text").get_property("value"))
    assert line["source"][:2] == ["Profits", "increased"]
    assert [0, 0] in line["links"] and [1, 1] not in line["links"]
    at(page, "clear").click()
    WebDriverWait(page, 60).until(lambda page: own in lines(page))


def test_the_slider_hides_what_is_unsure(play):
    page = play(PAIR)
    n = len(lines(page))
    page = play(f"{PAIR}&from=0.9")
    assert 0 < len(lines(page)) < n


@pytest.mark.parametrize(("key", "wanted"), [("2", "ol"), ("3", FRAME), ("4", FRAME)])
def test_keys_turn_to_tabs_that_show_an_example(play, key, wanted):
    page = play(PAIR)
    at(page, "answer").send_keys(key)
    wait(page, wanted)


def test_an_address_of_a_tab_without_texts_shows_its_example(play):
    page = play("#tab=rank", "ol")
    assert at(page, "tab-rank").get_attribute("aria-selected") == "true"
    assert at(page, "a").get_property("value")


def test_every_example_is_answered(play):
    page = play(PAIR)
    for place in range(len(Select(at(page, "example")).options) - 1):
        Select(at(page, "example")).select_by_value(str(place))
        wait(page, f".stage, #answer ol, {FRAME}")
        assert not at(page, "problem").is_displayed()
        assert at(page, "see").text


def test_evidence_and_differences_are_the_pages_of_the_commands(play):
    page = play(*STATES["ground"])
    inside(page)
    word = page.find_element(By.CSS_SELECTOR, ".answer a.word:not([tabindex])")
    word.click()
    assert "support" in page.find_element(By.ID, "note").text  # its own script runs
    assert page.find_element(By.CSS_SELECTOR, ".conflicts li").text.startswith("different value")
    page.switch_to.default_content()
    page = play(*STATES["diff"])
    inside(page)
    page.find_element(By.ID, "next").click()
    assert page.find_element(By.ID, "counter").text == "1 of 1"
    (alarm,) = page.find_elements(By.CSS_SELECTOR, ".alarms li")
    assert "1990" in alarm.text and "1991" in alarm.text


def test_a_ranking_has_bars_and_marks_what_matches(play):
    page = play(*STATES["rank"])
    first = page.find_elements(By.CSS_SELECTOR, ".ranking > li")[0]
    assert "barked" in [each.text for each in first.find_elements(By.TAG_NAME, "mark")]
    meter = first.find_element(By.TAG_NAME, "meter")
    score = float(first.find_element(By.CSS_SELECTOR, ".score").text)
    assert float(meter.get_attribute("value")) == pytest.approx(score, abs=0.001)


def test_pairs_known_to_be_related_get_more_links(play):
    pair = f"#a={quote('The movie was terrible.')}&b={quote('I hated the film.')}"
    page = play(pair)
    n = len(lines(page))
    at(page, "related").click()
    WebDriverWait(page, 60).until(lambda page: len(lines(page)) > n)
    assert "related=1" in page.current_url


def copied(page, form):
    Select(at(page, "code")).select_by_value(form)
    return at(page, "text").get_property("value")


def ran(code):
    """Return what copied Python prints, as it was given to print."""
    printed = []
    exec(compile(code, "copied", "exec"), {"print": printed.append})
    return printed


@pytest.mark.parametrize(("form", "start"), [("curl", "curl http"), ("go", "package main")])
def test_the_call_is_copied(play, form, start):
    text = copied(play(PAIR), form)
    assert text.startswith(start) and "Profits increased" in text and "/v1/align" in text
    assert "TOKEN" not in text


def test_copied_python_is_the_library_and_finds_the_same(play):
    page = play(f"{PAIR}&style=strict&must=[[0,0]]&not=[[1,1]]")
    (found,) = ran(copied(page, "python"))
    shown = [
        f"{link.source_text} ~ {link.target_text}, confidence {link.confidence:.3f}"
        for link in found.links
    ]
    assert [each[: len(own)] for each, own in zip(lines(page), shown, strict=True)] == shown
    assert found.style == "strict"


@pytest.mark.parametrize("name", ["rank", "ground", "diff"])
def test_copied_python_of_the_other_tabs_runs(play, name):
    printed = ran(copied(play(*STATES[name]), "python"))
    if name == "rank":
        assert [each.index for each in printed] == [0, 1]
    elif name == "ground":
        assert "45" in str(printed[0].passages) and len(printed[0].sentences) == 1
    else:
        assert printed[0].new == "It opened in 1991."


def test_what_the_server_refuses_is_shown(look, server):
    state, wanted = STATES["wrong"]
    page = look(f"{server.http_url}/", state=state, refused=True)
    wait(page, wanted)
    assert "99" in at(page, "problem").text


def test_sentences_without_a_full_stop_are_drawn_and_copied(play):
    page = play("#a=Dogs+bark&b=A+dog+barks")
    assert any(each.startswith("Dogs ~ dog") for each in lines(page))
    page.execute_script("document.getElementById('train').click()")
    line = json.loads(at(page, "text").get_property("value"))
    assert (line["source"], line["target"]) == (["Dogs", "bark"], ["A", "dog", "barks"])


def test_copied_go_holds_texts_that_look_like_its_places(play):
    text = "The URL costs $'5', $& more."
    page = play(f"#a={quote(text)}&b=It+costs+5.")
    Select(at(page, "code")).select_by_value("go")
    code = at(page, "text").get_property("value")
    (body,) = [each for each in code.splitlines() if "NewReader" in each]
    quoted = body.partition("NewReader(")[2].removesuffix(")")
    assert json.loads(json.loads(quoted))["source"] == text
    assert 'http.NewRequest("POST", "http' in code


def test_copied_python_holds_texts_as_they_are(play):
    text = "It's a'''''b \\n \"c\" ${d} \u2028."
    (found,) = ran(copied(play(f"#a={quote(text)}&b=It+is."), "python"))
    assert found.source.text == text


def test_a_tab_keeps_what_was_typed_and_back_restores_it(play):
    page = play(PAIR)
    at(page, "tab-rank").click()
    wait(page, "ol")
    at(page, "a").clear()
    at(page, "a").send_keys("What sings?")
    WebDriverWait(page, 60).until(lambda page: "sings" in page.current_url)
    at(page, "tab-align").click()
    wait(page, ".stage")
    assert at(page, "a").get_property("value") == "Profits increased by 5%."
    at(page, "tab-rank").click()
    wait(page, "ol")
    assert at(page, "a").get_property("value") == "What sings?"
    page.back()
    wait(page, ".stage")
    assert at(page, "a").get_property("value") == "Profits increased by 5%."
    page.back()
    wait(page, "ol")
    assert at(page, "a").get_property("value") == "What sings?"


def test_the_training_line_has_the_links_that_are_seen(play):
    page = play(f"{PAIR}&from=0.9")
    page.execute_script("document.getElementById('train').click()")
    line = json.loads(at(page, "text").get_property("value"))
    assert len(line["links"]) == len(lines(page)) > 0


def test_links_of_the_second_system_are_explained_and_not_corrected(play):
    pair = (
        f"#a={quote('The firm will shut its plant.')}&b={quote('The company closes its factory.')}"
    )
    page = play(f"{pair}&style=strict&beside=en/free", ".systems .stage")
    own = page.execute_script(
        """const [first, second] = [...document.querySelectorAll('.systems .stage')].map(
          (stage) => [...stage.querySelectorAll('.hit')]);
        const known = new Set(first.map((one) => one.textContent.split(',')[0]));
        const other = second.find((one) => !known.has(one.textContent.split(',')[0]));
        other.dispatchEvent(new MouseEvent('click'));
        return other.textContent.split(';')[0];"""
    )
    assert at(page, "chosen").text == own
    assert len(page.find_elements(By.CSS_SELECTOR, "#why tr")) > 2
    assert not at(page, "forbid").is_displayed()
    page.execute_script(
        "document.querySelector('.systems .hit').dispatchEvent(new MouseEvent('click'))"
    )
    assert at(page, "forbid").is_displayed()


def test_the_bar_is_small_on_a_phone(play):
    page = play(PAIR, width=390)
    assert at(page, "bar").size["height"] < 110


def test_a_token_is_asked_for_and_stands_in_no_copy(look, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"me {hashlib.sha256(b'secret').hexdigest()}\n")
    flags = ("--http-port", "0", "--token-file", str(tokens))
    with started(*flags, fake=False) as server:
        page = look(f"{server.http_url}/", state=PAIR, refused=True)
        wait(page, "#asks-token:not([hidden])")
        assert at(page, "problem").text
        at(page, "token").send_keys("wrong\n")
        WebDriverWait(page, 60).until(lambda page: at(page, "problem").is_displayed())
        at(page, "token").clear()
        at(page, "token").send_keys("secret\n")
        wait(page, ".stage")
        assert lines(page) and not at(page, "problem").is_displayed()
        assert "secret" not in page.current_url
        assert '-H "authorization: Bearer $TOKEN"' in copied(page, "curl")
        code = copied(page, "go")
        assert 'os.Getenv("TOKEN")' in code and "secret" not in code and '"os"' in code


def test_an_address_without_a_sound_confidence_shows_all_links(play):
    page = play(f"{PAIR}&from=nonsense")
    assert at(page, "cut").text == "0.00" and lines(page)


def test_lines_side_by_side_cross_no_words(play):
    words = quote(" ".join(["The old bakery in the middle of the town opened in spring"] * 3) + ".")
    page = play(f"#a={words}&b={words}&beside=en/free", ".systems .stage")
    crossed = page.execute_script(
        """return [...document.querySelectorAll('.systems .stage')].flatMap((stage) => {
          const line = stage.querySelector('path').getBoundingClientRect();
          const isCrossed = ({ left, right, top, bottom }) => line.left < right - 1 &&
            line.right > left + 1 && line.top < bottom - 1 && line.bottom > top + 1;
          return [...stage.querySelectorAll('.word')].filter(
            (word) => isCrossed(word.getBoundingClientRect())).map((word) => word.textContent);
        })"""
    )
    assert crossed == []
