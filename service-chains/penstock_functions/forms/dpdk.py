# SPDX-License-Identifier: Apache-2.0
"""What the DPDK processes of functions share: a namespace, huge pages, the devices of the two sockets, and few rights.

DPDK opens the second socket only when the switch has connected to the first, so a fresh instance waits with one socket
until the controller has made the ports.
"""

import contextlib
from collections.abc import Iterator

from penstock_base import namespaces
from penstock_base.steps import step
from penstock_node.hugepages import HugePages
from penstock_node.ovs import dpdk_prefix, remove_dpdk_directory

from ..function import Function
from ..instance_files import InstanceFiles

QUEUE_SIZE = 1024
MOST_QUEUES = 8
"""Of a virtio-user device (VIRTIO_MAX_VIRTQUEUE_PAIRS of DPDK)."""
"""Packets that a queue of a socket holds."""
START_SECONDS = 20
"""How long a process may take to have its memory: others wait for theirs meanwhile."""


def lack(entry: Function) -> str | None:
    """Why its huge pages cannot be had now: asking all the same drives out of memory what the kernel can spare."""
    return HugePages().problem(entry.memory_mb)


def make_namespace(instance: InstanceFiles) -> str:
    """Makes the instance's network namespace and returns its name."""
    namespace = f"psf-{instance.node}-{instance.name}"
    instance.save(namespace=namespace)
    with step(f"function {instance.name}: namespace {namespace}"):
        namespaces.create(namespace, instance.state["uid"])
    return namespace


@contextlib.contextmanager
def reserved(instance: InstanceFiles, entry: Function, program: str) -> Iterator[None]:
    """Has huge pages free for the body, which starts the program and waits until it has taken them."""
    owner = f"function {instance.directory.absolute()}"
    instance.save(hugepage_owner=owner)
    wanted = f"{entry.memory_mb} MB of huge pages and {program} on core {entry.core}"
    with step(f"function {instance.name}: {wanted}") as line:
        with HugePages().reserve(owner, entry.memory_mb) as added:
            yield
        line.note = f"{added} huge pages added"


def memory_arguments(instance: InstanceFiles) -> list[str]:
    """Arguments of DPDK: no devices but those that are named, memory without files, in few pieces for the sockets."""
    return ["--no-pci", "--no-telemetry", "--in-memory", "--single-file-segments",
            f"--file-prefix={dpdk_prefix(instance.directory)}"]


def device(instance: InstanceFiles, entry: Function, index: int, side: str) -> str:
    """The device that owns the socket of a side, as DPDK reads it."""
    return (f"net_virtio_user{index},path={instance.sockets[side]},server=1,queues={entry.queues},"
            f"queue_size={QUEUE_SIZE}")


def clean(instance: InstanceFiles) -> None:
    """Gives back all of this, when the processes are gone."""
    remove_dpdk_directory(instance.directory)
    if instance.state.get("namespace"):
        namespaces.delete(instance.state["namespace"])
    if instance.state.get("hugepage_owner"):
        HugePages().give_back(instance.state["hugepage_owner"])
