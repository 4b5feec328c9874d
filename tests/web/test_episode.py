"""An episode by hand: resets, steps, and what can go wrong on the way."""

import re

from conftest import picture
from playwright.sync_api import expect

SOUP = {"title": "Pea soup", "servings": 3, "course": "starter"}


def test_an_episode_from_reset_to_end(tab, game):
    sight = tab(game)
    sight.act.get_by_role("button", name="Reset options").click()
    sight.act.get_by_label("Seed", exact=True).fill("7")
    sight.reset()
    assert sight.sent_of("reset") == [{"seed": 7}]
    expect(sight.row(0)).to_contain_text("seed=7")

    for number in range(1, 6):
        moves = sight.act.get_by_role("group", name="Suggested actions").get_by_role("button")
        expect(moves).to_have_count(11 - 2 * number)
        moves.first.click()
        expect(sight.row(number)).to_be_visible()
        if sight.row(number).get_by_text("done").count():
            break
    else:
        raise AssertionError("the game did not end")
    expect(sight.status).to_contain_text("Episode is over")
    picture(sight, "game-over")

    sight.reset()
    expect(sight.timeline.get_by_role("rowheader")).to_have_count(1)


def test_the_first_step_shows_that_it_reset(tab, echo):
    sight = tab(echo)
    sight.field("message").fill("hello")
    sight.run_button.click()
    expect(sight.row(0)).to_contain_text("reset(")
    expect(sight.row(1)).to_contain_text("hello")
    expect(sight.row(1)).to_contain_text("+0.5")
    assert [frame["type"] for frame in sight.sent if frame["type"] in ("reset", "step")] == ["reset", "step"]


def test_an_error_of_the_environment_leaves_the_episode(tab, kitchen):
    sight = tab(kitchen)
    sight.take(SOUP)
    sight.take({**SOUP, "outcome": "refused"})
    expect(sight.row(2)).to_contain_text("error")
    expect(sight.inspect("Observation")).to_contain_text("the cook refuses `Pea soup`")
    logs = sight.inspect("Logs")
    expect(logs).to_contain_text("refused")
    expect(logs).to_contain_text("warn", ignore_case=True)
    picture(sight, "error-of-the-environment")
    sight.take(SOUP)
    expect(sight.row(3)).to_contain_text("+0.3")


def test_what_the_server_refuses_is_told_by_field(tab, greenhouse):
    """A rule that no schema can tell: the form lets it pass, the server does not."""
    sight = tab(greenhouse)
    sight.take({"plant": "rose", "label": "weed"})
    expect(sight.row(1)).to_contain_text("error")
    expect(sight.inspect("Observation")).to_contain_text("nobody waters weeds")
    sight.take({"plant": "rose"})
    expect(sight.row(2)).to_contain_text("+1")


def test_a_panic_ends_the_session_and_the_page_goes_on(tab, kitchen):
    sight = tab(kitchen)
    sight.take(SOUP)
    sight.take({**SOUP, "outcome": "panic"})
    expect(sight.page.get_by_text("Your session ended")).to_be_visible()
    expect(sight.row(2)).to_contain_text("error")
    picture(sight, "panic")
    expect(sight.reset_button).to_be_enabled()
    sight.reset()
    sight.take(SOUP)
    expect(sight.row(1)).to_contain_text("+0.3")


def test_a_slow_step_says_that_it_runs(tab, kitchen):
    sight = tab(kitchen)
    sight.reset()
    sight.write_action({**SOUP, "wait_milliseconds": 1500})
    sight.run_button.click()
    expect(sight.status).to_contain_text("…")
    expect(sight.reset_button).to_be_disabled()
    expect(sight.row(1)).to_contain_text(re.compile(r"1\.[5-9]\d? s"))
    expect(sight.reset_button).to_be_enabled()


def test_a_step_can_be_repeated_and_edited(tab, echo):
    sight = tab(echo)
    sight.take({"message": "again"})
    sight.row(1).hover()
    sight.row(1).get_by_role("button", name="Repeat step 1").click()
    expect(sight.row(2)).to_contain_text("again")
    sight.row(1).hover()
    sight.row(1).get_by_role("button", name="Edit step 1").click()
    sight.act.get_by_role("tab", name="Form").click()
    expect(sight.field("message")).to_have_value("again")
    sight.field("message").fill("and again")
    sight.run_button.click()
    expect(sight.row(3)).to_contain_text("and again")


def test_a_task_is_chosen_for_the_reset(tab, kitchen):
    sight = tab(kitchen)
    sight.act.get_by_role("button", name="Reset options").click()
    sight.act.get_by_label("Split").select_option("test")
    sight.act.get_by_role("textbox", name="Task").fill("1")
    expect(sight.act.get_by_text("apple pie")).to_be_visible()
    picture(sight, "task")
    sight.reset()
    assert sight.sent_of("reset") == [{"split": "test", "index": 1}]
    expect(sight.inspect("Observation")).to_contain_text("somebody wants apple pie")


def test_every_view_of_a_step(tab, kitchen):
    sight = tab(kitchen)
    sight.take({**SOUP, "colour": [200, 40, 40]})
    sight.take({**SOUP, "title": "Bean soup"})
    observation = sight.inspect("Observation")
    expect(observation).to_contain_text("Bean soup")
    # Colours of a terminal are colours, not codes.
    expect(observation).to_contain_text("ready")
    expect(observation).not_to_contain_text("[1;32m")
    expect(observation.get_by_role("img").first).to_be_visible()
    expect(observation).to_contain_text("8×8")
    expect(sight.inspect("Diff")).to_contain_text("Bean soup")
    expect(sight.inspect("State")).to_contain_text("guests")
    raw = sight.inspect("Raw")
    expect(raw).to_contain_text('"step"')
    expect(raw).to_contain_text("Bean soup")
    expect(sight.inspect("Logs")).to_contain_text("an order")
    picture(sight, "every-view")


def test_keys_move_through_the_steps(tab, echo):
    sight = tab(echo)
    for word in ["one", "two", "three"]:
        sight.take({"message": word})
    sight.timeline.get_by_role("rowheader", name="3").click()
    sight.page.keyboard.press("ArrowUp")
    expect(sight.row(2)).to_have_attribute("aria-selected", "true")
    sight.page.keyboard.press("Home")
    expect(sight.row(0)).to_have_attribute("aria-selected", "true")
    expect(sight.step).to_contain_text("reset(")
