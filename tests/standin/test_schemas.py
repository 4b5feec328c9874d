"""What is published, and what other packages can import and inspect, is that of OpenEnv 0.10.0."""

import json
import unittest

from support import Comparison, needs_real, real, standin

# Everything the stand-in lacks, apart from whole modules. A name that is new here is a decision.
LEFT_OUT_NAMES = {
    "openenv.core.AnthropicClient",
    "openenv.core.LLMClient",
    "openenv.core.LLMResponse",
    "openenv.core.OpenAIClient",
    "openenv.core.ToolCall",
    "openenv.core.create_llm_client",
    "openenv.core.env_server.web_interface.ActionLog",
    "openenv.core.env_server.web_interface.EpisodeState",
    "openenv.core.env_server.web_interface.build_gradio_app",
    "openenv.core.env_server.web_interface.get_gradio_display_title",
    "openenv.core.env_server.web_interface.get_quick_start_markdown",
    "openenv.core.rubrics.LLMJudge",
}


class Schemas(Comparison):
    @needs_real
    def test_models_publish_the_same_schemas(self):
        self.assert_same("schemas")

    @needs_real
    def test_signatures_and_annotations_are_the_same(self):
        self.assert_same("signatures")

    def test_create_app_can_be_told_from_an_older_one(self):
        signature, annotations = standin("signatures")["create_app"]
        self.assertIn("gradio_builder", signature)
        self.assertEqual(annotations["env"], "Callable[[], Environment]")


@needs_real
class Names(Comparison):
    @classmethod
    def setUpClass(cls):
        cls.asked = real("names")
        cls.found = standin("names", json.dumps(cls.asked))

    def test_every_name_is_there_or_refused_as_left_out(self):
        self.assertEqual(self.found["missing"], [])

    def test_what_is_left_out_is_known(self):
        names = set(self.found["left out"]) - set(self.asked)
        self.assertEqual(names, LEFT_OUT_NAMES)

    def test_what_serves_is_not_left_out(self):
        for module in self.found["left out"]:
            if module.startswith("openenv.core.env_server."):
                self.assertRegex(module, "gradio|web_interface")

    def test_a_star_import_lacks_nothing_but_what_is_left_out(self):
        theirs = set(self.asked["openenv.core"])
        ours = set(self.found["exported"])
        lacking = {f"openenv.core.{name}" for name in theirs - ours}
        self.assertLessEqual(lacking, LEFT_OUT_NAMES | {"openenv.core.env_server"})


if __name__ == "__main__":
    unittest.main()
