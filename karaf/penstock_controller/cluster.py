# SPDX-License-Identifier: Apache-2.0
"""The files by which OpenDaylight makes a cluster of controllers: Akka, the places of shards, the times of Raft.

A controller alone is a cluster of one. All files are written at each start, so that a member may join or leave.
"""

from __future__ import annotations

from . import trust
from .settings import LOOPBACK, Member, Settings

SHARD = "default"
"""The shard of all of Penstock's configuration; its leader has the engine. The same as in ShardLeadership.java."""

# Beside the defaults of OpenDaylight 7.0.11, which this file replaces. The tell-based protocol is not the default of
# its model, and without it writes fail when a leader ends.
_DATASTORE = """\
# Written at every start.
operational.persistent = false
maximum-message-slice-size = 491520
use-tell-based-protocol = true
snapshot-on-root-overwrite = false
export-on-recovery = off
"""
# 100 ms is the least that OpenDaylight takes. The factor is that of a start: see election_heartbeats.
_RAFT = """\
shard-heartbeat-interval-in-millis = 100
shard-election-timeout-factor = 30
shard-isolated-leader-check-interval-in-millis = 500
"""
_LEAST_HEARTBEATS = 5
_MORE_HEARTBEATS = 2
_FAILURES = """\
      failure-detector {
        heartbeat-interval = 100 ms
        acceptable-heartbeat-pause = 500 ms
        min-std-deviation = 50 ms
      }
      unreachable-nodes-reaper-interval = 100 ms
"""

# How long the journal may take to open, and to write. A shard whose journal took longer ends, and the controller waits
# for it in vain: Akka's 10 s were not enough for 43,000 entries behind the snapshot on a busy machine.
_JOURNAL = "300 s"

# A segment is scanned at each start, and when it is full, while the shard stores nothing. 20 MB take the largest entry,
# 16 MB, and three of them, which a new one needs of the disk, are less than the room that the controller keeps free
# (DiskSpace.java); with OpenDaylight's 128 MB a start took 19 s longer, and a new segment failed below 384 MB.
_SEGMENT = "20 M"


def files(settings: Settings) -> dict[str, str]:
    """The files by path in the run directory."""
    alone = len(members(settings)) == 1
    return {
        "configuration/initial/akka.conf": _akka(settings, alone),
        "configuration/initial/module-shards.conf": _shards(settings),
        "etc/org.opendaylight.controller.cluster.datastore.cfg": _DATASTORE + ("" if alone else _RAFT),
    }


def members(settings: Settings) -> tuple[Member, ...]:
    """All members, this one among them."""
    return settings.members or (Member(settings.member, LOOPBACK),)


def election_heartbeats(settings: Settings) -> int:
    """Heartbeats of the leader that a member misses before it stands for election, once it has caught up.

    It stands only when Akka does not reach the leader either (Follower.handleElectionTimeout). The numbers differ:
    those who stand at the same time share the votes, and OpenDaylight's own variance, 0.1 s, is too small.
    """
    place = [member.name for member in members(settings)].index(settings.member)
    return _LEAST_HEARTBEATS + _MORE_HEARTBEATS * place


def _akka(settings: Settings, alone: bool) -> str:
    port = settings.ports.cluster
    # Members find each other by ClusterJoin.java: Akka needs the first of its list for each start of all.
    seeds = f'"akka://opendaylight-cluster-data@{own(settings).address}:{port}"' if alone else ""
    return f"""odl-cluster-data {{
  akka {{
    remote.artery {{
      enabled = on
      transport = {"tls-tcp" if settings.tls else "tcp"}
{trust.artery(settings.tls)}      canonical.hostname = "{own(settings).address}"
      canonical.port = {port}
      advanced.tcp.outbound-client-hostname = "{own(settings).address}"
    }}
    cluster {{
      seed-nodes = [{seeds}]
      roles = ["{settings.member}"]
{"" if alone else _FAILURES}    }}
    persistence {{
      snapshot-store.local {{
        use-lz4-compression = false
        lz4-blocksize = 256KB
      }}
      journal.segmented-file {{
        circuit-breaker.call-timeout = {_JOURNAL}
        recovery-event-timeout = {_JOURNAL}
        max-segment-size = {_SEGMENT}
      }}
      non-persistent.journal {{
        circuit-breaker.call-timeout = {_JOURNAL}
        recovery-event-timeout = {_JOURNAL}
      }}
    }}
    disable-default-actor-system-quarantined-event-handling = "false"
  }}
}}
"""


def own(settings: Settings) -> Member:
    """The member that these settings are of."""
    return next(member for member in members(settings) if member.name == settings.member)


def _shards(settings: Settings) -> str:
    """Inventory and topology tell of the switches of this member, so that they wait for no other one."""
    everywhere = [member.name for member in members(settings)]
    here = [settings.member]
    places = {SHARD: everywhere, "topology": here, "inventory": here}
    lines = (f"""    {{ name = "{name}", shards = [ {{ name = "{name}", replicas = [{_names(replicas)}] }} ] }}"""
             for name, replicas in places.items())
    return "module-shards = [\n" + ",\n".join(lines) + "\n]\n"


def _names(values: list[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)
