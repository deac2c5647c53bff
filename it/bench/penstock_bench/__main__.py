# SPDX-License-Identifier: Apache-2.0
"""./penstock bench runs this."""

import sys

from .cli import main

sys.exit(main())
