# SPDX-License-Identifier: Apache-2.0
"""The named counters of nftables rules."""

import json


def packets_by_name(listed):
    """Packets by name of the counter, from what `nft --json list counters` prints."""
    entries = (item.get("counter") for item in json.loads(listed)["nftables"])
    return {entry["name"]: entry["packets"] for entry in entries if entry}
