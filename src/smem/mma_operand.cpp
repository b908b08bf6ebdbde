// SPDX-License-Identifier: Apache-2.0
#include "smem/mma_operand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using C = OperandChoice;

bool is_wgmma(const C& c) { return c.target->descriptor == SmemDescriptorKind::wgmma; }
bool is_tcgen05(const C& c) { return c.target->descriptor == SmemDescriptorKind::tcgen05; }
bool is_mn(const C& c) { return c.major == Major::MN; }
bool has_chunk_32(const C& c) { return c.swizzle->family == SwizzleFamily::chunk_32; }
int bits(const C& c) { return element_bits(*c.dtype, c.packing); }

// The kinds of tcgen05.mma that read the type in this packing on the target.
std::vector<const MmaKindRow*> kinds_reading(const C& c) {
  std::vector<const MmaKindRow*> kinds;
  for (const MmaKindRow& kind : mma_kinds())
    if ((c.mma.kind == nullptr || c.mma.kind == &kind) && runs_on(kind, *c.target) &&
        bits(c) == (kind.has_8bit_slots ? 8 : c.dtype->memory_bits) && takes_type(kind, c.dtype->name))
      kinds.push_back(&kind);
  return kinds;
}

bool reads_type(const C& c) {
  if (!is_wgmma(c)) return !kinds_reading(c).empty();
  return c.packing == Packing::packed && std::ranges::any_of(mma_instructions(), [&](const MmaInstruction& row) {
           return row.family == InstructionFamily::wgmma && takes_type(row, c.dtype->name);
         });
}

std::string readable_types(const Target& target) {
  std::vector<std::string> names;
  for (const DType& dtype : dtypes()) {
    const bool as_stored = reads_type({&target, &dtype, Packing::packed, Major::K, &swizzle_modes()[0]});
    const bool in_slots =
        dtype.container_bits != 0 && reads_type({&target, &dtype, Packing::slots, Major::K, &swizzle_modes()[0]});
    if (as_stored || in_slots) names.emplace_back(dtype.name);
  }
  return join_and(names);
}

std::string operand(const C& c) {
  return fmt::format("{} {} with mode {} on {}", to_string(c.major), c.dtype->name, c.swizzle->name, c.target->name);
}

std::string instruction(const C& c) {
  if (is_wgmma(c)) return "wgmma";
  return c.mma.kind == nullptr ? "tcgen05.mma" : fmt::format("tcgen05.mma kind::{}", c.mma.kind->name);
}

constexpr Source wgmma_doc{"PTX ISA 9.1, 9.7.15.5.2 (imm-trans: 16-bit types only); ptxas 13.0.88"};
constexpr Source types_doc{"PTX ISA 9.1, 9.7.15.2 and 9.7.16.10.1"};
constexpr Source table_54{"PTX ISA 9.1, 9.7.16.10.1 and table 54 (9.7.16.10.3)"};
constexpr Source disputed_32b{"PTX ISA 9.1, table 54 (9.7.16.10.3) against table 55; CUTLASS has no such atom",
                              Evidence::claimed};

// clang-format off
constexpr OperandRule rules[] = {
    {"no-descriptor", "the target does not read operands through a 64-bit SMEM descriptor",
     [](const C& c) { return c.target->descriptor == SmemDescriptorKind::none; },
     [](const C& c) { return fmt::format("{} has neither wgmma nor tcgen05", c.target->name); }, types_doc},
    {"operand-type", "no instruction of the target reads the element type",
     [](const C& c) { return !reads_type(c); },
     [](const C& c) { return fmt::format("{} of {} does not read {}{}", instruction(c), c.target->name, c.dtype->name,
                                         c.packing == Packing::slots ? " in 8-bit slots" : ""); }, types_doc},
    {"mode-of-target", "the descriptor of the target has no code for the mode",
     [](const C& c) { return !c.swizzle->code(c.target->descriptor); },
     [](const C& c) { return fmt::format("{} has no swizzle mode {}", c.target->name, c.swizzle->name); },
     {"PTX ISA 9.1, 9.7.15.5.1.2.2 and 9.7.16.4.1"}},
    {"k-major-32b-atom", "whether mode 128B_32B takes K-major operands is disputed; swz makes none",
     [](const C& c) { return !is_mn(c) && has_chunk_32(c); },
     [](const C&) { return std::string("K-major with mode 128B_32B is disputed: PTX table 54 allows it, table 55 "
                                       "and CUTLASS have no such atom"); }, disputed_32b},
    {"wgmma-mn-16-bit", "wgmma transposes 16-bit types only",
     [](const C& c) { return is_wgmma(c) && is_mn(c) && bits(c) != 16; },
     [](const C& c) { return fmt::format("wgmma cannot read {} MN-major: it transposes 16-bit types only",
                                         c.dtype->name); }, wgmma_doc},
    {"packed-fp4-k-major", "kinds mxf4 and mxf4nvf4 read K-major operands only",
     [](const C& c) { return is_tcgen05(c) && is_mn(c) &&
                             std::ranges::none_of(kinds_reading(c), [](const auto* kind) { return kind->may_transpose; }); },
     [](const C& c) { return fmt::format("packed {} is read K-major only", c.dtype->name); }, table_54},
    {"tf32-mn-32b-atom", "tcgen05 reads MN-major tf32 with mode 128B_32B only",
     [](const C& c) { return is_tcgen05(c) && is_mn(c) && bits(c) == 32 && !has_chunk_32(c); },
     [](const C& c) { return fmt::format("tcgen05 reads MN-major {} with mode 128B_32B only", c.dtype->name); },
     table_54},
    {"32b-atom-32-bit", "mode 128B_32B is for 32-bit types",
     [](const C& c) { return is_mn(c) && has_chunk_32(c) && bits(c) != 32; },
     [](const C& c) { return fmt::format("mode 128B_32B is for 32-bit types; {} has {} bits", c.dtype->name, bits(c)); },
     table_54},
};
// clang-format on

