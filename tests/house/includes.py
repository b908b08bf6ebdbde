# SPDX-License-Identifier: Apache-2.0
"""What a file of src/ or cmd/ names, it or a header that it includes has to include.

A build that compiles the files of a room together is blind to a missing include: the file before it had it. This finds
it in the text: each name of the standard library and of the house's headers needs one of the headers that declare it,
in the file or in its includes.

    src/smem/walk.cpp says std::countr_zero      needs <bit>
    src/smem/walk.cpp says TileSpec              needs "smem/tile.hpp"

A name of the standard library that STANDARD does not list is a breach too, so that the table stays whole.
"""

import re

# Header: the names that it declares. A name that is in two of them may come from either.
STANDARD = {
    "algorithm": """adjacent_find all_of any_of clamp copy copy_n count_if equal fill find find_if lower_bound max min next_permutation none_of replace prev_permutation reverse rotate
        shuffle sort stable_partition unique ranges::adjacent_find ranges::all_of ranges::any_of ranges::binary_search ranges::copy ranges::copy_if ranges::count
        ranges::count_if ranges::equal ranges::fill ranges::find ranges::find_if ranges::find_if_not ranges::for_each ranges::includes ranges::is_sorted ranges::lower_bound ranges::partition_point ranges::max ranges::max_element
        ranges::min ranges::min_element ranges::minmax ranges::move ranges::next_permutation ranges::none_of ranges::replace ranges::reverse ranges::sort
        ranges::stable_partition ranges::stable_sort ranges::transform unique""",
    "array": "array get size end",
    "atomic": "atomic",
    "bit": "bit_cast bit_floor bit_width countl_zero countr_one countr_zero has_single_bit popcount",
    "cctype": "isalnum isdigit isxdigit",
    "charconv": "from_chars errc",
    "chrono": "chrono::duration chrono::microseconds chrono::milliseconds chrono::steady_clock",
    "cmath": "abs fabs floor ilogb isfinite isinf isnan ldexp log10 nearbyint pow signbit",
    "concepts": "constructible_from invocable convertible_to floating_point integral same_as unsigned_integral",
    "csignal": "signal",
    "cstddef": "byte nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": "int16_t int32_t int64_t int8_t size_t uint16_t uint32_t uint64_t uint8_t",
    "cstdio": "fclose ferror fflush fopen fprintf fputs fread fwrite rename rewind size_t tmpfile",
    "cstdlib": "abs atoi getenv size_t strtod",
    "cstring": "memcmp memcpy size_t strerror",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception",
    "filesystem": "error_code filesystem filesystem::canonical filesystem::path string",
    "fstream": "ifstream string",
    "functional": "hash bit_or function greater ranges::greater less",
    "initializer_list": "initializer_list size_t",
    "iterator": "back_inserter end make_move_iterator prev size ssize",
    "limits": "numeric_limits",
    "map": "map multimap erase_if pair initializer_list",
    "memory": "make_shared make_unique shared_ptr unique_ptr",
    "mutex": "mutex scoped_lock",
    "new": "bad_alloc",
    "numeric": "accumulate gcd iota",
    "optional": "nullopt optional",
    "set": "erase_if multiset set initializer_list",
    "span": "as_bytes span size_t",
    "stdexcept": "exception runtime_error string",
    "string": "erase erase_if getline initializer_list stoi stoll string string_view to_string",
    "string_view": "string_view",
    "system_error": "errc error_code",
    "thread": "jthread this_thread::sleep_for thread",
    "tuple": "get tie tuple",
    "type_traits": "decay_t is_same_v",
    "unordered_map": "erase_if unordered_map unordered_multimap",
    "unordered_set": "erase_if unordered_set",
    "utility": "exchange forward get in_range move pair swap",
    "variant": "get get_if holds_alternative monostate variant variant_size_v visit",
    "vector": "erase erase_if initializer_list vector",
}
# Every container's header declares these; asking for one more include would be noise.
EVERYWHERE = set("size_t ptrdiff_t nullptr_t move pair swap forward size ssize end initializer_list string_view".split())
CONTAINERS = set("array deque filesystem fstream functional map memory optional set span string thread tuple unordered_map "
                 "unordered_set variant vector".split())
DECLARED_BY = {}
for _header, _names in STANDARD.items():
    for _name in _names.split():
        DECLARED_BY.setdefault(_name, set()).add(_header)
for _name in EVERYWHERE:
    DECLARED_BY.setdefault(_name, set()).update(CONTAINERS)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
