# SPDX-License-Identifier: Apache-2.0
"""Form vm: a QEMU guest with two vhost-user network cards. It bridges them, or routes, and filters by nftables.

QEMU begins to run the guest when the switch has connected to both sockets, and gives up its rights before. What it and
the guest print is in qemu.log. Requests to the guest go by a serial port to guest/init.
"""

import itertools
import os
import pathlib
import shutil
import socket

from penstock_base import answers, locks, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.steps import step
from penstock_node import node_protocol
from penstock_node.confined import Confinement
from penstock_node.node_protocol import SIDE_INSIDE, SIDE_OUTSIDE

from .. import firewall_nft, guest_image
from ..counters import packets_by_name
from ..function import Function
from ..instance_files import SIDES, InstanceFiles

PROCESSES = ("qemu",)
PROGRAM = "qemu-system-x86_64"
PACKAGE = "qemu-system-x86"
LEAST_MEMORY_MB = 128
"""Below it the guest's kernel has no room to unpack its files."""

_NAMES = {SIDE_INSIDE: "inside", SIDE_OUTSIDE: "outside"}
# Of the guest's cards, by mode. Nobody sends to those of a bridge, but it keeps what is sent to its own ports. To those
# of a router the switch sends: they, and the addresses of its links, are the same in all, and known to the controller.
_MACS = {"transparent": {SIDE_INSIDE: "02:50:53:fe:00:01", SIDE_OUTSIDE: "02:50:53:fe:00:02"},
         "routed": {SIDE_INSIDE: node_protocol.ROUTER_INSIDE_MAC, SIDE_OUTSIDE: node_protocol.ROUTER_OUTSIDE_MAC}}
# The function's address and the switch's, of a /30.
_LINKS = {SIDE_INSIDE: f"{node_protocol.ROUTER_INSIDE_ADDRESS},{node_protocol.ROUTER_INSIDE_GATEWAY}",
          SIDE_OUTSIDE: f"{node_protocol.ROUTER_OUTSIDE_ADDRESS},{node_protocol.ROUTER_OUTSIDE_GATEWAY}"}
_READY = b"penstock: ready"
LOG_KEEPS = _READY
_KVM = "/dev/kvm"
# Of the guest's processor: what Linux needs, and with hardware acceleration all that there is.
_PROCESSORS = {"kvm": "host", "tcg": "qemu64"}
_TRIAL_SECONDS = 15
_TRIAL_USER = 65534
_ANSWER_SECONDS = 5
_LONGEST_PROBLEM = 200
_number = itertools.count(os.getpid() * 1000)


