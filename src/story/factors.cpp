// SPDX-License-Identifier: Apache-2.0
#include "story/factors.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

bool has_factors(const Story& story) { return story.instruction && story.instruction->kind_row().block_scaled; }

// Of a story that has factors.
ScalePlacement placement_of(const Story& story) {
  const MmaKind kind = story.instruction->kind();
  return {.kind = &require_scale_kind(kind, kind == MmaKind::mxf4nvf4 ? 16 : 32),
          .operand = story.ask.role == OperandRole::a ? ScaleOperand::a : ScaleOperand::b,
          .m = static_cast<int>(story.ask.mma.m),
          .n = static_cast<int>(story.ask.mma.n),
          .cta_group = story.ask.filter.cta_group == 2 ? 2 : 1};
}

// Rows of the CTA before those of its tile: those of B are in both CTAs.
std::int64_t rows_before(const Story& story) { return story.ask.cta * story.step.mn; }

}  // namespace

StoryFactors story_factors(const Story& story, std::int64_t m_block) {
  if (!has_factors(story)) return {};
  const TypeCode* type = story.instruction->type(FieldId::scale_type);
  StoryFactors out{.way = {}, .type = type == nullptr ? "?" : std::string(type->dtype), .why_not = {}};
  const ScalePlacement placement = placement_of(story);
  if (placement.is_in_both() && story.blocks().mn > 1) {
    out.why_not = "a pair takes N of several blocks from two places";
    return out;
  }
  const GmemOperand& from = story.copies.from();
  const std::int64_t first_row = from.tile_at.mn + m_block * story.step.mn - rows_before(story);
  const std::int64_t block = placement.block();
  if (from.tile_at.k % block != 0) {
    out.why_not = fmt::format("the tile begins inside a factor of {} elements", block);
    return out;
  }
  const ScaleTile tile{.k = static_cast<int>(story.tile().extents().k),
                       .whole = {from.extents.mn, ceil_div(from.extents.k, block)},
                       .origin = {first_row, from.tile_at.k / block},
                       .cta = story.ask.cta,
                       .column = story.tensor_memory->columns()};
  try {
    out.way.emplace(placement, tile);
  } catch (const Error& error) {
    out.why_not = error.what();
  }
  return out;
}

bool has_instruction_of_step(const Story& story) { return has_factors(story) && !story.ask.instruction; }

std::optional<InstructionDescriptor> story_instruction(const Story& story, std::int64_t k_step) {
  if (!has_instruction_of_step(story)) return story.instruction;
  const ScalePlacement placement = placement_of(story);
  const auto id = static_cast<std::uint64_t>(scale_place(placement, {0, k_step * placement.kind->factors}, 0).sf_id);
  std::uint64_t word = story.instruction->word();
  for (const FieldId field : {FieldId::scale_a_id, FieldId::scale_b_id})
    word = with_field(word, story.instruction->format(), field, id);
  return InstructionDescriptor(static_cast<std::uint32_t>(word), story.instruction->kind(), *story.ask.target);
}

StoryFactor story_factor(const Story& story, const ScaleWay& way, const StoryWay& element) {
  const ScalePlacement& placement = way.placement();
  const std::int64_t block = placement.block();
  const std::int64_t row = element.in_mma.row + (placement.is_in_both() ? rows_before(story) : 0);
  const ScaleCoordinate at{row, element.at.k / block};
  ScaleWay::Stop stop = way.stop(at);
  const ScalePlace& place = stop.place;
  auto back = scale_at(placement, place.lanes.front(), place.column, place.byte, way.tile().column);
  return {at, at.kb * block, std::move(stop), back};
}

}  // namespace swz