const OperandRule* forbidding(const C& choice) {
  const auto found = std::ranges::find_if(rules, [&](const OperandRule& rule) { return rule.forbids(choice); });
  return found == std::end(rules) ? nullptr : found;
}

// The cost of a change. A major is never changed to save changes of the mode. Of two modes with the same span, the one
// of the other family is nearer.
int cost(const C& from, const C& to) {
  const int span_steps = log2_exact(from.swizzle->span.count) - log2_exact(to.swizzle->span.count);
  return (from.major != to.major ? 100 : 0) + 2 * std::abs(span_steps) +
         (from.swizzle->family != to.swizzle->family ? 1 : 0);
}

std::string way_out(const C& choice) {
  if (const std::optional<C> nearest = nearest_legal(choice))
    return fmt::format("nearest legal choice: {}", operand(*nearest));
  if (choice.target->descriptor != SmemDescriptorKind::none)
    return fmt::format("{}{} reads {}", choice.dtype->name == "f32" ? "the same bytes are read as tf32: " : "",
                       instruction(choice), readable_types(*choice.target));
  return fmt::format("wgmma: {}; tcgen05: {}", join_and(target_names(SmemDescriptorKind::wgmma)),
                     join_and(target_names(SmemDescriptorKind::tcgen05)));
}

// ---- shapes

struct Shape {
  MmaExtents extents;
  bool is_pair = false;  // cta_group::2
  bool is_ws = false;    // .ws
};

constexpr int n_step = 8, largest_n = 256;

std::vector<Shape> wgmma_shapes(const OperandChoice& choice) {
  std::vector<Shape> shapes;
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != InstructionFamily::wgmma || !takes_type(row, choice.dtype->name)) continue;
    for (int n = n_step; n <= largest_n; n += n_step)
      if (row.takes(n)) shapes.push_back({{row.m, n, row.k}});
  }
  return shapes;
}

// The shapes, those that one CTA runs by itself before those of a pair.
std::vector<Shape> tcgen05_shapes(const OperandChoice& choice, OperandRole role) {
  const bool is_transposed_8bit =
      role == OperandRole::b && choice.major == Major::MN && element_bits(*choice.dtype, choice.packing) == 8;
  std::vector<Shape> shapes;
  for (const MmaKindRow* kind : kinds_reading(choice))
    for (const MmaShape& row : mma_shapes())
      for (const int m : row.m)
        for (int n = n_step; n <= largest_n; n += n_step) {
          const bool is_pair = row.group == "cta_group::2";
          if ((choice.mma.cta_group != 0 && is_pair != (choice.mma.cta_group == 2)) ||
              !runs_on(row.on, *choice.target) || !takes_type(*kind, row.k, *choice.dtype))
            continue;
          if (fits(row, {.kind = kind->kind, .m = m, .n = n, .k = row.k, .transposed_8bit_b = is_transposed_8bit}))
            shapes.push_back({{m, n, k_of(kind->kind, row.k)}, is_pair, row.is_ws()});
        }
  std::stable_partition(shapes.begin(), shapes.end(), [](const Shape& shape) { return !shape.is_pair; });
  return shapes;
}

std::vector<Shape> shapes_of(const OperandChoice& choice, OperandRole role) {
  return is_wgmma(choice) ? wgmma_shapes(choice) : tcgen05_shapes(choice, role);
}

