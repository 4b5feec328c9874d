"""What environments draw, which may come from anywhere."""

from conftest import picture
from playwright.sync_api import expect

SOUP = {"title": "Soup", "servings": 1, "course": "main"}


def test_hostile_html_is_shown_and_can_do_nothing(tab, kitchen, elsewhere):
    sight = tab(kitchen)
    title = sight.page.title()
    sight.take(SOUP)
    frame = sight.page.frame_locator("iframe").first
    expect(frame.get_by_role("heading")).to_contain_text("Orders so far: 1")
    expect(frame.get_by_text("nothing got out")).to_be_visible()
    element = sight.page.locator("iframe").first
    assert "allow-scripts" not in element.get_attribute("sandbox")
    assert "allow-same-origin" not in element.get_attribute("sandbox")
    # Neither its form nor its link leads anywhere.
    frame.get_by_role("button", name="Send").click()
    frame.get_by_role("link", name="Leave").click()
    sight.page.wait_for_timeout(500)
    assert sight.page.title() == title
    assert sight.page.url.startswith(kitchen.page_url)
    assert elsewhere.asked == []
    picture(sight, "hostile")

    # It could have been asked.
    sight.page.goto("http://elsewhere.test/by-hand")
    assert "/by-hand" in elsewhere.asked
    sight.page.goto("about:blank")
    elsewhere.asked.clear()


def test_a_readme_cannot_run_anything(tab, kitchen):
    sight = tab(kitchen, "docs")
    main = sight.page.get_by_role("main")
    expect(main.get_by_role("heading", name="Kitchen sink")).to_be_visible()
    expect(main.get_by_role("table").first).to_contain_text("refused")
    sight.page.wait_for_timeout(300)
    assert "must not" not in sight.page.title() and "nor" not in sight.page.title()
    assert main.locator("a[href^=javascript]").count() == 0
    assert main.locator("[onerror], script").count() == 0
    expect(main).to_contain_text(kitchen.url)
    picture(sight, "docs")


def test_a_drawing_follows_the_steps(tab, game):
    sight = tab(game)
    sight.reset()
    sight.take({"cell": 4})
    image = sight.step.get_by_role("img").first
    expect(image).to_be_visible()
    newest = image.get_attribute("src")
    assert newest.startswith("data:image/svg+xml") or newest.startswith("blob:")
    picture(sight, "board")
    scrubber = sight.page.get_by_role("slider").first
    scrubber.focus()
    sight.page.keyboard.press("Home")
    expect(sight.row(0)).to_have_attribute("aria-selected", "true")
    assert image.get_attribute("src") != newest


def test_environments_in_python_draw_and_suggest(tab, greenhouse):
    sight = tab(greenhouse)
    sight.reset()
    frame = sight.page.frame_locator("iframe").first
    expect(frame.get_by_role("row", name="fern")).to_contain_text("0 cm")
    sight.act.get_by_role("button", name="Water the rose").click()
    expect(frame.get_by_role("row", name="rose")).to_contain_text("1 cm")
    logs = sight.inspect("Logs")
    expect(logs).to_contain_text("watering rose")
    expect(logs).to_contain_text("it is 1 o'clock")
    picture(sight, "greenhouse")
