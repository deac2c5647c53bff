# SPDX-License-Identifier: Apache-2.0
"""The named counters of nftables rules."""

import json
import re

_MOST = 1000
_NAME = re.compile(r"[\w./-]{1,64}", re.ASCII)


def packets_by_name(listed: str) -> dict[str, int]:
    """Packets by name of the counter, from what `nft --json list counters` prints.

    Raises ValueError for anything else: guests answer as they like.
    """
    try:
        entries = [item.get("counter") for item in json.loads(listed)["nftables"]]
        packets = {entry["name"]: entry["packets"] for entry in entries if entry}
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"no counters of nftables: {error!r}") from None
    if len(packets) > _MOST:
        raise ValueError(f"more than {_MOST} counters")
    for name, number in packets.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or type(number) is not int:
            raise ValueError("a counter without a plain name and a number")
    return packets
