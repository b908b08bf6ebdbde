#include "arch/instruction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

using available::byte_matrices, available::sm_70, available::sm_75, available::sm_80, available::sm_89,
    available::sm_90;
constexpr Availability sm_90a{0, {"sm_90a"}};
constexpr Availability workstation{0, {"sm_120a", "sm_121a"}};

// Of mma and wgmma ptxas was asked for every shape, N, type, accumulator and target: tests/data/ptxas_mma.txt.
// Measured are the fragments: swz verify reads every operand of every instruction that sm_90a has.
constexpr Source mma_seen{
    "H200, every operand of 70 instructions; PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88 for the targets",
    Evidence::measured};
constexpr Source mma_doc{"PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88"};
constexpr Source wgmma_seen{"H200, 948 instructions, A from registers too; PTX ISA 9.1, 9.7.15.2; ptxas 13.0.88",
                            Evidence::measured};
constexpr Source matrix_seen{"H200, all 13 forms of sm_90a; PTX ISA 9.1, 9.7.14.5; ptxas 13.0.88 for the targets",
                             Evidence::measured};
constexpr Source ldmatrix_doc{"PTX ISA 9.1, 9.7.14.5 (ldmatrix); ptxas 13.0.88 for the targets"};
constexpr Source stmatrix_doc{"PTX ISA 9.1, 9.7.14.5 (stmatrix); ptxas 13.0.88 for the targets"};
constexpr Source m16n16{"CuTe SM100 copy atoms; a public measurement on sm_120a", Evidence::header};

constexpr std::array<Range, 2> n8{{{8, 8, 1}}};
constexpr std::array<Range, 2> every_8th{{{8, 256, 8}}};
constexpr std::array<Range, 2> integer_n{{{8, 32, 8}, {48, 256, 16}}};

// clang-format off
constexpr MmaInstruction mmas[] = {
    {mma, 8, n8, 4, {"f16"}, 16, {"f32", "f16"}, sm_70, mma_seen},
    {mma, 8, n8, 4, {"f64"}, 64, {"f64"}, sm_80, mma_seen},
    {mma, 8, n8, 16, {"s8", "u8"}, 8, {"s32"}, sm_75, mma_seen},
    {mma, 8, n8, 32, {"s4", "u4"}, 4, {"s32"}, sm_75, mma_seen},
    {mma, 8, n8, 128, {"b1"}, 1, {"s32"}, sm_75, mma_seen},
    {mma, 16, n8, 4, {"tf32"}, 32, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 4, {"f64"}, 64, {"f64"}, sm_90, mma_seen},
    {mma, 16, n8, 8, {"f16"}, 16, {"f32", "f16"}, sm_75, mma_seen},
    {mma, 16, n8, 8, {"bf16"}, 16, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 8, {"tf32"}, 32, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 8, {"f64"}, 64, {"f64"}, sm_90, mma_seen},
    {mma, 16, n8, 16, {"f16"}, 16, {"f32", "f16"}, sm_80, mma_seen},
    {mma, 16, n8, 16, {"bf16"}, 16, {"f32"}, sm_80, mma_seen},
    {mma, 16, n8, 16, {"s8", "u8"}, 8, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 16, {"e4m3", "e5m2"}, 8, {"f32", "f16"}, sm_89, mma_seen},
    {mma, 16, n8, 16, {"f64"}, 64, {"f64"}, sm_90, mma_seen},
    {mma, 16, n8, 32, {"s8", "u8"}, 8, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 32, {"e4m3", "e5m2"}, 8, {"f32", "f16"}, sm_89, mma_seen},
    {mma, 16, n8, 32, {"e2m3", "e3m2", "e2m1"}, 8, {"f32", "f16"}, workstation, mma_doc},
    {mma, 16, n8, 32, {"s4", "u4"}, 4, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 64, {"s4", "u4"}, 4, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 64, {"e2m1"}, 4, {"f32"}, workstation, mma_doc},
    {mma, 16, n8, 128, {"b1"}, 1, {"s32"}, sm_80, mma_seen},
    {mma, 16, n8, 256, {"b1"}, 1, {"s32"}, sm_80, mma_seen},
    {wgmma, 64, every_8th, 8, {"tf32"}, 32, {"f32"}, sm_90a, wgmma_seen},
    {wgmma, 64, every_8th, 16, {"f16"}, 16, {"f32", "f16"}, sm_90a, wgmma_seen},
    {wgmma, 64, every_8th, 16, {"bf16"}, 16, {"f32"}, sm_90a, wgmma_seen},
    {wgmma, 64, every_8th, 32, {"e4m3", "e5m2"}, 8, {"f32", "f16"}, sm_90a, wgmma_seen},
    {wgmma, 64, integer_n, 32, {"s8", "u8"}, 8, {"s32"}, sm_90a, wgmma_seen},
    {wgmma, 64, integer_n, 256, {"b1"}, 1, {"s32"}, sm_90a, wgmma_seen},
};

