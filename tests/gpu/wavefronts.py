# SPDX-License-Identifier: Apache-2.0
"""Shared-memory wavefronts of compiled kernels as a GPU counts them, at the lines of their PTX: what `swz kernel` must predict.

On a machine with a Hopper GPU, nvcc, ptxas, nvdisasm and ncu (Triton's kernels are made before, on any machine):

    python3 -B tests/ptx/triton_kernels.py build/ptx/triton
    python3 -B tests/gpu/wavefronts.py measure /tmp/wavefronts --triton build/ptx/triton; tar -czf wavefronts.tgz -C /tmp wavefronts

`measure` compiles tests/gpu/wavefronts/*.cu to PTX, assembles that PTX and Triton's by `ptxas -lineinfo`, so that SASS knows its
line of the PTX, and runs each kernel once under Nsight Compute. OUT then holds

    ptx/FILE.ptx           what was measured
    wavefronts.jsonl       a line a kernel: what `swz kernel` is compared with
    raw/                   what nvdisasm and ncu printed; `wavefronts.py join OUT` makes wavefronts.jsonl of it again

A line: {"name", "ptx", "entry", "threads": [x, y, z], "shared": dynamic bytes, "sites": [...], "strays": [...]}. A site is a line
of the PTX with an access to shared memory: {"line", "executed", "wavefronts", "ideal", "sass": [[instruction, executed, threads,
wavefronts, ideal], ...]}, its sums and its instructions: executed counts warps, threads those whose predicate held. More than one
instruction: a loop was unrolled, or the access split; an instruction that no thread ran is left out. A stray is an instruction
whose line has no access, as the loads of fence.proxy.async.
"""

import argparse
import collections
import csv
import ctypes
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ARCH = "sm_90a"

# The instructions of the GPU that access shared memory, each with what its line of PTX must have.
ACCESSES = {"LDS": r"\bld\.(volatile\.|relaxed\.\w+\.)?shared", "STS": r"\bst\.(volatile\.|relaxed\.\w+\.)?shared",
            "LDSM": r"\bldmatrix\.", "STSM": r"\bstmatrix\.", "LDGSTS": r"\bcp\.async\.", "ATOMS": r"\b(atom|red)\."}
ANY_ACCESS = re.compile("|".join(ACCESSES.values()))
INSTRUCTION = re.compile(r"(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)((?:\.\w+)*)")


# ---- what is run

def entries(ptx):
    """(entry, threads of its block, types of its parameters) of each kernel in a PTX text."""
    for match in re.finditer(r"\.entry\s+([\w$]+)\s*\((.*?)\)(.*?)\{", ptx, re.S):
        block = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", match[3])
        threads = [int(n) if n else 1 for n in block.groups()]
        yield match[1], threads, re.findall(r"\.param\s+\.(\w+)", match[2])


def own_kernels(out):
    for source in sorted((HERE / "wavefronts").glob("*.cu")):
        ptx = out / "ptx" / f"{source.stem}.ptx"
        run(["nvcc", "-ptx", "-std=c++17", "-lineinfo", f"-arch={ARCH}", "-o", str(ptx), str(source)])
        for entry, threads, types in entries(ptx.read_text()):
            yield {"name": entry, "ptx": ptx.name, "entry": entry, "threads": threads, "shared": 0,
                   "values": [None] * len(types)}


def triton_kernels(out, folder):
    """Those that need no tensor map, one block of each."""
    for known in map(json.loads, (folder / "kernels.jsonl").read_text().splitlines()):
        name, named = known["name"], known["parameters"]
        if name.endswith("sm100") or "desc" in name:
            continue
        text = (folder / f"{name}.ptx").read_text()
        (out / "ptx" / f"{name}.ptx").write_text(text)
        (entry, threads, types), = entries(text)
        # After the named parameters Triton has two pointers to scratch memory.
        values = [None if kind.startswith("*") else 1.0 if kind == "fp32" else number(parameter, known["constants"])
                  for parameter, kind in named.items()]
        values += [None] * (len(types) - len(values))
        yield {"name": name, "ptx": f"{name}.ptx", "entry": entry, "threads": threads, "shared": known["shared"], "values": values}


