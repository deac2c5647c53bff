# SPDX-License-Identifier: Apache-2.0
"""Command line: python3 -m penstock_pki; ./penstock pki runs it."""

import importlib.util
import sys

if importlib.util.find_spec("cryptography") is None:
    print("penstock: 'pki' needs python3-cryptography: apt-get install python3-cryptography", file=sys.stderr)
    sys.exit(1)

from .cli import main

sys.exit(main())
