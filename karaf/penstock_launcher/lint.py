# SPDX-License-Identifier: Apache-2.0
"""./penstock lint: static analysis of the Python, the shell and the YANG, and of what is held against the YANG: the
examples, and the OpenAPI document.

ruff, mypy, pyang and openapi-spec-validator come from the package index, in the versions of lint-requirements.txt, into
an environment below /var/cache/penstock/lint ($PENSTOCK_CACHE_DIR/lint) that stays; shellcheck and yanglint are
Debian's. Settings of ruff and mypy are in pyproject.toml at the top. docs/adr/0033-static-analysis.md has the reasons.
"""

import collections.abc
import dataclasses
import errno
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

from penstock_base import exclusive, packages, places
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_base.steps import step
from penstock_base.version import of_tree

from . import examples

REQUIREMENTS = pathlib.Path(__file__).with_name("lint-requirements.txt")

_SHELL = re.compile(rb"#!.*\b(ba|da|a)?sh\b")
_NOT_SOURCES = {".git", ".mypy_cache", ".ruff_cache", "__pycache__", "node_modules", "target"}
_MODEL = pathlib.Path("odl-apps", "model")
_YANG = _MODEL / "src" / "main" / "yang"
_DEVIATIONS = "penstock-deviations.yang"
"""It tells what the datastore does not enforce, and the controller does."""
OPENAPI = pathlib.Path("docs", "openapi.json")

_COLLECTION = "karaf/ansible/collections/**/*.py"
"""Ansible's plugins are in no package."""
_MYPY = re.compile(r"^(?P<path>[^:]+):(?P<line>\d+): error: (?P<text>.*)$", re.MULTILINE)
_YANGLINT = re.compile(r"^libyang (?:err|warn) *: (?P<text>.*)$", re.MULTILINE)
_YANG_LINE = re.compile(r"[Ll]ine number (\d+)")
_YANG_FAILED = re.compile(r'^(?:Parsing|Loading) (?:module )?"(?P<name>[^"@]+)(?:@[^"]*)?" (?:module )?failed\.$')


@dataclasses.dataclass(frozen=True)
class Finding:
    """One fault. `path` is below the top of the tree; `line` is 1 where a tool does not know it.

    yanglint names the line in which it noticed: a value that ends a line is found wrong in the next one.
    """
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def run(root: pathlib.Path = ROOT) -> list[Finding]:
    """Installs missing tools and returns the findings of all. Raises PenstockError if a tool cannot run."""
    return [finding for found in by_tool(root).values() for finding in found]


def by_tool(root: pathlib.Path = ROOT) -> dict[str, list[Finding]]:
    """The same by the names of the tools."""
    try:
        return _by_tool(root)
    except OSError as error:
        raise PenstockError(f"{error.filename}: {error.strerror}; run it as root, or as the owner of the tree with "
                            "PENSTOCK_CACHE_DIR and PENSTOCK_LOCK_DIR") from error


def _by_tool(root: pathlib.Path) -> dict[str, list[Finding]]:
    programs = install()
    checks: dict[str, collections.abc.Callable[[], list[Finding]]] = {
        "ruff": functools.partial(ruff, root, programs), "mypy": functools.partial(mypy, root, programs),
        "shellcheck": functools.partial(shellcheck, root), "yanglint": functools.partial(yanglint, root),
        "openapi": functools.partial(openapi, root, programs)}
    found = {}
    for name, check in checks.items():
        with step(name) as current:
            found[name] = check()
            current.note = f"findings: {len(found[name])}" if found[name] else "clean"
    return found


def install() -> pathlib.Path:
    """Installs missing packages and programs. Returns the directory of ruff and mypy."""
    missing = packages.missing(packages.LINT)
    if missing and os.geteuid() != 0:
        raise PenstockError(f"needs {' '.join(missing)}: run it as root once, or install them")
    packages.install(packages.LINT)
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:16]
    directory = places.lint_directory() / wanted
    complete = directory / "complete"
    if not complete.exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        with exclusive.alone("lint-tools", "./penstock lint", wait=True):
            if not complete.exists():
                _make_environment(directory)
                complete.touch()
    return directory / "bin"