def number(parameter, constants):
    """Of a matrix or sequence four steps of the largest loop, of a row its width."""
    return constants["N"] if parameter == "columns" else 512


def run(words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def assemble(out, kernel):
    ptx, cubin = out / "ptx" / kernel["ptx"], out / "raw" / f"{kernel['ptx']}.cubin"
    if not cubin.exists():
        run(["ptxas", "-lineinfo", f"-arch={ARCH}", str(ptx), "-o", str(cubin)])
        (out / "raw" / f"{kernel['ptx']}.sass").write_text(run(["nvdisasm", "-gp", str(cubin)]))


# ---- the run

def launch(out, group):
    """Launches each kernel of a group once, by the driver; this is what ncu runs."""
    driver = ctypes.CDLL("libcuda.so.1")

    def call(name, *words):
        if status := getattr(driver, name)(*words):
            raise RuntimeError(f"{name}: error {status}")

    device, context = ctypes.c_int(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    buffers = []
    for _ in range(8):  # zeros for every pointer; no kernel has more
        buffers.append(ctypes.c_uint64())
        call("cuMemAlloc_v2", ctypes.byref(buffers[-1]), ctypes.c_size_t(16 << 20))
        call("cuMemsetD8_v2", buffers[-1], 0, ctypes.c_size_t(16 << 20))
    for kernel in json.loads((out / "raw" / f"{group}.json").read_text()):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoad", ctypes.byref(module), str(out / "raw" / f"{kernel['ptx']}.cubin").encode())
        call("cuModuleGetFunction", ctypes.byref(function), module, kernel["entry"].encode())
        if kernel["shared"] > 48 << 10:
            call("cuFuncSetAttribute", function, 8, kernel["shared"])  # the most dynamic shared bytes
        free = iter(buffers)
        values = [next(free) if value is None else (ctypes.c_float if isinstance(value, float) else ctypes.c_int)(value)
                  for value in kernel["values"]]
        places = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
        call("cuLaunchKernel", function, 1, 1, 1, *kernel["threads"], kernel["shared"], None, places, None)
        call("cuCtxSynchronize")
        call("cuModuleUnload", module)


def profile(out, group):
    words = ["ncu", "--target-processes", "all", "--clock-control", "none", "--section", "SourceCounters",
             "--page", "source", "--csv", "--print-source", "sass",
             sys.executable, "-B", __file__, "launch", str(out), "--group", group]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=200)
    (out / "raw" / f"{group}.csv").write_text(done.stdout)
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if line.startswith("==ERROR")]
        print(f"ncu, {group}: {done.returncode} {errors}\n{done.stderr[-2000:]}", file=sys.stderr)


# ---- the joining

def pages(text):
    """(name, rows) of each kernel in ncu's CSV, in the order of their launches; a row is a dict."""
    name, head, rows = None, None, []
    for words in csv.reader(text.splitlines()):
        if words and words[0] == "Kernel Name":
            if name is not None:
                yield name, rows
            name, head, rows = words[1].split("(")[0], None, []
        elif name is not None and head is None:
            head = words
        elif name is not None and words and words[0].startswith("0x"):
            rows.append(dict(zip(head, words)))
    if name is not None:
        yield name, rows


def lines_of(sass, entry):
    """{offset in the kernel: (instruction, line of the PTX)} of what `nvdisasm -gp` printed."""
    out, line, inside = {}, None, False
    for text in sass.splitlines():
        if text.startswith(".text."):
            inside, line = text == f".text.{entry}:", None
        elif text.startswith("//-----"):
            inside = False
        elif inside:
            if match := re.search(r'//## File "\.nv_debug_ptx_txt[^"]*", line (\d+)', text):
                line = int(match[1])
            elif match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?);", text):
                out[int(match[1], 16)] = (match[2].strip(), line)
    return out


def opcode(instruction):
    """"@!P0 LDS.U8 R5, [R0]" -> ("LDS", "LDS.U8")."""
    match = INSTRUCTION.match(instruction.strip())
    return match[1], match[1] + match[2]


