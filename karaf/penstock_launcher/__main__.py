# SPDX-License-Identifier: Apache-2.0
"""./penstock runs this."""

import sys

from .entry import main

sys.exit(main())
