"""The form of an action: every kind of field, what it refuses, and what it sends."""

import json

from conftest import picture
from playwright.sync_api import expect
from sight import field


def json_shown(sight) -> dict:
    """The action as the other view shows it."""
    sight.act.get_by_role("tab", name="JSON").click()
    value = json.loads(sight.act.get_by_role("textbox", name="Value as JSON").input_value())
    sight.act.get_by_role("tab", name="Form").click()
    return value


def group(sight, name: str):
    """Fills in a field that has parts, and returns it."""
    sight.act.get_by_role("button", name=f"Fill in {name}", exact=True).click()
    return sight.act.get_by_role("group", name=name, exact=True)


def pick(place, name: str, choice: str) -> None:
    place.get_by_role("radiogroup", name=name, exact=True).get_by_text(choice, exact=True).click()


def fill_everything(sight) -> dict:
    """Something in every field of the kitchen's order; returns what it amounts to."""
    act = sight.act
    sight.field("title").fill("Pea soup")
    sight.field("servings").fill("4")
    pick(act, "course", "main")
    sight.show_more_fields()
    sight.field("outcome").select_option(label="last")
    sight.field("wait_milliseconds").fill("5")
    sight.field("code").fill("AB-123")
    sight.field("notes").fill("no salt\nno pepper")
    sight.field("oven").fill("200.5")
    pick(act, "vegetarian", "true")
    pick(act, "urgent", "null")
    sight.field("grade").fill("A")
    sight.field("pantry_token").fill("open sesame")

    ingredients = group(sight, "ingredients")
    for _ in range(2):
        ingredients.get_by_role("button", name="Add an item").click()
    first, second = (ingredients.get_by_role("group", name=f"ingredients {number}", exact=True) for number in (1, 2))
    field(first, "name").fill("peas")
    field(first, "grams").fill("500")
    field(second, "name").fill("water")
    field(second, "grams").fill("1000")
    field(second, "origin").fill("the tap")
    # The water first.
    ingredients.get_by_role("button", name="Move item 2 up").click()

    tags = group(sight, "tags")
    tags.get_by_role("button", name="Add an item").click()
    tags.get_by_label("tags 1").fill("green")
    place = group(sight, "place")
    place.get_by_label("place 1").fill("-1.5")
    place.get_by_label("place 2").fill("2")
    colour = group(sight, "colour")
    for number, part in enumerate(["10", "200", "30"], 1):
        colour.get_by_label(f"colour {number}").fill(part)
    cook = group(sight, "cook")
    field(cook, "name").fill("Ada")
    field(cook, "stars").fill("3")

    prices = group(sight, "prices")
    prices.get_by_role("button", name="Add an entry").click()
    prices.get_by_label("Name of an entry of prices").fill("adult")
    prices.get_by_label("Value of adult").fill("9.5")

    garnish = group(sight, "garnish")
    garnish.get_by_role("button", name="Add an item").click()
    leaf = garnish.get_by_role("group", name="garnish 1", exact=True)
    field(leaf, "name").fill("cream")
    leaf.get_by_text("More fields").click()
    leaf.get_by_role("button", name="Fill in topped_with").click()
    on_top = leaf.get_by_role("group", name="topped_with", exact=True)
    on_top.get_by_role("button", name="Add an item").first.click()
    field(on_top, "name").fill("mint")

    heat = group(sight, "heat")
    pick(heat, "Type of heat", "boil")
    field(heat, "boil").fill("40")
    delivery = group(sight, "delivery")
    pick(delivery, "Type of delivery", "bicycle")
    field(delivery, "address").fill("1 Main Street")
    payment = group(sight, "payment")
    pick(payment, "Type of payment", "card")
    field(payment, "number").fill("0123456789012345")
    salt = group(sight, "salt")
    pick(salt, "Type of salt", "number")
    salt.get_by_role("spinbutton").fill("2.5")
    sight.field("remark").fill('{"free": ["form", 1]}')
    return {
        "title": "Pea soup",
        "servings": 4,
        "course": "main",
        "outcome": "last",
        "wait_milliseconds": 5,
        "code": "AB-123",
        "notes": "no salt\nno pepper",
        "oven": 200.5,
        "vegetarian": True,
        "urgent": None,
        "edition": 2,
        "grade": "A",
        "pantry_token": "open sesame",
        "ingredients": [{"name": "water", "grams": 1000, "origin": "the tap"}, {"name": "peas", "grams": 500}],
        "tags": ["green"],
        "place": [-1.5, 2],
        "colour": [10, 200, 30],
        "cook": {"name": "Ada", "stars": 3},
        "prices": {"adult": 9.5},
        "garnish": [{"name": "cream", "topped_with": [{"name": "mint"}]}],
        "heat": {"boil": 40},
        "delivery": {"by": "bicycle", "address": "1 Main Street"},
        "payment": {"means": "card", "details": {"number": "0123456789012345"}},
        "salt": 2.5,
        "remark": {"free": ["form", 1]},
    }


