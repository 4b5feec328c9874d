"""A network that goes away and comes back."""

import pytest
from conftest import picture
from playwright.sync_api import expect
from programs import Server
from wire import Wire


@pytest.fixture
def wire(echo):
    wire = Wire(echo.url)
    yield wire
    wire.close()


def session_of(sight) -> str:
    return sight.page.get_by_title("Session ").get_attribute("title")


def test_the_session_is_found_again(tab, wire):
    sight = tab(wire)
    sight.take({"message": "before"})
    session = session_of(sight)
    wire.cut()
    expect(sight.page.get_by_text("Offline", exact=True)).to_be_visible()
    picture(sight, "offline")
    # What was there is still to be looked at.
    sight.row(0).click()
    expect(sight.step).to_contain_text("reset(")
    expect(sight.run_button).to_be_disabled()

    wire.mend()
    expect(sight.page.get_by_text("Connected", exact=True)).to_be_visible()
    assert session_of(sight) == session
    sight.take({"message": "after"})
    expect(sight.row(2)).to_contain_text("after")
    expect(sight.row(1)).to_contain_text("before")


def test_a_call_that_was_cut_off_is_told(tab, kitchen):
    wire = Wire(kitchen.url)
    sight = tab(wire)
    sight.reset()
    sight.write_action({"title": "Stew", "servings": 1, "course": "main", "wait_milliseconds": 3000})
    sight.run_button.click()
    sight.page.wait_for_timeout(300)
    wire.cut()
    expect(sight.row(1)).to_contain_text("connection was lost")
    wire.mend()
    expect(sight.page.get_by_text("Connected", exact=True)).to_be_visible()
    expect(sight.run_button).to_be_enabled()
    wire.close()


def test_the_browser_knows_that_it_is_offline(tab, echo):
    sight = tab(echo)
    sight.take({"message": "before"})
    sight.page.context.set_offline(True)
    expect(sight.page.get_by_text("Offline", exact=True)).to_be_visible()
    sight.page.context.set_offline(False)
    expect(sight.page.get_by_text("Connected", exact=True)).to_be_visible()
    sight.take({"message": "after"})


def test_a_server_that_ends_is_waited_for(tab, serve):
    server = serve(Server.command("echo"))
    sight = tab(server)
    sight.take({"message": "last words"})
    server.stop()
    expect(sight.page.get_by_text("Offline", exact=True)).to_be_visible()
    expect(sight.status).to_contain_text("cannot be reached")
    expect(sight.row(1)).to_contain_text("last words")


def test_another_environment_may_come_back(tab, echo, kitchen):
    wire = Wire(echo.url)
    sight = tab(wire)
    sight.take({"message": "before"})
    wire.cut()
    expect(sight.page.get_by_text("Offline", exact=True)).to_be_visible()
    wire.lead_to(kitchen.url)
    wire.mend()
    expect(sight.page.get_by_text("The server has another environment now")).to_be_visible()
    expect(sight.reset_button).to_be_enabled()
    sight.act.get_by_role("tab", name="Form").click()
    expect(sight.field("title")).to_have_value("")
    expect(sight.field("message")).to_have_count(0)
    wire.close()