//                                                                         rows elements bits
constexpr MatrixInstruction matrices[] = {
    {ldmatrix, "m8n8", "b16", {1, 2, 4}, Transpose::optional,               8,   8, 16, sm_75, matrix_seen},
    {ldmatrix, "m16n16", "b8", {1, 2}, Transpose::yes,                     16,  16,  8, byte_matrices, m16n16},
    {ldmatrix, "m16n16", "b8x16.b6x16_p32", {1, 2}, Transpose::yes,        16,  16,  8, byte_matrices, m16n16},
    {ldmatrix, "m16n16", "b8x16.b4x16_p64", {1, 2}, Transpose::yes,        16,  16,  8, byte_matrices, m16n16},
    {ldmatrix, "m8n16", "b8x16.b6x16_p32", {1, 2, 4}, Transpose::no,        8,  16,  8, byte_matrices, ldmatrix_doc},
    {ldmatrix, "m8n16", "b8x16.b4x16_p64", {1, 2, 4}, Transpose::no,        8,  16,  8, byte_matrices, ldmatrix_doc},
    {stmatrix, "m8n8", "b16", {1, 2, 4}, Transpose::optional,               8,   8, 16, sm_90, matrix_seen},
    {stmatrix, "m16n8", "b8", {1, 2, 4}, Transpose::yes,                    8,  16,  8, byte_matrices, stmatrix_doc},
    {movmatrix, "m8n8", "b16", {1}, Transpose::yes,                         8,   8, 16, sm_75, matrix_seen},
};
// clang-format on

constexpr bool fills_registers(const MmaInstruction& row) {
  const int register_bits = std::max(32, row.bits);
  const int quads = row.is_quad_pair() ? 4 : 1;  // the four MMAs fill the warp together
  const bool a = row.m * row.k * row.bits * quads % (row.threads() * register_bits) == 0;
  const bool b = row.family == wgmma || row.n[0].first * row.k * row.bits * quads % (32 * register_bits) == 0;
  return is_power_of_two(row.bits) && a && b && !row.types[0].empty() && !row.accumulators[0].empty();
}
constexpr bool fills_registers(const MatrixInstruction& row) {
  return is_power_of_two(row.bits) && row.memory_rows * row.row_elements * row.bits % (32 * 32) == 0;
}
static_assert(std::ranges::all_of(mmas, [](const MmaInstruction& row) { return fills_registers(row); }));
static_assert(std::ranges::all_of(matrices, [](const MatrixInstruction& row) { return fills_registers(row); }));

// "sm_100a" is 100
int compute_capability(const Target& target) { return std::atoi(std::string(target.name.substr(3)).c_str()); }

constexpr int largest_m = 256, largest_n = 256, step_n = 8;
constexpr int k96 = 96;
constexpr std::string_view k96_target = "sm_103a";

// Of the availability of an instruction, or of a kind.
template <class Row>
std::vector<const Target*> targets_of(const Row& row) {
  std::vector<const Target*> found;
  for (const Target& target : targets())
    if (runs_on(row, target)) found.push_back(&target);
  return found;
}

bool takes(const MmaKindRow& kind, const DType& dtype) {
  return std::ranges::any_of(type_codes(), [&](const TypeCode& code) {
    return contains(code.kinds, kind.kind) && code.role == TypeRole::a_b && code.dtype == dtype.name;
  });
}

