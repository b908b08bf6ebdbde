# SPDX-License-Identifier: Apache-2.0
"""Plants one fault at a time in a small sound house and sees that check.py names it, and nothing else."""

import tempfile
import unittest
from pathlib import Path

import check
import words

SOUND = {
    "src/base/error.hpp": "// Errors.\n#pragma once\n#include <string>\n",
    "src/base/version.hpp.in": "// The version.\n#pragma once\n",
    "src/layout/layout.hpp": '// Layouts.\n#pragma once\n#include "base/error.hpp"\n#include "layout/layout.hpp"\n',
    "src/layout/layout.cpp": '#include "layout/layout.hpp"\n',
    "src/probe/cuda/cuda_device.cpp": '#include "probe/plan.hpp"\n#include <fstream>\n',
    "src/probe/cuda/kernels/mma.cu": '#include "probe.cuh"\n#include "statement.cuh"\n',
    "src/probe/cuda/kernels/probe.cuh": "// Probes.\n#pragma once\n",
    "cmd/command.hpp": '// A command.\n#pragma once\n#include "layout/layout.hpp"\n',
    "cmd/main.cpp": '#include "command.hpp"\n#include <iostream>\n',
    "tests/layout/test_layout.cpp": 'TEST_CASE("a") {}\n',
    "tests/layout/helper.cpp": "int helper();\n",
    "CMakeLists.txt": "project(swz VERSION 1.2.3 LANGUAGES CXX)\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3\n",
    "README.md": "swz-1.2.3.whl, TVM 0.1.0\n",
}


