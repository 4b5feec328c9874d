"""The tools of an environment, called by hand."""

import json

from conftest import picture
from playwright.sync_api import expect
from sight import field


def choose(sight, name: str):
    sight.page.get_by_role("region", name="Tools").get_by_role("link", name=name).click()
    return sight.page.get_by_role("region", name=f"Tool {name}")


def test_a_tool_is_called_and_answers(tab, kitchen):
    sight = tab(kitchen, "tools")
    tool = choose(sight, "weigh")
    field(tool, "amount").fill("2")
    tool.get_by_role("radiogroup", name="unit").get_by_text("cup").click()
    tool.get_by_role("button", name="Call tool").click()
    result = tool.get_by_role("region", name="Result", exact=True)
    expect(result).to_contain_text("ok")
    expect(result).to_contain_text("480")
    (call,) = [data for data in sight.sent_of("mcp") if data["method"] == "tools/call"]
    assert call["params"] == {"name": "weigh", "arguments": {"amount": 2, "unit": "cup"}}

    messages = sight.page.get_by_role("region", name="Messages")
    messages.get_by_text("weigh").click()
    shown = json.loads(messages.get_by_label("Sent", exact=True).inner_text())
    assert shown["params"] == call["params"]
    picture(sight, "tool")


def test_what_a_tool_refuses_is_told(tab, kitchen):
    sight = tab(kitchen, "tools")
    tool = choose(sight, "taste")
    field(tool, "dish").fill("a stone")
    tool.get_by_role("button", name="Call tool").click()
    result = tool.get_by_role("region", name="Result", exact=True)
    expect(result).to_contain_text("failed")
    expect(result).to_contain_text("nobody has ordered `a stone`")
    picture(sight, "tool-failed")


def test_arguments_are_checked_before_they_are_sent(tab, kitchen):
    sight = tab(kitchen, "tools")
    tool = choose(sight, "weigh")
    field(tool, "amount").fill("-1")
    tool.get_by_role("button", name="Call tool").click()
    expect(tool).to_contain_text("at least 0")
    assert sight.sent_of("mcp") == []


def test_a_picture_is_shown_as_one(tab, kitchen):
    sight = tab(kitchen, "tools")
    tool = choose(sight, "photograph")
    tool.get_by_role("button", name="Call tool").click()
    image = tool.get_by_role("region", name="Result", exact=True).get_by_role("img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth") == 48


def test_tools_act_on_the_session_of_the_tab(tab, kitchen):
    sight = tab(kitchen)
    sight.take({"title": "Stew", "servings": 1, "course": "main"})
    sight.go_to("Tools")
    tool = choose(sight, "taste")
    field(tool, "dish").fill("Stew")
    tool.get_by_role("button", name="Call tool").click()
    expect(tool.get_by_role("region", name="Result", exact=True)).to_contain_text("the Stew needs salt")
    sight.go_to("Play")
    expect(sight.row(2)).to_contain_text("taste(")


def test_tools_are_found_by_a_word(tab, kitchen):
    sight = tab(kitchen, "tools")
    listed = sight.page.get_by_role("region", name="Tools")
    expect(listed.get_by_role("listitem")).to_have_count(4)
    listed.get_by_role("searchbox").fill("grams")
    expect(listed.get_by_role("listitem")).to_have_count(1)
    expect(listed.get_by_role("link", name="weigh")).to_contain_text("read only")
