# SPDX-License-Identifier: Apache-2.0
"""A slow network between programs of one machine, for kernels without a packet scheduler that delays.

New connections to a TCP port are redirected here, and what they carry goes on later, each way.
"""

import asyncio
import contextlib
import socket
import struct
import threading
from typing import Self

from penstock_base.commands import run

_MARK = 0x70736C77
"""Of connections that go on from here, which are not to be redirected again."""
_ORIGINAL_DESTINATION = 80  # SO_ORIGINAL_DST of linux/netfilter_ipv4.h
_CHUNK = 1 << 16


class SlowNetwork:
    """From when it is entered until it is left; for the network namespace of the caller."""

    def __init__(self, port: int, seconds: float) -> None:
        """Delays nothing yet. seconds: of delay each way of connections to the port."""
        self._port, self._seconds = port, seconds
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        here = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        run("nft", "--file", "-", standard_input=f"""
            table ip slow_network {{
                chain output {{
                    type nat hook output priority -100; policy accept;
                    tcp dport {self._port} meta mark != {_MARK} redirect to :{here}
                }}
            }}""")
        return self

    def __exit__(self, *_: object) -> None:
        run("nft", "delete", "table", "ip", "slow_network")
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _listen(self) -> int:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return int(server.sockets[0].getsockname()[1])

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        near = writer.get_extra_info("socket")
        _, port, address = struct.unpack_from("!HH4s", near.getsockopt(socket.SOL_IP, _ORIGINAL_DESTINATION, 16))
        far = socket.socket()
        far.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, _MARK)
        far.setblocking(False)
        with contextlib.closing(writer):
            try:
                await asyncio.sleep(self._seconds)
                await self._loop.sock_connect(far, (socket.inet_ntoa(address), port))
                far_reader, far_writer = await asyncio.open_connection(sock=far)
            except OSError:
                far.close()
                return
            with contextlib.closing(far_writer):
                await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sending = asyncio.ensure_future(self._send(waiting, writer))
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                waiting.put_nowait((self._loop.time() + self._seconds, data))
        waiting.put_nowait((self._loop.time() + self._seconds, b""))
        await sending

    async def _send(self, waiting: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        """Ends with the empty text, and then ends the connection this way."""
        with contextlib.suppress(OSError):
            while True:
                moment, data = await waiting.get()
                await asyncio.sleep(moment - self._loop.time())
                if not data:
                    break
                writer.write(data)
                await writer.drain()
        writer.close()
