# SPDX-License-Identifier: Apache-2.0
"""Whether members trust certificates of their own authority alone."""

import dataclasses
import re

from penstock_base import processes
from penstock_base.restconf import Restconf
from penstock_controller.settings import Tls

from . import cluster_tls
from .cluster_bed import NUMBERS, ClusterBed

_REFUSED_SECONDS = 90
_REFUSED = re.compile(r"PKIX path (building|validation) failed|unable to find valid certification path")


def check(bed: ClusterBed) -> list[str]:
    """What is wrong with the connections of members that have certificates; a member with one of another authority is
    tried too, in the place of the last one."""
    wrong = []
    for number in NUMBERS:
        member = bed.settings[number]
        client = Restconf(f"https://{member.northbound_address}:{member.ports.restconf}/rests",
                          bed.members[number].user, bed.members[number].password, 10,
                          bed.directory / f"authority-{member.member}" / "ca.pem")
        if client.read("penstock-allocation:allocations/mastership") is None:
            wrong.append(f"member {number} does not answer by HTTPS")
    target = bed.ovs.vsctl("--bare", "--columns=target", "find", "Controller").split()
    if not target or not all(each.startswith("ssl:") for each in target):
        wrong.append(f"the switch connects to {target}")
    return wrong + _foreign(bed, NUMBERS[-1])


def _foreign(bed: ClusterBed, number: int) -> list[str]:
    own = bed.settings[number]
    bed.kill(number)
    others = [each for each in NUMBERS if each != number]
    before = {each: _refusals(bed, each) for each in others}
    bed.settings[number] = dataclasses.replace(own, tls=Tls(**cluster_tls.issue(
        bed.directory / "foreign", "member", own.member, own.listen_address)))
    bed.start(number)
    processes.wait_until(lambda: any(_refusals(bed, each) > before[each] for each in others),
                         "the others refuse a member with a foreign certificate", _REFUSED_SECONDS)
    wrong = [f"member {each} hears a member with a foreign certificate" for each in others
             if f"{own.member} " in (bed.members[each].run_dir / "cluster-state").read_text(encoding="utf-8")]
    if bed.members[number].ask().done["restconf"]:
        wrong.append("a member with a foreign certificate serves data")
    bed.kill(number)
    bed.settings[number] = own
    bed.come_back(number)
    return wrong


def _refusals(bed: ClusterBed, number: int) -> int:
    return len(_REFUSED.findall(bed.members[number].log_file.read_text(encoding="utf-8", errors="replace")))
