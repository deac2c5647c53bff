# SPDX-License-Identifier: Apache-2.0
"""Words and sentences of the documents are those of the glossary; first the checks themselves, each with a bad text."""

import unittest

from . import words

GLOSSARY = """# Glossary
| term | meaning | reference | not |
|---|---|---|---|
| tenant, VRF | A customer. | RFC 4364 | "user", `the world`, `ODL` |
| repair | Do it. | | `mend*` |

| instead | not |
|---|---|
| no host | `nobody` |
"""
BANS = words.bans(GLOSSARY)
REAL = (words.ROOT / words.GLOSSARY).read_text(encoding="utf-8")

# Files that are not rewritten yet; none joins them.
EXEMPT: set[str] = set()


class ChecksTest(unittest.TestCase):
    """Bad texts have faults, good ones none."""

    def of(self, text):
        return words.faults("page.md", words.of_markdown(text), BANS)

    def test_the_glossary_is_read(self):
        self.assertEqual(["the world", "ODL", "mend*", "nobody"], [ban.word for ban in BANS])
        self.assertEqual(["tenant", "VRF", "repair"], words.terms(GLOSSARY))
        with self.assertRaisesRegex(ValueError, "table of term"):
            words.bans("| term | meaning |\n|---|---|\n| a | b |\n")

    def test_banned_words_are_found_with_their_lines(self):
        self.assertEqual(['page.md:3: "Nobody": use no host'], self.of("Fine.\n\nHere Nobody is."))
        self.assertEqual(['page.md:1: "mended": use repair'], self.of("It is mended."))
        self.assertEqual(['page.md:1: "the world": use tenant, VRF'], self.of("to the\nworld"))
        self.assertEqual(['page.md:4: "nobody": use no host'], self.of("```sh\nnobody\n```\nnobody\n"))
        self.assertEqual(1, len(self.of("| a | [nobody](x.md) |")))
        self.assertEqual(1, len(self.of("# The world\n")))

    def test_longer_words_and_other_cases_of_names_are_right(self):
        self.assertEqual([], self.of("amended, the worldwide, a nobody-else, Odl"))
        self.assertEqual(1, len(self.of("by ODL")))

    def test_code_quotations_and_links_are_no_prose(self):
        for text in ("`nobody`", '"nobody\nasked"', "[a](nobody.md)", "```text\nnobody\n```", "    nobody",
                     "<!-- nobody -->"):
            with self.subTest(text):
                self.assertEqual([], self.of(text))
        self.assertEqual(1, len(self.of('"a paragraph ends\n\nnobody"')))
        self.assertEqual(1, len(self.of('a `"` nobody "')))

    def test_sentences_with_hidden_subjects_are_found(self):
        for text in ("What it is, it is.", "Fine. What it is, it is.", "Fine.\nWho comes, goes.", "* Who comes, goes.",
                     "| a | Who comes, goes |\n", "1. What comes", "**What** it is.", "a\n\n[What it is](x.md)",
                     "So: What it is."):
            with self.subTest(text):
                self.assertEqual(1, len(self.of(text)), self.of(text))

    def test_questions_and_headings_may_begin_so(self):
        for text in ("What is it?", "Fine. Who has\nthis address? A host.", "## What it does\n", "This is\nWhat is.",
                     "Whole. Whatsapp."):
            with self.subTest(text):
                self.assertEqual([], self.of(text))
        self.assertEqual(1, len(self.of("What it is. Is it?")))

    def test_only_strings_of_a_model_are_prose(self):
        def faults(text):
            return words.faults("m.yang", words.of_yang(text), BANS)
        self.assertEqual(['m.yang:3: "nobody": use no host'], faults(
            'module nobody {\n  // nobody\n  description "Here nobody is.";\n  leaf nobody { type string; } }'))
        self.assertEqual(1, len(faults('description\n "so" + " nobody is";')))
        self.assertEqual(1, len(faults('leaf a {\n  description "What it is."; }')))
        self.assertEqual([], faults('leaf a { description "It is."; } leaf b { description "If \\"nobody\\" is."; }'))

    def test_help_has_a_paragraph_for_each_option(self):
        text = words._paragraphs("options:\n  -h, --help  Who comes\n  --listen ADDRESS\n              What comes\n")
        self.assertEqual(2, len(words.faults("x --help", text, BANS)))


class GlossaryTest(unittest.TestCase):
    """The glossary does not contradict itself."""

    def test_terms_are_unique(self):
        terms = words.terms(REAL)
        self.assertGreater(len(terms), 80)
        self.assertEqual([], sorted(term for term in set(terms) if terms.count(term) > 1))

    def test_no_term_is_banned(self):
        self.assertEqual([], [(ban.word, term) for ban in words.bans(REAL) for term in words.terms(REAL)
                              if ban.pattern.search(term)])

    def test_every_term_has_a_meaning(self):
        self.assertEqual([], [cells[0] for cells in words.rows(REAL) if not all(cells[:2])])


class WordsTest(unittest.TestCase):
    """The words of documents, models and help texts as they are."""

    def faultless(self, texts):
        bans = words.bans(REAL)
        self.assertEqual([], [fault for where, prose in texts if where not in EXEMPT
                              for fault in words.faults(where, prose, bans)])

    def test_documents(self):
        paths = words.markdown()
        self.assertGreater(len(paths), 20)
        self.faultless((str(path.relative_to(words.ROOT)), words.of_markdown(path.read_text(encoding="utf-8")))
                       for path in paths)

    def test_models(self):
        paths = words.models()
        self.assertGreater(len(paths), 7)
        self.faultless((str(path.relative_to(words.ROOT)), words.of_yang(path.read_text(encoding="utf-8")))
                       for path in paths)

    def test_help_texts(self):
        texts = words.helps()
        self.assertGreater(len(texts), 20)
        self.faultless(texts.items())
