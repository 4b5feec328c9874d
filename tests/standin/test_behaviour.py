"""An environment behaves on the stand-in as on the real package."""

import json
import unittest

from support import Comparison, needs_fastmcp, needs_real, standin


@needs_real
class SameAsTheRealPackage(Comparison):
    def test_actions_in_and_observations_out(self):
        self.assert_same("serialization")

    def test_episodes(self):
        self.assert_same("episodes")

    @needs_fastmcp
    def test_tools(self):
        self.assert_same("tools")

    def test_rubrics(self):
        self.assert_same("rubrics")

    def test_servers(self):
        self.assert_same("servers")


class Expected(unittest.TestCase):
    """The same again, in figures, for where there is no real package to compare with."""

    def test_an_episode(self):
        seen = standin("episodes")
        observation = json.loads(seen["echo step 0"])["data"]
        self.assertEqual(observation["observation"]["echoed"], "hello")
        self.assertEqual(observation["reward"], 15.0)
        self.assertEqual(seen["echo step 4"], ["ValueError", "boom from env"])
        self.assertEqual(seen["echo is served as"]["name"], "echo_env")
        self.assertEqual(json.loads(seen["plain state"])["data"]["secret"], "s3")
        self.assertEqual(json.loads(seen["waiting step 0"])["data"]["reward"], 2.0)

    @needs_fastmcp
    def test_tools(self):
        seen = standin("tools")
        self.assertEqual(seen["limit"], 30.0)
        _, text = seen["None 0 add"]
        self.assertEqual(json.loads(text)["data"]["observation"]["result"]["data"], 2)
        _, text = seen["too late"]
        self.assertEqual(
            json.loads(text)["data"]["observation"]["error"],
            {
                "error_type": "timeout",
                "message": "Tool 'waits' timed out after 0.05 seconds",
            },
        )
        self.assertEqual(
            seen["reserved too"],
            [
                "ValueError",
                "MCP tools cannot use reserved names: ['close', 'step']. "
                "Reserved names are: ['close', 'reset', 'state', 'step']",
            ],
        )

    def test_a_capacity_given_twice_is_refused(self):
        kind, message = standin("servers")["both capacities"]
        self.assertEqual(kind, "ValueError")
        self.assertIn("Cannot specify both 'max_concurrent_envs'", message)


if __name__ == "__main__":
    unittest.main()
