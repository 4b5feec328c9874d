"""Whoever uses it, on whatever: keyboard only, a phone, in the dark, with a screen reader."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import PHONE, picture
from playwright.sync_api import expect

SOUP = {"title": "Soup", "servings": 1, "course": "main"}
PLACES = ["play", "tools", "sessions", "episodes", "docs"]
DRAFTS_OF_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(sight) -> list[str]:
    found = Axe().run(sight.page, options=DRAFTS_OF_RULES).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {rule['help']}: " + "; ".join(node["html"][:160] for node in rule["nodes"][:3])
        for rule in found
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wrong_with_any_view(tab, kitchen, scheme):
    sight = tab(kitchen, color_scheme=scheme)
    wrong = [f"empty play: {text}" for text in violations(sight)]
    sight.take(SOUP)
    sight.take({**SOUP, "outcome": "refused"})
    for view in ["Observation", "Diff", "State", "Raw", "Logs"]:
        sight.inspect(view)
        wrong += [f"{view}: {text}" for text in violations(sight)]
    sight.act.get_by_role("tab", name="Form").click()
    wrong += [f"form: {text}" for text in violations(sight)]
    for place in PLACES:
        sight.open(place)
        sight.page.wait_for_timeout(200)
        wrong += [f"{place}: {text}" for text in violations(sight)]
        picture(sight, f"{place}-{scheme}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_other_views_are_in_order_too(tab, game, scheme):
    sight = tab(game, color_scheme=scheme)
    sight.reset()
    sight.take({"cell": 4})
    wrong = violations(sight)
    picture(sight, f"game-{scheme}")
    key = next(frame["data"]["episode"] for frame in sight.received if frame["type"] == "view" and frame["data"]["episode"])
    for place in [f"episode/{key}/1", f"follow/{key}", f"compare/{key}/{key}"]:
        sight.open(place)
        sight.page.wait_for_timeout(400)
        wrong += [f"{place}: {text}" for text in violations(sight)]
        picture(sight, f"{place.split('/')[0]}-{scheme}")
    sight.page.keyboard.press("?")
    expect(sight.page.get_by_role("dialog", name="Keys")).to_be_visible()
    wrong += [f"help: {text}" for text in violations(sight)]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_dark_and_light_follow_the_system_and_the_choice(tab, echo):
    def brightness(sight) -> int:
        colour = sight.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")[:3]))

    sight = tab(echo, color_scheme="dark")
    assert brightness(sight) < 200
    sight.page.get_by_role("button", name="Theme:").click()
    assert brightness(sight) > 600
    sight.page.reload()
    expect(sight.reset_button).to_be_enabled()
    assert brightness(sight) > 600
    assert brightness(tab(echo, color_scheme="light")) > 600


@pytest.mark.parametrize("place", PLACES)
def test_a_phone_needs_no_sideways_scrolling(tab, kitchen, place):
    sight = tab(kitchen, viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    sight.take(SOUP)
    sight.open(place)
    sight.page.wait_for_timeout(300)
    wide = sight.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    picture(sight, f"phone-{place}")
    assert wide <= 0
    assert not violations(sight)


def test_a_phone_can_play(tab, kitchen):
    sight = tab(kitchen, viewport=PHONE, has_touch=True, is_mobile=True)
    box = sight.run_button.bounding_box()
    assert box and box["y"] + box["height"] <= PHONE["height"], "Run is not on the first screen"
    sight.field("title").fill("Soup")
    sight.field("servings").fill("2")
    sight.run_button.tap()
    expect(sight.row(1)).to_be_attached()
    picture(sight, "phone-after-a-step")


def test_run_stays_where_it_is(tab, game):
    sight = tab(game)
    sight.reset()
    moves = sight.act.get_by_role("group", name="Suggested actions").get_by_role("button")
    before = sight.run_button.bounding_box()["y"]
    for number in range(1, 6):
        moves.first.click()
        expect(sight.row(number)).to_be_visible()
        expect(sight.reset_button).to_be_enabled()
        after = sight.run_button.bounding_box()["y"]
        assert abs(after - before) <= 1, f"Run moved at step {number}"
        if sight.act.get_by_text("Episode is over").count():
            break


def test_an_episode_with_the_keyboard_alone(tab, kitchen):
    sight = tab(kitchen)
    keys = sight.page.keyboard
    keys.press("r")
    expect(sight.row(0)).to_contain_text("reset(")
    # What is suggested may come a moment after the step.
    expect(sight.act.get_by_role("group", name="Suggested actions")).to_be_visible()
    keys.press("1")
    expect(sight.row(1)).to_contain_text("Soup of the day")

    # From the top of the page to the first field of the form, with the tab key.
    for _ in range(80):
        keys.press("Tab")
        focused = sight.page.evaluate("document.activeElement?.closest('label, div')?.innerText ?? ''")
        if sight.page.evaluate("document.activeElement?.matches('.act-pane input, .act-pane textarea')"):
            break
    else:
        raise AssertionError(f"the form cannot be reached, the focus is at {focused!r}")
    title = sight.field("title")
    title.focus()
    keys.press("Control+a")
    keys.type("Typed")
    sight.field("servings").focus()
    keys.type("3")
    keys.press("Control+Enter")
    expect(sight.row(2)).to_contain_text("Typed")
    keys.press("Escape")
    keys.press("k")
    expect(sight.row(1)).to_have_attribute("aria-selected", "true")
    keys.press("g")
    keys.press("d")
    expect(sight.page.get_by_role("heading", name="Connect")).to_be_visible()
    keys.press("g")
    keys.press("p")
    expect(sight.row(2)).to_be_visible()
    keys.press("?")
    expect(sight.page.get_by_role("dialog", name="Keys")).to_be_visible()
    keys.press("Escape")
    expect(sight.page.get_by_role("dialog")).to_have_count(0)


def test_what_has_the_focus_can_be_seen(tab, echo):
    sight = tab(echo)
    for _ in range(12):
        sight.page.keyboard.press("Tab")
        outline = sight.page.evaluate(
            """() => {
                const style = getComputedStyle(document.activeElement);
                return style.outlineStyle !== 'none' || style.boxShadow !== 'none' || style.borderColor;
            }"""
        )
        assert outline
