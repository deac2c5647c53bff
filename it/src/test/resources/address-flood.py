# SPDX-License-Identifier: Apache-2.0
"""Sends frames from a device, each to another MAC address, until it is ended: address-flood.py DEVICE.

Some thousand in a second: more than a host may, and less than the machine can send, as other tests run beside.
"""

import socket
import sys
import time

link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind((sys.argv[1], 0))
rest = link.getsockname()[4] + b"\x08\x00" + bytes.fromhex("4500001c00004000401126b90a0000050a000014") + bytes(8)
number = 0
while True:
    for _ in range(20):
        number += 1
        link.send(b"\x02\x69" + number.to_bytes(4, "big") + rest)
    time.sleep(0.003)
