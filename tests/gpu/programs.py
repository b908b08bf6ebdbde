# SPDX-License-Identifier: Apache-2.0
"""Shared-memory wavefronts of what frameworks compile, as a GPU counts them at the lines of the PTX (wavefronts.py says how).

On a machine with a Hopper GPU, ptxas, nvdisasm, ncu and the frameworks:

    python3 -B tests/gpu/programs/cub_library.py /tmp/programs; python3 -B tests/gpu/programs/hand_written.py /tmp/programs
    python3 -B tests/gpu/programs.py measure /tmp/programs hand_written cub_library inductor liger_kernels linear_attention jax_xla jax_pallas
    python3 -B tests/gpu/compare_wavefronts.py --swz build/dev/swz /tmp/programs

Each tests/gpu/programs/NAME.py yields calls: (name, function without arguments). A call is made once, so that its kernels are
compiled, and once more under Nsight Compute. A script in the place of ptxas keeps every PTX with its cubin, and adds -lineinfo;
which of the cubins a kernel came from is seen by its name and its sequence of instructions. Kernels that no PTX was kept of
(those of libraries) are left out. OUT then holds what wavefronts.py leaves, for compare_wavefronts.py.
"""

import argparse
import csv
import ctypes
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import wavefronts

HERE = Path(__file__).resolve().parent

PTXAS = r"""#!/bin/sh
# In the place of ptxas: keeps the PTX and the cubin.
case " $* " in *" -lineinfo "* | *" --generate-line-info "*) ;; *) set -- "$@" -lineinfo ;; esac
"{ptxas}" "$@"; status=$?
text= cubin= last=
for word; do
  case $last in -o | --output-file) cubin=$word ;; esac
  case $word in
    -o?*) cubin=${{word#-o}} ;;
    --output-file=*) cubin=${{word#*=}} ;;
    -*) ;;
    *) if [ "$last" != -o ] && [ -f "$word" ] && head -c 4096 "$word" | grep -q '^\.version'; then text=$word; fi ;;
  esac
  last=$word
done
if [ $status = 0 ] && [ -f "$text" ] && [ -f "$cubin" ]; then
  name=$(sha1sum <"$text" | cut -c 1-16)
  cp "$text" "{kept}/$name.ptx"
  cp "$cubin" "{kept}/$name.cubin"
fi
exit $status
"""


