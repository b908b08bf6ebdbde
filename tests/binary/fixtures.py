# SPDX-License-Identifier: Apache-2.0
"""Makes the containers of compiled kernels that the tests of src/binary read, and records what cuobjdump says of them.

    python3 tests/binary/fixtures.py --tools /tmp/tools [--to tests/data/binary]

--tools holds one folder a toolkit, each with the unpacked wheels of it: ptxas alone is enough for the old ones.

    12.4    nvidia-cuda-nvcc-cu12==12.4.131
    12.9    nvidia-cuda-nvcc-cu12==12.9.86
    13.0    nvidia-cuda-nvcc==13.0.88
    13.5    nvidia-cuda-nvcc==13.5.37, nvidia-cuda-cuobjdump==13.5.37, nvidia-cuda-nvdisasm==13.5.37

Writes NAME.cubin for each toolkit and architecture, fat binaries in every mode of compression, an object file, a shared
object, an archive and two zip files of these, and resources.txt: a line a kernel as cuobjdump --dump-resource-usage has
it, "FILE ARCH NAME REG STACK SHARED CONSTANT". lines.txt has the rows of the line tables as nvdisasm prints them.
"""

import argparse
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

# One module with what decides the resources of a kernel: local, module-scope and dynamic arrays, bounds, a cluster, a
# frame, named barriers, a parameter of 128 bytes.
MODULE = """.version VERSION
.target TARGET
.address_size 64
.file 1 "/src/kernels.cu"
.file 2 "/src/inlined.cuh"
.shared .align 16 .b8 module_array[256];
.extern .shared .align 128 .b8 dynamic[];

.visible .entry several_arrays(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<8>; .reg .b64 %rd<8>;
    .shared .align 4 .b8 first[400];
    .shared .align 512 .b8 second[64];
    .loc 1 10 3
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [n];
    shl.b32 %r3, %r1, 2;
    mov.u32 %r4, first;
    add.u32 %r4, %r4, %r3;
    st.shared.u32 [%r4], %r1;
    mov.u32 %r5, second;
    add.u32 %r5, %r5, %r2;
    st.shared.u32 [%r5], %r1;
    .loc 1 12 3
    st.shared.u32 [module_array+16], %r2;
    mov.u32 %r6, dynamic;
    add.u32 %r6, %r6, %r3;
    st.shared.u32 [%r6], %r2;
    bar.sync 0;
    ld.shared.u32 %r7, [%r4+4];
    st.global.u32 [%rd1], %r7;
    ret;
}

// One array and the dynamic one: both places are known.
.visible .entry one_array(.param .u64 out, .param .u32 n) .maxntid 128, 2, 1
.minnctapersm 2
{
    .reg .b32 %r<8>; .reg .b64 %rd<8>;
    .shared .align 4 .b8 tile[4100];
    .loc 1 20 3
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out];
    shl.b32 %r3, %r1, 2;
    mov.u32 %r4, tile;
    add.u32 %r4, %r4, %r3;
    st.shared.u32 [%r4], %r1;
    mov.u32 %r5, dynamic;
    add.u32 %r5, %r5, %r3;
    st.shared.u32 [%r5], %r1;
    bar.sync 1, 64;
    ld.shared.u32 %r7, [%r4+4];
    ld.shared.u32 %r2, [%r5+4];
    add.u32 %r7, %r7, %r2;
    st.global.u32 [%rd1], %r7;
    ret;
}

.visible .entry no_array(.param .align 64 .b8 map[128], .param .u64 out) .reqntid 256, 1, 1
{
    .reg .b32 %r<8>; .reg .b64 %rd<8>;
    .local .align 16 .b8 frame[64];
    .loc 1 30 3
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [map+4];
    and.b32 %r3, %r1, 15;
    shl.b32 %r3, %r3, 2;
    cvt.u64.u32 %rd2, %r3;
    mov.u64 %rd3, frame;
    add.u64 %rd3, %rd3, %rd2;
    st.local.u32 [%rd3], %r2;
    st.local.u32 [frame+12], %r1;
    ld.local.u32 %r4, [%rd3];
    st.global.u32 [%rd1], %r4;
    ret;
}
"""
CLUSTER = """
.visible .entry in_cluster(.param .u64 out) .reqntid 128, 1, 1
.explicitcluster
.reqnctapercluster 2, 1, 1
{
    .reg .b32 %r<8>; .reg .b64 %rd<8>;
    .loc 1 40 3
    ld.param.u64 %rd1, [out];
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r1, %cluster_ctarank;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""
# toolkit, target, version of PTX, options of ptxas, name
CUBINS = [
    ("12.4", "sm_80", "8.3", [], "old_sm_80"),
    ("12.4", "sm_90a", "8.3", ["-lineinfo"], "old_sm_90a_lines"),
    ("12.9", "sm_100a", "8.7", [], "mid_sm_100a"),
    ("13.0", "sm_90a", "8.3", ["-lineinfo"], "thirteen_sm_90a_lines"),
    ("13.5", "sm_80", "8.3", ["-lineinfo"], "new_sm_80_lines"),
    ("13.5", "sm_90a", "8.3", [], "new_sm_90a"),
    ("13.5", "sm_90a", "8.3", ["-lineinfo"], "new_sm_90a_lines"),
    ("13.5", "sm_90a", "8.3", ["-g"], "new_sm_90a_debug"),
    ("13.5", "sm_90a", "8.3", ["-c"], "new_sm_90a_relocatable"),
    ("13.5", "sm_100a", "8.7", ["-lineinfo"], "new_sm_100a_lines"),
    ("13.5", "sm_120a", "8.7", [], "new_sm_120a"),
]
# The options of fatbinary, by the name of the file.
MODES = {
    "none": ["--compress=false"],
    "default": ["--compress-mode=default"],
    "size": ["--compress-mode=size"],
    "all": ["--compress-all"],
    "concat": ["--concat"],
    "all_speed": ["--compress-all", "--compress-mode=speed"],
}


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True, **more).stdout


class Tools:
    def __init__(self, folder):
        self.folder = Path(folder)

    def find(self, toolkit, name):
        found = sorted(p for p in (self.folder / toolkit).rglob(name) if p.is_file())
        if not found:
            raise SystemExit(f"fixtures.py: there is no {name} in {self.folder / toolkit}")
        return found[0]


def ptx_of(target, version, has_lines=True):
    text = MODULE.replace("VERSION", version).replace("TARGET", target)
    text += CLUSTER if not target.startswith("sm_8") else ""
    # ptxas makes line tables of any text with .loc, with or without -lineinfo.
    return text if has_lines else re.sub(r"(?m)^ *\.(?:loc|file) .*\n", "", text)


def make_cubins(tools, to):
    for toolkit, target, version, options, name in CUBINS:
        source = to / "kernels.ptx"
        source.write_text(ptx_of(target, version, bool({"-lineinfo", "-g"} & set(options))))
        run(tools.find(toolkit, "ptxas"), "-arch", target, *options, source, "-o", to / f"{name}.cubin")
        source.unlink()


def fat_binary(tools, to, output, options, folder):
    """sm_80 and sm_90a as cubins, compute_90a as PTX."""
    ptx = folder / "kernels.ptx"
    ptx.write_text(ptx_of("sm_90a", "8.3"))
    images = [f"--image3=kind=elf,sm={sm},file={to / name}.cubin" for sm, name in (("80", "new_sm_80_lines"), ("90a", "new_sm_90a"))]
    run(tools.find("13.5", "fatbinary"), "-64", "--create", output, *options, *images, f"--image3=kind=ptx,sm=90a,file={ptx}")


def make_containers(tools, to, folder):
    for mode, options in MODES.items():
        fat_binary(tools, to, to / f"{mode}.fatbin", options, folder)
    # As nvcc's objects have it: the container in .nv_fatbin, that of -rdc in __nv_relfatbin.
    for name, section, fat in (("plain", ".nv_fatbin", "all"), ("fast", ".nv_fatbin", "all_speed")):
        source = folder / f"{name}.s"
        source.write_text(f'.section {section},"a"\n.balign 8\n.incbin "{to / fat}.fatbin"\n.section .note.GNU-stack,""\n')
        run("gcc", "-c", source, "-o", to / f"{name}.o")
    run("gcc", "-shared", "-nostdlib", "-Wl,--build-id=none", "-s", to / "plain.o", to / "fast.o", "-o", to / "libboth.so")
    (to / "libboth.a").unlink(missing_ok=True)
    run("ar", "rcsD", to / "libboth.a", to / "plain.o", to / "fast.o")
    for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(to / f"{name}.whl", "w", method) as wheel:
            for member, file in (("pkg/__init__.py", "resources.txt"), ("pkg/libboth.so.1", "libboth.so"), ("pkg/f.cubin", "old_sm_80.cubin")):
                info = zipfile.ZipInfo(member, (2020, 1, 1, 0, 0, 0))
                info.compress_type = method
                wheel.writestr(info, b"x = 1\n" if file == "resources.txt" else (to / file).read_bytes())
    for name in ("plain.o", "fast.o"):
        (to / name).unlink()


def resources_of(tools, file):
    """(arch, name, REG, STACK, SHARED, CONSTANT) of each kernel of a file."""
    arch = None
    for line in run(tools.find("13.5", "cuobjdump"), "-all", "--dump-resource-usage", file).splitlines():
        if found := re.match(r"arch = (\S+)", line):
            arch = found[1]
        elif found := re.match(r" Function (.*):$", line):
            name = found[1]
        elif found := re.match(r"  REG:(\d+) STACK:(\d+) SHARED:(\d+) ", line):
            constant = re.search(r"CONSTANT\[0\]:(\d+)", line)
            # Of the parts of a concatenated entry it does not say it.
            yield "-" if file.name.startswith("concat") else arch or "-", name, *found.groups(), constant[1] if constant else "0"


def record(tools, to):
    lines = []
    for file in sorted([*to.glob("*.cubin"), *to.glob("*.fatbin"), *to.glob("lib*")]):
        lines += [" ".join((file.name, *row)) for row in resources_of(tools, file)]
    (to / "resources.txt").write_text("\n".join(lines) + "\n")


def lines_of(tools, file, option):
    """(function, address, line) where the line of the code changes."""
    function = line = last = None
    for text in run(tools.find("13.5", "nvdisasm"), option, file).splitlines():
        if found := re.match(r"\.text\.(\S+):", text):
            function, line, last = found[1], None, None
        elif text.startswith("\t.section"):
            function = None
        elif found := re.match(r'\s*//## File "[^"]*", line (\d+)', text):
            line = found[1]
        elif function and (found := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s", text)):
            if line and line != last:
                yield function, str(int(found[1], 16)), line
            last = line


def record_lines(tools, to):
    lines = []
    for file in sorted(to.glob("*_lines.cubin")):
        for option in ("-g", "-gp"):
            lines += [" ".join((file.name, option, *row)) for row in lines_of(tools, file, option)]
    (to / "lines.txt").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--to", default=str(Path(__file__).parents[1] / "data/binary"))
    options = parser.parse_args()
    to, tools = Path(options.to).resolve(), Tools(options.tools)
    to.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp())
    try:
        make_cubins(tools, to)
        make_containers(tools, to, folder)
        record(tools, to)
        record_lines(tools, to)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
