"""Scores, what is recorded on the way, and the tree."""

import asyncio
import inspect
from types import SimpleNamespace

from openenv.core.rubrics import (
    ExponentialDiscountingTrajectoryRubric,
    Gate,
    Rubric,
    RubricDict,
    RubricList,
    Sequential,
    TrajectoryRubric,
    WeightedSum,
)

log = []


class Fixed(Rubric):
    def __init__(self, score):
        super().__init__()
        self.score = score

    def forward(self, action, observation):
        log.append(f"fixed {self.score}")
        return self.score


class Waiting(Fixed):
    async def forward(self, action, observation):
        log.append(f"waiting {self.score}")
        await asyncio.sleep(0)
        log.append(f"waited {self.score}")
        return self.score


class Dispatch(Rubric):
    def __init__(self):
        super().__init__()
        self.games = RubricDict({"a": Fixed(0.25), "b": Waiting(0.75)})

    def forward(self, action, observation):
        return self.games[action](action, observation)


class Broken(Rubric):
    def forward(self, action, observation):
        raise RuntimeError("broken")


class Final(ExponentialDiscountingTrajectoryRubric):
    def score_trajectory(self, trajectory):
        return float(len(trajectory))


class Even(TrajectoryRubric):
    def score_trajectory(self, trajectory):
        return 0.5

    def compute_step_rewards(self):
        return [0.5] * len(self._trajectory)


MADE = {
    "fixed": lambda: Fixed(0.5),
    "waiting": lambda: Waiting(0.5),
    "broken": lambda: Broken(),
    "empty": lambda: Sequential(),
    "sequence": lambda: Sequential(Fixed(1.0), Fixed(0.5)),
    "stopped": lambda: Sequential(Fixed(1.0), Fixed(0.0), Broken()),
    "stopped at once": lambda: Sequential(Fixed(False), Broken()),
    "negative": lambda: Sequential(Fixed(-1.0), Fixed(float("nan")), Fixed(0.25)),
    "waiting first": lambda: Sequential(Waiting(0.5), Fixed(0.25)),
    "waiting later": lambda: Sequential(Fixed(0.5), Waiting(0.25), Fixed(0.125)),
    "waiting for 0": lambda: Sequential(Fixed(0.5), Waiting(0.0), Broken()),
    "waiting first for 0": lambda: Sequential(Waiting(0.0), Broken()),
    "failing": lambda: Sequential(Fixed(0.5), Broken()),
    "below": lambda: Gate(Fixed(0.4), 0.5),
    "above": lambda: Gate(Fixed(0.6), threshold=0.5),
    "gate": lambda: Gate(Fixed(2.0)),
    "waiting below": lambda: Gate(Waiting(0.4), 0.5),
    "sum": lambda: WeightedSum([Fixed(1.0), Fixed(0.5)], [0.25, 0.75]),
    "waiting sum": lambda: WeightedSum([Waiting(1.0), Fixed(0.5), Waiting(0.0)], [0.25, 0.5, 0.25]),
    "failing sum": lambda: WeightedSum([Fixed(1.0), Broken()], [0.5, 0.5]),
    "nested": lambda: Sequential(
        Gate(WeightedSum([Fixed(1.0), Waiting(1.0)], [0.5, 0.5])), Fixed(0.125)
    ),
    "list": lambda: RubricList([Fixed(1.0)]),
    "dictionary": lambda: RubricDict({"x": Fixed(1.0)}),
    "dispatch": lambda: Dispatch(),
    "even": lambda: Even(0.1),
    "final": lambda: Final(gamma=0.5),
}

REFUSED = {
    "lengths": lambda: WeightedSum([Fixed(1.0)], [0.5, 0.5]),
    "weights": lambda: WeightedSum([Fixed(1.0)], [0.5]),
    "no children": lambda: WeightedSum([], []),
    "gamma": lambda: Final(gamma=1.5),
    "abstract": lambda: Rubric(),
    "abstract trajectory": lambda: TrajectoryRubric(),
    "path": lambda: Dispatch().get_rubric("games.c"),
    "no path": lambda: Dispatch().get_rubric(""),
}


