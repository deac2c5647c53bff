# SPDX-License-Identifier: Apache-2.0
"""The command line and the web page know the model as the YANG has it."""

import unittest

from . import schema


class SchemaTest(unittest.TestCase):
    def test_the_files_are_what_the_yang_makes(self):
        for made, file in ((schema.text(), schema.FILE), (schema.page_text(), schema.PAGE_FILE)):
            self.assertEqual(made, (schema.ROOT / file).read_text(encoding="utf-8"),
                             f"write {file} again: cd docs && python3 -m tests.schema")


if __name__ == "__main__":
    unittest.main()
