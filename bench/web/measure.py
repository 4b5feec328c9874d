"""Measures the web page of a server in a browser, and prints the figures as JSON.

    python measure.py URL --runs 5 --steps 30 [--follow 10000 --process-id PID]

The page may be that of this server or of the reference: both have a button that resets and one that takes a step with a message.
Run it with an interpreter that has `playwright`; `OPENENV_CHROMIUM` names the browser.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from websockets.sync.client import connect

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "web"))
from browser import FLAGS  # noqa: E402

# Loopback must not take the way through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

# Requests sent ahead of their replies while a session is driven.
AHEAD = 100
# As many as no other session has taken.
FIRST_STEPS = 7

# Tells when the button that takes a step can first be used.
WATCH_FOR_BUTTON = """
window.usableAfter = new Promise((resolve) => {
  const isUsable = (button) =>
    /^\\s*Run\\b/.test(button.innerText) && !button.disabled && button.offsetParent !== null;
  const look = () => {
    if ([...document.querySelectorAll('button')].some(isUsable)) resolve(performance.now());
    else requestAnimationFrame(look);
  };
  look();
});
"""

# Clicks, and waits until the page shows what only the answer can tell it.
CLICK_AND_WAIT = """
async ([button, answer]) => {
  const shown = new Promise((resolve) => {
    const look = () => {
      const text = (document.getElementById('app') ?? document.querySelector('main')).textContent;
      if (text.replaceAll(/[,\\u202f\\u00a0]/g, '').includes(answer)) {
        observer.disconnect();
        resolve(performance.now());
      }
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  const begin = performance.now();
  button.click();
  return (await shown) - begin;
}
"""


class Traffic:
    """What a page has loaded, as the browser counts it."""

    def __init__(self, devtools: CDPSession) -> None:
        self.requests = 0
        self.bytes = 0
        devtools.on("Network.requestWillBeSent", self._sent)
        devtools.on("Network.webSocketCreated", self._sent)
        devtools.on("Network.loadingFinished", self._finished)
        devtools.send("Network.enable")

    def _sent(self, event: dict) -> None:
        url = event.get("url") or event["request"]["url"]
        self.requests += not url.startswith(("data:", "blob:"))

    def _finished(self, event: dict) -> None:
        self.bytes += event["encodedDataLength"]


def load(browser: Browser, url: str) -> tuple[Page, dict[str, float]]:
    """Opens the page with nothing cached."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    traffic = Traffic(page.context.new_cdp_session(page))
    page.add_init_script(WATCH_FOR_BUTTON)
    page.goto(url)
    usable = page.evaluate("window.usableAfter")
    # What comes after the page is usable counts too.
    page.wait_for_timeout(1000)
    return page, {"requests": traffic.requests, "bytes": traffic.bytes, "usable_ms": usable}


def step_round_trips(page: Page, count: int) -> list[float]:
    page.get_by_role("button", name="Reset", exact=True).click()
    page.get_by_text("Echo environment ready!").first.wait_for()
    message = page.get_by_role("textbox", name="message").first
    button = page.get_by_role("button", name="Run step")
    milliseconds = []
    # The length of the message comes back as a number that is nowhere else.
    for length in range(4321, 4321 + count):
        message.fill("m" * length)
        milliseconds.append(page.evaluate(CLICK_AND_WAIT, [button.element_handle(), str(length)]))
    return milliseconds


def heap_mib(devtools: CDPSession) -> float:
    devtools.send("HeapProfiler.collectGarbage")
    metrics = devtools.send("Performance.getMetrics")["metrics"]
    used = next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize")
    return used / 2**20


def resident_mib(process_id: int) -> float:
    status = Path(f"/proc/{process_id}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def drive(socket, steps: int) -> None:
    """Takes steps as fast as the server answers."""
    frame = json.dumps({"type": "step", "data": {"message": "a message of usual length"}})
    waiting = 0
    for _ in range(steps):
        socket.send(frame)
        waiting += 1
        if waiting == AHEAD:
            socket.recv()
            waiting -= 1
    for _ in range(waiting):
        socket.recv()


def follow(browser: Browser, url: str, steps: int, process_id: int) -> dict[str, float]:
    """Memory of the page and of the server before and after a session of so many steps that the page follows."""
    with connect(url.replace("http", "ws", 1).replace("/web/", "/ws"), max_size=None) as socket:
        socket.send(json.dumps({"type": "reset", "data": {}}))
        socket.recv()
        drive(socket, FIRST_STEPS)
        with urllib.request.urlopen(f"{url}sessions", timeout=10) as answer:
            (session,) = (live["id"] for live in json.load(answer) if live["steps"] == FIRST_STEPS)
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        page.goto(f"{url}#/sessions")
        page.get_by_role("link", name=f"Follow session {session[:8]}").click()
        page.get_by_role("rowheader", name=str(FIRST_STEPS), exact=True).wait_for()
        before = {"heap_mib": heap_mib(devtools), "server_mib": resident_mib(process_id)}
        drive(socket, steps)
        page.wait_for_timeout(2000)
        after = {"heap_mib": heap_mib(devtools), "server_mib": resident_mib(process_id)}
    return {name: after[name] - before[name] for name in before}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="address of the page, with a slash at its end")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--follow", type=int, metavar="STEPS")
    parser.add_argument("--process-id", type=int)
    arguments = parser.parse_args()

    chromium = shutil.which(os.environ.get("OPENENV_CHROMIUM", "chromium"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS, "--enable-precise-memory-info"])
        # The first of all starts the renderer and fills the caches of the server.
        load(browser, arguments.url)[0].context.close()
        loaded = []
        for _ in range(arguments.runs):
            page, figures = load(browser, arguments.url)
            loaded.append(figures)
            page.context.close()
        page, _ = load(browser, arguments.url)
        result = {name: statistics.median(run[name] for run in loaded) for name in loaded[0]}
        result["step_ms"] = statistics.median(step_round_trips(page, arguments.steps))
        page.context.close()
        if arguments.follow:
            result["follow"] = follow(browser, arguments.url, arguments.follow, arguments.process_id)
        browser.close()
    json.dump(result, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
