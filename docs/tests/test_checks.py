# SPDX-License-Identifier: Apache-2.0
"""The checks find what is wrong: each meets documents with one fault."""

import pathlib
import tempfile
import unittest
import unittest.mock

from . import checks, documents, runner, yang

SMALL_MODEL = yang.Module("""
module m { namespace "urn:x//y"; /* braces { in a comment */ prefix m;
  grouping g { leaf inner { type string; mandatory true; } }
  container c { list l { key "a b"; leaf a { type string; } leaf b { type string; } uses g;
    leaf colour { type enumeration { enum red; enum blue { description "{"; } } } } }
  rpc go { input { leaf fast { type boolean; } } } }""")
MODULES = {"m": SMALL_MODEL}


def document(text, name="docs/page.md"):
    """A document of this text; the rest of the tree is the real one."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        found = documents.parse(pathlib.Path(directory), pathlib.Path(name))
    return documents.Document(documents.ROOT, found.path, found.blocks, found.plain)


def block(text, marks="sh test=x"):
    """A document of one block."""
    return document(f"```{marks}\n{text}\n```\n")


class ChecksTest(unittest.TestCase):
    """One fault, one complaint; the same without the fault, none."""

    def finds(self, check, bad, good, word):
        self.assertEqual([], check(good))
        faults = check(bad)
        self.assertEqual(1, len(faults), faults)
        self.assertIn(word, faults[0])

    def test_marks(self):
        self.finds(checks.marks, block("true", "sh"), block("true"), "mark it")
        self.finds(checks.marks, block("true", "sh test=x manual"), block("true", "sh manual"), "mark it")
        self.finds(checks.marks, block("true", "sh test=x twice"), block("true", "sh test=x always deep"), "twice")
        self.finds(checks.marks, block("true", "sh manual deep"), block("true", "sh test=x deep"), "deep")
        self.finds(checks.marks, block("x", "perl"), block("x", "text"), "perl")
        self.finds(checks.marks, document("```text answer=y\n```\n```sh test=y\n```\n"),
                   document("```sh test=y\n```\n```text answer=y\n```\n"), "answer to y")
        self.finds(checks.marks, document("```sh test=y\n```\n```sh test=y\n```\n"),
                   document("```sh manual\n```\n```sh manual\n```\n"), "'y'")

    def test_a_block_that_is_never_closed(self):
        with self.assertRaisesRegex(ValueError, "page.md:2: .*never closed"):
            document("text\n```sh\ntrue\n")

    def test_syntax(self):
        self.finds(checks.syntax, block("if true; then"), block("if true; then :; fi"), "syntax error")

    def test_calls(self):
        self.finds(checks.calls, block("./penstock ups"), block("./penstock up"), "no command ups")
        self.finds(checks.calls, block("./penstock status --xml"), block("./penstock status --json"), "--xml")
        self.finds(checks.calls, block("./penstock logs nodes"), block("./penstock logs node -n 2"), "takes no nodes")
        self.finds(checks.calls, block("ovs-config/ovs-config up --now a"), block("ovs-config up a"), "--now")
        self.finds(checks.calls, block("functions start a --on b"), block("functions start a --node b"), "--on")
        self.finds(checks.calls, block("docs/run-docs --all"), block("docs/run-docs --against-running"), "--all")
        self.finds(checks.calls, block("true && ./penstock stat | cat"), block("./penstock down; true"), "stat")
        self.finds(checks.calls, block("python3 -m penstock_controller --run-dir a begin"),
                   block("python3 -m penstock_controller --run-dir a stop"), "begin")
        self.finds(checks.calls, block("python3 -m penstock_controller --run-dir a start --listens b"),
                   block("python3 -m penstock_controller --run-dir a start --listen b"), "--listens")
        self.finds(checks.calls, document("run `ovs-config start`"), document("run `ovs-config up`"), "start")

    def test_console(self):
        self.finds(checks.console, block("echo penstock:tenants | ./penstock console"),
                   block("echo penstock:tenant list | ./penstock console"), "penstock:tenants")
        self.finds(checks.console, document("`penstock:flow-list --dropped`"),
                   document("`penstock:flow-list --text red`"), "--dropped")
        self.assertTrue(checks.console(document("nothing", "docs/operations.md")))

    def test_paths(self):
        self.finds(checks.paths, document("`penstock:network/tenants=red`"), document("`penstock:network/tenant=red`"),
                   "tenants")
        self.finds(checks.paths, block("curl http://x/rests/data/penstock:network/backbone/interface=edge1"),
                   block("curl http://x/rests/data/penstock:network/backbone/interface=edge1,up0"), "keys node, port")
        self.finds(checks.paths, document("`penstock-operations:restart`"), document("`penstock-operations:resync`"),
                   "restart")

    def test_json(self):
        self.finds(checks.json_blocks, block("{", "json"), block("{}", "json"), "no JSON")
        self.finds(checks.json_blocks, block('{"penstock:pool": [{"name": "a", "prefixes": []}]}', "json"),
                   block('{"penstock:pool": [{"name": "a", "prefix": []}]}', "json"), "prefixes")
        self.finds(checks.json_blocks, block("curl -d '{\"penstock:chain\": [{}]}'"),
                   block("curl -d '{\"penstock:chain\": [{\"name\": \"a\"}]}'"), "no name")
        self.finds(checks.json_blocks, block("{}", "json put=penstock:network/pol=a"),
                   block("{}", "json put=penstock:network/pool=a"), "pol")

    def test_links(self):
        self.finds(checks.links, document("[a](nowhere.md)"), document("[a](model.md)"), "no such file")
        self.finds(checks.links, document("[a](model.md#tenants)"), document("[a](model.md#tenant)"), "no such heading")
        self.finds(checks.links, document("`docs/nothing`"), document("`docs/examples`"), "no such file")
        self.finds(checks.links, document("`RegistryTest.nothing`"), document("`RegistryTest`"), "no such test")

    def test_drops(self):
        flows = "# bad {}\ntable=classify,priority=1 actions=drop\n"
        table = document("## Drop counters\n| `classify` | bad *thing*, worse | why |\n## Next\n")
        self.assertEqual([], checks.drops(table, [flows.format("frame"), flows.replace("bad {}", "worse")]))
        self.assertEqual(1, len(checks.drops(table, [flows.format("frame").replace("classify", "egress")])))
        self.assertEqual(1, len(checks.drops(table, [flows.replace("bad {}", "other")])))
        self.assertEqual(1, len(checks.drops(table, [flows.replace("bad {}\n", "other\n+ ")])))
        self.assertEqual([], checks.drops(table, [flows.replace("bad {}\n", "other\n- ")]))

    def test_leaves(self):
        names = {node.name for node in yang._all(checks.modules()["penstock"].nodes)}
        self.assertLessEqual({"nat", "public-address", "bandwidth-out"}, names)
        self.assertEqual([], checks.leaves([document(" ".join(f"`tenant/{name}`" for name in names))]))
        self.assertEqual(["no document names nat of the model"],
                         checks.leaves([document(" ".join(f"`{name}`" for name in names - {"nat"}))]))

    def test_decisions(self):
        index = document("[1](0001-a.md)")
        self.assertEqual([], checks.decisions(index, ["0001-a.md"]))
        self.assertEqual(1, len(checks.decisions(index, ["0002-b.md"])))

    def test_attacks(self):
        table = document("## Attacks\n| host | `x` | ok | `OneIT`, `test_two.py` |\n## Next\n| `ThreeIT` |\n")
        tests = {"OneIT": '@Tag("hostile")\nclass', "test_two.py": "pytestmark = [pytest.mark.hostile]",
                 "FourIT": "class"}
        self.assertEqual([], checks.attacks(table, tests))
        self.assertEqual(2, len(checks.attacks(table, tests | {"OneIT": "class", "FourIT": tests["OneIT"]})))


class YangTest(unittest.TestCase):
    """The small reader of YANG."""

    def test_paths(self):
        self.assertIsNone(yang.path_problem(MODULES, "m:c/l=1,2/inner"))
        self.assertIn("no d", yang.path_problem(MODULES, "m:c/d"))
        self.assertIn("keys a, b", yang.path_problem(MODULES, "m:c/l=1"))
        self.assertIn("module n", yang.path_problem(MODULES, "n:c"))
        self.assertEqual(["go"], list(SMALL_MODEL.rpcs))

    def test_documents(self):
        right = {"m:l": [{"a": 1, "b": 2, "inner": "x", "colour": "red"}]}
        self.assertEqual([], yang.document_problems(MODULES, right))
        for wrong, word in (({"m:x": 1}, "no m:x"), ({"m:c": []}, "leaves of its own"), ({"m:l": {}}, "is a list"),
                            ({"m:l": [{"a": 1, "b": 2}]}, "no inner"), ({"m:inner": []}, "is a leaf"),
                            ({"m:colour": "green"}, "none of red, blue")):
            with self.subTest(wrong):
                self.assertIn(word, "".join(yang.document_problems(MODULES, wrong)))

    def test_groupings_of_other_modules(self):
        modules = yang.read(["""module user { namespace "urn:u"; prefix u; import giver { prefix g; }
            grouping outer { leaf own; } container c { uses g:outer; uses outer; } }""",
                             """module giver { namespace "urn:g"; prefix g;
            grouping inner { leaf deep; } grouping outer { list l { key k; leaf k; uses inner; } } }"""])
        self.assertIsNone(yang.path_problem(modules, "user:c/l=1/deep"))
        self.assertIsNone(yang.path_problem(modules, "user:c/own"))
        self.assertIn("no own", yang.path_problem(modules, "user:c/l=1/own"))
        self.assertIn("no l", yang.path_problem(modules, "giver:l"))


class RunnerTest(unittest.TestCase):
    """Blocks are really run, and answers really compared."""

    def run_blocks(self, text, is_deep=False):
        return runner.run(document(text), lambda _: None, is_deep)

    def test_slow_blocks_are_for_the_deep_tier(self):
        text = ("```sh test=a\nword=a\n```\n```sh test=b deep\nword=b\n```\n```text answer=b\nno\n```\n"
                "```sh test=c\necho $word\n```\n```text answer=c\na\n```\n```sh test=d always deep\nfalse\n```\n")
        self.assertEqual(2, self.run_blocks(text))
        with self.assertRaisesRegex(runner.Failed, "page.md:7: .*no line like: no"):
            self.run_blocks(text, is_deep=True)

    def test_blocks_have_the_language_of_the_documents(self):
        with unittest.mock.patch.dict("os.environ", LC_ALL="C", TZ="Asia/Tokyo"):
            self.run_blocks("```sh test=a\ndate -d @0 +%R\nlocale charmap\n```\n```text answer=a\n00:00\nUTF-8\n```\n")

    def test_variables_and_functions_live_on(self):
        self.assertEqual(3, self.run_blocks(
            "```sh test=a\nword='a b'\nsay() { echo \"said $1\"; }\n```\n"
            "```sh test=b\nsay \"$word\"\n```\n```text answer=b\nsaid a b\n```\n"
            "```sh test=c always\nsay again\n```\n```text answer=c\nsaid again\n```\n"))

    def test_a_failing_command_fails_with_its_place_and_output(self):
        with self.assertRaisesRegex(runner.Failed, r"(?s)page.md:1: a: exit code 1.*before"):
            self.run_blocks("```sh test=a\necho before\nfalse\necho after\n```\n")

    def test_a_wrong_answer_fails(self):
        with self.assertRaisesRegex(runner.Failed, r"(?s)page.md:4: .*no line like: 2.*it is:\n1"):
            self.run_blocks("```sh test=a\necho 1\n```\n```text answer=a\n2\n```\n")

    def test_what_cleans_up_runs_after_a_failure(self):
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaises(runner.Failed):
                self.run_blocks(f"```sh test=a\nplace={directory}\nfalse\n```\n"
                                "```sh test=b\ntouch $place/never\n```\n"
                                "```sh test=c always\ntouch $place/cleaned\n```\n")
            self.assertEqual(["cleaned"], [path.name for path in pathlib.Path(directory).iterdir()])

    def test_the_first_failure_is_reported(self):
        with self.assertRaisesRegex(runner.Failed, "a: exit code 1"):
            self.run_blocks("```sh test=a\nfalse\n```\n```sh test=c always\nno-such-command\n```\n")

    def test_lines_are_expected_in_their_order(self):
        printed = "one  two\nthree 3 four\nfive\n"
        self.assertIsNone(runner.first_missing("one two\nthree ... four\n", printed))
        self.assertEqual("one two", runner.first_missing("five\none two\n", printed))
        self.assertEqual("three ... five", runner.first_missing("three ... five\n", printed))