// The nearest shape, the first of several.
const Shape& nearest(const std::vector<Shape>& shapes, const MmaExtents& wanted) {
  return *std::ranges::min_element(shapes, {}, [&](const Shape& s) { return distance(s.extents, wanted); });
}

void require_divisible(char dimension, std::int64_t extent, std::int64_t step, const MmaExtents& mma) {
  if (extent % step == 0) return;
  const std::int64_t below = extent / step * step, above = below + step;
  throw Error(
      fmt::format("{} = {} of the tile is not a multiple of the {} of {}", dimension, extent, step, to_string(mma)),
      below == 0 ? fmt::format("the smallest is {} = {}", dimension, above)
                 : fmt::format("take {} = {} or {}, or an MMA that divides it", dimension, below, above));
}

}  // namespace

OperandChoice operand_choice(const SmemTileValues& tile, const Target& target, const MmaFilter& mma) {
  return {&target, &*tile.dtype, tile.packing, tile.major, &*tile.swizzle, mma};
}

Packing packing_of(const MmaKindRow& kind, const DType& dtype) {
  if (!takes_type(kind, dtype.name)) {
    std::vector<std::string> names;
    for (const TypeCode& code : type_codes())
      if (code.role == TypeRole::a_b && contains(code.kinds, kind.kind)) names.emplace_back(code.dtype);
    throw usage_error(fmt::format("kind {} does not take {}", kind.name, dtype.name), "it takes " + join_and(names));
  }
  return kind.has_8bit_slots && dtype.memory_bits < 8 ? Packing::slots : Packing::packed;
}

std::span<const OperandRule> operand_rules() { return rules; }

std::optional<Finding> refusal(const OperandChoice& choice) {
  const OperandRule* rule = forbidding(choice);
  if (rule == nullptr) return std::nullopt;
  return lint(rule->name, rule->tell(choice), way_out(choice), to_string(rule->source));
}

void require_legal(const OperandChoice& choice) {
  if (const std::optional<Finding> refused = refusal(choice)) throw Error(refused->message, refused->hint);
}

std::optional<OperandChoice> nearest_legal(const OperandChoice& choice) {
  std::optional<OperandChoice> nearest;
  for (const Major major : {Major::K, Major::MN}) {
    for (const SwizzleMode& mode : swizzle_modes()) {
      OperandChoice other = choice;
      other.major = major;
      other.swizzle = &mode;
      if (forbidding(other)) continue;
      if (!nearest || cost(choice, other) < cost(choice, *nearest)) nearest = other;
    }
  }
  return nearest;
}

MmaOperand mma_operand(const MmaExtents& extents, OperandRole role, const OperandChoice& choice) {
  require_legal(choice);
  const std::vector<Shape> shapes = shapes_of(choice, role);
  for (const Shape& shape : shapes) {
    if (shape.extents != extents) continue;
    const std::int64_t rows = role == OperandRole::a ? extents.m : extents.n;
    return {{shape.is_pair ? rows / 2 : rows, extents.k}, shape.is_pair};
  }
  const bool needs_absolute_lbo = extents.k == mma_k96 && element_bits(*choice.dtype, choice.packing) == 4 &&
                                  is_tcgen05(choice) && !choice.target->has_absolute_lbo;
  throw Error(
      fmt::format("{} has no dense shape {} for {}{}", instruction(choice), to_string(extents), choice.dtype->name,
                  choice.mma.cta_group == 0 ? "" : fmt::format(" with cta_group::{}", choice.mma.cta_group)),
      fmt::format("nearest: {}{}", to_string(nearest(shapes, extents).extents),
                  needs_absolute_lbo ? "; K 96 is one of sm_103a and sm_107a" : ""));
}

std::vector<std::int64_t> mma_rows(OperandRole role, const OperandChoice& choice) {
  std::vector<std::int64_t> rows;
  for (const Shape& shape : shapes_of(choice, role)) {
    const std::int64_t whole = role == OperandRole::a ? shape.extents.m : shape.extents.n;
    if (shape.is_pair == (choice.mma.cta_group == 2) && !shape.is_ws) rows.push_back(shape.is_pair ? whole / 2 : whole);
  }
  std::ranges::sort(rows, std::greater<>());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

MmaTiling::MmaTiling(const MmaExtents& tile, const MmaExtents& mma) : tile_(tile), mma_(mma) {
  require_divisible('M', tile.m, mma.m, mma);
  require_divisible('N', tile.n, mma.n, mma);
  require_divisible('K', tile.k, mma.k, mma);
}

}  // namespace swz
