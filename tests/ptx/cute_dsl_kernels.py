# SPDX-License-Identifier: Apache-2.0
"""GEMMs as the CuTe DSL compiles them, in PTX: what `swz kernel` is measured against. No GPU is needed.

    python3 -m pip install --target build/cute_dsl nvidia-cutlass-dsl==4.8.1
    python3 -B tests/ptx/cute_dsl_kernels.py FOLDER

FOLDER/gemm_f16_km.ptx multiplies float16 on sm_90a, A K-major (`k`) and B MN-major (`m`): TMA loads in four stages, wgmma,
accumulators stored from registers.
"""

import argparse
import os
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DUMP = tempfile.mkdtemp(prefix="swz_cute_dsl_")
os.environ.update(CUTE_DSL_ARCH="sm_90a", CUTE_DSL_KEEP_PTX="1", CUTE_DSL_DUMP_DIR=DUMP)
PACKAGES = ROOT / "build/cute_dsl"
sys.path[:0] = [str(PACKAGES), str(PACKAGES / "nvidia_cutlass_dsl/dsl_packages")]
warnings.simplefilter("ignore", DeprecationWarning)

import cutlass  # noqa: E402
from cutlass import cute, pipeline, utils  # noqa: E402
from cutlass.cute.nvgpu import cpasync, warpgroup  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor  # noqa: E402
from cutlass.utils import hopper_helpers  # noqa: E402

M, N, K = 128, 128, 64  # of a block
STAGES = 4


def load_tiles(stages, written, operands):
    """The next tile of each operand, into the stage that is written."""
    stages.producer_acquire(written)
    barrier = stages.producer_get_barrier(written)
    for copy, source, target in operands:
        cute.copy(copy, source[(None, written.count)], target[(None, written.index)], tma_bar_ptr=barrier)
    stages.producer_commit(written)


@cute.kernel
def gemm_kernel(mma: cute.TiledMma, copy_a: cute.CopyAtom, a: cute.Tensor, copy_b: cute.CopyAtom, b: cute.Tensor, c: cute.Tensor,
                layout_a: cute.ComposedLayout, layout_b: cute.ComposedLayout, dtype: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    row, column, _ = cute.arch.block_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())

    memory = utils.SmemAllocator()
    barriers = memory.allocate_array(cutlass.Int64, 2 * STAGES)
    smem_a = memory.allocate_tensor(dtype, layout_a.outer, 1024, layout_a.inner)
    smem_b = memory.allocate_tensor(dtype, layout_b.outer, 1024, layout_b.inner)
    stages = pipeline.PipelineTmaAsync.create(
        barrier_storage=barriers, num_stages=STAGES, tx_count=(M + N) * K * dtype.width // 8,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4))

    tile_a = cute.local_tile(a, (M, K), (row, None))
    tile_b = cute.local_tile(b, (N, K), (column, None))
    tile_c = cute.local_tile(c, (M, N), (row, column))
    to_a, from_a = cpasync.tma_partition(copy_a, 0, cute.make_layout(1), cute.group_modes(smem_a, 0, 2), cute.group_modes(tile_a, 0, 2))
    to_b, from_b = cpasync.tma_partition(copy_b, 0, cute.make_layout(1), cute.group_modes(smem_b, 0, 2), cute.group_modes(tile_b, 0, 2))
    operands = ((copy_a, from_a, to_a), (copy_b, from_b, to_b))
    part = mma.get_slice(thread)
    operand_a, operand_b = mma.make_fragment_A(part.partition_A(smem_a)), mma.make_fragment_B(part.partition_B(smem_b))
    part_c = part.partition_C(tile_c)
    accumulators = cute.make_rmem_tensor(part_c.shape, cutlass.Float32)

    tiles = cute.size(tile_a, mode=[2])
    written = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
    read = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
    if warp == 0:
        for _ in cutlass.range(0, STAGES - 1, 1, unroll=1):
            load_tiles(stages, written, operands)
            written.advance()
    mma.set(warpgroup.Field.ACCUMULATE, False)
    for tile in cutlass.range(tiles, unroll=1):
        stages.consumer_wait(read)
        warpgroup.fence()
        for k in cutlass.range_constexpr(cute.size(operand_a, mode=[2])):
            at = (None, None, k, read.index)
            cute.gemm(mma, accumulators, operand_a[at], operand_b[at], accumulators)
            mma.set(warpgroup.Field.ACCUMULATE, True)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        stages.consumer_release(read)
        read.advance()
        if warp == 0 and tile + STAGES - 1 < tiles:
            load_tiles(stages, written, operands)
            written.advance()
    result = cute.make_rmem_tensor(part_c.shape, c.element_type)
    result.store(accumulators.load().to(c.element_type))
    cute.autovec_copy(result, part_c)


@cute.jit
def gemm(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    of_a, of_b = utils.LayoutEnum.from_tensor(a), utils.LayoutEnum.from_tensor(b)
    mma = hopper_helpers.make_trivial_tiled_mma(a.element_type, b.element_type, of_a.sm90_mma_major_mode(),
                                                of_b.sm90_mma_major_mode(), cutlass.Float32, (2, 1, 1), tiler_mn=(64, N))
    layout_a = hopper_helpers.make_smem_layout_a(of_a, (M, N, K), a.element_type, STAGES)
    layout_b = hopper_helpers.make_smem_layout_b(of_b, (M, N, K), b.element_type, STAGES)
    load = cpasync.CopyBulkTensorTileG2SOp()
    copy_a, tma_a = cpasync.make_tiled_tma_atom(load, a, cute.slice_(layout_a, (None, None, 0)), (M, K))
    copy_b, tma_b = cpasync.make_tiled_tma_atom(load, b, cute.slice_(layout_b, (None, None, 0)), (N, K))
    gemm_kernel(mma, copy_a, tma_a, copy_b, tma_b, c, layout_a, layout_b, a.element_type).launch(grid=(16, 16, 1), block=(256, 1, 1))


def compile_to_ptx(dtype, a, b):
    """The PTX for A of 2048 x 1024 and B of 1024 x 2048; a, b: "k" or "m"."""
    order = {"k": (1, 0), "m": (0, 1)}
    operands = [make_fake_compact_tensor(dtype, (2048, 1024), stride_order=order[major], assumed_align=16) for major in (a, b)]
    cute.compile(gemm, *operands, make_fake_compact_tensor(cutlass.Float16, (2048, 2048), stride_order=(1, 0), assumed_align=16))
    made, = Path(DUMP).glob("*.ptx")
    text = made.read_text()
    made.unlink()
    return text


def main():
    parser = argparse.ArgumentParser(description="compile GEMMs of the CuTe DSL to PTX")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    types = {"f16": cutlass.Float16, "bf16": cutlass.BFloat16, "e4m3": cutlass.Float8E4M3FN}
    for name, dtype in types.items():
        for majors in ("kk",) if dtype.width == 8 else ("kk", "km", "mk", "mm"):
            (folder / f"gemm_{name}_{majors}.ptx").write_text(compile_to_ptx(dtype, *majors))
            print(f"gemm_{name}_{majors}")


if __name__ == "__main__":
    main()
