# SPDX-License-Identifier: Apache-2.0
"""The action, the hooks of pre-commit and the workflow of docs/ci.md, run on a small repository (tests/ci/repository).

    build/python/ci/bin/python -B tests/ci/check.py --wheel build/wheel/swz-*.whl

The files fit their schemas. Each step of action.yml runs in sh as GitHub runs it, with its inputs in the environment: the
repository passes, and each mistake that is planted fails with its line named. The same for pre-commit. Needs the packages of
scripts/python-ci.txt; nothing is fetched.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/ci"
TOOLS = Path(sys.executable).parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GIT = ["git", "-c", "user.name=swz", "-c", "user.email=swz@localhost", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]


def edit(name, old, new):
    """A mistake: a text of a file of the repository is replaced."""

    def plant(folder):
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text, f"{name} has no {old}"
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return plant


def conflict(folder):
    shutil.copy(HERE / "planted/transpose.ptx", folder / "kernels/transpose.ptx")


# (what, how it is planted, what the output names, whether it fails without strict)
CLAIMS = (
    ("another swizzle on one side", edit("layouts.swz", "swizzlingByteWidth = 128", "swizzlingByteWidth = 64"), "line 4", True),
    ("a word advanced by elements", edit("layouts.swz", "0x4000004000010042", "0x4000004000010041"), "line 7", True),
    ("a bank conflict", edit("layouts.swz", "--tile 128x64 --swizzle 128B --access", "--layout '(8,64):(64,1)' --access"), "line 10", False),
    ("a box that the driver refuses", edit("layouts.swz", "--box 64,128", "--box 64,300"), "line 13", True),
    ("a line that is no command", edit("layouts.swz", "tma check", "tma chekc"), "line 13", True),
)
KERNELS = (
    ("a kernel with a bank conflict", conflict, "line 75", True),
    ("a kernel whose end is missing", edit("kernels/transpose.ptx", "\n}\n", "\n"), "line 16", True),
)


class Failed(Exception):
    pass


def require(good, what):
    if not good:
        raise Failed(what)


def run(words, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    return done.returncode, done.stdout


def check_schemas():
    for schema, name in (("vendor.github-actions", "action.yml"), ("vendor.github-workflows", "docs/ci/swz.yml")):
        code, said = run([TOOLS / "check-jsonschema", "--builtin-schema", schema, ROOT / name])
        require(code == 0, f"{name}: {said}")
        for used in re.findall(r"^\s*-?\s*uses: (\S+)", (ROOT / name).read_text(encoding="utf-8"), re.M):
            require(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used) or used.startswith("OWNER/swz@"), f"{name}: {used} is not pinned by its commit")
    for how, name in (("validate-manifest", ".pre-commit-hooks.yaml"), ("validate-config", "docs/ci/pre-commit-config.yaml")):
        code, said = run([TOOLS / "pre-commit", how, ROOT / name])
        require(code == 0 and "[WARNING]" not in said, f"{name}: {said}")


class Runner:
    """Runs the steps of the action as GitHub does on one machine: what they install stays."""

    def __init__(self, wheel):
        self.place = Path(tempfile.mkdtemp(prefix="swz-ci-"))
        self.path = self.place / "path"
        self.path.touch()
        self.wheel = wheel
        self.is_installed = False

    def applies(self, step, inputs):
        return all(inputs[name] != "" for name in re.findall(r"inputs\.(\w+) != ''", step.get("if", "")))

    def run(self, folder, **given):
        inputs = {name: str(row["default"]) for name, row in ACTION["inputs"].items()} | {"version": str(self.wheel)} | given
        printed = ""
        for step in ACTION["runs"]["steps"]:
            is_install = step["name"] == "Install swz"
            if not self.applies(step, inputs) or (is_install and self.is_installed):
                continue
            added = [line for line in self.path.read_text().splitlines() if line]
            environment = {**os.environ, "RUNNER_TEMP": str(self.place), "GITHUB_PATH": str(self.path), "PIP_NO_INDEX": "1",
                           "PATH": os.pathsep.join([*reversed(added), os.environ["PATH"]]), "SWZ_NVDISASM": "none"}
            for name, value in step["env"].items():
                environment[name] = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], value)
            require("${{" not in step["run"], f"{step['name']}: an input is read as code")
            code, said = run([step["shell"], "-e", "-c", step["run"]], cwd=folder, env=environment)
            printed += said
            if code != 0:
                return code, printed
            self.is_installed = self.is_installed or is_install
        return 0, printed


def tree(place, plant=None):
    """A copy of the repository, with a mistake or without."""
    folder = Path(tempfile.mkdtemp(dir=place))
    shutil.copytree(HERE / "repository", folder, dirs_exist_ok=True)
    if plant:
        plant(folder)
    return folder


def check_action(runner):
    checks = {"claims": "layouts.swz", "kernels": "kernels/*.ptx"}
    good = tree(runner.place)
    code, said = runner.run(good, **checks, junit="claims.xml", sarif="kernels.sarif", baseline="kernels")
    require(code == 0, f"the good repository fails: {said}")
    suite = ET.parse(good / "claims.xml").getroot()[0]
    require((suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "0", "0"), f"JUnit: {suite.attrib}")
    log = json.loads((good / "kernels.sarif").read_text())
    require(log["runs"][0]["results"] == [], f"SARIF: {log}")

    for what, plant, named, fails_anyway in CLAIMS + KERNELS:
        folder = tree(runner.place, plant)
        code, said = runner.run(folder, **checks, sarif="kernels.sarif")
        require(code != 0 and named in said, f"{what}: exit {code}, {named} is not named: {said}")
        require((what, plant, named, fails_anyway) in KERNELS or f"::error file=layouts.swz,line={named[5:]}::" in said, f"{what}: {said}")
        code, said = runner.run(folder, **checks, strict="false")
        require((code != 0) == fails_anyway, f"{what}, not strict: exit {code}: {said}")

    bad = tree(runner.place, conflict)
    runner.run(bad, kernels="kernels/*.ptx", sarif="kernels.sarif")
    result = json.loads((bad / "kernels.sarif").read_text())["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    require((result["ruleId"], place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("bank-conflict", "transpose.cu", 11), str(place))
    # The build before: its file, and a folder of files.
    for baseline in (str(good / "kernels"), str(good / "kernels/transpose.ptx")):
        code, said = runner.run(bad, kernels="kernels/*.ptx", baseline=baseline, strict="false")
        require(code != 0, f"a kernel that became worse: {said}")
    code, said = runner.run(good, kernels="nothing/*.ptx")
    require(code != 0 and "no file is called nothing/*.ptx" in said, f"no kernel: {said}")
    code, said = runner.run(good, claims="x.swz'; touch planted; echo '", kernels="$(touch planted)")
    require(code != 0 and not list(good.rglob("planted")), f"an input was run as code: {said}")
    require("cannot open 'x.swz" in said, f"a file of claims that is not there: {said}")


def commit(folder):
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        code, said = run([*GIT, *words], cwd=folder)
        require(code == 0, said)
    return run([*GIT, "rev-parse", "HEAD"], cwd=folder)[1].strip()


def check_pre_commit(runner):
    hooks = Path(tempfile.mkdtemp(dir=runner.place))
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    revision = commit(hooks)
    config = {"repos": [{"repo": f"file://{hooks}", "rev": revision, "hooks": [{"id": "swz-claims"}, {"id": "swz-kernel"}]}]}
    environment = {**os.environ, "PRE_COMMIT_HOME": str(runner.place / "pre-commit"), "SWZ_NVDISASM": "none",
                   "PATH": os.pathsep.join([str(runner.place / "swz/bin"), os.environ["PATH"]])}
    for what, plant, named, _ in (("the good repository", None, "", False), CLAIMS[0], CLAIMS[2], KERNELS[0]):
        folder = tree(runner.place, plant)
        (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        commit(folder)
        code, said = run([TOOLS / "pre-commit", "run", "--all-files", "--color", "never"], cwd=folder, env=environment)
        require((code != 0) == bool(plant) and named in said, f"pre-commit, {what}: exit {code}: {said}")
        require(said.count("Passed") == (1 if plant else 2), f"pre-commit, {what}: {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--wheel", type=Path, required=True)
    options = parser.parse_args()
    runner = Runner(options.wheel.resolve())
    try:
        check_schemas()
        check_action(runner)
        check_pre_commit(runner)
    except Failed as failed:
        print(f"tests/ci: {failed}")
        return 1
    finally:
        shutil.rmtree(runner.place)
    print(f"the action and pre-commit: the repository passes, {len(CLAIMS + KERNELS)} planted mistakes fail")
    return 0


if __name__ == "__main__":
    sys.exit(main())
