"""What the server is told, in the words that go on to its clients."""

import json
import traceback

from pydantic import ValidationError
from pydantic_core import to_json as core_to_json

from .link import to_json
from .protocol import ERROR, FAILED, HTTP, INVALID

APART = {"reward", "done"}


class InvalidAction(Exception):
    """An action that does not fit, as opposed to any model that an environment makes."""

    def __init__(self, cause):
        self.cause = cause


def action_in(payload, application):
    """The action that was sent.

    # Errors
    InvalidAction, if it does not fit.
    """
    try:
        return application.parse(payload)
    except ValidationError as error:
        raise InvalidAction(error) from None


def wire(value):
    """JSON as clients get it: no `NaN`, bytes as text, models as objects."""
    return core_to_json(value, inf_nan_mode="null")


def of_observation(observation, flag):
    body = observation.model_dump(exclude=APART)
    reward = observation.reward
    metadata = body.get("metadata")
    reply = {"observation": body, "reward": reward, "done": observation.done}
    if flag & HTTP:
        reply["reward"] = None if reward is None else float(reward)
        reply["metadata"] = metadata or None
    elif metadata:
        reply["metadata"] = metadata
    return wire(reply)


def seen(observation):
    """An observation as the hooks for people get it: in one piece."""
    return json.loads(wire(observation.model_dump()))


def html(text):
    return {"kind": "html", "content": str(text), "media_type": "text/html"}


def suggestions(actions):
    return [{"label": str(label), "action": action} for label, action in actions]


def of_state(state, flag, adapter):
    if flag & HTTP:
        # Over HTTP the declared type decides which fields there are.
        return wire(adapter.dump_python(adapter.validate_python(state), warnings=False))
    dump = getattr(state, "model_dump", None)
    return wire(state if dump is None else dump())


def violations(error):
    """pydantic's list of what does not fit, with everything in it as JSON."""
    found = error.errors()
    for violation in found:
        context = violation.get("ctx")
        if context and isinstance(context.get("error"), Exception):
            context["error"] = text_of(context["error"])
    try:
        return core_to_json(whole(found), inf_nan_mode="null", fallback=repr)
    except Exception:
        # Whatever was sent, or an author's validator made of it: what is wrong can be told.
        kept = [{key: each[key] for key in ("type", "loc", "msg")} for each in found]
        return core_to_json(whole(kept), fallback=lambda value: type(value).__name__)


def whole(value):
    """The value without halves of characters, which JSON can write but nobody can read."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {whole(key): whole(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [whole(each) for each in value]
    return value


def refuse(link, error, session, call):
    """Tells why a call came to nothing: the text to the client, the traceback to the log."""
    if isinstance(error, InvalidAction):
        link.send(INVALID, violations(error.cause), session=session, call=call)
        return
    log(link, error, session)
    link.send(FAILED, to_json(described(error)), session=session, call=call)


def described(error):
    return {"message": text_of(error), "type": type(error).__name__}


def text_of(error):
    try:
        text = str(error)
    except BaseException:
        text = ""
    if isinstance(error, Exception):
        return text or type(error).__name__
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def log(link, error, session):
    try:
        lines = traceback.format_exception(type(error), error, error.__traceback__)
    except BaseException:
        lines = [type(error).__name__]
    link.log("".join(lines).rstrip(), ERROR, session)
