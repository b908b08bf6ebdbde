# SPDX-License-Identifier: Apache-2.0
"""Every form of a bulk copy, and what else reaches other CTAs, as ptxas assembles it: what `swz kernel` says of the
machine code is what it says of the PTX.

    python3 tests/sass/copies.py --swz build/dev/swz --ptxas "$(sh scripts/ptxas)" [--nvdisasm FILE]

The operands are constants and parameters, so that some numbers are known and others are not. nvdisasm is that of
SWZ_NVDISASM or of the PATH; without it nothing is compared. What machine code does not have (which of two spaces, .ignore_oob, .multimem) is not compared.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = """.version 9.5
.target {}
.address_size 64
.visible .entry k(.param .align 64 .b8 m[128], .param .u64 g, .param .u64 policy, .param .u32 n, .param .u16 h) {{
.reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %rd<9>;
.shared .align 1024 .b8 s[4096]; .shared .align 8 .b8 bar[16];
mov.b64 %rd0, m; cvta.param.u64 %rd0, %rd0; ld.param.u64 %rd1, [g]; ld.param.u64 %rd3, [policy];
ld.param.u32 %r9, [n]; ld.param.u16 %h9, [h]; mov.u32 %r0, s; mov.u32 %r1, bar;
mapa.shared::cluster.u32 %r2, %r0, 1; mapa.shared::cluster.u32 %r3, %r1, 1;
mov.u16 %h1, 1; mov.u16 %h2, 2; mov.u16 %h3, 3; mov.u16 %h5, 5; mov.u32 %r20, 0x10005;
"""
TILE = "cp.async.bulk.tensor"
BYTES = "mbarrier::complete_tx::bytes"
ROWS = "{7, %r9, 3, 4, 900}"


def coordinates(rank):
    return "{" + ", ".join(["8", "%r9", "16", "24", "-3"][:rank]) + "}"


def tensor_forms():
    offsets = {3: "{%h1}", 4: "{%h1, %h2}", 5: "{%h1, %h2, %h3}"}
    for rank in range(1, 6):
        yield "sm_90a", f"{TILE}.{rank}d.shared::cluster.global.tile.{BYTES} [%r0+128], [%rd0, {coordinates(rank)}], [%r1+8];"
        yield "sm_90a", f"{TILE}.{rank}d.global.shared::cta.tile.bulk_group [%rd0, {coordinates(rank)}], [%r0+256];"
        yield "sm_90a", f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [%rd0, {coordinates(rank)}];"
    for rank, info in offsets.items():
        at = coordinates(rank)
        yield "sm_90a", f"{TILE}.{rank}d.shared::cluster.global.im2col.{BYTES} [%r0], [%rd0, {at}], [%r1], {info};"
        yield "sm_90a", (f"{TILE}.{rank}d.shared::cluster.global.im2col.{BYTES}.multicast::cluster.L2::cache_hint "
                         f"[%r0], [%rd0, {at}], [%r1], {info}, %h5, %rd3;")
        yield "sm_90a", f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.im2col [%rd0, {at}], {info};"
        yield "sm_90a", f"{TILE}.{rank}d.global.shared::cta.im2col_no_offs.bulk_group [%rd0, {at}], [%r0];"
        yield "sm_107a", f"{TILE}.{rank}d.global.shared::cta.im2col_no_offs::w.bulk_group [%rd0, {at}], [%r0];"
        yield "sm_90a", f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.max.im2col_no_offs.bulk_group [%rd0, {at}], [%r0];"
        for mode in ("im2col::w", "im2col::w::128"):
            yield "sm_100a", f"{TILE}.{rank}d.shared::cta.global.{mode}.{BYTES} [%r0], [%rd0, {at}], [%r1], {{%h5, %h3}};"
            yield "sm_100a", (f"{TILE}.{rank}d.shared::cluster.global.{mode}.{BYTES}.multicast::cluster.cta_group::2 "
                              f"[%r0], [%rd0, {at}], [%r1], {{%h5, %h3}}, %h5;")
            yield "sm_100a", f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.{mode} [%rd0, {at}], {{%h5, %h3}};"
        yield "sm_107a", (f"{TILE}.{rank}d.shared::cluster.global.im2col::w.{BYTES}.multicast::cluster::32b [%r0], "
                          f"[%rd0, {at}], [%r1], {{%h5, %h3}}, %r20;")
    yield "sm_100a", f"{TILE}.2d.shared::cta.global.tile::gather4.{BYTES} [%r0], [%rd0, {ROWS}], [%r1];"
    yield "sm_100a", f"{TILE}.2d.shared::cluster.global.tile::gather4.{BYTES}.multicast::cluster [%r0], [%rd0, {ROWS}], [%r1], %h5;"
    yield "sm_100a", f"cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd0, {ROWS}];"
    yield "sm_100a", f"{TILE}.2d.global.shared::cta.tile::scatter4.bulk_group.L2::cache_hint [%rd0, {ROWS}], [%r0], %rd3;"
    for mask in ("%h5", "%h9"):
        yield "sm_90a", f"{TILE}.2d.shared::cluster.global.tile.{BYTES}.multicast::cluster [%r0], [%rd0, {{1, 2}}], [%r1], {mask};"
    yield "sm_107a", f"{TILE}.2d.shared::cluster.global.tile.{BYTES}.multicast::cluster::32b [%r0], [%rd0, {{1, 2}}], [%r1], %r20;"
    yield "sm_107a", (f"{TILE}.2d.shared::cluster.global.tile::gather4.{BYTES}.multicast::cluster::32b [%r0], "
                      f"[%rd0, {ROWS}], [%r1], %r20;")
    yield "sm_100a", f"{TILE}.2d.shared::cluster.global.tile.{BYTES}.cta_group::2 [%r0], [%rd0, {{1, 2}}], [%r1];"
    for operation in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
        yield "sm_90a", f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{operation}.tile.bulk_group [%rd0, {{1, %r9}}], [%r0];"


def bulk_forms():
    start = f"cp.async.bulk.shared::cluster.global.{BYTES}"
    yield "sm_90a", f"{start} [%r0], [%rd1], 512, [%r1];"
    yield "sm_90a", f"{start} [%r0], [%rd1], %r9, [%r1];"
    yield "sm_90a", f"{start}.multicast::cluster.L2::cache_hint [%r0], [%rd1], 512, [%r1], %h5, %rd3;"
    yield "sm_107a", f"{start}.multicast::cluster::32b [%r0], [%rd1], 512, [%r1], %r20;"
    yield "sm_90a", f"cp.async.bulk.shared::cta.global.{BYTES} [%r0], [%rd1], 512, [%r1];"
    yield "sm_90a", f"cp.async.bulk.shared::cluster.shared::cta.{BYTES} [%r2], [%r0], 512, [%r3];"
    yield "sm_90a", "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r0], 512, %rd3;"
    yield "sm_100a", "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r0], 512, %h5;"
    yield "sm_90a", "cp.async.bulk.prefetch.L2.global [%rd1], 512;"
    for how in ("add.u32", "add.s32", "add.u64", "add.f32", "add.f64", "add.noftz.f16", "add.noftz.bf16", "min.s64",
                "max.bf16", "inc.u32", "dec.u32"):
        yield "sm_90a", f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{how} [%rd1], [%r0], 512;"
    for how in ("add.u32", "min.s32", "inc.u32"):
        yield "sm_90a", f"cp.reduce.async.bulk.shared::cluster.shared::cta.{BYTES}.{how} [%r2], [%r0], 512, [%r3];"


def other_forms():
    yield "sm_90a", f"st.async.weak.shared::cluster.{BYTES}.v4.b32 [%r2], {{%r9, %r9, %r9, %r9}}, [%r3];"
    yield "sm_90a", f"st.async.weak.shared::cluster.{BYTES}.b64 [%r2], %rd1, [%r3];"
    yield "sm_90a", f"st.async.weak.shared::cluster.{BYTES}.b32 [%r2], %r9, [%r3];"
    yield "sm_90a", f"red.async.relaxed.cluster.shared::cluster.{BYTES}.add.s32 [%r2], %r9, [%r3];"
    yield "sm_90a", f"red.async.relaxed.cluster.shared::cluster.{BYTES}.add.u64 [%r2], %rd1, [%r3];"
    yield "sm_90a", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];"
    yield "sm_90a", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3], 2;"
    yield "sm_90a", "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r3], 640;"
    yield "sm_90a", "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r3], 640;"
    yield "sm_90a", "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r3], 640;"
    for more in ("", ".multicast::cluster::all"):
        yield "sm_100a", f"clusterlaunchcontrol.try_cancel.async.shared::cta.{BYTES}{more}.b128 [%r0], [%r1];"
    for group in (1, 2):
        start = f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster"
        yield "sm_100a", f"{start}.b64 [%r1];"
        yield "sm_100a", f"{start}.multicast::cluster.b64 [%r1], %h5;"
    yield "sm_107a", "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster::32b.b64 [%r1], %r20;"


def forms():
    return [*tensor_forms(), *bulk_forms(), *other_forms()]


def disassembled(target, statement, ptxas, nvdisasm, folder):
    ptx, cubin = Path(folder) / "k.ptx", Path(folder) / "k.cubin"
    ptx.write_text(HEAD.format(target) + statement + "\nret;\n}\n")
    subprocess.run([ptxas, "-arch", target, str(ptx), "-o", str(cubin)], check=True, capture_output=True)
    return subprocess.run([nvdisasm, "-c", str(cubin)], check=True, capture_output=True, text=True).stdout


def asked(swz, text):
    done = subprocess.run([swz, "kernel", "-", "--only", "tma,cluster", "-f", "json"], input=text, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["kernels"][0]


def numbers(sites):
    return [one["number"] for one in sites]


def facts_of(kernel):
    """What both texts have to say alike."""
    copies = []
    for site in kernel["tma"]:
        operation = re.sub(r"\.(b32|u32)$", ".32", site["operation"] or "")
        mask = site["mask"] and {key: site["mask"][key] for key in ("word", "receivers")}
        copies.append({"direction": site["direction"], "rank": site["rank"], "mode": site["mode"],
                       "operation": operation, "coordinates": numbers(site["coordinates"]),
                       "offsets": numbers(site["offsets"]), "bytes": site["bytes"], "mask": mask,
                       "pair": site["cta_group"] == 2, "byte_mask": site["byte_mask"] and site["byte_mask"]["number"],
                       "owner": site["owner"] and site["owner"]["rank"],
                       "barrier_owner": site["barrier_owner"] and site["barrier_owner"]["rank"],
                       "barrier": bool(site["barrier"]), "shared": bool(site["shared"])})
    others = []
    for site in kernel["cluster"]:
        if site["action"] == "mapa":
            continue
        mask = site["mask"] and {key: site["mask"][key] for key in ("word", "receivers")}
        others.append({"action": site["action"], "bytes": site["bytes"], "mask": mask, "all": site["reaches_all"],
                       "pair": site["cta_group"] == 2, "owner": site["owner"] and site["owner"]["rank"],
                       "barrier": bool(site["barrier"])})
    return copies, others


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--swz", required=True)
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--nvdisasm", default=os.environ.get("SWZ_NVDISASM"))
    arguments = parser.parse_args()
    nvdisasm = arguments.nvdisasm if arguments.nvdisasm not in (None, "none") else shutil.which("nvdisasm")
    if not nvdisasm:
        print("sass/copies: NOT compared, there is no nvdisasm (pip install nvidia-cuda-nvdisasm; SWZ_NVDISASM)")
        return 77
    all_forms, wrong, lost = forms(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for target, statement in all_forms:
            sass = disassembled(target, statement, Path(arguments.ptxas) / "ptxas", nvdisasm, folder)
            ptx = asked(arguments.swz, HEAD.format(target) + statement + "\nret;\n}\n")
            code = asked(arguments.swz, sass)
            for finding in [*ptx["findings"], *code["findings"]]:
                if finding["rule"] in ("tma-form", "expected-bytes"):
                    wrong += 1
                    print(f"{target} {statement}\n  {finding}")
            if facts_of(ptx) != facts_of(code):
                wrong += 1
                print(f"{target} {statement}\n  PTX  {facts_of(ptx)}\n  SASS {facts_of(code)}")
            lost += facts_of(ptx) == ([], [])
    print(f"{len(all_forms)} forms, {wrong} differ, {lost} without a site")
    return 1 if wrong or lost else 0


if __name__ == "__main__":
    sys.exit(main())
