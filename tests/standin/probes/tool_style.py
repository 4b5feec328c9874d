"""Tool actions and observations without an MCP server."""

from openenv.core.env_server import (
    CallToolAction,
    CallToolObservation,
    Environment,
    ListToolsAction,
    ListToolsObservation,
    Observation,
    State,
    Tool,
    create_app,
)


class StyleEnv(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self.n = 0

    def reset(self, seed=None, episode_id=None, **kwargs):
        return Observation(metadata={"seed": seed})

    def step(self, action, timeout_s=None, **kwargs):
        self.n += 1
        if isinstance(action, ListToolsAction):
            schema = {"type": "object", "properties": {}}
            tool = Tool(name="ping", description="p", input_schema=schema)
            return ListToolsObservation(tools=[tool])
        return CallToolObservation(
            tool_name=action.tool_name,
            result={"n": self.n, "args": action.arguments},
            reward=1.0,
        )

    @property
    def state(self):
        return State(step_count=self.n)


def make():
    return StyleEnv()


app = create_app(make, CallToolAction, CallToolObservation, max_concurrent_envs=2)
