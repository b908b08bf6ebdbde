# SPDX-License-Identifier: Apache-2.0
"""The page in headless Chromium: it answers as the command does, and does what a hand on it asks.

    python3 tests/page/check.py --swz build/dev/swz --page build/page [--browser /usr/bin/chromium] [--keep FOLDER]

  answers       every example of the help and every command that the documents show: exit code and both streams, as JSON,
                text and SVG, byte for byte what the command writes; a GPU is refused
  lines         line.js gives every example's words back, and its form sets what it reads
  interactions  keys, clicks, form, views, copies, files, links: each has to show what it is for, with no error in the console
  laws          every example, at 1280 and 390 px: nothing inside of the page scrolls, a picture is there once and its grids are
                not in the text, the next questions have an answer, what a page cannot do is nowhere
  layout        at 390, 900 and 1600 px, light and dark: nothing is wider than the page, nothing lies on something else;
                --keep leaves screenshots
  file          the same page opened from file://
  hosted        links of the terminal, the page in a frame, hostile addresses, a slow line, no server (hosted.py)
"""

import argparse
import functools
import http.server
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

from chromium import Chromium
from hosted import embedded_faults, hostile_faults, link_faults, offline_faults, slow_faults
from interactions import INTERACTIONS

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "docs"))
from browser import find_browser  # noqa: E402

FORMATS = ("json", "text", "svg")
WIDTHS = (390, 900, 1600)
# What a page has not: a GPU and NVRTC, which its own message says.
GPU = re.compile(r"^verify\b")
# What writes a file, which neither a page nor this test does.
WRITES = re.compile(r"^swz skills install\b")
# What a page does without, and then says so: other programs, decompressors.
LACKS = ("a page starts no other program", "this swz was built without it")


