# SPDX-License-Identifier: Apache-2.0
"""The controller and account that a client talks to: named by options, else by the environment, else by a profile, else
those of this machine.

A password comes from a file that no other user can read, never from the command line. It is sent to a loopback address,
or by HTTPS to a controller whose certificate is checked.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
import pathlib
import stat
import typing
import urllib.parse
from collections.abc import Callable, Mapping, Sequence

from penstock_base.texts import plain

from .errors import WrongUsage

SECONDS = 60.0
_MOST = 1 << 16
_FIELDS = ("controller", "user", "password", "password-file", "ca")


@dataclasses.dataclass(frozen=True)
class Target:
    """RESTCONF roots in the order in which they are asked, account, and certificate of the authority."""
    urls: tuple[str, ...]
    user: str
    password: str = dataclasses.field(repr=False)
    ca: pathlib.Path | None = None
    timeout_seconds: float = SECONDS


@dataclasses.dataclass(frozen=True)
class Given:
    """What is given in one place; None for what is not."""
    controllers: Sequence[str] = ()
    user: str | None = None
    password_file: pathlib.Path | None = None
    ca: pathlib.Path | None = None

    def over(self, other: Given) -> Given:
        """These, and of another place what is not here."""
        return Given(self.controllers or other.controllers, self.user or other.user,
                     self.password_file or other.password_file, self.ca or other.ca)


def find(given: Given | None = None, local: Callable[[], Target] | None = None,
         environment: Mapping[str, str] | None = None) -> Target:
    """The target. Raises WrongUsage with what is missing.

    given: by options
    local: finds the controller of this machine, which is the target if no other is named
    """
    environment = os.environ if environment is None else environment
    named = (given or Given()).over(_of_environment(environment))
    password = None
    if not named.controllers:
        profile = profile_path(environment)
        content = _profile(profile) if profile.exists() else None
        if content is not None:
            named, password = named.over(content[0]), content[1]
        elif local is not None:
            return _with_account(local(), named)
        else:
            raise WrongUsage("no controller is named: use --controller, $PENSTOCK_CONTROLLER or " + str(profile))
    if not named.user:
        raise WrongUsage("the account is missing: use --user, $PENSTOCK_USER or the field user of the profile")
    if named.password_file:
        password = read_password(named.password_file)
    if password is None:
        raise WrongUsage("the password is missing: use --password-file, $PENSTOCK_PASSWORD_FILE or the field "
                            "password-file of the profile; the file is one that no other user can read")
    return Target(tuple(map(checked_url, named.controllers)), named.user, password, _ca(named.ca))


def of_values(controllers: Sequence[str], user: str, password: str, ca: pathlib.Path | None = None) -> Target:
    """The target of values that a program has, such as a password of a vault. Raises WrongUsage."""
    if not controllers or not user or not password:
        raise WrongUsage("a password that is given as a text needs a controller and a user beside it")
    return Target(tuple(map(checked_url, controllers)), user, password, _ca(ca))


def _with_account(found: Target, named: Given) -> Target:
    if not named.user and not named.password_file:
        return found
    password = read_password(named.password_file) if named.password_file else ""
    if not named.user or not password:
        raise WrongUsage("an account has a name and a password: use --user and --password-file together")
    return dataclasses.replace(found, user=named.user, password=password)


def _of_environment(environment: Mapping[str, str]) -> Given:
    def path(name: str) -> pathlib.Path | None:
        return pathlib.Path(environment[name]) if environment.get(name) else None
    return Given(environment.get("PENSTOCK_CONTROLLER", "").split(), environment.get("PENSTOCK_USER") or None,
                 path("PENSTOCK_PASSWORD_FILE"), path("PENSTOCK_CA"))


def profile_path(environment: Mapping[str, str]) -> pathlib.Path:
    """The profile of the user, which need not exist."""
    home = environment.get("XDG_CONFIG_HOME") or str(pathlib.Path(environment.get("HOME") or "/") / ".config")
    return pathlib.Path(home) / "penstock" / "controller.yaml"


def _profile(path: pathlib.Path) -> tuple[Given, str | None]:
    """What a profile gives, and its password."""
    from . import documents  # noqa: PLC0415  (most commands need none)
    text = _private(path, "the profile")
    content = documents.parse(text, path)
    for name in content:
        if name not in _FIELDS:
            raise WrongUsage(f"{path}: {name}: unknown field; known are {', '.join(_FIELDS)}")
    controllers = content.get("controller")
    controllers = [controllers] if isinstance(controllers, str) else controllers
    if not isinstance(controllers, list) or not controllers or not all(isinstance(each, str) for each in controllers):
        raise WrongUsage(f"{path}: controller: is missing; give the URL of the controller, or a list of them")
    texts = {name: content.get(name) for name in _FIELDS[1:]}
    for name, value in texts.items():
        if value is not None and (not isinstance(value, str) or not value):
            raise WrongUsage(f"{path}: {name}: is not one text")
    if texts["password"] and texts["password-file"]:
        raise WrongUsage(f"{path}: has both password and password-file; give one of them")

    def file(name: str) -> pathlib.Path | None:
        return path.parent / pathlib.Path(typing.cast(str, texts[name])).expanduser() if texts[name] else None
    return Given(controllers, texts["user"], file("password-file"), file("ca")), texts["password"]


def read_password(path: pathlib.Path) -> str:
    """The first line of a file that no other user can read."""
    password = _private(path, "the password").split("\n", 1)[0].rstrip("\r")
    if not password:
        raise WrongUsage(f"{path}: is empty; its first line has to be the password")
    return password


def _private(path: pathlib.Path, what: str) -> str:
    """The text of a file of ours, or of root, that others cannot read or write."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise WrongUsage(f"{what} cannot be read from {path}: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise WrongUsage(f"{path}: is no regular file")
        if found.st_uid not in {0, os.geteuid()} and os.geteuid() != 0:
            raise WrongUsage(f"{path}: belongs to another user")
        if found.st_mode & 0o077:
            raise WrongUsage(f"{path}: other users can read {what}: chmod 600 {path}")
        content = file.read(_MOST)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise WrongUsage(f"{path}: is not UTF-8") from None


def _ca(path: pathlib.Path | None) -> pathlib.Path | None:
    if path is not None and not path.is_file():
        raise WrongUsage(f"{path}: there is no such certificate of an authority")
    return path


def checked_url(text: str) -> str:
    """The RESTCONF root of a URL, as https://192.0.2.1:8181. Raises WrongUsage for one that would send a password in
    plain text, or that has one itself."""
    try:
        url = urllib.parse.urlsplit(text)
        port = url.port
    except ValueError:
        url, port = urllib.parse.urlsplit(""), None
    if url.scheme not in {"http", "https"} or not url.hostname or url.query or url.fragment or not text.isascii() \
            or any(letter.isspace() for letter in text):
        raise WrongUsage(f"{plain(text)} is no URL of a controller; write it as https://192.0.2.1:8181")
    if "@" in url.netloc:
        raise WrongUsage("the URL of a controller has no user and password: use --user and --password-file")
    if url.scheme == "http" and not _is_loopback(url.hostname):
        raise WrongUsage(f"http://{url.hostname} would send the password in plain text: use https")
    path = url.path.rstrip("/") or "/rests"
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{url.scheme}://{host}{f':{port}' if port else ''}{path}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
