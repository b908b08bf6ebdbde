# SPDX-License-Identifier: Apache-2.0
"""check.py against a stand-in for swz: a sound document passes, a planted fault in it is named."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import check

# Prints its arguments one per line, then its input if asked; "fail" exits with 3.
STAND_IN = """#!/bin/sh
for word; do echo "[$word]"; done
case "${1-}" in
  read) cat ;;
  env) echo "$NO_COLOR $COLUMNS"; pwd ;;
  fail) echo why >&2; exit 3 ;;
  bare) printf bare ;;
  prompt) echo '$ x' ;;
esac
"""

SOUND = """# Title

```console
$ swz 'a b' c
[a b]
[c]
$ printf '1\\n\\n2\\n' | swz read
[read]
1

2
$ swz one \\
>   two
[one]
[two]
$ swz fail
[fail]
why
[exit 3]
```

```console
$ sh scripts/demo
anything
```

```sh
$ swz not checked
```
"""


class Documents(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.program = self.folder / "swz"
        self.program.write_text(STAND_IN, encoding="utf-8")
        self.program.chmod(0o755)
        self.document = self.folder / "a.md"

    def check(self, text, *options):
        """The exit status and what was printed."""
        self.document.write_text(text, encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = check.main(["--swz", str(self.program), *options, str(self.document)])
        return status, printed.getvalue()

    def expect_failure(self, text, message, *options):
        status, printed = self.check(text, *options)
        self.assertEqual(1, status)
        self.assertIn(message, printed)
        self.assertEqual(text, self.document.read_text(encoding="utf-8"))

    def test_sound(self):
        self.assertEqual((0, "4 commands in 1 documents, 0 documents failed\n"), self.check(SOUND))

    def test_environment(self):
        self.assertEqual(0, self.check(f"```console\n$ swz env\n[env]\n1 100\n{check.ROOT}\n```\n")[0])

    def test_stale(self):
        for now, then in (("[c]", "[d]"), ("[c]", "[c] "), ("\n\n2", "\n2"), ("[two]\n", ""), ("why", "why\n")):
            self.expect_failure(SOUND.replace(now, then, 1), "stale; `sh scripts/docs` rewrites it")

    def test_written_anew(self):
        status, printed = self.check(SOUND.replace("[c]", "old\nold"), "--write")
        self.assertEqual((0, True), (status, "rewritten" in printed))
        self.assertEqual(SOUND, self.document.read_text(encoding="utf-8"))

    def test_output_is_filled_in(self):
        self.assertEqual(0, self.check("```console\n$ swz a\n$ swz b\n```\n", "--write")[0])
        self.assertEqual("```console\n$ swz a\n[a]\n$ swz b\n[b]\n```\n", self.document.read_text(encoding="utf-8"))

    def test_exit_status(self):
        unexpected = "exit status 3, the document says 0"
        self.expect_failure(SOUND.replace("[exit 3]\n", ""), unexpected)
        self.expect_failure(SOUND.replace("[exit 3]\n", ""), unexpected, "--write")
        self.expect_failure(SOUND.replace("[exit 3]", "[exit 2]"), "exit status 3, the document says 2")
        self.expect_failure(SOUND.replace("[c]\n", "[c]\n[exit 1]\n"), "exit status 0, the document says 1")

    def test_no_command_at_all(self):
        self.expect_failure("# Title\n", "no document shows a command")
        self.expect_failure("```console\n$ sh scripts/demo\n$ cd swz\n```\n", "no document shows a command")

    def test_unreadable_documents(self):
        self.expect_failure("```console\n$ swz a\n[a]\n", "a.md:1: this block is not closed")
        self.expect_failure("```console\n[a]\n$ swz a\n[a]\n```\n", "a.md:2: a console block begins with a command")
        self.expect_failure(" ```console\n $ swz a\n ```\n", "a.md:1: ```console must be")

    def test_output_that_cannot_be_shown(self):
        self.expect_failure("```console\n$ swz bare\n```\n", "does not end with a newline", "--write")
        self.expect_failure("```console\n$ swz prompt\n```\n", "a line that a document cannot show", "--write")


if __name__ == "__main__":
    unittest.main()
