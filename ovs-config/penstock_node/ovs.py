# SPDX-License-Identifier: Apache-2.0
"""A private Open vSwitch: its database server, its switch process, and the commands that talk to them."""

import json
import os
import pathlib
import shutil
import typing
import uuid
from collections.abc import Collection, Mapping, Sequence

from penstock_base import files, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError

from . import supervision, switch_faults, switch_program
from .node_protocol import ACCEPTED_FAULTS, BRIDGE

NICENESS = -20
"""Of ovs-vswitchd, and of the agent, which has to act when the switch is overloaded. Open vSwitch's own scripts have
-10, with which another process takes a tenth of the core of a polling thread, for so long that rings overflow. And when
its revalidators do not get their share of a busy core, the switch takes itself for overloaded and caches fewer flows
than there are: every packet of the others is an upcall."""

DATABASE, SWITCH = "ovsdb-server", "ovs-vswitchd"
"""Names of the programs, of their files and of their services."""

HOME = "switch"
"""The directory in that of a node in which its switch may write, if it has a user of its own."""

_SHORTEST_FRAGMENT = "400"
"""The least that Open vSwitch can be set to (IPF_V4_FRAG_SIZE_LBOUND and IPF_V6_FRAG_SIZE_LBOUND, lib/ipf.c, 3.1); last
fragments may be shorter."""
_MOST_FRAGMENTS = "5000"
"""The most that it can be set to (IPF_NFRAG_UBOUND, lib/ipf.c, 4.0). Each is a packet buffer of DPDK."""
_START_SECONDS = 60
_CLOSED = "flow-restore-wait"
_CERTIFICATES = tuple(f"--{option}=db:Open_vSwitch,SSL,{column}" for option, column in (
    ("private-key", "private_key"), ("certificate", "certificate"), ("ca-cert", "ca_cert")))
"""The database server takes its files from the database, as the switch does: there is one place that names them."""


def dpdk_prefix(directory: pathlib.Path) -> str:
    """The name by which the DPDK process of this directory keeps apart from all others on the machine."""
    return "penstock-" + uuid.uuid5(uuid.NAMESPACE_URL, str(pathlib.Path(directory).absolute())).hex[:12]


def remove_dpdk_directory(directory: pathlib.Path) -> None:
    """Removes what DPDK leaves in its own run directory. Call it when the process is gone."""
    shutil.rmtree(pathlib.Path("/var/run/dpdk", dpdk_prefix(directory)), ignore_errors=True)


