"""What comes over the wire, from where, and under which rules."""

import gzip
import json
import urllib.error
import urllib.parse
import urllib.request

import pytest
from conftest import picture
from playwright.sync_api import expect
from programs import Server
from trainer import get
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

MOST_BYTES = 150_000
MOST_REQUESTS = 7


def test_page_is_small_and_asks_nobody_else(tab, kitchen, elsewhere):
    sight = tab(kitchen, route=None)
    devtools = sight.page.context.new_cdp_session(sight.page)
    received = []
    devtools.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    devtools.send("Network.enable")
    sight.open()
    sight.page.wait_for_timeout(500)
    assert len(sight.requests) <= MOST_REQUESTS, sight.requests
    assert 5_000 < sum(received) < MOST_BYTES
    sight.take({"title": "Soup", "servings": 2, "course": "main"})
    for place in ["Tools", "Sessions", "Episodes", "Docs"]:
        sight.go_to(place)
        expect(sight.page.get_by_role("navigation").get_by_role("link", name=place)).to_have_attribute(
            "aria-current", "page"
        )
    sight.page.wait_for_timeout(300)
    own = urllib.parse.urlsplit(kitchen.url).netloc
    hosts = {urllib.parse.urlsplit(url).netloc for url in sight.requests if not url.startswith(("data:", "blob:"))}
    # What the environment draws tries to ask another host, and the browser does not let it.
    assert hosts - {"elsewhere.test"} == {own}
    assert elsewhere.asked == []


def test_page_says_what_it_may_do(kitchen):
    request = urllib.request.Request(kitchen.page_url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        headers, body = answer.headers, answer.read()
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";") if " " in part.strip())
    assert policy["default-src"] == "'none'"
    assert "unsafe-inline" not in policy["script-src"] and "unsafe-eval" not in policy["script-src"]
    assert policy["base-uri"] == "'none'" and policy["form-action"] == "'none'"
    assert headers["Content-Encoding"] == "gzip"
    assert b"http://" not in gzip.decompress(body).replace(b"http://www.w3.org/", b"").replace(b"http://127.0.0.1", b"").replace(b"http://localhost", b"")


@pytest.mark.parametrize("path", ["/", "/web"])
def test_short_addresses_lead_to_the_page(echo, path):
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.build_opener(Stay).open(f"{echo.url}{path}", timeout=10)
    assert refused.value.code in (307, 308)
    assert urllib.parse.urljoin(f"{echo.url}{path}", refused.value.headers["Location"]) == echo.page_url


def test_every_environment_of_a_server_has_its_page(tab, serve):
    server = serve(Server.command("echo", "documents"))
    sight = tab(server, route=None).open(environment="documents")
    expect(sight.page.get_by_label("Environment")).to_have_value("documents")
    sight.page.get_by_label("Environment").select_option("echo")
    expect(sight.field("message")).to_be_visible()
    assert "/envs/echo/web/" in sight.page.url


def test_no_page_where_it_is_switched_off(serve):
    server = serve(Server.command("echo", "--web", "off"))
    for path in ["/web/", "/web/about", "/web/episodes"]:
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(server, path)
        assert refused.value.code == 404


def test_production_has_tools_only(tab, serve):
    server = serve(Server.command("echo", "--mode", "production", "--web", "on"))
    sight = tab(server, route=None)
    sight.page.goto(server.page_url)
    expect(sight.page.get_by_role("region", name="Tools")).to_be_visible()
    expect(sight.page.get_by_role("navigation").get_by_role("link", name="Play")).to_have_count(0)
    picture(sight, "production")


def test_pages_of_other_origins_get_no_socket(echo):
    with pytest.raises(InvalidStatus) as refused, connect(echo.ws_url, origin="https://elsewhere.example"):
        pass
    assert refused.value.response.status_code == 403
    with connect(echo.ws_url, origin=echo.url):
        pass


def test_pages_of_other_origins_get_no_session(echo):
    """A page elsewhere can send a form to this address; it must not reset anything."""
    body = json.dumps({}).encode()
    headers = {"Content-Type": "text/plain", "Origin": "https://elsewhere.example"}
    request = urllib.request.Request(f"{echo.url}/web/reset", data=body, headers=headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    assert refused.value.code == 403
