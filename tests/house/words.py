# SPDX-License-Identifier: Apache-2.0
"""Words that are never right in a sentence of the house, each with the plain wording.

    "anew" is not plain English: again, or rewrite, regenerate

Read are the comments and string literals of C++, CUDA, JavaScript and Python, and the whole of scripts, CMake files and
documents. Names in code and in #include are not read, nor recordings and inputs of tests.
"""

import io
import re
import tokenize

# A sentence may continue in the next line, after the mark of its comment.
GAP = r"[\s/#]+"
# (a part that each of them has, the words, how the message names them, what to write instead)
WORDS = (
    ("anew", r"\banew\b", "anew", "again, or rewrite, regenerate"),
    ("obody", r"\b[Nn]obody\b", "nobody", "name who does not, or: is not known, is not defined"),
    ("mend", r"\bmend(?:s|ed|ing)?\b", "mend", "repair, fix, remove, improve"),
    ("told", r"\btold\b(?!\.hpp)", "told", "reported, given, named; told apart: distinguished"),
    ("stand", r"\bstands?\b(?! for\b|-)", "stands", "is, lies, comes, follows"),
    ("none", rf"(?<![Tt]here)(?<![\s/#]){GAP}(?:is|are){GAP}none\b", "is none", "is not one"),
    ("other", rf"\bone{GAP}(?:after|behind){GAP}the{GAP}other\b", "one after the other", "in sequence, in order, one at a time"),
    ("hand", rf"\bat{GAP}hand\b", "at hand", "available, current"),
)
LOOKED_FOR = [(part, re.compile(pattern), name, plain) for part, pattern, name, plain in WORDS]

FOLDERS = ("src", "cmd", "tests", "scripts", "docs", "cmake", "python", "page", "gdb")
# Inputs and recordings, pictures that are drawn, and what quotes the words.
NOT_READ = ("tests/data/", "tests/fuzz/corpus/", "tests/fuzz/crashes/", "docs/gallery/", "tests/house/words.py", "tests/house/test_check.py")
# Still to be reworded, with the tests and pages that show what they print: remove a row when its words are gone.
TO_DO = (
    "src/dialect/", "src/expr/", "src/layout/", "src/probe/", "src/view/kernel/", "tests/dialect/", "tests/layout/", "tests/probe/",
    "tests/expr/test_cute_types.cpp", "tests/expr/test_tensor_memory.cpp", "tests/docs/schema.py", "docs/dialects.md", "docs/json.md",
    "docs/notation.md",
)
CODE = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".in", ".js"}
WHOLE = {".md", ".sh", ".cmake", ".txt", ""}
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL
)
PYTHON_TEXTS = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def blank(found):
    return re.sub(r"[^\n]", " ", found[0])


def code_sentences(text):
    """The text with blanks for all that is neither a comment nor a string literal; comments of several lines stay whole."""
    text = re.sub(r"^\s*#\s*include.*$", blank, text, flags=re.MULTILINE)
    out, end = [], 0
    for found in COMMENT_OR_STRING.finditer(text):
        out += [re.sub(r"[^\n\s]", "\0", text[end : found.start()]), found[0]]
        end = found.end()
    return "".join(out)


def python_sentences(text):
    """The same for Python. What is in the braces of an f-string is code."""
    lines = text.splitlines(keepends=True)
    places = [0]
    for line in lines:
        places.append(places[-1] + len(line))
    out, end = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in PYTHON_TEXTS:
            continue
        begin = places[token.start[0] - 1] + token.start[1]
        out += [re.sub(r"[^\n\s]", "\0", text[end:begin]), PLACEHOLDER.sub(blank, token.string)]
        end = begin + len(token.string)
    return "".join(out)


def sentences(path, text):
    if path.suffix in CODE:
        return code_sentences(text)
    return python_sentences(text) if path.suffix == ".py" else text


def breaches(root):
    """Yields (file, line number, what is wrong) of each such word."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in CODE | WHOLE | {".py"} or name.startswith(NOT_READ + TO_DO) or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            wanted = [row for row in LOOKED_FOR if row[0] in text and row[1].search(text)]
            read = sentences(path, text) if wanted else ""
            for _, pattern, word, plain in wanted:
                for found in pattern.finditer(read):
                    yield path, read.count("\n", 0, found.start()) + 1, f'"{word}" is not plain English: {plain}'