class Ovs:
    """The Open vSwitch whose files are all in `directory`. Nothing of it touches the system's own instance.

    own: the directory below, in which its processes may write when they are not root; the others' files, which tell
    who they are and what they print, are root's.
    switch_home: the directory in which the switch alone may write, when it is another user than the database; None if
    it is not. Its sockets are there, and have links in `own`.
    patience_seconds: how long a command waits at most until the switch, or the database, has done it
    """

    def __init__(self, directory: pathlib.Path, own: pathlib.Path | None = None, patience_seconds: float = 20,
                 switch_home: pathlib.Path | None = None) -> None:
        self.directory = pathlib.Path(directory)
        self.own = pathlib.Path(own or directory)
        self._switch_home = switch_home or self.own
        self._timeout = f"--timeout={patience_seconds}"
        self.socket = self.own / "db.sock"
        self.database_process = self.directory / "ovsdb-server.process"
        self.switch_process = self.directory / "ovs-vswitchd.process"
        self.switch_log = self.directory / "ovs-vswitchd.log"

    @property
    def environment(self) -> dict[str, str]:
        """Environment for ovs-ofctl, ovs-appctl and other tools to reach this instance."""
        # Of a switch with a home the sockets of all bridges are there; the database is always named by its own path.
        home = self.directory / HOME
        return dict(os.environ) | _variables(home if home.is_dir() else self.own)

    @property
    def control_socket(self) -> pathlib.Path:
        """Where the switch process takes commands. It is named by its process: to find it by its name, the tools of
        Open vSwitch lock the pid file, for which they need the right to write it."""
        return self.own / f"{SWITCH}.{processes.pid_of(self.switch_process)}.ctl"

    def start_database(self, rights: Sequence[str] = (), tree: supervision.Tree | None = None,
                       root: pathlib.Path = switch_program.MACHINE) -> None:
        """Starts ovsdb-server and waits until it answers; the database is made when missing and kept over a crash.

        rights: the words before the program that take rights from it, such as those of setpriv
        tree:   a supervision.Tree that keeps it running; None to start it once
        root:   of the switch, whose schema a new database has
        """
        database = self.own / "conf.db"
        if not database.exists():
            self._create_database(database, rights, switch_program.schema(root))
        log = self.directory / "ovsdb-server.log"
        self._start(tree, supervision.Service(
            DATABASE, (*rights, "ovsdb-server", database, f"--remote=punix:{self.socket}", *self._for_switch(),
                       "--remote=db:Open_vSwitch,Open_vSwitch,manager_options", *_CERTIFICATES, "--pidfile",
                       *self._logging(log, self.own)),
            self.database_process, self._output(log, self.own), _variables(self.own),
            (*_stale(self.own, DATABASE), self.socket, *self._sockets_for_switch)))
        processes.wait_until(lambda: self.socket.exists() and self._answers(), DATABASE, 15,
                             self.database_process, log)
        self.vsctl("--no-wait", "init")

    def _create_database(self, database: pathlib.Path, rights: Sequence[str], schema: pathlib.Path) -> None:
        """Half a database must not be taken for one: it gets its name when it is whole."""
        made = database.with_name("conf.db.new")
        made.unlink(missing_ok=True)
        try:
            run(*rights, "ovsdb-tool", "create", made, schema)
            with files.explained(database):
                made.replace(database)
                files.sync_folder(self.own)
        finally:
            made.unlink(missing_ok=True)
            made.with_name(f".{made.name}.~lock~").unlink(missing_ok=True)  # The tool's.

    def start_switch(self, namespace: str | None, cores: Collection[int] = (), rights: Sequence[str] = (),
                     nice: int | None = NICENESS, root: pathlib.Path = switch_program.MACHINE,
                     tree: supervision.Tree | None = None, before: Sequence[Sequence[str]] = (),
                     closed: bool = False) -> None:
        """Starts ovs-vswitchd in a network namespace and waits until DPDK has taken its huge pages.

        rights, tree: as of `start_database`
        nice:  its precedence, None for that of the caller
        cores: where its threads may run, except those that poll ports, which choose their core themselves. Without
        that the others take time from the polling ones. Empty for all cores.
        root:  of the Debian whose Open vSwitch it is, see switch_program
        before: as of supervision.Service
        closed: whether it forwards nothing, and connects to no controller, until `prepare_bridge`, each time
        """
        self.switch_log.unlink(missing_ok=True)
        home, own = self._switch_home, self.own
        database = next(iter(self._sockets_for_switch), self.socket)
        # Where a switch with a home of its own cannot write: taken over, it is not to choose what is started next.
        program = switch_program.words(database.parent / SWITCH, root)
        names = (f"{SWITCH}.{{pid}}.ctl", f"{SWITCH}.pid", f"{BRIDGE}.mgmt", f"{BRIDGE}.snoop")
        place = ["taskset", "--cpu-list", ",".join(map(str, sorted(cores)))] if cores else []
        self._start(tree, supervision.Service(
            SWITCH, (*rights, *place, *program, f"unix:{database}", "--pidfile",
                     *self._logging(self.switch_log, home)),
            self.switch_process, self._output(self.switch_log, home), _variables(home),
            (*_stale(home, SWITCH), *_stale(own, SWITCH)),
            [] if home == own else [(own.absolute() / name, home / name) for name in names],
            (self._closing_command(),) if closed else (),
            # A former process may have left "true" in the database: who waits for it waits for the word of this one.
            (*before, ("ovs-vsctl", "--timeout=5", "--no-wait", f"--db=unix:{self.socket}", "set", "Open_vSwitch", ".",
                       "dpdk_initialized=false")), namespace, nice))
        processes.wait_until(lambda: self.get("Open_vSwitch", ".", "dpdk_initialized") is True, SWITCH,
                             _START_SECONDS, self.switch_process, self.switch_log)

    def _closing_command(self) -> tuple[str, ...]:
        return ("ovs-vsctl", "--retry", "--timeout=8", "--no-wait", f"--db=unix:{self.socket}", "set", "Open_vSwitch",
                ".", f"other_config:{_CLOSED}=true")

    @staticmethod
    def _start(tree: supervision.Tree | None, service: supervision.Service) -> None:
        if tree is None:
            supervision.start_once(service)
        else:
            tree.keep(service)

    def prepare_bridge(self) -> None:
        """Makes the controller's bridge, without flows, and tells connection tracking what to accept.

        Any sequence number: sessions pass connection tracking by, so what ends a TCP connection is far from the last
        number it saw, and would be called invalid. And short fragments. Both settings belong to the datapath, which is
        there as long as a bridge is, and nothing but these commands changes them.

        A switch that fails at fragments, and is closed until then, gets none to track: they are invalid to it, which
        the flows behind connection tracking drop.
        """
        process = processes.pid_of(self.switch_process)
        # Its file may be another one by now.
        version = self.version()
        accepted = self.get("Open_vSwitch", ".", "external_ids").get(ACCEPTED_FAULTS, "").split(",")
        self.vsctl("--may-exist", "add-br", BRIDGE, "--", "set", "Bridge", BRIDGE, "datapath_type=netdev",
                   "fail_mode=secure", "--", "set", "Open_vSwitch", ".", f"ovs_version={version}")
        self.appctl("dpctl/ct-disable-tcp-seq-chk")
        self.track_fragments(accepted)
        if processes.pid_of(self.switch_process) != process:
            raise PenstockError("the switch was started again while it got its settings; try again")
        self.vsctl("remove", "Open_vSwitch", ".", "other_config", _CLOSED)

    def track_fragments(self, accepted_faults: Collection[str]) -> None:
        """Has connection tracking accept fragments as short as it can take: it refuses those of less than 1200 bytes
        otherwise, which is what links with a smaller MTU make, and of less than 1280 bytes by IPv6. And keep as many as
        it can: 1000 otherwise, of all tenants. Or none at all, where the switch fails at them. It forgets that with the
        last bridge."""
        off = switch_faults.FRAGMENTS in switch_faults.off(accepted_faults)
        for family in ("v4", "v6"):
            self.appctl("dpctl/ipf-set-min-frag", family, _SHORTEST_FRAGMENT)
            if off:
                self.appctl("dpctl/ipf-set-disabled", family)
        self.appctl("dpctl/ipf-set-max-nfrags", _MOST_FRAGMENTS)

    def stop(self, tree: supervision.Tree | None = None) -> None:
        """Ends both processes if they run. tree: what keeps them running, if anything does."""
        for name, process in ((SWITCH, self.switch_process), (DATABASE, self.database_process)):
            if tree is None:
                processes.stop(process)
            else:
                tree.remove(name, process)

    def is_running(self) -> bool:
        """Whether both processes run."""
        return processes.is_running(self.database_process) and processes.is_running(self.switch_process)

    def works(self) -> bool:
        """Whether both processes answer, and the switch has begun to look at its bridges."""
        try:
            return self.is_running() and self._answers() and "dpctl/" in self.appctl("list-commands")
        except PenstockError:
            return False

    def vsctl(self, *args: object) -> str:
        """Runs ovs-vsctl, waiting for the switch to take the change up."""
        return run("ovs-vsctl", self._timeout, f"--db=unix:{self.socket}", *args)

    def appctl(self, *args: object) -> str:
        """Runs a command inside the switch process."""
        return run("ovs-appctl", self._timeout, "-t", self.control_socket, *args, environment=self.environment)

    def version(self) -> str:
        """The version of the running switch, as 4.0.0."""
        return switch_program.version_in(self.appctl("version"))

    def drop_cached_flows(self) -> None:
        """Drops all cached flows.

        Three times where one purge leaves those that a revalidator holds at that moment (revalidator_sweep__,
        ofproto/ofproto-dpif-upcall.c, 3.1), for as long as others have its core. So the end of its round is waited
        for. In the next round it may hold the same flow, if few are left: seen once in some hundred times with two
        purges, while flow tables changed all the time. A wait takes up to half a second (max-revalidator of Open
        vSwitch), on a busy machine or with many cached flows more."""
        self.appctl("revalidator/purge")
        for _ in range(2 if switch_faults.keeps_stale_flows(self.version()) else 0):
            try:
                self.appctl("revalidator/wait")
            except PenstockError as error:
                if "multiple udpifs" not in str(error):  # Its answer when there is not exactly one kind of datapath.
                    raise
            self.appctl("revalidator/purge")

    def get(self, table: str, record: str, column: str) -> typing.Any:
        """One column of a record as a Python value; an OVSDB map becomes a dict, a set a list."""
        text = self.vsctl("--format=json", "--no-headings", f"--columns={column}", "list", table, record)
        return _plain(json.loads(text)["data"][0][0])

    def rows(self, table: str, *columns: str) -> list[dict[str, typing.Any]]:
        """All records of a table as dicts of the given columns."""
        text = self.vsctl("--format=json", f"--columns={','.join(columns)}", "list", table)
        answer = json.loads(text)
        return [{name: _plain(value) for name, value in zip(answer["headings"], row, strict=True)}
                for row in answer["data"]]

    def set_map(self, column: str, values: Mapping[str, object]) -> None:
        """Sets keys of a map column of the Open_vSwitch record; other keys stay. Does not wait for the switch."""
        pairs = [f"{column}:{key}={json.dumps(str(value))}" for key, value in values.items()]
        self.vsctl("--no-wait", "set", "Open_vSwitch", ".", *pairs)

    @property
    def _sockets_for_switch(self) -> list[pathlib.Path]:
        """A further socket of the database in a directory of its own, if the switch sees that one alone."""
        return [] if self._switch_home == self.own else [self.database_directory / "db.sock"]

    @property
    def database_directory(self) -> pathlib.Path:
        """Where a switch with a home of its own finds the database."""
        return self.directory / "database"

    def _for_switch(self) -> list[str]:
        return [f"--remote=punix:{socket}" for socket in self._sockets_for_switch]

    def _logging(self, log: pathlib.Path, home: pathlib.Path) -> list[str]:
        """Options. One that may not write beside its pid file prints its log."""
        if home == self.directory:
            return [f"--log-file={log}", "--verbose=console:emer"]
        return ["--verbose=syslog:off", "--verbose=console:info"]

    def _output(self, log: pathlib.Path, home: pathlib.Path) -> pathlib.Path:
        """Where what it prints goes."""
        return log.with_suffix(".out") if home == self.directory else log

    def _answers(self) -> bool:
        try:
            self.vsctl("--no-wait", "show")
        except PenstockError:
            return False
        return True


def _variables(home: pathlib.Path) -> dict[str, str]:
    return {name: str(home) for name in ("OVS_RUNDIR", "OVS_DBDIR", "OVS_LOGDIR", "OVS_SYSCONFDIR")}


def _stale(home: pathlib.Path, name: str) -> tuple[pathlib.Path, pathlib.Path]:
    """Patterns of the files of a process that crashed: a new one, and its clients, must not find them."""
    return home / f"{name}.*.ctl", home / f"{name}.pid"


def _plain(value: typing.Any) -> typing.Any:
    if isinstance(value, list) and len(value) == 2 and value[0] in ("map", "set", "uuid"):
        kind, content = value
        if kind == "map":
            return {_plain(key): _plain(entry) for key, entry in content}
        return [_plain(entry) for entry in content] if kind == "set" else content
    return value