class Native:
    """The command, as a shell runs it."""

    def __init__(self, program):
        self.program, self.root = program, ROOT
        self.environment = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "SWZ_ARCH")}

    def __call__(self, words, stdin=""):
        done = subprocess.run([self.program, *words], input=stdin.encode(), capture_output=True, cwd=ROOT,
                              env=self.environment, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


def serve(folder):
    """The address of a server of the folder, which says nothing of what it does."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/index.html"


def shown_lines():
    """The lines that the documents show, without those of pipes and shells."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.S | re.M):
            for line in re.findall(r"^\$ (swz (?:.*\\\n)*.*)$", block, re.M):
                line = line.replace("\\\n> ", "")
                if not re.search(r"(?<!\S)([|;&<>]|\d?>\S*)(?!\S)|\$\(|`", re.sub(r"'[^']*'", "", line)):
                    yield line


def plain(words):
    """The words without -f and -o, which the page answers by its views."""
    out, skip = [], False
    for word in words:
        if skip or re.match(r"(-[fo].|--(format|output)=)", word):
            skip = False
        elif word in ("-f", "-o", "--format", "--output"):
            skip = True
        else:
            out.append(word)
    return out


def named_files(words):
    """{name: bytes, each a character} of the files that the words name."""
    names = [word.lstrip("@") for word in words]
    return {name: (ROOT / name).read_bytes().decode("latin-1") for name in names if name and (ROOT / name).is_file()}


ASK = """(async questions => {
  const out = [];
  for (const {words, stdin, files} of questions) {
    const bytes = Object.fromEntries(Object.entries(files).map(
      ([name, text]) => [name, Uint8Array.from(text, letter => letter.charCodeAt(0))]));
    const {exit, out: said, err} = await engine.ask({words, stdin, files: bytes});
    out.push([exit, said, err]);
  }
  return out;
})"""


def says_what_it_lacks(answer):
    text = " ".join(re.sub(r"<[^>]+>", " ", answer[1] + answer[2]).split())
    return any(phrase in text for phrase in LACKS)


def answer_faults(tab, native, examples):
    lines = [line for line in dict.fromkeys([*examples, *shown_lines()]) if not WRITES.match(line)]
    questions = []
    for line in lines:
        # A pipe's last swz, with what the others give it.
        *before, last = [stage.strip() for stage in re.split(r" \| ", line)]
        stdin = ""
        if before and before[0].startswith("swz "):
            stdin = native(shlex.split(before[0])[1:])[1]
        elif before and before[0].startswith("printf"):
            stdin = subprocess.run(before[0], shell=True, capture_output=True, text=True, check=True).stdout
        words = plain(shlex.split(last)[1:])
        if words[:1] == ["batch"]:
            questions.append((line, "json", words, stdin))
        else:
            questions += [(line, form, [*words, "-f", form], stdin) for form in FORMATS]
    asked = [{"words": words, "stdin": stdin, "files": named_files(words)} for _, _, words, stdin in questions]
    answers = []
    for at in range(0, len(asked), 50):
        answers += tab.evaluate(f"{ASK}({json.dumps(asked[at:at + 50])})")
    for (line, form, words, stdin), answer in zip(questions, answers):
        expected = native(words, stdin)
        if GPU.match(" ".join(words)) and "--replay" not in words and "a page cannot ask a GPU" in answer[2]:
            if answer[0] != 3 or answer[1]:
                yield f"{line}: the page says it has no GPU and exits with {answer[0]}"
        elif re.search(r'"seconds":[0-9.]+', expected[1]):  # how long a recording took to compare
            if [re.sub(r'"seconds":[0-9.e-]+', "", str(part)) for part in answer] != \
                    [re.sub(r'"seconds":[0-9.e-]+', "", str(part)) for part in expected]:
                yield f"{line} as {form}: another answer"
        elif tuple(answer) != expected and not (words[0] == "kernel" and says_what_it_lacks(answer)):
            odd = next(i for i, pair in enumerate(zip(answer, expected)) if pair[0] != pair[1])
            yield f"{line} as {form}: {('exit code', 'output', 'errors')[odd]}: {answer[odd]!r:.300} instead of {expected[odd]!r:.300}"
    print(f"answers: {len(lines)} lines, {len(questions)} questions")


LAWS = """(async lines => {
  const help = JSON.parse((await engine.ask({words: ["help", "-f", "json"]})).out), faults = [];
  let rows = 0;
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  for (const text of lines) {
    const {stages} = line.read(text), words = stages.at(-1);
    if (!same(line.read(`swz ${line.text(words)}`).stages, [words])) faults.push(`${text}: other words when written`);
    const parsed = line.parse(words, help);
    if (!parsed.command || parsed.unknown.length) { faults.push(`${text}: unknown ${parsed.unknown.map(i => words[i])}`); continue; }
    for (const row of parsed.rows.concat(parsed.command.arguments)) {
      ++rows;
      const texts = parsed.values.filter(one => one.row === row).map(one => one.text);
      const read = list => line.parse(list, help).values.filter(one => line.longName(one.row) === line.longName(row)).map(one => one.text);
      // Taken away, then given again: the same values, of this row and of the others.
      const others = list => line.parse(list, help).values.filter(one => line.longName(one.row) !== line.longName(row))
                                 .map(one => [one.row.name, one.text]);
      const without = line.set(words, parsed, row, []);
      if (row.name[0] === "-" && (read(without).length || !same(others(without), others(words)))) faults.push(`${text}: ${row.name} is not taken away`);
      const given = texts.length ? texts : line.isFlag(row) && row.name[0] === "-" ? [""] : ["-1 'x'"];
      if (row.name[0] !== "-" && !texts.length) continue;
      const back = line.set(without, line.parse(without, help), row, given);
      if (row.name[0] === "-" && (!same(read(back), given) || !same(others(back), others(words)))) faults.push(`${text}: ${row.name} becomes ${line.text(back)}`);
      const again = line.set(words, parsed, row, given);
      if (!same(read(again), given) || !same(others(again), others(words))) faults.push(`${text}: ${row.name} set becomes ${line.text(again)}`);
    }
  }
  return [rows, faults];
})"""


def line_faults(tab, examples):
    rows, faults = tab.evaluate(f"{LAWS}({json.dumps(examples)})")
    yield from faults
    print(f"lines: {len(examples)} lines, {rows} rows set and read")


def interaction_faults(browser, address, native):
    tab = browser.open(address)
    browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    tab.ask("Emulation.setFocusEmulationEnabled", enabled=True)
    tab.wait("document.documentElement.dataset.shown")
    number = 0
    for interaction in INTERACTIONS:
        for step in interaction(tab, native):
            number += 1
            if step:
                yield f"interaction {number}, {interaction.__name__}: {step}"
    yield from (f"the console says: {fault}" for fault in tab.faults)
    print(f"interactions: {number}")
    if number < 60:
        yield f"only {number} interactions"


# What scrolls by itself, or would; how often a picture is there; which lines the page offers.
LAW = """(() => {
  const faults = [], frames = [...document.querySelectorAll("#picture iframe")], root = document.documentElement;
  const name = node => node.id || node.className || node.tagName;
  const isLarger = node => node.scrollHeight > node.clientHeight + 1 || node.scrollWidth > node.clientWidth + 1;
  for (const node of document.querySelectorAll("body *:not(input):not(select)")) {
    const {overflowX, overflowY} = getComputedStyle(node);
    if (/auto|scroll/.test(overflowX + overflowY) && (isLarger(node) || node.tagName !== "TEXTAREA")) faults.push(`${name(node)} scrolls`);
    if (node.tagName === "TEXTAREA" && node.offsetHeight && isLarger(node)) faults.push("the input is cut");
  }
  for (const {contentDocument: {documentElement: page}} of frames)
    if (isLarger(page)) faults.push(`the picture scrolls: ${page.scrollWidth} x ${page.scrollHeight} in ${page.clientWidth} x ${page.clientHeight}`);
  if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth} wide`);
  const pictures = frames.reduce((sum, frame) => sum + frame.contentDocument.querySelectorAll("svg").length, 0);
  const text = document.querySelector("#text");
  const offered = [...document.querySelectorAll("a[data-line], #command-list option")].map(one => one.dataset.line ?? one.value);
  return {faults, pictures, text: text.hidden ? "" : text.textContent, offered,
          next: [...document.querySelectorAll("#next a")].map(link => link.dataset.line)};
})()"""
SIZES = ((1280, 900), (390, 844))


def law_faults(browser, address, native, examples):
    start = json.loads(native(["--page"])[1])
    lines = [shlex.split(line)[1:] for line in examples
             if " | " not in line and line not in start["elsewhere"] and not WRITES.match(line)]
    # Without those that write a file, read one, or cannot run here.
    lines = [plain(words) for words in lines if " ".join(words[:1]) not in start["elsewhere"]
             and native([*plain(words), "-f", "json"])[0] < 2]
    asked = {}
    for size in SIZES:
        tab = browser.open(address, *size)
        tab.wait("document.documentElement.dataset.shown")
        for words in lines:
            line = shlex.join(words)
            tab.evaluate("document.querySelector('#line').value = " + json.dumps(line))
            before = tab.evaluate("+document.documentElement.dataset.shown")
            tab.evaluate("document.querySelector('#ask').requestSubmit()")
            tab.wait(f"+document.documentElement.dataset.shown > {before}")
            law = tab.evaluate(LAW)
            kind = f"{line}, {size[0]} px"
            draws = native([*words, "--caption"])[0] < 2 and "--brief" not in words and "--emit" not in words
            yield from (f"{kind}: {fault}" for fault in law["faults"])
            if law["pictures"] != draws:
                yield f"{kind}: {law['pictures']} pictures instead of {int(draws)}"
            if draws and "│" in law["text"]:
                yield f"{kind}: a grid is in the text, too"
            for other in law["offered"]:
                if any(re.match(rf"(swz )?{re.escape(name.removeprefix('swz '))}\b", other) for name in start["elsewhere"]):
                    yield f"{kind}: a page offers {other}"
            asked.update({other: line for other in law["next"]})
        yield from (f"the console says: {fault}" for fault in tab.faults)
        tab.close()
    tab = browser.open(address)
    tab.wait("document.documentElement.dataset.shown")
    questions = [{"words": shlex.split(line), "stdin": "", "files": {}} for line in asked]
    for (line, origin), answer in zip(asked.items(), tab.evaluate(f"{ASK}({json.dumps(questions)})")):
        if answer[0] > 1:
            yield f"{origin}: the next question is refused: {line}: {answer[2]:.200}"
    tab.close()
    print(f"laws: {len(lines)} lines in {len(SIZES)} sizes, {len(asked)} next questions")
    if len(asked) < 100:
        yield f"only {len(asked)} next questions"


# Boxes that are next to or below each other, and what is wider than the page.
LAYOUT = """(() => {
  const faults = [], root = document.documentElement;
  if (root.scrollWidth > innerWidth) faults.push(`the page is ${root.scrollWidth} wide in ${innerWidth}`);
  const boxes = ["header", "nav", "#ask", "#given", "#note", "#bar", "#picture", "#text", "#next", "#landing", "#examples-box", "#options-box", "footer",
                 "#views", "#copies", "#status"]
    .map(name => [name, document.querySelector(name).getBoundingClientRect()]).filter(([, box]) => box.width && box.height);
  const within = {"#views": "#bar", "#copies": "#bar", "#status": "#bar"};
  for (const [a, p] of boxes)
    for (const [b, q] of boxes) {
      if (a >= b || within[a] === b || within[b] === a) continue;
      const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const tall = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (wide > 1 && tall > 1) faults.push(`${a} lies on ${b}`);
    }
  for (const node of document.querySelectorAll("button, summary, label, #examples code, select, input")) {
    const box = node.getBoundingClientRect();
    if (box.width && (box.left < 0 || box.right > innerWidth)) faults.push(`'${node.textContent || node.id}' is cut`);
  }
  return faults;
})()"""
PAGES = {"decode": "line=decode+0x4000004000010042",
         "place": "line=place+--dtype+bf16+--tile+8x16+--swizzle+32B+--beside+linear",
         "wide": "line=frag+wgmma.m64n64k16+--operand+d+--full", "wrong": "line=decode+--achr+sm_90a+0x42",
         "banks": "line=banks+--layout+(32,32):(32,1)+--dtype+f32+--access+transpose",
         "paste": "line=tma+check+--paste", "help": "line=place&view=help", "start": "line=",
         "story": "line=story+--arch+sm_90a+--dtype+bf16+--tile+128x64+--mma+m64n128k16"}


def layout_faults(browser, address, keep):
    for width in WIDTHS:
        for dark in (False, True):
            for name, fragment in PAGES.items():
                tab = browser.open(f"{address}#{fragment}", width, 900, dark)
                tab.wait("document.documentElement.dataset.shown")
                kind = f"{name}, {width} px, {'dark' if dark else 'light'}"
                yield from (f"{kind}: {fault}" for fault in tab.evaluate(LAYOUT))
                yield from (f"{kind}: {fault}" for fault in tab.faults)
                if keep:
                    tab.screenshot(Path(keep) / f"{name}_{width}_{'dark' if dark else 'light'}.png", whole=True)
                tab.close()
    print(f"layout: {2 * len(WIDTHS) * len(PAGES)} pages")


def file_faults(browser, page, native):
    tab = browser.open((page / "index.html").as_uri() + "#line=decode+0x4000004000010042&view=json")
    tab.wait("document.documentElement.dataset.shown")
    text = tab.evaluate("document.querySelector('#text').textContent")
    if text + "\n" != native(["decode", "0x4000004000010042", "-f", "json"])[1]:
        yield f"from a file the page says {text:.200}"
    tab.press("2")
    tab.wait("document.querySelector('#picture iframe:not(.next)')?.contentDocument.querySelector('svg')")
    yield from (f"from a file the console says: {fault}" for fault in tab.faults)


def main():
    parser = argparse.ArgumentParser(description="test the page in headless Chromium")
    parser.add_argument("--swz", required=True)
    parser.add_argument("--page", required=True, type=Path)
    parser.add_argument("--browser", help="default: chromium, chromium-browser or google-chrome")
    parser.add_argument("--keep", help="a folder for screenshots")
    options = parser.parse_args()
    program = find_browser(options.browser)
    if program is None:
        sys.exit("page: NOT tested, there is no Chromium here")
    native = Native(str(Path(options.swz).resolve()))
    page = options.page.resolve()
    examples = [one["line"] for command in json.loads(native(["help", "-f", "json"])[1])["commands"]
                for one in command["examples"]]
    faults = 0

    def tell(found):
        nonlocal faults
        for fault in found:
            faults += 1
            print(fault, flush=True)

    with Chromium(program) as browser:
        address = serve(page)
        tab = browser.open(address)
        tab.wait("document.documentElement.dataset.shown")
        tell(answer_faults(tab, native, examples))
        tell(line_faults(tab, examples))
        tell(link_faults(tab, native, examples))
        tell(f"the console says: {fault}" for fault in tab.faults)
        tab.close()
        tell(law_faults(browser, address, native, examples))
        tell(interaction_faults(browser, address, native))
        tell(layout_faults(browser, address, options.keep))
        tell(file_faults(browser, page, native))
        tell(embedded_faults(browser, page))
        tell(hostile_faults(browser, address))
        tell(slow_faults(browser, page))
        tell(offline_faults(browser, page, native))
    print(f"page: {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
