# SPDX-License-Identifier: Apache-2.0
"""Frames of many tenants, as pcap files for the generator: towards the backbone, and back from it.

Every tenant has the same private addresses, on purpose: what tells tenants apart is the VLAN and the host's MAC.
Sizes are bytes on the wire with the FCS of 4 bytes, which is not in memory: a 64-byte frame is 60 bytes here, its
VLAN tag included.
"""

import array
import dataclasses
import ipaddress
import math
import pathlib
import struct
import sys
from collections.abc import Callable, Iterable, Sequence

from penstock_base.errors import PenstockError

HOST = "10.0.0.10"
GATEWAY = "10.0.0.1"
SERVER = "198.51.100.10"
PENSTOCK_MAC = "02:50:53:00:00:01"
"""The tenants' gateway in Penstock."""
TRANSIT_MAC = "02:00:5e:00:53:01"
"""The transit gateway behind the uplink."""
FIRST_VLAN = 2
TENANTS_PER_PORT = 4000
FIRST_SOURCE_PORT = 10000
FIRST_SERVER_PORT = 5000

_PUBLIC = int(ipaddress.IPv4Address("100.64.0.0"))
_SOURCE_PORTS = 50000

SIZES = {
    "64": ((64, 1),),
    "1518": ((1518, 1),),
    # The simple IMIX: IP packets of 40, 576 and 1500 bytes, 7:4:1, behind 14 bytes of Ethernet and before 4 of FCS.
    "imix": ((64, 7), (594, 4), (1518, 1)),
    # What EANTC mixed in its test of a carrier NAT. Its longest need more than the usual MTU: see longest_packet.
    "imix-eantc": ((82, 1), (118, 11), (391, 3), (588, 2), (1318, 3), (1536, 7)),
}
"""Named frame sizes: (bytes, weight). A number as text is a size too."""

_FCS = 4
_TAG = 4
_ETHERNET = 14
_IP = 20
_UDP = 8
_LAYER1 = 20  # Preamble and the gap between frames.
_MAGIC = 0xA1B2C3D4
_MAGIC_NANOSECONDS = 0xA1B23C4D
_SNAPLEN = 65535