def observe():
    seen = {}
    for name, make in MADE.items():
        seen[f"{name}, no loop"] = _called(make, waiting_hooks=False)
        seen[f"{name}, a loop"] = asyncio.run(_called_in_loop(make, waiting_hooks=False))
        seen[f"{name}, hooks"] = asyncio.run(_called_in_loop(make, waiting_hooks=True))
        tree = make()
        seen[f"{name}, tree"] = [
            [path, type(rubric).__name__] for path, rubric in tree.named_rubrics("top")
        ]
        seen[f"{name}, children"] = [
            [path for path, _ in tree.named_children()],
            len(list(tree.children())),
            len(list(tree.rubrics())),
        ]
        seen[f"{name}, state"] = tree.state_dict()
    for name, make in REFUSED.items():
        seen[name] = _outcome(make)
    seen["forward"] = [
        Sequential(Fixed(1.0), Fixed(0.5)).forward(0, 0),
        Gate(Fixed(0.4)).forward(0, 0),
        WeightedSum([Fixed(1.0), Fixed(0.5)], [0.25, 0.75]).forward(0, 0),
    ]
    seen["collections"] = _collections()
    seen["trajectory"] = _trajectory()
    return seen


def _hooked(make, waiting_hooks):
    log.clear()
    rubric = make()
    rubric.register_forward_pre_hook(lambda r, a, o: log.append(f"before {r.last_score}"))
    if waiting_hooks:

        async def before(r, a, o):
            await asyncio.sleep(0)
            log.append("awaited before")

        async def after(r, a, o, score):
            await asyncio.sleep(0)
            log.append(f"awaited after {score}")

        rubric.register_forward_pre_hook(before)
        rubric.register_forward_hook(after)
    rubric.register_forward_hook(lambda r, a, o, s: log.append(f"after {s} {r.last_score}"))
    return rubric


def _called(make, waiting_hooks):
    rubric = _hooked(make, waiting_hooks)
    outcome = _outcome(lambda: rubric("b", SimpleNamespace(done=True)))
    if inspect.iscoroutine(outcome):
        outcome = ["awaitable", _outcome(lambda: asyncio.run(outcome))]
    return [outcome, str(rubric.last_score), list(log)]


async def _called_in_loop(make, waiting_hooks):
    rubric = _hooked(make, waiting_hooks)
    kind = "value"
    try:
        outcome = rubric("b", SimpleNamespace(done=True))
        if inspect.iscoroutine(outcome):
            kind, outcome = "awaitable", await outcome
        elif waiting_hooks:
            # Hooks that nobody can wait for: what they would have logged does not count.
            outcome = str(outcome)
    except Exception as error:
        outcome = repr(error)
    return [kind, outcome, str(rubric.last_score), list(log)]


def _outcome(call):
    try:
        return call()
    except Exception as error:
        # The names of what is abstract are quoted differently by every version of Python.
        return type(error).__name__ if "abstract" in str(error) else repr(error)


def _collections():
    many = RubricList()
    many.append(Fixed(1.0))
    many.extend([Fixed(2.0), Fixed(3.0)])
    named = RubricDict({"x": Fixed(1.0)})
    named["y"] = Fixed(2.0)
    named.update({"z": Fixed(3.0)})
    steps = Sequential(Fixed(1.0), Fixed(2.0))
    weights = WeightedSum([Fixed(1.0)], [1.0]).weights
    return {
        "list": [len(many), many[1].score, [r.score for r in many]],
        "dictionary": [len(named), named["y"].score, list(named), "z" in named],
        "views": [list(named.keys()), [r.score for r in named.values()]],
        "items": [[k, r.score] for k, r in named.items()],
        "sequence": [len(steps), steps[1].score],
        "weights": weights,
        "path": Dispatch().get_rubric("games.b").score,
    }


def _trajectory():
    rubric = Final(gamma=0.5, intermediate_reward=0.1)
    rewards = [rubric(i, SimpleNamespace(done=i == 2)) for i in range(3)]
    divided = rubric.compute_step_rewards()
    length = len(rubric.trajectory)
    rubric.reset()
    rubric.load_state_dict({"gamma": 0.25})
    emptied = [rubric.trajectory, rubric.compute_step_rewards(), rubric.last_score]
    return [rewards, divided, length, emptied, rubric.state_dict()]
