"""The tools of an environment, whichever of three ways it has them.

An MCP environment brings a client for its tools, some bring only the server,
and some take the calls of tools as their actions.
"""

import asyncio
import contextlib
import inspect


def tools_of(session):
    """The tools of a session's environment, or None."""
    environment = session.environment
    client = getattr(environment, "mcp_client", None)
    server = getattr(environment, "mcp_server", None)
    if client is not None:
        return ClientTools(session, client, getattr(environment, "mcp_session", None))
    if server is not None:
        from fastmcp import Client

        client = Client(server)
        return ClientTools(session, client, lambda: client)
    if session.application.speaks_in_tools():
        return StepTools(session)
    return None


class ClientTools:
    """Tools behind an MCP client, whose session lasts as long as that of the environment.

    Environments of older generations have no such session: they connect their client for
    each call, on a loop of their own, and wait for one that is connected elsewhere.
    """

    needs_loop = True

    def __init__(self, session, client, connect):
        self._session = session
        self._client = client
        self._connect = connect
        self._leaving = None
        self._holding = None

    async def enter(self):
        if self._connect is None:
            return
        # The context must be left by the task that entered it, so one task holds it.
        self._leaving = asyncio.Event()
        entered = asyncio.get_running_loop().create_future()

        async def hold():
            try:
                async with self._connect():
                    entered.set_result(None)
                    await self._leaving.wait()
            except BaseException as error:
                if not entered.done():
                    entered.set_exception(error)
                else:
                    raise

        self._holding = asyncio.ensure_future(hold())
        await entered

    async def leave(self):
        if self._holding is not None:
            self._leaving.set()
            await self._holding

    def list(self):
        return self._session._await(self._list())

    def _connected(self):
        return self._client if self._connect is None else contextlib.nullcontext()

    async def _list(self):
        async with self._connected():
            listed = [tool.model_dump() for tool in await self._client.list_tools()]
        names = {tool["name"] for tool in listed}
        for name, by_mode in self._modes("_mode_tool_schemas").items():
            for mode, schema in by_mode.items():
                if mode is not None and name not in names:
                    listed.append(
                        {
                            "name": name,
                            "description": schema.get("description"),
                            "inputSchema": schema.get("input_schema"),
                            "mode": mode,
                        }
                    )
        return listed

    def call(self, name, arguments):
        function = self._modes("_mode_tools").get(name, {}).get(self._mode())
        if function is not None and self._mode() is not None:
            return self._call_function(name, function, arguments)
        return self._session._await(self._call_client(name, arguments))

    def _call_function(self, name, function, arguments):
        """A tool for one mode only, which the client does not know of."""
        try:
            signature = inspect.signature(function)
            bound = signature.bind(**arguments)
        except TypeError as error:
            raise ValueError(f"1 validation error for call[{name}]\n{error}") from None
        try:
            value = self._session._call(function, *bound.args, **bound.kwargs)
        except Exception as error:
            raise RuntimeError(f"Error calling tool '{name}': {error}") from error
        text = value if isinstance(value, str) else _json(value)
        return {
            "content": [{"type": "text", "text": text, "annotations": None, "meta": None}],
            "structured_content": {"result": value},
            "meta": {"fastmcp": {"wrap_result": True}},
            "data": value,
            "is_error": False,
        }

    async def _call_client(self, name, arguments):
        report = self._session.progress_of_this_call()
        async with self._connected():
            result = await self._client.call_tool(name, arguments, progress_handler=report)
        return {
            "content": [each.model_dump() for each in result.content],
            "structured_content": result.structured_content,
            "meta": getattr(result, "meta", None),
            "data": result.data,
            "is_error": result.is_error,
        }

    def _modes(self, attribute):
        return getattr(self._session.environment, attribute, None) or {}

    def _mode(self):
        return getattr(self._session.environment, "_mode", None)


class StepTools:
    """Tools of an environment that takes their calls as actions."""

    needs_loop = False

    def __init__(self, session):
        self._session = session
        self._core = session.application.core

    def list(self):
        observation = self._session.take_step(self._core.ListToolsAction(), {})
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.input_schema,
            }
            for tool in observation.tools
        ]

    def call(self, name, arguments):
        action = self._core.CallToolAction(tool_name=name, arguments=arguments)
        observation = self._session.take_step(action, {})
        if not isinstance(observation, self._core.CallToolObservation):
            raise RuntimeError(
                f"MCP-style tools/call step returned {type(observation).__name__}, "
                "expected CallToolObservation"
            )
        return observation.model_dump()


def _json(value):
    from .answer import wire

    return wire(value).decode()