def test_every_kind_of_field_is_filled_in_shown_and_sent(tab, kitchen):
    sight = tab(kitchen)
    wanted = fill_everything(sight)
    picture(sight, "form")
    assert json_shown(sight) == wanted
    sight.run_button.click()
    expect(sight.row(1)).to_contain_text("done")
    (sent,) = sight.sent_of("step")
    assert sent == wanted
    arrived = next(frame["data"]["observation"]["order"] for frame in sight.received if (frame.get("data") or {}).get("reward"))
    assert {**arrived, "ingredients": wanted["ingredients"], "garnish": wanted["garnish"]} == wanted
    # Secrets are nowhere in the open.
    expect(sight.timeline).not_to_contain_text("open sesame")
    assert sight.field("pantry_token").get_attribute("type") == "password"


def test_a_type_stays_chosen_while_its_value_is_typed(tab, kitchen):
    sight = tab(kitchen)
    sight.field("title").fill("Pea soup")
    sight.field("servings").fill("4")
    sight.show_more_fields()
    salt = group(sight, "salt")
    pick(salt, "Type of salt", "number")
    number = salt.get_by_role("spinbutton")
    # Nothing yet, and what is no number yet: neither is sent, and neither turns into text.
    for typed in ["", "-", "-2", "", "x"]:
        number.fill(typed)
        expect(salt.get_by_role("radio", name="number")).to_be_checked()
        expect(number).to_have_value(typed)
        assert (number.get_attribute("aria-invalid") == "true") == (typed != "-2")
    sight.run_button.click()
    expect(sight.run_button).to_contain_text("1 problem")
    number.fill("")
    expect(salt).to_contain_text("leave it out")
    sight.run_button.click()
    assert sight.sent_of("step") == []

    sight.act.get_by_role("button", name="Leave out salt").click()
    assert "salt" not in json_shown(sight)
    sight.run_button.click()
    expect(sight.row(1)).to_be_visible()
    assert "salt" not in sight.sent_of("step")[0]


def test_what_is_written_as_json_is_in_the_form(tab, kitchen):
    sight = tab(kitchen)
    sight.write_action({"title": "Written", "servings": 7, "course": "dessert", "edition": 2, "delivery": {"by": "window", "number": 3}})
    sight.act.get_by_role("tab", name="Form").click()
    expect(sight.field("title")).to_have_value("Written")
    expect(sight.field("servings")).to_have_value("7")
    expect(sight.act.get_by_role("radio", name="dessert")).to_be_checked()
    delivery = sight.act.get_by_role("group", name="delivery", exact=True)
    expect(delivery.get_by_role("radio", name="window")).to_be_checked()
    expect(field(delivery, "number")).to_have_value("3")


def test_mistakes_are_told_while_typing_and_nothing_is_sent(tab, kitchen):
    sight = tab(kitchen)
    sight.run_button.click()
    expect(sight.act).to_contain_text("title")
    expect(sight.run_button).to_contain_text("problem")
    sight.field("title").fill("x" * 41)
    sight.field("servings").fill("13")
    expect(sight.act.get_by_text("must be at most 12").first).to_be_visible()
    expect(sight.act.get_by_text("at most 40").first).to_be_visible()
    servings = sight.field("servings")
    assert servings.get_attribute("aria-invalid") == "true"
    servings.fill("2.5")
    expect(sight.act.get_by_text("whole number").first).to_be_visible()
    servings.fill("two")
    expect(servings).to_have_attribute("aria-invalid", "true")
    sight.show_more_fields()
    sight.field("code").fill("ab-1")
    expect(sight.field("code")).to_have_attribute("aria-invalid", "true")
    picture(sight, "form-mistakes")
    sight.run_button.click()
    assert sight.sent_of("step") == [] and sight.sent_of("reset") == []

    sight.field("title").fill("Fine")
    servings.fill("2")
    sight.field("code").fill("")
    sight.run_button.click()
    expect(sight.row(1)).to_be_visible()
    assert sight.sent_of("step") == [{"title": "Fine", "servings": 2, "course": "starter", "edition": 2}]


