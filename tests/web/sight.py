"""The page as its user sees it: roles, names and text, never the way it is built."""

import json
import re
from typing import Any

from playwright.sync_api import Locator, Page, Request, WebSocket, expect

from programs import Server

def field(place: Locator, name: str) -> Locator:
    """What can be typed in or chosen from under this name."""
    found = place.get_by_role("textbox", name=name, exact=True)
    for role in ("spinbutton", "combobox"):
        found = found.or_(place.get_by_role(role, name=name, exact=True))
    return found


class Sight:
    """One tab with the page of a server."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.requests: list[str] = []
        self.sent: list[dict[str, Any]] = []
        self.received: list[dict[str, Any]] = []
        self.errors: list[str] = []
        page.on("request", self._requested)
        page.on("websocket", self._opened)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, route: str = "play", environment: str | None = None) -> "Sight":
        """Goes to a part of the page, and waits until it can be used."""
        place = f"/envs/{environment}/web/" if environment else "/web/"
        self.page.goto(f"{self.server.url}{place}#/{route}")
        expect(self.page.get_by_role("main")).to_be_visible()
        if route == "play":
            expect(self.reset_button).to_be_enabled()
        return self

    def go_to(self, name: str) -> None:
        """Opens a tab of the page by its name."""
        self.page.get_by_role("navigation").get_by_role("link", name=name).click()

    # Acting.

    @property
    def act(self) -> Locator:
        return self.page.get_by_role("region", name="Act")

    @property
    def reset_button(self) -> Locator:
        return self.act.get_by_role("button", name="Reset", exact=True)

    @property
    def run_button(self) -> Locator:
        return self.act.get_by_role("button", name="Run step")

    @property
    def status(self) -> Locator:
        """What the page says about the episode and the session."""
        return self.act.get_by_role("status").first

    def field(self, name: str) -> Locator:
        """A field of the action by its name."""
        return field(self.act, name)

    def show_more_fields(self) -> None:
        fold = self.act.get_by_text("More fields")
        if fold.count():
            fold.first.click()

    def write_action(self, action: Any) -> None:
        """Puts an action in as JSON."""
        self.act.get_by_role("tab", name="JSON").click()
        text = action if isinstance(action, str) else json.dumps(action)
        self.act.get_by_role("textbox", name="Value as JSON").fill(text)

    def take(self, action: Any) -> None:
        """Runs a step with an action, and waits for its row."""
        rows = self.steps_taken()
        self.write_action(action)
        self.run_button.click()
        expect(self.row(rows)).to_be_visible()

    def reset(self) -> None:
        self.reset_button.click()
        expect(self.row(0)).to_contain_text("reset(")
        # The steps of the episode before are gone.
        expect(self.timeline.get_by_role("rowheader")).to_have_count(1)
        expect(self.reset_button).to_be_enabled()

    # Seeing.

    @property
    def timeline(self) -> Locator:
        return self.page.get_by_role("grid", name="Steps of the episode")

    @property
    def step(self) -> Locator:
        """All that there is of the chosen step."""
        return self.page.get_by_role("region", name="Step", exact=True)

    def row(self, number: int) -> Locator:
        """The row of a step, by its position in the episode."""
        header = self.page.get_by_role("rowheader", name=str(number), exact=True)
        return self.timeline.get_by_role("row").filter(has=header)

    def steps_taken(self) -> int:
        """Rows of an episode that fits the screen."""
        return self.timeline.get_by_role("rowheader").count()

    def inspect(self, tab: str) -> Locator:
        """A view of the chosen step."""
        self.step.get_by_role("tab", name=re.compile(f"^{tab}")).click()
        return self.step.get_by_role("tabpanel")

    # What went over the wire.

    def sent_of(self, kind: str) -> list[dict[str, Any]]:
        """The data of the frames of a kind that the page has sent."""
        return [frame.get("data") for frame in self.sent if frame.get("type") == kind]

    def _requested(self, request: Request) -> None:
        self.requests.append(request.url)

    def _opened(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)
        socket.on("framesent", lambda text: self.sent.append(json.loads(text)))
        socket.on("framereceived", lambda text: self.received.append(json.loads(text)))