STANDARD_NAME = re.compile(r"\bstd::((?:ranges|chrono|filesystem|this_thread)::[a-z_0-9]+|[a-z_0-9]+)")
# Types, functions and constants of a namespace begin a line, as clang-format lays them out; members are indented.
DECLARATIONS = [re.compile(pattern, re.M) for pattern in (
    r"^(?:struct|class|enum class|using) ([A-Z]\w*)",
    r"^[A-Za-z_\[][^\n;()={]*[ &*]([a-z_0-9]+)\(",
    r"^(?:inline )?constexpr [^\n;()={]*[ &*]([a-z_0-9]+)(?:\[\w*\])? ?[={]",
)]
# What is called by the type of its argument is found where the template is used.
BY_ARGUMENT = {"decoded_field"}
INNER_DECLARATIONS = [re.compile(pattern, re.M) for pattern in (
    r"\b(?:struct|class|enum class|using|typename|constexpr) ([A-Z]\w*)",
    r"^ +(?!return |else |throw )[A-Za-z_][^\n;()={]*[ &*]([a-z_0-9]+)\(",
    r"[ &*]([a-z_0-9]+) [=:]\s",
    r"[)>&\w] ([a-z_0-9]+)[,)]",
    r"^ +([A-Z]\w*)[,({]",
)]
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*', re.S)


def code_of(text):
    """The text without strings and comments, its lines where they were. An include keeps its name."""
    def blank(match):
        return "\n" * match[0].count("\n") + '""'
    return "\n".join(line if line.lstrip().startswith("#") else line for line in NOT_CODE.sub(blank, text).split("\n"))


def names_in(code, patterns):
    return {name for pattern in patterns for name in pattern.findall(code)}


class Tree:
    """The files of src/ and cmd/ by the name that an include gives them."""

    def __init__(self, root):
        self.texts = {}
        self.paths = {}
        for path in sorted(p for d in ("src", "cmd") for p in (root / d).rglob("*")):
            if path.name.endswith((".hpp", ".cpp", ".hpp.in")):
                name = path.relative_to(root / path.relative_to(root).parts[0]).as_posix().removesuffix(".in")
                self.texts[name] = path.read_text(encoding="utf-8")
                self.paths[name] = path
        self.includes = {name: INCLUDE.findall(text) for name, text in self.texts.items()}
        self.codes = {name: code_of(text) for name, text in self.texts.items()}
        self.inner = {name: names_in(code, INNER_DECLARATIONS) for name, code in self.codes.items()}
        self.declaring = {}
        for name, code in self.codes.items():
            if name.endswith(".hpp"):
                for declared in names_in(code, DECLARATIONS):
                    self.declaring.setdefault(declared, set()).add(name)

    def closure(self, name):
        """The house's headers and the others' that `name` includes, at once or through its headers."""
        house, others, waiting = {name}, set(), [name]
        while waiting:
            for quote, target in self.includes[waiting.pop()]:
                if quote == "<":
                    others.add(target)
                elif target in self.texts and target not in house:
                    house.add(target)
                    waiting.append(target)
        return house, others

    def check(self, name):
        """Yields (line number, what is wrong), each missing name once."""
        house, others = self.closure(name)
        inner = names_in(self.codes[name], DECLARATIONS).union(BY_ARGUMENT, *(self.inner[header] for header in house))
        said = set()
        for number, line in enumerate(self.codes[name].split("\n"), 1):
            for used in STANDARD_NAME.findall(line):
                if used in said or used in ("ranges", "chrono"):
                    continue
                headers = DECLARED_BY.get(used)
                if headers is None:
                    said.add(used)
                    yield number, f"std::{used} is not in STANDARD of tests/house/includes.py"
                elif not headers & others:
                    said.add(used)
                    yield number, f"std::{used} without <{sorted(headers)[0]}>"
            for before, used, call in re.findall(r"(\.|->|::|\b)([A-Za-z_]\w*)\b(\()?", line):
                headers = self.declaring.get(used, house)
                if used in said or used in inner or before in (".", "->", "::") or (used[0].islower() and not call):
                    continue
                if not headers & house:
                    said.add(used)
                    yield number, f'{used} without "{sorted(headers)[0]}"'


def breaches(root):
    """(path, line number, what is wrong) for every file."""
    tree = Tree(root)
    return [(tree.paths[name], *wrong) for name in tree.texts for wrong in tree.check(name)]