def environment(out):
    """The variables under which frameworks call the script instead of ptxas."""
    kept, tools = out / "kept", out / "tools" / "bin"
    kept.mkdir(parents=True, exist_ok=True)
    tools.mkdir(parents=True, exist_ok=True)
    real = shutil.which("ptxas")
    script = tools / "ptxas"
    script.write_text(PTXAS.format(ptxas=real, kept=kept))
    script.chmod(0o755)
    root = Path(real).resolve().parent.parent
    for name in ("nvvm", "nvlink"):  # XLA looks for both beside ptxas
        where = root / name if name == "nvvm" else tools / "nvlink"
        link = tools.parent / "nvvm" if name == "nvvm" else where
        if not link.exists():
            link.symlink_to(where if name == "nvvm" else Path(real).resolve().parent / "nvlink")
    return os.environ | {
        "TRITON_PTXAS_PATH": str(script), "TRITON_CACHE_DIR": str(out / "cache" / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(out / "cache" / "inductor"), "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
        "MOSAIC_GPU_DUMP_PTXAS": "0", "PATH": f"{tools}:{os.environ['PATH']}",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "JAX_ENABLE_COMPILATION_CACHE": "0",
        "XLA_FLAGS": f"--xla_gpu_cuda_data_dir={tools.parent} --xla_gpu_enable_libnvptxcompiler=false"
                     " --xla_gpu_enable_libnvjitlink=false --xla_gpu_enable_command_buffer= --xla_gpu_autotune_level=0"}


def play(name, seconds):
    """Makes every call of a program twice, as many as there is time for; this is what ncu runs."""
    end = time.monotonic() + seconds
    sys.path.insert(0, str(HERE / "programs"))
    driver = ctypes.CDLL("libcuda.so.1")
    made = failed = 0
    for call_name, call in importlib.import_module(name).calls():
        if time.monotonic() > end:
            print(f"{name}: no time for {call_name} and what follows", file=sys.stderr)
            break
        try:
            call()
            driver.cuCtxSynchronize()
            driver.cuProfilerStart()
            call()
            driver.cuCtxSynchronize()
            made += 1
        except Exception as error:  # another program's refusal is not ours
            failed += 1
            print(f"{name} {call_name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        finally:
            driver.cuProfilerStop()
    print(f"{name}: {made} calls, {failed} failed", file=sys.stderr)


def profile(out, name, seconds):
    report = out / "raw" / name
    done = subprocess.run(
        ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--section", "SourceCounters", "--section",
         "LaunchStats", "-f", "-o", str(report), sys.executable, "-B", str(Path(__file__).resolve()), "play", str(out), name,
         "--seconds", str(seconds)],
        env=environment(out), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=2 * seconds + 60)
    (out / "raw" / f"{name}.log").write_text(done.stdout)
    print("\n".join(done.stdout.splitlines()[-12:]))
    for page, options in (("source", ["--print-source", "sass"]), ("raw", [])):
        with (out / "raw" / f"{name}.{page}.csv").open("w") as file:
            subprocess.run(["ncu", "--import", f"{report}.ncu-rep", "--page", page, "--csv", "--print-kernel-base", "mangled", *options], stdout=file, check=False)


def kept_kernels(out):
    """{entry: [(name of the PTX, {offset: (instruction, line)})]}"""
    found = {}
    for cubin in sorted((out / "kept").glob("*.cubin")):
        text = cubin.with_suffix(".ptx").read_text()
        if not wavefronts.ANY_ACCESS.search(text):
            continue
        sass = subprocess.run(["nvdisasm", "-gp", str(cubin)], capture_output=True, text=True, check=False).stdout
        for entry in re.findall(r"\.entry\s+([\w$]+)", text):
            lines = wavefronts.lines_of(sass, entry)
            if lines:
                found.setdefault(entry, []).append((cubin.stem, lines))
    return found


def opcodes(instructions):
    return [wavefronts.opcode(instruction)[1] for instruction in instructions]


def blocks(path):
    """(name, threads) of each launch."""
    with path.open() as file:
        rows = [row for row in csv.DictReader(file) if row.get("ID")]
    for row in rows:
        shape = re.findall(r"\d+", row.get("Block Size") or row["launch__block_size"])
        yield row["Kernel Name"].split("(")[0], [int(n) for n in shape]


def join(out):
    kept, made, seen = kept_kernels(out), [], set()
    failed = 0
    (out / "ptx").mkdir(exist_ok=True)
    for path in sorted((out / "raw").glob("*.source.csv")):
        program = path.name.split(".")[0]
        pages = list(wavefronts.pages(path.read_text()))
        launches = list(blocks(path.with_name(f"{program}.raw.csv")))
        if [name for name, _ in pages] != [name for name, _ in launches]:
            print(f"{program}: {len(pages)} pages, {len(launches)} launches", file=sys.stderr)
            launches = launches[:len(pages)]
        for (name, rows), (_, threads) in zip(pages, launches):
            wanted = opcodes(row["Source"] for row in rows)
            for stem, lines in kept.get(name, ()):
                if opcodes(lines[offset][0] for offset in sorted(lines)) == wanted:
                    break
            else:
                continue
            key = (stem, name, tuple(threads))
            if key in seen:
                continue
            seen.add(key)
            text = (out / "kept" / f"{stem}.ptx").read_text()
            try:
                sites, strays = wavefronts.sites_of(rows, lines, text.splitlines())
            except (KeyError, TypeError, ValueError, IndexError) as error:
                failed += 1
                print(f"{program} {name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            if not sites:
                continue
            (out / "ptx" / f"{stem}.ptx").write_text(text)
            made.append({"name": f"{program}/{name}", "ptx": f"{stem}.ptx", "entry": name, "threads": threads, "shared": 0,
                         "sites": sites, "strays": strays})
    (out / "wavefronts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in made))
    print(f"{len(made)} kernels, {sum(len(x['sites']) for x in made)} sites, {failed} failed")


def main():
    parser = argparse.ArgumentParser(description="count the wavefronts of frameworks' kernels at the lines of their PTX")
    parser.add_argument("what", choices=("measure", "join", "play"))
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", help="of tests/gpu/programs")
    parser.add_argument("--seconds", type=int, default=300, help="after which a program makes no further call")
    options = parser.parse_args()
    out = options.out.resolve()
    (out / "raw").mkdir(parents=True, exist_ok=True)
    if options.what == "play":
        return play(options.names[0], options.seconds)
    if options.what == "measure":
        for name in options.names:
            try:
                profile(out, name, options.seconds)
            except subprocess.TimeoutExpired:
                print(f"{name}: longer than {options.seconds} s", file=sys.stderr)
    join(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
