# SPDX-License-Identifier: Apache-2.0
"""Prints the document: python3 -m penstock_openapi VERSION DIRECTORY... (directories with YANG modules, ours first)."""

import sys

from . import document, model

sys.stdout.write(document.text(model.read(sys.argv[2:]), sys.argv[1]))