def _make_environment(directory: pathlib.Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    with step("installing the tools of lint"):
        done = _call(places.PYTHON, "-m", "venv", directory)
        if done.returncode:
            raise _failed("python3 -m venv", done)
        done = _call(directory / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                     "--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", REQUIREMENTS)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")] or ["no reason given"]
            raise PenstockError(f"cannot install {REQUIREMENTS.name}: {said[0]}; is the package index reachable?")


def ruff(root: pathlib.Path, programs: pathlib.Path) -> list[Finding]:
    """The findings of ruff in all Python files."""
    done = _call(programs / "ruff", "check", "--output-format", "json", "--cache-dir", _cache(root) / "ruff", ".",
                 directory=root)
    if done.returncode not in (0, 1):
        raise _failed("ruff", done)
    return [Finding(_below(root, one["filename"]), one["location"]["row"], f"{one['message']} [{one['code']}]")
            for one in json.loads(done.stdout)]


def mypy(root: pathlib.Path, programs: pathlib.Path) -> list[Finding]:
    """The findings of mypy in the packages, in the tests of the documentation, and in the collection of Ansible."""
    names = sorted(path.parent.name for folder in places.PACKAGE_FOLDERS
                   for path in root.glob(f"{folder}/penstock_*/__init__.py"))
    # Every folder has a package `tests`: this run has to see the one of docs first.
    runs = [(names, "")] + ([(["tests"], "docs")] if (root / "docs" / "tests" / "__init__.py").exists() else [])
    words = [([word for name in names_of_run for word in ("--package", name)], path) for names_of_run, path in runs]
    words.append(([str(path) for path in sorted(root.glob(_COLLECTION))], ""))
    found = []
    for options, path in words:
        if not options:
            continue
        done = _call(programs / "mypy", "--config-file", root / "pyproject.toml", "--cache-dir", _cache(root) / "mypy",
                     "--hide-error-context", "--no-color-output", "--no-pretty", *options, directory=root,
                     environment={"MYPYPATH": path})
        some = [Finding(_below(root, one["path"]), int(one["line"]), one["text"])
                for one in _MYPY.finditer(done.stdout)]
        if done.returncode and not some:
            raise _failed("mypy", done)
        found += some
    return found


def shellcheck(root: pathlib.Path) -> list[Finding]:
    """The findings of shellcheck in all files that begin as a shell script does."""
    scripts = [path for path in _files(root) if _begins_as_shell(path)]
    if not scripts:
        return []
    done = _call("shellcheck", "--format", "json1", *scripts, directory=root)
    if done.returncode not in (0, 1):
        raise _failed("shellcheck", done)
    return [Finding(_below(root, one["file"]), one["line"], f"{one['message']} [SC{one['code']}]")
            for one in json.loads(done.stdout)["comments"]]


def yanglint(root: pathlib.Path) -> list[Finding]:
    """The findings of yanglint in the YANG modules; if there are none, those in the examples, and refusals it lacks."""
    modules = sorted((root / _YANG).glob("*.yang"))
    imports = _yang_imports(root)
    command: list[str | pathlib.Path] = ["yanglint", "-D"]
    for path in (imports, root / _YANG):
        command += ["-p", path] if path.exists() else []
    found: dict[Finding, None] = {}  # A fault is found again in each module that imports it.
    for module in modules:
        by_name = {path.name.partition("@")[0].removesuffix(".yang"): path for path in (*modules, *imports.glob("*"))}
        done = _call(*command, module, directory=root)
        found |= dict.fromkeys(_yang_findings(root, module, by_name, done))
    if modules and not found:
        command += [*(module for module in modules if module.name != _DEVIATIONS),
                    *imports.glob("ietf-access-control-list@*.yang")]
        for example in examples.examples(root):
            found |= dict.fromkeys(_example(root, example, command))
        for sample in examples.samples(root):
            found |= dict.fromkeys(_sample(root, sample, command))
    return list(found)


def openapi(root: pathlib.Path, programs: pathlib.Path) -> list[Finding]:
    """Whether the OpenAPI document is the one that the YANG makes, and a valid one. A tree may be without one."""
    path = root / OPENAPI
    if not path.exists():
        return []
    if path.read_text(encoding="utf-8") != _openapi_text(root, programs):
        return [Finding(str(OPENAPI), 1, "is not what the YANG makes: write it by ./penstock lint --write-openapi")]
    return openapi_faults(root, programs)


def openapi_faults(root: pathlib.Path, programs: pathlib.Path) -> list[Finding]:
    """What openapi-spec-validator finds in the document."""
    done = _call(programs / "python", "-m", "openapi_spec_validator", OPENAPI, directory=root)
    said = (done.stdout + done.stderr).strip().partition("\n")[0]
    return [Finding(str(OPENAPI), 1, said.removeprefix(f"{OPENAPI}: "))] if done.returncode else []


def write_openapi(root: pathlib.Path = ROOT) -> None:
    """Writes the OpenAPI document again."""
    (root / OPENAPI).write_text(_openapi_text(root, install()), encoding="utf-8")


def _openapi_text(root: pathlib.Path, programs: pathlib.Path) -> str:
    done = _call(programs / "python", "-m", "penstock_openapi", of_tree(), root / _YANG, _yang_imports(root),
                 environment={"PYTHONPATH": places.python_path()})
    if done.returncode:
        raise _failed("penstock_openapi", done)
    return done.stdout


def _yang_imports(root: pathlib.Path) -> pathlib.Path:
    """The directory with the modules that ours import. Maven takes them out of the archives of the dependencies."""
    pom, unpacked = root / _MODEL / "pom.xml", root / _MODEL / "target" / "yang-imports"
    if pom.exists() and not (unpacked.exists() and unpacked.stat().st_mtime >= pom.stat().st_mtime):
        home = places.java_home()
        with exclusive.alone("yang-imports", "./penstock lint", wait=True):
            done = _call("mvn", "--batch-mode", "--quiet", "--file", pom, "initialize", directory=root,
                         environment={} if home is None else {"JAVA_HOME": str(home)})
            if done.returncode or not unpacked.exists():
                raise _failed("Maven", done)
            os.utime(unpacked)
    return unpacked / "META-INF" / "yang"


def _yang_findings(root: pathlib.Path, path: pathlib.Path, by_name: dict[str, pathlib.Path],
                   done: subprocess.CompletedProcess[str]) -> list[Finding]:
    found: list[Finding] = []
    pending: list[Finding] = []
    for message in _YANGLINT.finditer(done.stderr):
        text, line, failed = message["text"], _YANG_LINE.search(message["text"]), _YANG_FAILED.match(message["text"])
        if failed:  # The messages before this one are about this module.
            found += [dataclasses.replace(one, path=_below(root, by_name.get(failed["name"], path))) for one in pending]
            pending = []
        else:
            pending.append(Finding(_below(root, path), int(line[1]) if line else 1, text))
    found += pending
    if done.returncode and not found:
        raise _failed("yanglint", done)
    return found


def _example(root: pathlib.Path, example: examples.Example, command: list[str | pathlib.Path]) -> list[Finding]:
    done = _judge(root, example.text, command, "config" if example.is_whole else "edit")
    found = _yang_findings(root, example.path, {}, done)
    return [dataclasses.replace(one, line=example.line + one.line - 1) for one in found]


def _sample(root: pathlib.Path, sample: examples.Sample, command: list[str | pathlib.Path]) -> list[Finding]:
    done = _judge(root, sample.text, command, "config")
    if done.returncode and sample.message in done.stderr:
        return []
    said = _YANGLINT.search(done.stderr)
    return [Finding(str(examples.REFUSED), sample.line, f"{sample.what}: is not refused with {sample.message!r}, but "
                    + (f"with {said['text']!r}" if said else "accepted"))]


def _judge(root: pathlib.Path, text: str, command: list[str | pathlib.Path],
           kind: str) -> subprocess.CompletedProcess[str]:
    copy = _cache(root) / "example.json"
    copy.write_text(text, encoding="utf-8")
    return _call(*command, "-e", "-t", kind, copy, directory=root)


def _files(root: pathlib.Path) -> collections.abc.Iterator[pathlib.Path]:
    for directory, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name not in _NOT_SOURCES)
        yield from (pathlib.Path(directory, name) for name in sorted(names))


def _begins_as_shell(path: pathlib.Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return _SHELL.match(file.readline(200)) is not None


def _cache(root: pathlib.Path) -> pathlib.Path:
    """Caches of the tools; in Maven's output directory, so that they are removed together with it."""
    directory = root / "karaf" / "target" / "lint"
    directory.mkdir(parents=True, exist_ok=True)
    if not os.access(directory, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(directory))
    return directory


def _below(root: pathlib.Path, path: str | pathlib.Path) -> str:
    return os.path.relpath(root / path, root)


def _failed(tool: str, done: subprocess.CompletedProcess[str]) -> PenstockError:
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-8:]
    return PenstockError(f"{tool} could not do its work, exit code {done.returncode}:\n" + "\n".join(said))


def _call(*command: str | pathlib.Path, directory: pathlib.Path | None = None,
          environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=directory, env=dict(os.environ) | (environment or {}), text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, check=False)
