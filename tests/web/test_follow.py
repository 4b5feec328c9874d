"""Looking over the shoulder of a session that somebody else drives."""

import re
import time

from conftest import picture
from playwright.sync_api import expect
from trainer import Trainer, get

SOUP = {"title": "Soup", "servings": 1, "course": "main"}
MANY = 10_000
# Generous: what matters is that it does not grow with the number of steps.
MOST_HEAP_MIB = 60
MOST_SERVER_MIB = 200


def follow(sight, session: str) -> None:
    sight.open("sessions")
    sight.page.get_by_role("link", name=f"Follow session {session[:8]}").click()


def session_of(server, steps: int) -> str:
    """The newest session that has taken so many steps."""
    return next(live["id"] for live in reversed(get(server, "/web/sessions")) if live["steps"] == steps)


def test_steps_appear_as_they_are_taken(tab, kitchen):
    trainer = Trainer(kitchen)
    trainer.reset()
    for _ in range(3):
        trainer.step(**SOUP)
    sight = tab(kitchen, route=None)
    follow(sight, session_of(kitchen, 3))
    expect(sight.row(3)).to_be_visible()
    trainer.step(**{**SOUP, "title": "Fresh"})
    expect(sight.row(4)).to_contain_text("Fresh")
    expect(sight.step).to_contain_text("Fresh")

    # Who looks at something earlier is left there.
    sight.row(1).click()
    trainer.step(**{**SOUP, "title": "Fresher"})
    expect(sight.row(5)).to_be_visible()
    expect(sight.row(1)).to_have_attribute("aria-selected", "true")
    sight.page.get_by_role("button", name="Follow newest").click()
    expect(sight.step).to_contain_text("Fresher")

    sight.page.get_by_role("checkbox", name="Rendering").check()
    frame = sight.page.frame_locator("iframe").first
    expect(frame.get_by_role("heading")).to_contain_text("Orders so far: 5")
    picture(sight, "follow")

    # Nothing of the page went to the session.
    assert trainer.state()["step_count"] == 5
    trainer.close()
    expect(sight.page.get_by_role("region", name="Episode").get_by_text("ended", exact=True)).to_be_visible(timeout=20_000)


def test_pausing_stops_what_is_shown_not_the_session(tab, echo):
    trainer = Trainer(echo)
    trainer.reset()
    trainer.repeat(7, message="x")
    sight = tab(echo, route=None)
    follow(sight, session_of(echo, 7))
    expect(sight.row(7)).to_be_visible()
    sight.page.get_by_role("button", name="Pause").click()
    trainer.step(message="while paused")
    sight.page.wait_for_timeout(600)
    expect(sight.row(8)).to_have_count(0)
    sight.page.get_by_role("button", name="Go on").click()
    expect(sight.row(8)).to_contain_text("while paused")
    trainer.close()


def test_a_long_session_costs_a_bounded_memory(tab, echo, record_property):
    trainer = Trainer(echo)
    trainer.reset()
    trainer.repeat(11, message="warm up")
    sight = tab(echo, route=None)
    follow(sight, session_of(echo, 11))
    expect(sight.row(11)).to_be_visible()
    devtools = sight.page.context.new_cdp_session(sight.page)
    devtools.send("Performance.enable")

    def heap() -> float:
        devtools.send("HeapProfiler.collectGarbage")
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize") / 2**20

    heap_before, server_before = heap(), echo.resident_mib()
    begin = time.monotonic()
    trainer.repeat(MANY, message="a message of usual length")
    seconds = time.monotonic() - begin
    figure = sight.page.get_by_role("region", name="Episode")
    expect(figure).to_contain_text(re.compile(r"10,01[12]"))
    expect(sight.row(MANY + 11)).to_be_visible()
    grown, server_grown = heap() - heap_before, echo.resident_mib() - server_before
    print(f"\nfollowed {MANY} steps in {seconds:.1f} s: page +{grown:.1f} MiB, server +{server_grown:.1f} MiB")
    assert grown < MOST_HEAP_MIB
    assert server_grown < MOST_SERVER_MIB
    trainer.close()
