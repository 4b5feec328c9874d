"""The least there is: no options, no keywords, a state that the server is not told about."""

from openenv.core.env_server import Action, Environment, Observation, State, create_app


class PlainState(State):
    secret: str = "s3"


class PlainAction(Action):
    x: int


class PlainObservation(Observation):
    y: int


class PlainEnv(Environment):
    def __init__(self):
        super().__init__()
        self.n = 0

    def reset(self):
        self.n = 0
        return PlainObservation(y=0)

    def step(self, action):
        self.n += 1
        return PlainObservation(y=action.x + 1, reward=1)

    @property
    def state(self):
        return PlainState(step_count=self.n)


app = create_app(PlainEnv, PlainAction, PlainObservation)
