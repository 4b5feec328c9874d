"""A mistake is reported with its code and costs nothing but the call."""

import pytest
from generation import generic


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"message": ""},
        {"message": 5},
        {"message": None},
        {"message": "a", "unknown": 1},
        {"wrong": "a"},
    ],
)
def test_invalid_action(server, action):
    with generic(server.url) as client:
        client.reset()
        with pytest.raises(RuntimeError) as error:
            client.step(action)
        assert "Invalid message" in str(error.value)
        assert "(code: VALIDATION_ERROR)" in str(error.value)

        assert client.state()["step_count"] == 0
        assert client.step({"message": "valid"}).observation["echoed_message"] == "valid"


def test_raw_frames_get_the_documented_codes(server):
    import json

    from websockets.sync.client import connect

    with connect(server.ws_url) as socket:

        def ask(text: str) -> dict:
            socket.send(text)
            return json.loads(socket.recv(timeout=10))

        for frame, code in [
            ("{", "INVALID_JSON"),
            ('{"type":"jump"}', "UNKNOWN_TYPE"),
            ("{}", "UNKNOWN_TYPE"),
            ('{"type":"step"}', "VALIDATION_ERROR"),
            ('{"type":"state","data":{}}', "VALIDATION_ERROR"),
            ('{"type":"step","data":{"message":"a"},"extra":1}', "VALIDATION_ERROR"),
        ]:
            answer = ask(frame)
            assert answer["type"] == "error", frame
            assert answer["data"]["code"] == code, frame
        assert ask('{"type":"reset"}')["type"] == "observation"
