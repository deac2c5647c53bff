# SPDX-License-Identifier: Apache-2.0
"""The controller of this machine as one finds it: that of ./penstock, or, of packages, that of systemd."""

import pathlib

import penstock_controller
from penstock_base import places
from penstock_base.restconf import Restconf
from penstock_controller import Controller

_SOURCES = places.is_source_tree()
if _SOURCES:
    from . import control


def controller() -> Controller:
    """The one that takes requests, if one does."""
    if _SOURCES:
        return control.answering()
    return penstock_controller.Controller(places.distribution(), places.controller_directory())


def master() -> Controller:
    """The one whose console has all commands: that with the engine."""
    return control.master() if _SOURCES else controller()


def cluster() -> list[dict[str, str]]:
    """Members of a cluster on this machine with their roles; empty for a controller alone."""
    return control.cluster() if _SOURCES else []


def members() -> tuple[tuple[str, ...], pathlib.Path | None]:
    """RESTCONF of all members of the cluster, as far as this machine knows them, and the authority of their
    certificates."""
    here, found = cluster(), controller()
    settings = found.settings
    if here:
        return tuple(each["url"] for each in here), None
    if not settings.members or settings.tls is None:
        return (found.restconf_url,), None
    others = [f"https://{f'[{each.address}]' if ':' in each.address else each.address}:{settings.ports.restconf}/rests"
              for each in settings.members if each.name != settings.member]
    return (found.restconf_url, *others), pathlib.Path(settings.tls.ca)


def is_running() -> bool:
    """Whether it runs."""
    return control.is_running() if _SOURCES else controller().pid is not None


def restconf() -> Restconf:
    """A client for it."""
    found = controller()
    return Restconf(found.restconf_url, found.user, found.password)
