"""Plain HTTP with the three libraries people use."""

import json
import urllib.error
import urllib.request

import pytest
import requests


def _with_requests(method, url, body=None):
    answer = requests.request(method, url, json=body, timeout=10)
    return answer.status_code, answer.json()


def _with_httpx(method, url, body=None):
    # The oldest generation does not bring it along.
    httpx = pytest.importorskip("httpx")
    answer = httpx.request(method, url, json=body, timeout=10)
    return answer.status_code, answer.json()


def _with_urllib(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture(params=[_with_requests, _with_httpx, _with_urllib], ids=["requests", "httpx", "urllib"])
def call(request, server):
    return lambda method, path, body=None: request.param(method, server.url + path, body)


def test_health(call):
    assert call("GET", "/health") == (200, {"status": "healthy"})


def test_metadata(call):
    status, body = call("GET", "/metadata")
    assert status == 200
    assert set(body) == {"name", "description", "readme_content", "version", "author", "documentation_url"}
    assert isinstance(body["name"], str)
    assert isinstance(body["description"], str)


def test_schema(call):
    status, body = call("GET", "/schema")
    assert status == 200
    assert {"action", "observation", "state", "reset_observation"} <= set(body)
    assert body["action"]["properties"]["message"]["minLength"] == 1
    assert body["action"]["required"] == ["message"]
    assert body["action"]["additionalProperties"] is False
    assert {"echoed_message", "message_length", "done", "reward", "metadata"} <= set(body["observation"]["properties"])
    assert {"episode_id", "step_count"} <= set(body["state"]["properties"])


def test_reset(call):
    for body in (None, {}, {"seed": 3, "episode_id": "e", "difficulty": "hard"}):
        status, answer = call("POST", "/reset", body)
        assert status == 200
        assert set(answer) == {"observation", "reward", "done", "metadata"}
        assert answer["observation"]["echoed_message"] == "Echo environment ready!"
        assert answer["reward"] == 0.0
        assert answer["done"] is False
        assert answer["metadata"] is None


def test_step(call):
    status, answer = call("POST", "/step", {"action": {"message": "over http"}})
    assert status == 200
    assert answer["observation"]["echoed_message"] == "over http"
    assert answer["reward"] == pytest.approx(0.9)


def test_state_is_that_of_a_fresh_environment(call):
    call("POST", "/step", {"action": {"message": "a"}})
    status, body = call("GET", "/state")
    assert status == 200
    assert body["step_count"] == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/step", {}),
        ("/step", {"action": {}}),
        ("/step", {"action": {"message": ""}}),
        ("/step", {"action": {"message": "a", "unknown": 1}}),
        ("/step", {"action": {"message": "a"}, "timeout_s": -1}),
        ("/reset", {"seed": -1}),
        ("/reset", {"episode_id": "x" * 256}),
        ("/reset", []),
    ],
)
def test_invalid_requests(call, path, body):
    status, answer = call("POST", path, body)
    assert status == 422
    assert {"type", "loc", "msg"} <= set(answer["detail"][0])


def test_unknown_path_and_wrong_method(call):
    assert call("GET", "/nowhere") == (404, {"detail": "Not Found"})
    assert call("GET", "/reset") == (405, {"detail": "Method Not Allowed"})


def test_openapi_names_the_routes_of_the_mode(call):
    status, document = call("GET", "/openapi.json")
    assert status == 200
    assert document["info"]["version"].startswith("1.")
    assert {"/reset", "/step", "/state", "/health", "/metadata", "/schema", "/mcp"} <= set(document["paths"])


def test_production_has_no_simulation_routes_but_the_socket(serve):
    from generation import generic

    server = serve("echo", "--mode", "production")
    for method, path in (("POST", "/reset"), ("POST", "/step"), ("GET", "/state")):
        assert requests.request(method, server.url + path, json={}, timeout=10).status_code == 404
    assert requests.get(server.url + "/health", timeout=10).status_code == 200
    assert "/reset" not in requests.get(server.url + "/openapi.json", timeout=10).json()["paths"]
    with generic(server.url) as client:
        assert client.reset().observation["message_length"] == 0
