"""Episodes that are kept, linked to, exported, played again, loaded and compared."""

import json
import os
import re
import subprocess
from pathlib import Path

from conftest import picture
from playwright.sync_api import expect
from programs import setting
from sight import field

REWARD = re.compile(r'reward["=]:? ?(-?[0-9.]+)')


def play_a_game(sight, *cells: int) -> list[float]:
    """Plays with a seed; returns the rewards."""
    sight.act.get_by_role("button", name="Reset options").click()
    sight.act.get_by_label("Seed", exact=True).fill("3")
    sight.reset()
    for cell in cells:
        sight.take({"cell": cell})
    return [frame["data"]["reward"] for frame in sight.received if frame["type"] == "observation"]


def export(sight, kind: str, directory: Path) -> Path:
    sight.page.get_by_role("button", name="Export").click()
    with sight.page.expect_download() as downloading:
        sight.page.get_by_role("menuitem", name=f"Download {kind}").click()
    path = directory / downloading.value.suggested_filename
    downloading.value.save_as(path)
    return path


def run(*command: str | Path) -> str:
    finished = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=60, env={**os.environ, "NO_PROXY": "*"}
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def test_exported_curl_plays_the_episode_again(tab, game, tmp_path):
    sight = tab(game)
    # The opponent has the second cell by then: that move fails, then and now.
    rewards = play_a_game(sight, 0, 1, 4)
    assert len(rewards) == 3
    script = export(sight, "curl", tmp_path)
    answers = [json.loads(line) for line in run("sh", script).splitlines() if line.startswith("{")]
    assert [answer["reward"] for answer in answers if "reward" in answer] == rewards
    assert answers[2] == {"detail": "the top cell is taken"}
    last = [frame["data"] for frame in sight.received if frame["type"] == "observation"][-1]
    assert answers[-1]["observation"]["board"] == last["observation"]["board"]


def test_exported_python_plays_the_episode_again(tab, game, tmp_path):
    sight = tab(game)
    rewards = play_a_game(sight, 0, 4)
    program = export(sight, "Python", tmp_path)
    printed = run(setting("OPENENV_REFERENCE_PYTHON"), program)
    assert "recorded" not in printed
    again = [float(reward) for reward in REWARD.findall(printed)]
    assert again == [reward for reward in rewards if reward is not None]


def test_exported_python_calls_tools(tab, kitchen, tmp_path):
    sight = tab(kitchen)
    sight.take({"title": "Stew", "servings": 4, "course": "main"})
    sight.go_to("Tools")
    sight.page.get_by_role("region", name="Tools").get_by_role("link", name="taste").click()
    tool = sight.page.get_by_role("region", name="Tool taste")
    field(tool, "dish").fill("Stew")
    tool.get_by_role("button", name="Call tool").click()
    expect(tool.get_by_role("region", name="Result", exact=True)).to_contain_text("needs salt")
    sight.go_to("Play")
    printed = run(setting("OPENENV_REFERENCE_PYTHON"), export(sight, "Python", tmp_path))
    assert "needs salt" in printed and "reward=0.4" in printed


def test_exported_rust_is_the_whole_episode(tab, game, tmp_path):
    sight = tab(game)
    play_a_game(sight, 0, 4)
    program = export(sight, "Rust", tmp_path).read_text()
    assert "openenv::" in program and game.url in program
    assert program.count('"step"') >= 2 and '"seed":3' in program