@dataclasses.dataclass(frozen=True)
class Load:
    """What `tenants` tenants send: `flows` UDP flows in all, one frame of each.

    first: number of the first tenant. The others' numbers follow; port, VLAN and addresses of a tenant are those of its
    number, see place(), host_mac() and public_address().
    server: where the flows go to. Loads have the same addresses and ports: those that one switch may track in the same
    conntrack zone need servers of their own.
    gateway_macs: one MAC for all tenants or a sequence with one for each, that of the first tenant first.
    same_ports: flow n of every tenant has the same ports, so the same 5-tuple, which is what the switch hashes. By
    default no two flows share a 5-tuple, as with real hosts, who choose their ports at random.
    source_ports: how many source ports are used before the next server port is.
    """
    tenants: int
    flows: int = 10000
    frame: str = "64"
    tagged: bool = True
    gateway_macs: str | Sequence[str] = PENSTOCK_MAC
    tenants_per_port: int = TENANTS_PER_PORT
    same_ports: bool = False
    source_ports: int = _SOURCE_PORTS
    first: int = 0
    server: str = SERVER

    def __post_init__(self) -> None:
        if not 1 <= self.tenants <= 65536:
            raise PenstockError(f"tenants: {self.tenants} is not valid; addresses are there for 1 to 65536")
        if not 0 <= self.first <= 65536 - self.tenants:
            raise PenstockError(f"first: {self.first} is not valid; {self.tenants} tenants begin with one from 0 to "
                                f"{65536 - self.tenants}")
        if self.flows < self.tenants:
            raise PenstockError(f"flows: {self.flows} are less than one for each of {self.tenants} tenants")
        if not 1 <= self.tenants_per_port <= 4094 - FIRST_VLAN + 1:
            raise PenstockError(f"tenants-per-port: {self.tenants_per_port} tenants do not fit the VLANs of a port")
        if not self.tagged and self.tenants > 1:
            raise PenstockError("without a VLAN nothing tells tenants apart: one tenant only")
        if self.same_ports and -(-self.flows // self.tenants) > _SOURCE_PORTS:
            raise PenstockError(f"flows: a tenant has at most {_SOURCE_PORTS} with the same ports everywhere")
        if not isinstance(self.gateway_macs, str) and len(self.gateway_macs) < self.tenants:
            raise PenstockError(f"gateway-macs: {len(self.gateway_macs)} for {self.tenants} tenants")
        if not 1 <= self.source_ports <= _SOURCE_PORTS:
            raise PenstockError(f"source-ports: {self.source_ports} is not valid; wanted: 1 to {_SOURCE_PORTS}")
        if self.flows > self.source_ports * 1000:
            raise PenstockError(f"flows: {self.flows} are more than the ports allow")
        try:
            ipaddress.IPv4Address(self.server)
        except ValueError as error:
            raise PenstockError(f"server: {error}") from error
        _sizes(self.frame, self.tagged)

    @property
    def numbers(self) -> range:
        """Numbers of the tenants."""
        return range(self.first, self.first + self.tenants)

    @property
    def ports(self) -> int:
        """Number of access ports, up to the last one that a tenant of the load is on."""
        return 1 + place(self.numbers[-1], self.tenants_per_port)[0]

    def gateway_mac(self, tenant: int) -> str:
        """MAC of the gateway that a tenant's host sends to, by the tenant's number."""
        return self.gateway_macs if isinstance(self.gateway_macs, str) else self.gateway_macs[tenant - self.first]


@dataclasses.dataclass(frozen=True)
class Translation:
    """What the edge made of a flow: the tenant's host appears at `remote` as the public address and port."""
    public: str
    public_port: int
    remote: str
    remote_port: int
    tenant: int


@dataclasses.dataclass(frozen=True)
class Packet:
    """A UDP packet as parsed from a frame; `vlan` is None without a tag."""
    destination_mac: str
    source_mac: str
    vlan: int | None
    source: str
    destination: str
    source_port: int
    destination_port: int
    checksums_valid: bool
    frame_bytes: int


def host_mac(tenant: int) -> str:
    """MAC of a tenant's host."""
    return f"02:00:00:00:{tenant >> 8:02x}:{tenant & 255:02x}"


def public_address(tenant: int) -> str:
    """Public address of a tenant."""
    return str(ipaddress.IPv4Address(_PUBLIC + tenant))


def place(tenant: int, tenants_per_port: int = TENANTS_PER_PORT) -> tuple[int, int]:
    """Number of the access port a tenant is on, and its VLAN there. Does not depend on how many tenants there are."""
    return tenant // tenants_per_port, FIRST_VLAN + tenant % tenants_per_port


def access_frames(load: Load) -> list[list[bytes]]:
    """The frames of a load: one list for each access port, empty for those before the first tenant's.

    Flow 0 of every tenant comes first, then flow 1 of every tenant: neighbours never share a flow or a tenant.
    """
    ports: list[list[bytes]] = [[] for _ in range(load.ports)]
    bodies = _bodies(HOST, load.server)
    sizes = _cycle(load.frame, load.tagged)
    # From here on tenants would get the sizes again that they have had: the mix moves on by one, so that no tenant has
    # frames of one size only. Up to here the mix went round a whole number of times, so its weights are kept.
    repeats = math.lcm(load.tenants, len(sizes))
    headers = [_access_header(load, tenant) for tenant in load.numbers]
    port_of = [place(tenant, load.tenants_per_port)[0] for tenant in load.numbers]
    for number in range(load.flows):
        flow, index = divmod(number, load.tenants)
        if load.same_ports:
            source, server = FIRST_SOURCE_PORT + flow, FIRST_SERVER_PORT
        else:
            source = FIRST_SOURCE_PORT + number % load.source_ports
            server = FIRST_SERVER_PORT + number // load.source_ports
        size = sizes[(number + number // repeats) % len(sizes)]
        ports[port_of[index]].append(headers[index] + bodies(size, source, server))
    return ports


def write_access(load: Load, directory: pathlib.Path, name: str = "access") -> list[pathlib.Path]:
    """Writes the frames of a load into `directory`, one pcap file for each access port. Returns the paths."""
    paths = [pathlib.Path(directory) / f"{name}{port}.pcap" for port in range(load.ports)]
    for path, frames in zip(paths, access_frames(load), strict=True):
        write_pcap(path, frames)
    return paths


def backbone_frames(translations: Sequence[Translation], edge_mac: str, frame: str = "64",
                    source_mac: str = TRANSIT_MAC) -> list[bytes]:
    """Frames of the other direction: from each translation's remote end to its public address, untagged.

    edge_mac: the edge's interface in the backbone. A translation's place in the list is its frame's.
    """
    sizes = _cycle(frame, tagged=False)
    return [_backbone_frame(translation, edge_mac, source_mac, sizes[number % len(sizes)])
            for number, translation in enumerate(translations)]


def answers(captured: Sequence[bytes], flows: int | None = None) -> list[bytes]:
    """Frames that answer captured ones: MACs, addresses and ports swapped, as an echo would, one for each flow.

    Sizes on the wire stay. Frames are made anew, not padded: so their payload goes up to their end, where the generator
    keeps its stamps. flows: how many different flows there must be; fewer are an error.
    """
    seen: dict[tuple[str, int, str, int], Packet] = {}
    for packet in map(parse, captured):
        if packet is not None and packet.vlan is None:
            seen.setdefault((packet.source, packet.source_port, packet.destination, packet.destination_port), packet)
    if flows is not None and len(seen) < flows:
        raise PenstockError(f"only {len(seen)} of {flows} flows came out at the far end, in {len(captured)} captured "
                            "frames: is every tenant provisioned?")
    bodies: dict[tuple[str, str], Callable[[int, int, int], bytes]] = {}
    frames = []
    for packet in seen.values():
        ends = (packet.destination, packet.source)
        make = bodies.get(ends) or bodies.setdefault(ends, _bodies(*ends))
        header = _mac(packet.source_mac) + _mac(packet.destination_mac) + b"\x08\x00"
        size = max(packet.frame_bytes + _FCS, 64) - _FCS - _ETHERNET
        frames.append(header + make(size, packet.destination_port, packet.source_port))
    return frames


def parse(frame: bytes) -> Packet | None:
    """The Packet in a frame, or None if it is no whole UDP packet over IPv4 with at most one VLAN tag."""
    vlan, start = None, _ETHERNET
    if frame[12:14] == b"\x81\x00":
        vlan, start = int.from_bytes(frame[14:16], "big") & 0xFFF, _ETHERNET + _TAG
    if frame[start - 2:start] != b"\x08\x00" or len(frame) < start + _IP + _UDP:
        return None
    length = int.from_bytes(frame[start + 2:start + 4], "big")
    if frame[start] != 0x45 or frame[start + 9] != 17 or not _IP + _UDP <= length <= len(frame) - start:
        return None
    header, datagram = bytes(frame[start:start + _IP]), bytes(frame[start + _IP:start + length])
    source_port, destination_port, udp_length, checksum = struct.unpack_from("!4H", datagram)
    pseudo = header[12:20] + struct.pack("!2H", 17, udp_length)
    valid = _sum(header) == 0xFFFF and udp_length == len(datagram)
    valid = valid and (checksum == 0 or _sum(pseudo + datagram) == 0xFFFF)
    return Packet(_text(frame[:6]), _text(frame[6:12]), vlan, str(ipaddress.IPv4Address(header[12:16])),
                  str(ipaddress.IPv4Address(header[16:20])), source_port, destination_port, valid, len(frame))


def write_pcap(path: pathlib.Path, frames: Iterable[bytes]) -> None:
    """Writes frames as a classic pcap file, all with time 0."""
    pieces = [struct.pack("<I2H4I", _MAGIC, 2, 4, 0, 0, _SNAPLEN, 1)]
    record = struct.Struct("<4I").pack
    for frame in frames:
        pieces += record(0, 0, len(frame), len(frame)), frame
    pathlib.Path(path).write_bytes(b"".join(pieces))


def read_pcap(path: pathlib.Path) -> list[bytes]:
    """The frames of a classic pcap file of Ethernet frames, of either byte order."""
    data = pathlib.Path(path).read_bytes()
    for order in "<>":
        if len(data) >= 24 and struct.unpack_from(order + "I", data)[0] in (_MAGIC, _MAGIC_NANOSECONDS):
            break
    else:
        raise PenstockError(f"{path}: is no classic pcap file")
    if struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF != 1:
        raise PenstockError(f"{path}: does not hold Ethernet frames")
    frames: list[bytes] = []
    at, record = 24, struct.Struct(order + "4I")
    while at < len(data):
        if at + record.size > len(data):
            raise PenstockError(f"{path}: is cut off after {len(frames)} frames")
        _, _, captured, length = record.unpack_from(data, at)
        at += record.size
        if captured != length or at + captured > len(data):
            raise PenstockError(f"{path}: is cut off after {len(frames)} frames")
        frames.append(data[at:at + captured])
        at += captured
    return frames


def mean_frame_bytes(frames: Sequence[bytes]) -> float:
    """Mean size on the wire, with FCS and padded to 64 bytes as a port would."""
    return sum(max(len(frame) + _FCS, 64) for frame in frames) / len(frames)


def longest_packet(frame: str) -> int:
    """Bytes of the longest IP packet in tagged frames of a named or numbered size."""
    return max(_sizes(frame, tagged=True))


def mean_size(frame: str) -> float:
    """Mean of a named or numbered frame size, by its weights."""
    sizes = SIZES.get(frame) or ((int(frame), 1),)
    return sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes)


def layer1_gbps(mpps: float, frame_bytes: float) -> float:
    """Gbit/s at layer 1: with preamble and gap, as testers count."""
    return mpps * (frame_bytes + _LAYER1) * 8 / 1000


def _access_header(load: Load, tenant: int) -> bytes:
    header = _mac(load.gateway_mac(tenant)) + _mac(host_mac(tenant))
    if load.tagged:
        header += struct.pack("!2H", 0x8100, place(tenant, load.tenants_per_port)[1])
    return header + b"\x08\x00"


def _backbone_frame(translation: Translation, edge_mac: str, source_mac: str, size: int) -> bytes:
    header = _mac(edge_mac) + _mac(source_mac) + b"\x08\x00"
    return header + _bodies(translation.remote, translation.public)(size, translation.remote_port,
                                                                    translation.public_port)


def _bodies(source: str, destination: str) -> Callable[[int, int, int], bytes]:
    """A function (bytes of IP packet, source port, destination port) -> IP packet. The payload is zeros.

    All but the ports is worked out once for each size.
    """
    addresses = ipaddress.IPv4Address(source).packed + ipaddress.IPv4Address(destination).packed
    ports = struct.Struct("!4H").pack
    prepared = {}

    def make(size: int, source_port: int, destination_port: int) -> bytes:
        if size not in prepared:
            length = size - _IP
            header = struct.pack("!BBHHHBBH", 0x45, 0, size, 0, 0x4000, 64, 17, 0) + addresses
            header = header[:10] + struct.pack("!H", ~_sum(header) & 0xFFFF) + header[12:]
            constant = _sum(addresses + struct.pack("!3H", 17, length, length))
            prepared[size] = header, length, constant, bytes(length - _UDP)
        header, length, total, payload = prepared[size]
        total += source_port + destination_port
        total = (total & 0xFFFF) + (total >> 16)
        total = (total & 0xFFFF) + (total >> 16)
        # 0 would mean: no checksum.
        return header + ports(source_port, destination_port, length, ~total & 0xFFFF or 0xFFFF) + payload

    return make


def _cycle(frame: str, tagged: bool) -> list[int]:
    """Bytes of IP packets, one cycle of the mix, with each size spread evenly over it."""
    weights = _sizes(frame, tagged)
    total = sum(weights.values())
    due = dict.fromkeys(weights, 0)
    cycle = []
    for _ in range(total):
        for size, weight in weights.items():
            due[size] += weight
        size = max(due, key=lambda size: due[size])
        due[size] -= total
        cycle.append(size)
    return cycle


def _sizes(frame: str, tagged: bool) -> dict[int, int]:
    """{bytes of IP packet: weight} of a named or numbered frame size."""
    sizes = SIZES.get(frame)
    if sizes is None:
        if not (str(frame).isdigit() and 64 <= int(frame) <= 1924):
            raise PenstockError(f"frame: {frame!r} is not valid; wanted: {', '.join(SIZES)} or a number of bytes from "
                                "64 to 1924")
        sizes = ((int(frame), 1),)
    return {size - _FCS - _ETHERNET - (_TAG if tagged else 0): weight for size, weight in sizes}


def _sum(data: bytes) -> int:
    """Ones' complement sum of big-endian 16-bit words."""
    words = array.array("H", data if len(data) % 2 == 0 else data + b"\0")
    if sys.byteorder == "little":
        words.byteswap()
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def _text(mac: bytes) -> str:
    return mac.hex(":")
