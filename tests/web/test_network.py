"""A network that goes away and comes back."""

from conftest import picture
from playwright.sync_api import expect
from programs import Server


def test_the_session_is_found_again(tab, echo):
    sight = tab(echo)
    sight.take({"message": "before"})
    session = sight.page.get_by_title("Session ").get_attribute("title")
    devtools = sight.page.context.new_cdp_session(sight.page)
    sight.page.context.set_offline(True)
    # Chromium leaves sockets that are open alone; a network that is gone does not.
    sight.page.evaluate("window.dispatchEvent(new Event('offline'))")
    devtools.send("Network.enable")
    expect(sight.page.get_by_role("button", name="Offline")).to_be_visible(timeout=20_000)
    picture(sight, "offline")
    # What was there is still to be looked at.
    sight.row(0).click()
    expect(sight.step).to_contain_text("reset(")
    expect(sight.run_button).to_be_disabled()

    sight.page.context.set_offline(False)
    expect(sight.page.get_by_text("Connected", exact=True)).to_be_visible(timeout=20_000)
    assert sight.page.get_by_title("Session ").get_attribute("title") == session
    sight.take({"message": "after"})
    expect(sight.row(2)).to_contain_text("after")


def test_a_server_that_ends_is_waited_for(tab, serve):
    server = serve(Server.command("echo"))
    sight = tab(server)
    sight.take({"message": "last words"})
    server.stop()
    expect(sight.page.get_by_role("button", name="Offline")).to_be_visible()
    expect(sight.status).to_contain_text("cannot be reached")
    expect(sight.row(1)).to_contain_text("last words")
