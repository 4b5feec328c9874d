"""A tab has a session of its own, and takes nobody else's."""

import time

from conftest import picture
from playwright.sync_api import expect
from programs import Server
from trainer import Trainer, active_sessions, get

SOUP = {"title": "Soup", "servings": 1, "course": "main"}
# The session of a tab outlives it by ten seconds, for reloads.
GONE_WITHIN_SECONDS = 14


def until(condition, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_two_tabs_and_a_trainer_do_not_disturb_each_other(tab, kitchen):
    trainer = Trainer(kitchen)
    trainer.reset()
    trainer.step(**SOUP)
    first = tab(kitchen)
    first.take({**SOUP, "title": "First"})
    # Of the same browser: they share what it remembers.
    second = tab(kitchen, beside=first)
    second.take({**SOUP, "title": "Second"})
    first.take({**SOUP, "title": "Also first"})
    trainer.step(**{**SOUP, "title": "Trained"})

    expect(first.inspect("State")).to_contain_text("Also first")
    expect(first.inspect("State")).not_to_contain_text("Second")
    expect(second.inspect("State")).to_contain_text("Second")
    expect(second.inspect("State")).not_to_contain_text("first")
    assert trainer.state()["orders"] == ["Soup", "Trained"]
    trainer.close()


def test_the_place_is_free_when_the_tab_is_closed(tab, serve):
    server = serve(Server.command("echo", "--max-sessions", "1"))
    sight = tab(server)
    sight.take({"message": "mine"})
    assert active_sessions(server) == 1

    # Nobody else gets in meanwhile, and is told why.
    other = tab(server, route=None)
    other.page.goto(server.page_url)
    expect(other.page.get_by_text("Server full")).to_be_visible()
    expect(other.status).to_contain_text("capacity", ignore_case=True)
    picture(other, "server-full")

    sight.page.close()
    assert until(lambda: get(server, "/web/about")["capacity"]["active"] == 0 or other.reset_button.is_enabled(), GONE_WITHIN_SECONDS)
    expect(other.reset_button).to_be_enabled(timeout=10_000)


def test_a_reload_loses_nothing(tab, kitchen):
    sight = tab(kitchen)
    sight.take({**SOUP, "title": "Before"})
    session = sight.page.get_by_title("Session ").get_attribute("title")
    sight.write_action({**SOUP, "title": "Half typed"})
    sight.page.wait_for_timeout(500)
    sight.page.reload()
    expect(sight.row(1)).to_contain_text("Before")
    expect(sight.row(0)).to_contain_text("reset(")
    expect(sight.reset_button).to_be_enabled()
    assert sight.page.get_by_title("Session ").get_attribute("title") == session
    sight.act.get_by_role("tab", name="Form").click()
    expect(sight.field("title")).to_have_value("Half typed")

    sight.run_button.click()
    expect(sight.row(2)).to_contain_text("Half typed")
    state = sight.inspect("State")
    expect(state).to_contain_text("Before")
    expect(state).to_contain_text("Half typed")


def test_a_duplicated_tab_gets_a_session_of_its_own(tab, echo):
    sight = tab(echo)
    sight.take({"message": "one"})
    stored = sight.page.evaluate("({ ...sessionStorage })")
    other = tab(echo, route=None, beside=sight)
    other.page.add_init_script(
        f"for (const [name, value] of Object.entries({stored!r})) sessionStorage.setItem(name, value)"
    )
    other.open()
    other.write_action({"message": "two"})
    other.run_button.click()
    expect(other.row(1)).to_contain_text("two")
    sight.take({"message": "three"})
    sessions = {one.page.get_by_title("Session ").get_attribute("title") for one in (sight, other)}
    assert len(sessions) == 2


def test_the_sessions_are_listed(tab, kitchen):
    trainer = Trainer(kitchen)
    trainer.reset()
    trainer.repeat(25, **SOUP)
    sight = tab(kitchen)
    sight.take(SOUP)
    sight.go_to("Sessions")
    mine = sight.page.get_by_role("row").filter(has_text="this tab")
    expect(mine).to_have_count(1)
    # Ids may have the digits in them too.
    steps = sight.page.get_by_role("cell", name="25", exact=True)
    theirs = sight.page.get_by_role("row").filter(has=steps)
    expect(theirs.first).to_contain_text("WebSocket")
    expect(theirs.first).to_contain_text("2.5")
    picture(sight, "sessions")
    trainer.close()


def test_looking_takes_no_place(tab, serve):
    server = serve(Server.command("echo", "--max-sessions", "1"))
    sight = tab(server, "sessions")
    for place in ("Episodes", "Docs"):
        sight.go_to(place)
        sight.page.wait_for_timeout(300)
        assert active_sessions(server) == 0
    trainer = Trainer(server)
    trainer.reset()
    sight.go_to("Play")
    expect(sight.page.get_by_text("Server full")).to_be_visible()
    # Who goes on to look does not wait for the place either.
    sight.go_to("Sessions")
    trainer.close()
    assert until(lambda: active_sessions(server) == 0, 10)
    sight.page.wait_for_timeout(5000)
    assert active_sessions(server) == 0
    sight.go_to("Play")
    sight.reset()
