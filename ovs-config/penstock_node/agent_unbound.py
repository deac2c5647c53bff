# SPDX-License-Identifier: Apache-2.0
"""The files of one tenant's resolver, an Unbound process of its own (docs/adr/0015), and its control socket."""

import ipaddress
import pathlib
import re
import socket
import time
from collections.abc import Iterable

from penstock_base import answers
from penstock_base.errors import PenstockError

from .agent_orders import Order, OrderError, Record

CONTROL = "run/control"
"""The control socket in the directory of a resolver; in `run` it may write."""

_VALUE = re.compile(r"[0-9A-Za-z.:/_*-]+")
_ANSWER_SECONDS, _ANSWERS_SECONDS = 2, 10
LONGEST_WAIT_MS = 1000
"""The most time that a resolver gives an upstream to answer; only one that does not answer gets so much."""
_NEGATIVE_TTL = 60  # Seconds that others may remember that a name is not there.
_SETTINGS = f"""
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 0
  num-threads: 1
  ip-freebind: yes
  access-control: 0.0.0.0/0 allow
  access-control: ::/0 allow
  hide-identity: yes
  hide-version: yes
  # Small: there are as many of these processes as tenants. Caches take memory only as they fill.
  msg-cache-size: 1m
  rrset-cache-size: 2m
  key-cache-size: 16k
  neg-cache-size: 16k
  msg-cache-slabs: 1
  rrset-cache-slabs: 1
  infra-cache-slabs: 1
  key-cache-slabs: 1
  infra-cache-numhosts: 64
  outgoing-range: 128
  num-queries-per-thread: 128
  outgoing-num-tcp: 4
  incoming-num-tcp: 8
  # What fits into every packet, whatever the path.
  edns-buffer-size: 1232
  max-udp-size: 1232
  # A dead upstream is an answer (SERVFAIL) after some three seconds, before dig and the hosts give up. Unbound would
  # drop an answer that late. It is asked again soon, so that one that is back is found.
  infra-cache-max-rtt: {LONGEST_WAIT_MS}
  outbound-msg-retry: 2
  discard-timeout: 10000
  infra-host-ttl: 15
  # Names of private addresses are the tenant's or its upstream's business.
  unblock-lan-zones: yes"""


def configuration(order: Order, directory: pathlib.Path) -> str:
    """The text of unbound.conf. Zone files are in `directory`/root, which becomes the root directory of the process.

    Raises OrderError for a value that could be more than a value in that file, whatever has let it pass.
    """
    for value in (*filter(None, [order.dns64]), *order.addresses, *order.upstreams, *order.zones):
        if not _VALUE.fullmatch(value):
            raise OrderError(f"{value!a} is neither an address nor a name")
    server = ["server:", f'  chroot: "{directory}/root"', f'  directory: "{directory}/root"', '  username: ""',
              f'  module-config: "{"dns64 " if order.dns64 else ""}iterator"', _SETTINGS.lstrip("\n")]
    server += [f"  dns64-prefix: {order.dns64}"] if order.dns64 else []
    server += [f"  interface: {address}" for address in order.addresses]
    if order.inside:
        server += [f"  outgoing-interface: {address}" for address in _first_of_each_family(order.addresses)]
    # Unbound answers some zones by itself (test., home.arpa. ...), unless told.
    server += [f'  local-zone: "{zone}" transparent' for zone in order.zones]
    if not order.upstreams:
        server.append('  local-zone: "." refuse')  # Else it would ask the servers of the root.
    control = ["remote-control:", "  control-enable: yes", f'  control-interface: "{directory}/{CONTROL}"',
               "  control-use-cert: no"]
    zones = []
    for zone in order.zones:
        # Asked by the resolver, not by the hosts: so CNAMEs are followed everywhere and DNS64 works for own names. The
        # empty forward-zone keeps the name from being sent upstream.
        zones += ["auth-zone:", f'  name: "{zone}"', f'  zonefile: "{directory}/root/{zone_file(zone)}"',
                  "  for-downstream: no", "  for-upstream: yes", "forward-zone:", f'  name: "{zone}"']
    if order.upstreams:
        zones += ["forward-zone:", '  name: "."', *(f"  forward-addr: {address}" for address in order.upstreams)]
    return "\n".join(server + control + zones) + "\n"


def zone_file(zone: str) -> str:
    """Name of the file of a zone; zones have letters, digits, dots, '-' and '_' in their names only."""
    return f"{zone}zone"


def zone_text(zone: str, records: Iterable[Record]) -> str:
    """The text of a zone file. The serial number never changes: nobody transfers these zones."""
    lines = [f"{zone} {_NEGATIVE_TTL} IN SOA {zone} hostmaster.{zone} 1 3600 600 86400 {_NEGATIVE_TTL}"]
    if not any(record.name == zone and record.type == "NS" for record in records):
        lines.append(f"{zone} {_NEGATIVE_TTL} IN NS {zone}")
    lines += [f"{record.name} {record.ttl} IN {record.type} {record.data}" for record in records]
    return "\n".join(lines) + "\n"


def command(user: int, file: pathlib.Path) -> list[object]:
    """Starts a resolver with a configuration. It needs one right, to change into its root directory."""
    kept = "-all,+sys_chroot"
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", f"--inh-caps={kept}",
            f"--ambient-caps={kept}", f"--bounding-set={kept}", "--no-new-privs", "unbound", "-d", "-c", file]


def control(directory: pathlib.Path, *commands: str) -> None:
    """Runs commands of unbound-control. Raises PenstockError if the resolver does not answer or refuses.

    A resolver that was taken over answers as it likes: each answer has 2 s, and all together have 10 s.
    """
    deadline = time.monotonic() + _ANSWERS_SECONDS
    for order in commands:
        answer = _exchange(directory, order, min(_ANSWER_SECONDS, max(deadline - time.monotonic(), 0.001)))
        if not answer or answer.startswith("error"):
            raise PenstockError(f"the resolver refused {order}: {answer.strip()}")


def measurements(directory: pathlib.Path) -> str:
    """What the resolver has measured of its upstreams, one a line. Raises PenstockError if none comes in 2 s."""
    return _exchange(directory, "dump_infra", _ANSWER_SECONDS)


def _exchange(directory: pathlib.Path, order: str, patience: float) -> str:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(patience)
            connection.connect(f"{directory}/{CONTROL}")
            connection.sendall(f"UBCT1 {order}\n".encode())
            return b"".join(answers.parts(connection, patience)).decode(errors="replace")
    except OSError as error:
        raise PenstockError(f"the resolver does not answer: {error.strerror or error}") from None


def reload_commands(zone: str) -> tuple[str, str]:
    """The commands after which the resolver answers from a changed zone file, and forgets what it said before."""
    return f"auth_zone_reload {zone}", f"flush_zone {zone}"


def _first_of_each_family(addresses: Iterable[str]) -> Iterable[str]:
    first: dict[int, str] = {}
    for address in addresses:
        first.setdefault(ipaddress.ip_address(address).version, address)
    return first.values()