class PlantedFaults(unittest.TestCase):
    def breaches(self, faults):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**SOUND, **faults}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check.check(Path(folder))[0]

    def expect(self, faults, *expected):
        self.assertEqual(list(expected), self.breaches(faults))

    def test_sound_house(self):
        self.expect({})

    def test_every_arrow_to_the_right(self):
        for left, room in enumerate(check.ROOMS[:-1]):
            for target in check.ROOMS[left + 1 :]:
                self.expect(
                    {f"src/{room}/x.cpp": f'\n#include "{target}/y.hpp"\n'},
                    f"src/{room}/x.cpp:2: '{room}' may not include '{target}', "
                    f"which is to its right: {target}/y.hpp",
                )

    def test_an_arrow_written_with_spaces_or_angles(self):
        for text in ("#  include <view/document/document.hpp>\n", '  #include"view/document/document.hpp" // why\n'):
            wrong = "src/layout/x.cpp:1: 'layout' may not include 'view', which is to its right: view/document/document.hpp"
            self.expect({"src/layout/x.cpp": text}, wrong)

    def test_an_arrow_in_a_generated_header(self):
        wrong = "src/base/version.hpp.in:3: 'base' may not include 'arch', which is to its right: arch/a.hpp"
        self.expect({"src/base/version.hpp.in": '// V.\n#pragma once\n#include "arch/a.hpp"\n'}, wrong)

    def test_an_include_not_from_the_root(self):
        wrong = 'src/layout/x.cpp:1: not written from the root of src ("room/file.hpp"): layout.hpp'
        self.expect({"src/layout/x.cpp": '#include "layout.hpp"\n'}, wrong)
        self.assertEqual(1, len(self.breaches({"src/view/x.cpp": '#include "../layout/layout.hpp"\n'})))
        self.assertEqual(1, len(self.breaches({"src/view/x.cpp": "#include <swz/layout/layout.hpp>\n"})))

    def test_a_file_in_no_room(self):
        rooms = "the rooms are " + " ".join(check.ROOMS)
        self.expect({"src/util/x.cpp": ""}, f"src/util/x.cpp:1: is in no room; {rooms}")
        self.expect({"src/x.cpp": ""}, f"src/x.cpp:1: is in no room; {rooms}")

    def test_a_core_that_prints(self):
        wrong = "src/smem/x.cpp:1: the core neither prints nor reads files: <iostream>"
        self.expect({"src/smem/x.cpp": "#include <iostream>\n"}, wrong)

    def test_a_core_that_reads_files(self):
        for name in ("src/smem/x.cpp", "src/probe/x.cpp", "src/probe/cudart.cpp", "src/probe/cuda.cpp"):
            wrong = f"{name}:1: the core neither prints nor reads files: <fstream>"
            self.expect({name: "#include <fstream>\n"}, wrong)

    def test_a_device_that_prints(self):
        wrong = "src/probe/cuda/x.cpp:1: the core neither prints nor reads files: <iostream>"
        self.expect({"src/probe/cuda/x.cpp": "#include <iostream>\n"}, wrong)

    def test_kernels(self):
        only = "a kernel includes only probe.cuh and statement.cuh and tma.cuh and tmem.cuh: "
        name = "src/probe/cuda/kernels/x.cu"
        for text, target in (
            ("#include <cuda_fp16.h>\n", "cuda_fp16.h"),
            ('#include "other.cuh"\n', "other.cuh"),
            ('#include "probe/launch.hpp"\n', "probe/launch.hpp"),
            ("#include <probe.cuh>\n", "probe.cuh"),
        ):
            self.expect({name: text}, f"{name}:1: {only}{target}")
        place = "a CUDA file belongs in src/probe/cuda/kernels/, from where the build takes it into the binary"
        self.expect({"src/probe/x.cu": ""}, f"src/probe/x.cu:1: {place}")
        header = "src/probe/cuda/kernels/x.cuh"
        self.expect({header: "#pragma once\n"}, f"{header}:1: a header begins with a comment that says what it is")
        # What a kernel may include, others may not.
        wrong = 'not written from the root of src ("room/file.hpp"): statement.cuh'
        self.expect({"src/probe/cuda/x.cpp": '#include "statement.cuh"\n'}, f"src/probe/cuda/x.cpp:1: {wrong}")

    def test_a_library_that_needs_more(self):
        for header in ("CLI/CLI.hpp", "cairo.h", "unistd.h"):
            wrong = f"src/view/x.cpp:1: the library needs only fmt and nlohmann-json: <{header}>"
            self.expect({"src/view/x.cpp": f"#include <{header}>\n"}, wrong)
        for sound in ("src/render/cairo/x.cpp", "src/probe/cuda/x.cpp", "cmd/x.cpp"):
            self.expect({sound: "#include <cairo.h>\n"})
        self.expect({"src/view/x.cpp": "#include <charconv>\n#include <fmt/format.h>\n"})
        self.expect({"src/base/json.cpp": "#include <nlohmann/json.hpp>\n"})
        self.expect({"cmd/words.cpp": "#include <CLI/CLI.hpp>\n"})
        self.expect({"cmd/decode.cpp": "#include <CLI/CLI.hpp>\n"},
                    "cmd/decode.cpp:1: CLI11 is included only by cmd/words.cpp: <CLI/CLI.hpp>")
        for name in ("src/base/json.hpp", "src/view/x.cpp", "src/probe/cuda/x.cpp", "cmd/x.cpp"):
            wrong = f"{name}:{3 if name.endswith('hpp') else 1}: nlohmann-json is included only by src/base/json.cpp"
            head = "// X.\n#pragma once\n" if name.endswith("hpp") else ""
            self.expect({name: head + "#include <nlohmann/json.hpp>\n"}, wrong + ": <nlohmann/json.hpp>")

    def test_a_missing_include(self):
        vector = "std::vector<int> x;\n"
        self.expect({"src/layout/x.cpp": vector}, "src/layout/x.cpp:1: std::vector without <vector>")
        self.expect({"src/layout/x.cpp": "#include <vector>\n" + vector})
        # A header brings what it includes; strings and comments name nothing.
        self.expect({"src/layout/x.cpp": '#include "base/error.hpp"\nstd::string s;\n'})
        self.expect({"src/layout/x.cpp": 'auto s = "std::vector";  // std::vector\n'})
        wrong = "src/layout/x.cpp:2: std::quick_sort is not in STANDARD of tests/house/includes.py"
        self.expect({"src/layout/x.cpp": "#include <algorithm>\nvoid f() { std::quick_sort(a); }\n"}, wrong)
        declaring = "// Tiles.\n#pragma once\nstruct Tile {\n  int size() const;\n};\nint area_of(int side);\n"
        tile, area = "int f(Tile t);\n", "int a() { return area_of(3); }\n"
        for used, name in ((tile, "Tile"), (area, "area_of")):
            wrong = f'src/smem/x.cpp:1: {name} without "arch/tile.hpp"'
            self.expect({"src/arch/tile.hpp": declaring, "src/smem/x.cpp": used}, wrong)
            self.expect({"src/arch/tile.hpp": declaring, "src/smem/x.cpp": '#include "arch/tile.hpp"\n' + used})
        # A member and a function of the file's own are others.
        for own in ("int a() { return plan.area_of(3); }\n", "int area_of(int side) { return 2; }\n" + area):
            self.expect({"src/arch/tile.hpp": declaring, "src/smem/x.cpp": own})

    def test_headers(self):
        comment = "src/arch/x.hpp:1: a header begins with a comment that says what it is"
        pragma = "src/arch/x.hpp:1: a header has #pragma once"
        self.expect({"src/arch/x.hpp": "#pragma once\n// Late.\n"}, comment)
        self.expect({"src/arch/x.hpp": "//\n#pragma once\n"}, comment)
        self.expect({"src/arch/x.hpp": "// X.\n// #pragma once\n"}, pragma)
        self.expect({"src/arch/x.hpp": ""}, comment, pragma)

    def test_length(self):
        self.expect({"cmd/x.cpp": "\n" * 601}, "cmd/x.cpp:601: 601 lines, more than 600")
        for indent, begin, end in (("", "namespace {\n\n", ""), ("  ", "struct S {\n", "};\n")):
            for lines in (60, 61):
                function = f"{indent}int f() {{\n" + "\n" * (lines - 2) + f"{indent}}}\n"
                wrong = [] if lines == 60 else [f"cmd/x.cpp:{begin.count(chr(10)) + 1}: a function of 61 lines, more than 60"]
                self.expect({"cmd/x.cpp": begin + function + end}, *wrong)
        # A table and a type are no functions.
        self.expect({"cmd/x.cpp": "constexpr int x[] = {\n" + "\n" * 80 + "};\nstruct S {\n" + "  int a;\n" * 80 + "};\n"})

    def test_a_licence_that_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            named = f"// {check.LICENCE}\n"
            for name, text in (("src/a.hpp", named), ("src/b.hpp", "\n" + named), ("scripts/demo", "#!/bin/sh\n# " + check.LICENCE),
                               ("scripts/test", "#!/bin/sh\n"), ("tests/data/x.txt", "")):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            found = [(path.name, number) for path, number, _ in check.check_licences(root)]
            self.assertEqual([("b.hpp", 1), ("test", 2)], found)

    def test_one_name_for_two_types(self):
        tile, other = "namespace swz {\nstruct Tile {\n  int m;\n};\n}  // namespace swz\n", "// T.\n#pragma once\n"
        for again in ("struct Tile {", "class Tile final : public Base {", "enum class Tile : int { a, b };"):
            text = f"namespace swz {{\n{again}\n}};\n}}  // namespace swz\n"
            wrong = "swz::Tile is another type in tile.hpp"
            header = {"src/arch/tile.hpp": other + tile}
            self.expect({**header, "src/smem/x.cpp": text}, f"src/smem/x.cpp:2: {wrong}")
            own = text.replace("namespace swz {\n", "namespace swz {\nnamespace {\n", 1)
            self.expect({**header, "src/smem/x.cpp": own.replace("};", "};\n}  // namespace", 1)})
            self.expect({**header, "src/smem/x.cpp": text.replace("swz", "swz::limits")})
        self.expect({"src/arch/tile.hpp": other + tile, "src/smem/x.hpp": other + "struct Tile;\n"})

    def test_words_that_are_not_plain_english(self):
        reworded = {
            "anew": "anew", "Nobody": "nobody", "mends": "mend", "told": "told", "stands": "stands", "stand": "stands", "that is none": "is none",
            "one after the other": "one after the other", "one behind the other": "one after the other", "at hand": "at hand",
        }
        plain = {name: plain for _, _, name, plain in words.WORDS}
        for word, name in reworded.items():
            wrong = f'"{name}" is not plain English: {plain[name]}'
            for path, text in (("src/smem/x.cpp", "// It {}.\n"), ("cmd/x.cpp", 'f("it {}");\n'), ("src/smem/x.cpp", 'R"(it\n{})";\n'),
                               ("tests/smem/test_x.cpp", "/* It {}. */\n"), ("docs/a.md", "It {}.\n"), ("scripts/x", "# It {}.\n"),
                               ("tests/docs/x.py", '"""It {}."""\n'), ("python/x.py", 'f(f"it {}")\n')):
                line = 2 if text.startswith("R") else 1
                self.expect({path: text.format(word)}, f"{path}:{line}: {wrong}")
        # Over the end of a line, where a sentence begins after the mark of a comment.
        wrong = f'"one after the other" is not plain English: {plain["one after the other"]}'
        self.expect({"src/smem/x.cpp": "\n// They lie one after\n// the other.\n"}, f"src/smem/x.cpp:2: {wrong}")
        # Names in code, and words that are right.
        for path, text in (("tests/smem/x.cpp", 'int told = nobody(1);\n#include "told.hpp"\n// There is none; - stands for it, a stand-in.\n'),
                           ("tests/docs/x.py", 'told = f"{told} stands for it"\nif x is none: pass\n'),
                           ("src/smem/x.cpp", "// There\n// are none.\n"), ("tests/data/x.txt", "anew\n")):
            self.expect({path: text})

    def test_a_test_case_that_ctest_does_not_run(self):
        wrong = "tests/layout/helper.cpp:2: a test case outside of a file named test_<thing>.cpp is not run by ctest"
        self.expect({"tests/layout/helper.cpp": '\nTEST_CASE("a") {}\n'}, wrong)

    def test_a_text_that_names_another_version(self):
        for path, text, named in (("README.md", "swz-1.2.2-py3\n", "1.2.2"), ("action.yml", "for example 1.3.0\n", "1.3.0"),
                                  ("docs/ci/a.yaml", "[swz==0.2.3]\n", "0.2.3"), ("docs/library.md", "find_package(swz 1.1 REQUIRED)\n", "1.1")):
            wrong = f"{path}:1: names version {named}, CMakeLists.txt has 1.2.3: sh scripts/version 1.2.3"
            self.expect({path: text}, wrong)
        self.expect({"docs/library.md": "find_package(swz 1.2 REQUIRED)\n"})
        wrong = "CHANGELOG.md:3: its first section is not that of version 1.2.3: write '## 1.2.3'"
        self.expect({"CHANGELOG.md": "# Changelog\n\n## 1.2.2\n\n## 1.2.3\n"}, wrong)


if __name__ == "__main__":
    unittest.main()
