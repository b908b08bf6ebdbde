#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks CUTLASS's own functions how many stages they take, and writes tests/data/stage_counts.txt.

    python3 tests/cute/stage_counts.py "$(sh scripts/cute)" > tests/data/stage_counts.txt

A line is "family kind bits m n k cta_group vec carveout stages": wgmma - 16 128 128 64 1 0 17408 6.
The functions are constexpr: nvcc compiles them, and no GPU runs them. The builders pass them M and N of one CTA; a line
has those of both CTAs of a pair.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

HEAD = """
#include <cstdio>
#include "cutlass/cutlass.h"
#include "cutlass/gemm/collective/collective_builder.hpp"
using namespace cute;
namespace d = cutlass::gemm::collective::detail;
using cutlass::gemm::collective::StageCountAutoCarveout;
template <int bits> struct TypeOf;
template <> struct TypeOf<4> { using type = cutlass::float_e2m1_t; };
template <> struct TypeOf<8> { using type = uint8_t; };
template <> struct TypeOf<16> { using type = cutlass::half_t; };
template <> struct TypeOf<32> { using type = cutlass::tfloat32_t; };
template <int b> using T = typename TypeOf<b>::type;
template <int a, int b, int m, int n, int k, int carveout> constexpr int sm90() {
  return d::compute_stage_count_or_override<d::sm90_smem_capacity_bytes, T<a>, T<b>, Shape<Int<m>, Int<n>, Int<k>>>(
      StageCountAutoCarveout<carveout>{});
}
template <int accumulators> constexpr int beside() {
  return d::Sm100DenseGemmTmaUmmaCarveout<Shape<_1, _1, _1>, accumulators, 2, d::CLCResponseSize, false>::KernelSmemCarveout;
}
template <int a, int b, int m, int n, int k, int accumulators, int carveout> constexpr int sm100() {
  return d::sm100_compute_stage_count_or_override<d::sm100_smem_capacity_bytes - beside<accumulators>(), T<a>, T<b>,
      Shape<Int<m>, Int<n>, Int<k>>, typename cutlass::PipelineTmaUmmaAsync<1>::SharedStorage>(StageCountAutoCarveout<carveout>{});
}
template <int a, int b, int m, int n, int k, int sfa, int sfb, int accumulators, int carveout> constexpr int sm100_scaled() {
  return d::sm100_compute_stage_count_or_override_blockscaled<d::sm100_smem_capacity_bytes - beside<accumulators>(), T<a>, T<b>,
      Shape<Int<m>, Int<n>, Int<k>>, Layout<Shape<Int<sfa>>>, Layout<Shape<Int<sfb>>>>(StageCountAutoCarveout<carveout>{});
}
template <int m, int n, int k, int carveout> constexpr int sm120() {
  return d::sm100_compute_stage_count_or_override<d::sm120_smem_capacity_bytes, uint8_t, uint8_t, Shape<Int<m>, Int<n>, Int<k>>,
      typename cutlass::PipelineTmaUmmaAsync<1>::SharedStorage>(StageCountAutoCarveout<carveout>{});
}
template <int a, int b, int m, int n, int k, int sfa, int sfb, int carveout> constexpr int sm120_scaled() {
  return d::sm100_compute_stage_count_or_override_blockscaled<d::sm120_smem_capacity_bytes, T<a>, T<b>,
      Shape<Int<m>, Int<n>, Int<k>>, Layout<Shape<Int<sfa>>>, Layout<Shape<Int<sfb>>>>(StageCountAutoCarveout<carveout>{});
}
int main() {
"""


def rounded(value, step):
    return (value + step - 1) // step * step


def accumulators(m, n, pair, scaled):
    """As the builders of sm_100 compute it, from the tile of one CTA."""
    if scaled:
        return 1 if n == 256 else 2
    return min(4, 512 // n * 2 if m == 64 and not pair else 128 * 512 // (m * n))


def cases(draw):
    carveouts = [0, 9216, 13312, 17408, 26624, 33792, 67584, 67072, 1000, 50001]
    for _ in range(320):
        bits = draw.choice([8, 16, 32])
        m, n, k = draw.choice([64, 128, 256]), draw.choice([16, 64, 96, 128, 192, 256]), draw.choice([32, 64, 128]) * 16 // bits
        yield "wgmma", "-", bits, m, n, k, 1, 0, draw.choice(carveouts)
    for _ in range(320):
        scaled = draw.choice([None, None, "mxf8f6f4", "mxf4nvf4"])
        pair = draw.choice([1, 2])
        n = draw.choice([64, 128, 256] if scaled is None else [128, 256])
        m = draw.choice([64, 128] if scaled is None and pair == 1 else [128]) * pair
        bits = 8 if scaled == "mxf8f6f4" else 4 if scaled else draw.choice([8, 16, 32])
        k = 1024 // bits * draw.choice([1, 2])
        vec = 0 if scaled is None else 32 if scaled == "mxf8f6f4" else 16
        yield "tcgen05", scaled or "-", bits, m, n, k, pair, vec, draw.choice(carveouts)
    for _ in range(200):
        kind = draw.choice(["f8f6f4", "mxf8f6f4", "mxf4nvf4"])
        bits = 4 if kind == "mxf4nvf4" else 8
        vec = {"f8f6f4": 0, "mxf8f6f4": 32, "mxf4nvf4": 16}[kind]
        m, n = draw.choice([128, 256] if vec else [64, 128]), draw.choice([128, 256] if vec else [64, 128])
        yield "mma.sync", kind, bits, m, n, 128, 1, vec, draw.choice([0, 1000, 13312, 5000, 20480, 26624])


def factors(rows, k, vec):
    return rounded(rows, 128) * k // vec if vec else 0


def call(case):
    family, _, bits, m, n, k, pair, vec, carveout = case
    rows, columns = m // pair, n // pair
    sfa, sfb = factors(rows, k, vec), factors(n, k, vec)
    if family == "wgmma":
        return f"sm90<{bits}, {bits}, {m}, {n}, {k}, {carveout}>()"
    if family == "tcgen05":
        acc = accumulators(rows, n, pair == 2, vec != 0)
        if vec:
            return f"sm100_scaled<{bits}, {bits}, {rows}, {columns}, {k}, {sfa}, {sfb}, {acc}, {carveout}>()"
        return f"sm100<{bits}, {bits}, {rows}, {columns}, {k}, {acc}, {carveout}>()"
    if vec:
        return f"sm120_scaled<{bits}, {bits}, {m}, {n}, {k}, {sfa}, {sfb}, {carveout}>()"
    return f"sm120<{m}, {n}, {k}, {carveout}>()"


def main():
    includes = [option for folder in sys.argv[1].split(";") for option in ("-isystem", folder)]
    unique = list(dict.fromkeys(cases(random.Random(33))))
    lines = [f'  std::printf("{" ".join(map(str, case))} %d\\n", {call(case)});' for case in unique]
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "counts.cu"), pathlib.Path(folder, "counts")
        source.write_text(HEAD + "\n".join(lines) + "\n}\n")
        subprocess.run(["nvcc", "-std=c++17", "-arch=sm_90a", "--expt-relaxed-constexpr", "-w", *includes, str(source), "-o", str(program)], check=True)
        sys.stdout.write(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