void append_instructions(std::vector<MmaForm>& forms, const MmaExtents& extents, const DType& dtype) {
  for (const MmaInstruction& row : mma_instructions())
    if (row.m == extents.m && row.k == extents.k && extents.n <= largest_n &&
        row.takes(static_cast<int>(extents.n)) && takes_type(row, dtype.name))
      forms.push_back({row.family == InstructionFamily::wgmma ? "wgmma" : "mma.sync", "",
                       targets_of(row.availability), row.source});
}

void append_tcgen05(std::vector<MmaForm>& forms, const MmaExtents& extents, const DType& dtype) {
  if (extents.m > largest_m || extents.n > largest_n) return;
  for (const MmaKindRow& kind : mma_kinds()) {
    const bool is_k96 = extents.k == k96;
    if (!takes(kind, dtype) || (extents.k != kind.k_dense && !is_k96)) continue;
    const MmaShapeQuery query{
        .kind = kind.kind, .m = static_cast<int>(extents.m), .n = static_cast<int>(extents.n), .k96 = is_k96};
    std::string groups = fitting_groups(query);
    if (groups.empty()) continue;
    std::vector<const Target*> on = targets_of(kind);
    if (is_k96) std::erase_if(on, [](const Target* target) { return target->name != k96_target; });
    forms.push_back(
        {fmt::format("tcgen05.mma kind::{}", kind.name), std::move(groups), std::move(on), kind.source});
  }
}

}  // namespace

bool runs_on(const Availability& availability, const Target& target) {
  if (availability.from > 0) return compute_capability(target) >= availability.from;
  return std::ranges::find(availability.only_on, target.name) != availability.only_on.end();
}

std::string to_string(const Availability& availability) {
  if (availability.from > 0) return fmt::format("sm_{} and later", availability.from);
  std::vector<std::string> names;
  for (const std::string_view name : availability.only_on)
    if (!name.empty()) names.emplace_back(name);
  return join_and(names);
}

std::span<const MmaInstruction> mma_instructions() { return mmas; }

bool takes_type(const MmaInstruction& row, std::string_view dtype) {
  return !dtype.empty() && std::ranges::find(row.types, dtype) != row.types.end();
}

bool accumulates_in(const MmaInstruction& row, std::string_view dtype) {
  return !dtype.empty() && std::ranges::find(row.accumulators, dtype) != row.accumulators.end();
}

std::span<const MatrixInstruction> matrix_instructions() { return matrices; }

std::string to_string(const MmaExtents& extents) {
  return fmt::format("m{}n{}k{}", extents.m, extents.n, extents.k);
}

double distance(const MmaExtents& a, const MmaExtents& b) {
  const auto ratio = [](std::int64_t x, std::int64_t y) {
    return static_cast<double>(std::max(x, y)) / static_cast<double>(std::min(x, y));
  };
  return ratio(a.m, b.m) * ratio(a.n, b.n) * ratio(a.k, b.k);
}

bool MmaForm::runs_on(const Target& target) const { return std::ranges::find(targets, &target) != targets.end(); }

std::vector<MmaForm> mma_forms(const MmaExtents& extents, const DType& dtype) {
  std::vector<MmaForm> forms;
  append_instructions(forms, extents, dtype);
  append_tcgen05(forms, extents, dtype);
  std::erase_if(forms, [](const MmaForm& form) { return form.targets.empty(); });
  return forms;
}

std::optional<MmaExtents> nearest_mma(const MmaExtents& wanted, const DType& dtype, const Target& target) {
  std::optional<MmaExtents> best;
  const auto consider = [&](const MmaExtents& candidate) {
    if (best && distance(candidate, wanted) >= distance(*best, wanted)) return;
    const std::vector<MmaForm> forms = mma_forms(candidate, dtype);
    if (std::ranges::any_of(forms, [&](const MmaForm& form) { return form.runs_on(target); })) best = candidate;
  };
  for (std::int64_t k = 4; k <= 256; k += k < 8 ? 4 : 8)
    for (const std::int64_t m : {8, 16, 32, 64, 128, 256})
      for (std::int64_t n = step_n; n <= largest_n; n += step_n) consider({m, n, k});
  return best;
}

}  // namespace swz
