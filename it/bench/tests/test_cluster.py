# SPDX-License-Identifier: Apache-2.0
"""Three controllers and a node with certificates: what clients see when the master is killed, stopped or cut off, and
whether a member with a foreign certificate is refused."""

import json
import os
import pathlib
import subprocess
import tempfile

import pytest

from penstock_base import places
from penstock_bench import cluster_faults

pytestmark = pytest.mark.hostile

_MOST_SECONDS = 20
"""Until a lease or a write, beside other tests. The figures of docs/performance.md are of a machine that is alone."""


def test_a_plan_has_each_fault_as_often() -> None:
    faults = cluster_faults.plan(12, 7)
    assert {fault: faults.count(fault) for fault in faults} == {
        (kind, target): 2 for kind in cluster_faults.KINDS for target in cluster_faults.TARGETS}
    assert faults == cluster_faults.plan(12, 7)
    assert faults != cluster_faults.plan(12, 8)


@pytest.mark.node
@pytest.mark.deep
@pytest.mark.cluster
def test_faults_of_the_master_lose_nothing() -> None:
    directory = pathlib.Path(tempfile.mkdtemp(prefix="ps-cluster-", dir="/var/tmp"))
    ran = subprocess.run(
        ["unshare", "--net", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", places.PYTHON, "-m",
         "penstock_bench.cluster_faults", "--tls", "--upgrade", str(directory), "freeze-master"],
        env=os.environ | {"PYTHONPATH": places.python_path()}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(ran.stdout)
    assert found["wrong"] == []
    assert [fault["kind"] for fault in found["faults"]] == ["freeze", "kill"]
    for fault in found["faults"]:
        assert fault["was_master"], fault
        assert fault["lease"] < _MOST_SECONDS, fault
        assert fault["write"] < _MOST_SECONDS, fault
        assert fault["sent"] > 100, fault
        assert fault["lost"] == 0, fault