def test_a_loaded_file_shows_the_same_episode(tab, game, tmp_path):
    sight = tab(game)
    play_a_game(sight, 0, 4)
    rows = [sight.row(number).inner_text() for number in range(3)]
    file = export(sight, "JSONL", tmp_path)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["openenv_episode"] == 1 and len(lines) == 4

    other = tab(game, "episodes")
    other.page.get_by_label("Load episodes from a JSONL file").set_input_files(file)
    expect(other.page.get_by_text("from a file")).to_be_visible()
    first_cells = [row.split("\n")[:2] for row in rows]
    assert [other.row(number).inner_text().split("\n")[:2] for number in range(3)] == first_cells
    other.row(1).click()
    expect(other.inspect("Observation")).to_contain_text("the opponent took")

    # Done again in a session that is opened for it.
    other.page.get_by_role("button", name="Replay and compare").click()
    expect(other.page.get_by_text("Replayed. Every answer was the same.")).to_be_visible()
    other.page.go_back()
    other.page.reload()
    expect(other.page.get_by_text("was not kept over the reload: load it again")).to_be_visible()


def test_a_broken_file_says_which_line(tab, game, tmp_path):
    file = tmp_path / "broken.jsonl"
    file.write_text('{"openenv_episode": 1, "episode_id": "half"}\nnot json\n')
    sight = tab(game, "episodes")
    sight.page.get_by_label("Load episodes from a JSONL file").set_input_files(file)
    expect(sight.page.get_by_text(re.compile("line 2", re.IGNORECASE))).to_be_visible()


def test_records_of_the_reference_can_be_loaded(tab, game, tmp_path):
    """What `openenv collect` writes: one line for an episode."""
    record = {
        "episode_id": "ep-000000",
        "messages": [{"role": "user", "content": "play"}, {"role": "assistant", "content": "I take the centre"}],
        "reward": 1.0,
        "done": True,
        "tool_trace": [{"tool_name": "move", "arguments": {"cell": 4}, "result": {"reward": 1.0, "done": True}}],
        "metrics": {"turns": 1},
        "verify_metrics": {},
        "artifacts": {},
        "task": None,
        "extra": {},
    }
    file = tmp_path / "results.jsonl"
    file.write_text(json.dumps(record) + "\n")
    sight = tab(game, "episodes")
    sight.page.get_by_label("Load episodes from a JSONL file").set_input_files(file)
    expect(sight.page.get_by_text("from a file")).to_be_visible()
    expect(sight.timeline).to_contain_text("move(")


def test_a_link_leads_to_the_step(tab, game):
    sight = tab(game)
    play_a_game(sight, 0, 4)
    sight.row(1).click()
    sight.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sight.page.get_by_role("button", name="Copy link to this step").click()
    link = sight.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(game.page_url)

    # Somebody else's browser.
    other = tab(game, route=None)
    other.page.goto(link)
    expect(other.row(1)).to_have_attribute("aria-selected", "true")
    expect(other.step).to_contain_text("cell=0")


def test_a_link_to_what_is_gone_says_so(tab, game):
    sight = tab(game, route=None)
    sight.page.goto(f"{game.page_url}#/episode/never-was")
    expect(sight.page.get_by_text("no longer kept")).to_be_visible()


def test_two_episodes_are_compared(tab, game):
    sight = tab(game)
    play_a_game(sight, 0, 4)
    sight.act.get_by_role("button", name="Reset options").click()
    play_a_game(sight, 0)
    keys = [entry["data"]["episode"] for entry in sight.received if entry["type"] == "view" and entry["data"]["episode"]]
    first, second = dict.fromkeys(keys)
    sight.page.goto(f"{game.page_url}#/compare/{first}/{second}")
    compared = sight.page.get_by_role("main")
    expect(compared).to_contain_text("cell=0")
    expect(compared).to_contain_text("cell=4")
    picture(sight, "compare")


def test_episodes_are_listed_and_ticked(tab, game):
    sight = tab(game)
    play_a_game(sight, 0, 4)
    sight.reset()
    sight.go_to("Episodes")
    ticks = sight.page.get_by_role("checkbox", name="Compare episode")
    ticks.nth(0).check()
    ticks.nth(1).check()
    sight.page.get_by_role("button", name="Compare (2/2)").click()
    assert "#/compare/" in sight.page.url
    picture(sight, "compare-from-list")
