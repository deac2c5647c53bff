# SPDX-License-Identifier: Apache-2.0
"""The test suite: ./penstock test. No part of the product, and not packaged.

`tiers` has all tests by tier: those of the gate, which a change has to pass, and those of the deep suite. `gate` and
`deep` run them, in a `sandbox`, which leaves nothing behind. `flakes` keeps the failures that did not come again.
"""
