# SPDX-License-Identifier: Apache-2.0
"""Sends frames from a device, each to another MAC address, until it is ended: address-flood.py DEVICE.

Five thousand in a second: more than a host may, and less than the machine can send, as other tests run beside. When it
was kept from sending it sends more at a time.
"""

import socket
import sys
import time

A_SECOND = 5000
AT_ONCE = 200

link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind((sys.argv[1], 0))
rest = link.getsockname()[4] + b"\x08\x00" + bytes.fromhex("4500001c00004000401126b90a0000050a000014") + bytes(8)
number = 0
due = 0.0
last = time.monotonic()
while True:
    now = time.monotonic()
    due = min(due + (now - last) * A_SECOND, AT_ONCE)
    last = now
    while due >= 1:
        due -= 1
        number += 1
        link.send(b"\x02\x69" + number.to_bytes(4, "big") + rest)
    time.sleep(0.003)