def problems(memory_mb: int) -> list[str]:
    """What is missing here for a guest of so much memory: sentences that start with the field."""
    wrong = []
    if not shutil.which(PROGRAM):
        wrong.append(f"form: vm needs the program {PROGRAM}: apt-get install --no-install-recommends {PACKAGE}")
    with open("/proc/meminfo", encoding="ascii") as lines:
        available = next(int(line.split()[1]) // 1024 for line in lines if line.startswith("MemAvailable:"))
    if memory_mb > available:
        wrong.append(f"start.memory-mb: {memory_mb} MB are requested; this machine can provide {available} MB: ask for "
                     "less")
    return wrong


def lack(_: Function) -> None:
    """Nothing that `problems` has not told."""


def start(instance: InstanceFiles, entry: Function) -> None:
    """Starts QEMU with an image that holds the rules. Its sockets are open at once."""
    image = guest_image.build(firewall_nft.of_file(entry.rules) if entry.rules else None)
    acceleration = _acceleration(image)
    instance.save(acceleration=acceleration)
    place = f"core {entry.core}" if entry.core is not None else "any core"
    with step(f"function {instance.name}: QEMU with {entry.memory_mb} MB on {place}, {acceleration}"):
        processes.start(_arguments(instance, entry, image, acceleration), instance.process, instance.log)
        # It says so when it has read its arguments and taken its memory.
        processes.wait_until(lambda: b"waiting for connection" in _printed(instance), "QEMU", 20, instance.process,
                             instance.log)


def is_ready(instance: InstanceFiles) -> bool:
    """Whether the guest has loaded the rules and passes what comes."""
    return _READY in _printed(instance)


def facts(instance: InstanceFiles) -> dict[str, object]:
    """How the guest runs, and the counters of its rules, or why it does not tell them."""
    told: dict[str, object] = {"acceleration": instance.state.get("acceleration")}
    if is_ready(instance):
        try:
            told["counters"] = packets_by_name(_ask(instance, "counters"))
        except (OSError, ValueError) as error:  # It has ended this moment, is too busy, or was taken over.
            told["problem"] = f"the guest does not tell its counters: {error}"[:_LONGEST_PROBLEM]
    return told


def clean(_: InstanceFiles) -> None:
    """All that is left is in the instance's directory."""


def _acceleration(image: guest_image.Image) -> str:
    """kvm if a guest comes up with it, else tcg, which emulates the processor.

    In virtual machines /dev/kvm may be there and not work, so it is tried, once after each boot of this machine.
    """
    if not os.access(_KVM, os.R_OK | os.W_OK):
        return "tcg"
    path = image.kernel.parent / "acceleration.json"
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    with locks.held("guest-acceleration"):
        known = locks.read_json(path, {})
        if known.get("boot") != boot:
            with step(f"does a guest come up with {_KVM}?") as line:
                known = {"boot": boot, "acceleration": "kvm" if _comes_up(image) else "tcg"}
                line.note = known["acceleration"]
            locks.write_json(path, known)
    found: str = known["acceleration"]
    return found


def _comes_up(image: guest_image.Image) -> bool:
    try:
        rights = Confinement(_TRIAL_USER, devices=("kvm",), readable=(str(image.kernel), str(image.initramfs)))
        said = run(*rights.words, PROGRAM, *_machine("kvm", LEAST_MEMORY_MB), "-serial", "stdio",
                   *_boot(image, "trial=1"), timeout_seconds=_TRIAL_SECONDS)
    except PenstockError:
        return False
    return _READY.decode("ascii") in said


def _machine(acceleration: str, memory_mb: int) -> tuple[str, ...]:
    # The switch maps the guest's memory, so it is shared. Huge pages are not needed for that.
    return ("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-machine", "q35,memory-backend=memory", "-accel", acceleration, "-cpu", _PROCESSORS[acceleration],
            "-m", str(memory_mb), "-object", f"memory-backend-memfd,id=memory,size={memory_mb}M,share=on",
            "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny")


def _boot(image: guest_image.Image, words: str) -> tuple[object, ...]:
    # Without no_timer_check the kernel panics when an emulated timer is late, as on a machine with much else to do.
    return ("-kernel", image.kernel, "-initrd", image.initramfs, "-append",
            f"console=ttyS0 quiet mitigations=off no_timer_check panic=-1 {words}")


def _arguments(instance: InstanceFiles, entry: Function, image: guest_image.Image, acceleration: str) -> list[object]:
    paths = instance.sockets | {"requests": instance.own / "requests.sock"}
    sockets = {name: ("-chardev", f"socket,id={name},path={_quoted(path)},server=on,wait=off")
               for name, path in paths.items()}
    macs = _MACS[entry.mode]
    # QEMU 7.2 dies (SIGSEGV) when a vhost-user card with MSI-X starts in an emulated machine. Otherwise each queue has
    # an interrupt in each direction; two more tell of changed settings.
    cards: list[str] = []
    more = ",vectors=0" if acceleration == "tcg" else f",vectors={2 * entry.queues + 2}"
    for side in SIDES:
        cards += [*sockets[side], "-netdev", f"vhost-user,id={side},chardev={side},queues={entry.queues}",
                  "-device", f"virtio-net-pci,netdev={side},mac={macs[side]},romfile=,rx_queue_size=1024,"
                  f"tx_queue_size=1024,mq={'on' if entry.queues > 1 else 'off'}"
                  + more]
    words = [f"{_NAMES[side]}={macs[side]}" for side in SIDES]
    if entry.mode == "routed":
        words += [f"{_NAMES[side]}_link={_LINKS[side]}" for side in SIDES]
    place = ["taskset", "--cpu-list", str(entry.core)] if entry.core is not None else []
    rights = instance.confined(devices=("kvm",) if acceleration == "kvm" else (),
                               readable=(image.kernel, image.initramfs))
    return ["unshare", "--net", *rights, *place, PROGRAM, "-name", _quoted(instance.directory),
            *_machine(acceleration, entry.memory_mb), "-smp", str(entry.queues), *cards,
            "-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console",
            *sockets["requests"], "-serial", "chardev:requests", *_boot(image, " ".join(words))]


def _quoted(path: pathlib.Path) -> str:
    """As it has to be written inside an option of QEMU."""
    return str(path).replace(",", ",,")


def _printed(instance: InstanceFiles) -> bytes:
    """What QEMU and the guest have said at first: later it may be anything, and much."""
    return processes.log_head(instance.log)


def _ask(instance: InstanceFiles, word: str) -> str:
    """The guest's answer to a request: JSON. Raises OSError when it has not come within some seconds."""
    number = str(next(_number)).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(_ANSWER_SECONDS)
        client.connect(str(instance.own / "requests.sock"))
        client.sendall(b"%b %b\n" % (word.encode(), number))
        rest = b""
        for part in answers.parts(client, _ANSWER_SECONDS):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                found, _, answer = line.partition(b" ")
                if found == number:
                    return answer.decode(errors="replace")
    raise OSError("the guest hung up")
