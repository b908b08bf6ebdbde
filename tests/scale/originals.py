# SPDX-License-Identifier: Apache-2.0
"""Runs the functions of the projects that order scale factors, and compares each with swz at every factor.

    python3 -B tests/scale/originals.py --swz build/dev/swz --modules "$(sh scripts/wheels scales)"

A function is taken out of the source file of its wheel with the functions that it calls, and runs on numpy
(torch_stand_in.py): the packages themselves need a GPU to be imported. The factors that it gets are numbers of their own,
0 is padding. swz says where each lies (sf place --map), for shapes of a fixed seed that mostly do not divide.
"""
import argparse
import ast
import json
import math
import random
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import torch_stand_in

SHAPES = 200
# options: of `sf place`. extents(draw) are batches, rows and factors; write(functions, factors) is the memory.
Original = namedtuple("Original", "project files names options extents write")


def functions_of(paths, names):
    """The named functions and constants of some files, in a name space that has torch."""
    torch = torch_stand_in.stand_in()
    space = {"torch": torch, "math": math, "jnp": np, "Tensor": torch.Tensor, "MXFP8_BLOCK_SIZE": 1,
             "round_up": lambda x, to: -(-x // to) * to}
    for node in (node for path in paths for node in ast.parse(path.read_text()).body):
        targets = [target.id for target in getattr(node, "targets", []) if isinstance(target, ast.Name)]
        if not {getattr(node, "name", None), *targets} & set(names):
            continue
        if isinstance(node, ast.FunctionDef):
            node.decorator_list, node.returns = [], None
            for argument in node.args.args:
                argument.annotation = None
        exec(compile(ast.Module([node], []), names[-1], "exec"), space)  # noqa: S102
    missing = set(names) - set(space)
    assert not missing, f"{paths} have no {missing}"
    return space


def any_shape(draw):
    return 1, draw.randint(1, 300), draw.randint(1, 40)


def with_batches(draw):
    return draw.randint(1, 3), draw.randint(1, 200), draw.randint(1, 24)


def multiples(rows, factors, batches=1):
    return lambda draw: (draw.randint(1, batches), rows * draw.randint(1, 4), factors * draw.randint(1, 8))


def one(name, *arguments):
    """The function of the factors of one operand."""
    return lambda f, x: f[name](x[0], *arguments)


def words(f, x):
    """DeepGEMM's words of four factors, whose rows are next to each other in memory, before and after."""
    b, r, c = x.shape
    word = x.reshape(b, r, c // 4, 4)[..., 0]
    out = f["_transpose_sf_for_utccp"](word)
    first = np.transpose(np.asarray(out), (0, 2, 1)).reshape(-1, 1)
    return np.where(first > 0, first + np.arange(4), 0)


def of_pages(layout):
    """V of pages with two heads; a batch is a head of a page."""
    heads = 2

    def write(f, x):
        batches, tokens, factors = x.shape
        pages = x.reshape(batches // heads, heads, tokens, factors)
        stored = (pages if layout == "HND" else pages.swapaxes(1, 2)).contiguous()
        f["fp4_quantize"] = lambda *_, **__: (stored.repeat(8, -1), stored)  # the values, two in a byte; their factors
        values = stored.repeat(16, -1)
        return f["nvfp4_quantize_paged_kv_cache"](values, values, layout, *ONES)[1][1]

    return write


ONES = np.ones(1).view(torch_stand_in.Tensor), np.ones(1).view(torch_stand_in.Tensor)


def pages(count):
    return lambda draw: (2 * draw.randint(1, count), 4 * draw.randint(1, 16), 4 * draw.randint(1, 4))


def marlin(f, x):
    """Of groups of 16 elements: the factors are stored as K x N."""
    groups, n = x.shape[2], x.shape[1]
    return f["marlin_permute_scales"](x[0].T.contiguous(), 16 * (groups + 1), n, 16)


def marlin_fp4(f, x):
    return f["mxfp4_marlin_process_scales"](marlin(f, x))


def mixed(f, x):
    return f["interleave_moe_scales_for_sm90_mixed_gemm"](x, 32)


def mixed_bf16(f, x):
    x.bytes_each = 2
    return f["interleave_moe_scales_for_sm90_mixed_gemm"](x, 128)


def gathered(name, *arguments):
    """A function whose answer has, for each new row, the row that it was."""
    return lambda f, x: x[0][f[name](x[0], *arguments)]


def columnwise(f, x):
    return f["swizzled_scale"](x[0].T.contiguous(), 1, True)


VLLM, FLASHINFER = "vllm/model_executor/layers", "flashinfer"
KV, SHUFFLE = f"{FLASHINFER}/quantization/fp4_quantization.py", f"{FLASHINFER}/utils.py"
SHUFFLES = ["srcToDstBlk16RowMap", "srcToDstBlk32RowMap", "get_shuffle_block_size", "get_shuffle_matrix_a_row_indices"]
ORIGINALS = [
    Original("torchao", "torchao/prototype/mx_formats/utils.py", ["ceil_div", "to_blocked"], ["--layout", "to_blocked"],
             any_shape, one("to_blocked")),
    Original("quack", "quack/blockscaled/quantize.py", ["_ceil_div", "to_blocked"], ["--layout", "to_blocked"],
             any_shape, one("to_blocked")),
    Original("vLLM", f"{VLLM}/quantization/utils/nvfp4_utils.py", ["swizzle_blockscale"],
             ["--layout", "swizzle_blockscale"], with_batches, lambda f, x: f["swizzle_blockscale"](x)),
    Original("vLLM", f"{VLLM}/quantization/utils/mxfp8_utils.py", ["swizzle_mxfp8_scale"],
             ["--layout", "swizzle_mxfp8_scale"], any_shape,
             lambda f, x: f["swizzle_mxfp8_scale"](x[0], x.shape[1], x.shape[2])),
    Original("vLLM", f"{VLLM}/fused_moe/experts/cutlass_moe.py", ["swizzle_mxfp4_scales"],
             ["--layout", "swizzle_mxfp4_scales"], any_shape,
             lambda f, x: f["swizzle_mxfp4_scales"](x[0], x.shape[1], 32 * x.shape[2])),
    Original("vLLM", f"{VLLM}/quantization/utils/marlin_utils.py", ["get_scale_perms", "marlin_permute_scales"],
             ["--layout", "marlin_permute_scales"], multiples(64, 1), marlin),
    Original("vLLM", f"{VLLM}/quantization/utils/marlin_utils*.py",
             ["get_scale_perms", "marlin_permute_scales", "mxfp4_marlin_process_scales"],
             ["--layout", "mxfp4_marlin_process_scales"], multiples(64, 1), marlin_fp4),
    Original("vLLM", f"{VLLM}/quantization/utils/flashinfer_utils.py", ["swap_w13_to_w31"],
             ["--layout", "linear", "--order", "swap_halves"], multiples(2, 1), one("swap_w13_to_w31")),
    Original("FlashInfer", f"{FLASHINFER}/diffusion_ops/minimax_h3_fc1_swiglu.py", ["_SF_TILE_ROWS", "_swizzle_sf_128x4"],
             ["--layout", "layout_128x4"], any_shape, one("_swizzle_sf_128x4")),
    Original("FlashInfer", f"{FLASHINFER}/fused_moe/prepare.py", ["interleave_moe_scales_for_sm90_mixed_gemm"],
             ["--layout", "64x4"], multiples(64, 4, 3), mixed),
    Original("FlashInfer", f"{FLASHINFER}/fused_moe/prepare.py", ["interleave_moe_scales_for_sm90_mixed_gemm"],
             ["--layout", "64x1_fold8_bf16"], multiples(64, 1, 3), mixed_bf16),
    Original("FlashInfer", KV, ["nvfp4_quantize_paged_kv_cache"], ["--layout", "kv_v_4x4"], pages(3), of_pages("HND")),
    Original("FlashInfer", KV, ["nvfp4_quantize_paged_kv_cache"], ["--layout", "kv_v_4x4_nhd"], pages(1),
             of_pages("NHD")),
    Original("FlashInfer", SHUFFLE, SHUFFLES, ["--layout", "linear", "--order", "shuffle32"], multiples(32, 1),
             gathered("get_shuffle_matrix_a_row_indices", 128)),
    Original("FlashInfer", SHUFFLE, SHUFFLES, ["--layout", "linear", "--order", "shuffle16"], multiples(16, 1),
             gathered("get_shuffle_matrix_a_row_indices", 64)),
    Original("FlashInfer", f"{FLASHINFER}/fused_moe/core.py", ["get_reorder_rows_for_gated_act_gemm_row_indices"],
             ["--layout", "linear", "--order", "gated"], multiples(2, 1),
             gathered("get_reorder_rows_for_gated_act_gemm_row_indices")),
    Original("DeepGEMM", "deep_gemm/mega/__init__.py", ["_transpose_sf_for_utccp"],
             ["--layout", "_transpose_sf_for_utccp"[1:]], multiples(128, 4, 3), words),
    Original("DeepGEMM", "deep_gemm/mega/__init__.py", ["_interleave_weights"],
             ["--layout", "linear", "--order", "interleave8"], multiples(16, 1), one("_interleave_weights")),
    Original("TransformerEngine", "transformer_engine/jax/cpp_extensions/gemm.py", ["swizzled_scale"],
             ["--layout", "gemm_swizzled"], multiples(128, 4), one("swizzled_scale", 1, False)),
    Original("TransformerEngine", "transformer_engine/jax/cpp_extensions/gemm.py", ["swizzled_scale"],
             ["--layout", "gemm_swizzled"], multiples(128, 4), columnwise),
]


def ask(swz, questions):
    lines = "".join(" ".join(question) + "\n" for question in questions)
    told = subprocess.run([swz, "batch", "-"], input=lines, text=True, capture_output=True, check=False)
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(answers) == len(questions), told.stderr
    return answers


def difference(answer, memory, factors):
    """What is wrong with an answer; None if every factor is where the original wrote it."""
    if "map" not in answer.get("result", {}):
        return f"refused: {json.dumps(answer)[:200]}"
    answer = answer["result"]
    offsets = np.array(answer["map"]).reshape(-1)
    each = answer["unit"]
    memory = np.asarray(memory).reshape(-1)
    if answer["bytes"] != memory.size * each:
        return f"{answer['bytes']} B, written were {memory.size * each}"
    found = memory[offsets // each]
    wrong = np.flatnonzero((found != factors.reshape(-1)) | (offsets % each != 0))
    if wrong.size:
        return f"{wrong.size} of {found.size} factors, first at {np.unravel_index(wrong[0], factors.shape)}"
    if np.count_nonzero(memory) != factors.size:
        return "factors beside those of the map"
    return None


def check(swz, modules, original, draw):
    functions = functions_of(sorted(modules.glob(original.files)), original.names)
    shapes = [original.extents(draw) for _ in range(SHAPES)]
    questions = [["sf", "place", *original.options, "--shape", f"{r}x{c}", "--vec", "1", "--batches", str(b), "--map"]
                 for b, r, c in shapes]
    for shape, answer in zip(shapes, ask(swz, questions)):
        factors = np.arange(1, math.prod(shape) + 1).reshape(shape)
        memory = original.write(functions, factors.copy().view(torch_stand_in.Tensor))
        wrong = difference(answer, memory, factors)
        if wrong:
            return f"{shape}: {wrong}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--swz", required=True)
    parser.add_argument("--modules", required=True, type=Path, help="what scripts/wheels scales printed")
    options = parser.parse_args()
    draw, failed = random.Random(30), 0
    for original in ORIGINALS:
        wrong = check(options.swz, options.modules, original, draw)
        failed += wrong is not None
        name = f"{original.project} {original.names[-1]}, {' '.join(original.options[1::2])}"
        print(f"{name}: {wrong or f'equal for {SHAPES} shapes'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