def count(row, column):
    return int(row[column].replace(",", "") or 0)


def sites_of(rows, lines, ptx):
    """(sites, strays) of one kernel."""
    sites, strays, begin = {}, [], int(rows[0]["Address"], 16)
    for row in rows:
        short, whole = opcode(row["Source"])
        if short not in ACCESSES:
            continue
        instruction, line = lines[int(row["Address"], 16) - begin]
        if opcode(instruction)[0] != short:
            raise ValueError(f"{row['Address']}: ncu has {row['Source'].strip()}, nvdisasm {instruction}")
        counts = [count(row, column) for column in ("Instructions Executed", "Predicated-On Thread Instructions Executed",
                                                    "L1 Wavefronts Shared", "L1 Wavefronts Shared Ideal")]
        if line is not None and ANY_ACCESS.search(ptx[line - 1]):
            sites.setdefault(line, [])
            if counts[1]:
                sites[line].append([whole, *counts])
        elif counts[1]:
            strays.append({"line": line, "sass": [whole, *counts]})
    return [{"line": line, "executed": sum(x[1] for x in found), "wavefronts": sum(x[3] for x in found),
             "ideal": sum(x[4] for x in found), "sass": found} for line, found in sorted(sites.items())], strays


def join(out):
    """Makes wavefronts.jsonl of what was printed; the number of kernels that failed."""
    made, failed = [], 0
    for group in sorted((out / "raw").glob("*.json")):
        # Kernels of one name are in the order of their launches.
        found = collections.defaultdict(list)
        for name, rows in pages(group.with_suffix(".csv").read_text()) if group.with_suffix(".csv").exists() else ():
            found[name].append(rows)
        for kernel in json.loads(group.read_text()):
            try:
                if not found[kernel["entry"]]:
                    raise ValueError("ncu has no page of it")
                rows = found[kernel["entry"]].pop(0)
                lines = lines_of((out / "raw" / f"{kernel['ptx']}.sass").read_text(), kernel["entry"])
                sites, strays = sites_of(rows, lines, (out / "ptx" / kernel["ptx"]).read_text().splitlines())
            except (KeyError, TypeError, ValueError, IndexError) as error:
                failed += 1
                print(f"{kernel['name']}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            made.append({key: kernel[key] for key in ("name", "ptx", "entry", "threads", "shared")}
                        | {"sites": sites, "strays": strays})
            print(f"{kernel['name']}: {len(sites)} sites, {sum(x['wavefronts'] for x in sites)} wavefronts"
                  + (f", {len(strays)} strays" if strays else ""))
    (out / "wavefronts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in made))
    print(f"{len(made)} kernels, {sum(len(x['sites']) for x in made)} sites, {failed} failed")
    return failed


def measure(out, triton):
    for folder in ("ptx", "raw"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    # A kernel that fails ends its process, not those of other groups.
    groups = collections.defaultdict(list)
    for kernel in own_kernels(out):
        groups[Path(kernel["ptx"]).stem].append(kernel)
    if triton:
        groups["triton"] = list(triton_kernels(out, triton))
    for group, kernels in groups.items():
        for kernel in kernels:
            assemble(out, kernel)
        (out / "raw" / f"{group}.json").write_text(json.dumps(kernels))
        profile(out, group)
    failed = join(out)
    for cubin in (out / "raw").glob("*.cubin"):
        cubin.unlink()
    return failed


def main():
    parser = argparse.ArgumentParser(description="count the wavefronts of kernels at the lines of their PTX")
    parser.add_argument("what", choices=("measure", "join", "launch"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--triton", type=Path, help="the folder of tests/ptx/triton_kernels.py")
    parser.add_argument("--group", help="which kernels to launch: those of a source, or triton")
    options = parser.parse_args()
    if options.what == "launch":
        return launch(options.out, options.group)
    return 1 if (measure(options.out, options.triton) if options.what == "measure" else join(options.out)) else 0


if __name__ == "__main__":
    sys.exit(main())