def test_unfinished_json_is_not_lost_and_not_sent(tab, kitchen):
    sight = tab(kitchen)
    sight.write_action('{"title": "Half",\n "servings": }')
    expect(sight.act.get_by_text("Line 2")).to_be_visible()
    sight.act.get_by_role("tab", name="Form").click()
    expect(sight.act.get_by_text("not finished")).to_be_visible()
    sight.act.get_by_role("tab", name="JSON").click()
    editor = sight.act.get_by_role("textbox", name="Value as JSON")
    expect(editor).to_have_value('{"title": "Half",\n "servings": }')
    sight.run_button.click()
    assert sight.sent_of("step") == []
    picture(sight, "form-broken-json")


def test_fields_that_are_unknown_are_told(tab, kitchen):
    sight = tab(kitchen)
    sight.write_action({"title": "Soup", "servings": 1, "course": "main", "edition": 2, "colur": [1, 2, 3]})
    expect(sight.act.get_by_text("colur").last).to_be_visible()
    sight.run_button.click()
    assert sight.sent_of("step") == []


class Frames:
    """The exact text of the frames that are sent meanwhile."""

    def __init__(self, sight) -> None:
        self._sight = sight

    def __enter__(self) -> list[str]:
        self._texts: list[str] = []
        self._devtools = self._sight.page.context.new_cdp_session(self._sight.page)
        self._devtools.on("Network.webSocketFrameSent", lambda event: self._texts.append(event["response"]["payloadData"]))
        self._devtools.send("Network.enable")
        return self._texts

    def __exit__(self, *_) -> None:
        self._devtools.detach()


def test_large_whole_numbers_stay_exact(tab, echo):
    sight = tab(echo)
    sight.act.get_by_role("button", name="Reset options").click()
    sight.act.get_by_label("Seed", exact=True).fill("9007199254740993")
    with Frames(sight) as frames:
        sight.reset()
    assert any('"seed":9007199254740993' in frame for frame in frames), frames


def test_a_message_that_appears_does_not_move_what_is_clicked(tab, kitchen):
    sight = tab(kitchen)
    sight.show_more_fields()
    prices = group(sight, "prices")
    garnish = group(sight, "garnish")
    prices.get_by_role("button", name="Add an entry").click()
    # Leaving the name empty is a mistake, and the click that leaves it still counts.
    garnish.get_by_role("button", name="Add an item").click()
    expect(garnish.get_by_role("group", name="garnish 1", exact=True)).to_be_visible()
    expect(prices.get_by_text("needs a name")).to_be_visible()


def test_recent_actions_come_back(tab, echo):
    sight = tab(echo)
    for word in ["first", "second"]:
        sight.field("message").fill(word)
        sight.run_button.click()
        expect(sight.timeline.get_by_text(word)).to_be_visible()
    message = sight.field("message")
    message.fill("unsent")
    message.press("Alt+ArrowUp")
    expect(message).to_have_value("second")
    message.press("Alt+ArrowUp")
    expect(message).to_have_value("first")
    message.press("Alt+ArrowDown")
    message.press("Alt+ArrowDown")
    expect(message).to_have_value("unsent")


def test_forms_of_pydantic(tab, greenhouse):
    sight = tab(greenhouse)
    act = sight.act
    pick(act, "plant", "rose")
    sight.show_more_fields()
    water = group(sight, "water")
    pick(water, "Type of water", "hose")
    field(water, "seconds").fill("7")
    expect(act.get_by_text("multiple of 5").last).to_be_visible()
    field(water, "seconds").fill("10")
    sight.field("label").fill("mine")
    sight.field("since").fill("2026-05-04")
    picture(sight, "form-of-pydantic")
    sight.run_button.click()
    expect(sight.row(1)).to_contain_text("+2")
    (sent,) = sight.sent_of("step")
    assert sent["water"] == {"kind": "hose", "seconds": 10}
    assert sent["plant"] == "rose" and sent["since"] == "2026-05-04"
    cared = next(frame["data"]["observation"]["cared"] for frame in sight.received if (frame.get("data") or {}).get("reward"))
    assert cared["water"] == {"kind": "hose", "seconds": 10} and cared["since"] == "2026-05-04"
