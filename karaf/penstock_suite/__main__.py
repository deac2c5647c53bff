# SPDX-License-Identifier: Apache-2.0
"""./penstock test."""

import sys

from .cli import main

sys.exit(main())
