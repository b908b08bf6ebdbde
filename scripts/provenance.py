# SPDX-License-Identifier: Apache-2.0
"""The provenance of the files of a release, as an in-toto statement with SLSA's predicate. It is not signed.

    python3 scripts/provenance.py build/wheel/* build/package/swz* > swz.provenance.json
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()


def statement(files):
    source = re.search(r'Source = "([^"]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[1]
    tools = [ROOT / "scripts" / name for name in ("zig-wheel.txt", "wheel-tools.txt")]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": sha256(path)}} for path in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{source}/blob/main/docs/releasing.md",
                "externalParameters": {"command": "sh scripts/package"},
                "internalParameters": {"changed": git("status", "--porcelain").splitlines()},
                "resolvedDependencies": [
                    {"uri": f"git+{source}", "digest": {"gitCommit": git("rev-parse", "HEAD")}},
                    *({"uri": f"{source}/blob/main/scripts/{path.name}", "digest": {"sha256": sha256(path)}} for path in tools),
                ],
            },
            "runDetails": {"builder": {"id": f"{source}/blob/main/scripts/package"}},
        },
    }


def main():
    files = [Path(name) for name in sys.argv[1:]]
    missing = [str(path) for path in files if not path.is_file()]
    if not files or missing:
        print(f"scripts/provenance.py: {', '.join(missing) or 'no file'} is not there: give the files of the release", file=sys.stderr)
        return 2
    print(json.dumps(statement(files), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
