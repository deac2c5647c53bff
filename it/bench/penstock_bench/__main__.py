# SPDX-License-Identifier: Apache-2.0
"""./penstock bench runs this."""

import sys

from . import cli, interrupts

interrupts.expect(once=cli.is_inside())
sys.exit(cli.main())
