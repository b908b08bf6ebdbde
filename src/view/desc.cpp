#include "view/desc.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "smem/tile.hpp"
#include "view/desc_figure.hpp"
#include "view/mma_reading.hpp"

namespace swz {

namespace {

using Align = Column::Align;

// A tile or a layout that has words.
struct Described {
  OperandChoice choice;
  OperandShape shape;
  Bytes base;
  ComposedLayout layout;
  std::optional<StackingOrder> order;
  std::string title;
};

Json pair(const TileExtents& extents) { return {extents.mn, extents.k}; }

std::string first_word(const TileDescriptors& words) { return hex64(words.steps.front().descriptor.word()); }

std::string instruction(const Target& target) {
  return target.descriptor == SmemDescriptorKind::wgmma ? "wgmma" : "tcgen05";
}

std::string stride_text(const StrideField& stride) {
  return fmt::format("{} B: {}", stride.value.count, stride.derivation);
}

void add_legality(Document& d, const OperandChoice& choice) {
  std::vector<std::string> legal;
  for (const SwizzleMode& mode : swizzle_modes()) {
    OperandChoice other = choice;
    other.swizzle = &mode;
    if (is_legal(other)) legal.emplace_back(mode.name);
  }
  d.add(Field{
      "legal_swizzles", "legal", legal,
      fmt::format("{} on {} reads {} {} in mode{} {}", instruction(*choice.target), choice.target->name,
                  to_string(choice.major), choice.dtype->name, legal.size() == 1 ? "" : "s", join_and(legal))});
}

Table step_table(const TileDescriptors& words) {
  Table table{"descriptors",
              "",
              {{"m", "m", Align::right},
               {"k", "k", Align::right},
               {"byte_offset", "byte offset", Align::right},
               {"advance", "advance", Align::right},
               {"next_atom", ""},
               {"word", "word"}},
              {}};
  for (const MmaStep& step : words.steps) {
    const std::string advance = step.k_step == 0    ? " "
                                : step.is_next_atom ? fmt::format("next atom {:+}", step.advance.count)
                                                    : fmt::format("{:+}", step.advance.count);
    const Tone tone = step.is_next_atom ? Tone::accent : Tone::plain;
    table.rows.push_back({{step.m_block},
                          {step.k_step},
                          {step.byte_offset.count},
                          {step.advance.count, advance, tone},
                          {step.is_next_atom},
                          {hex64(step.descriptor.word()), "", tone}});
  }
  return table;
}

Document view(const Described& o, const TileDescriptors& words, const DescViewOptions& options) {
  const TileExtents atom = o.shape.atom;
  Document d(fmt::format("{}, at {:#x}: {} descriptors on {}", o.title, o.base.count, instruction(*o.choice.target),
                         o.choice.target->name));
  d.add(Field{"lbo", "LBO", words.leading.value.count, stride_text(words.leading)});
  d.add(Field{"sbo", "SBO", words.stride.value.count, stride_text(words.stride)});
  d.add(Field{"swizzle", "", std::string(o.shape.swizzle->name)});
  d.add(Field{"leading", "", words.leading.derivation}).add(Field{"stride", "", words.stride.derivation});
  d.add(Field{"arch", "", std::string(o.choice.target->name)});
  d.add(Field{"kind", "", std::string(to_string(o.choice.target->descriptor))});
  d.add(Field{"dtype", "", std::string(o.choice.dtype->name)});
  d.add(Field{"major", "", std::string(to_string(o.choice.major))});
  d.add(Field{"tile", "", pair(o.shape.extents)});
  d.add(Field{"order", "", o.order ? Json(std::string(to_string(*o.order))) : Json()});
  d.add(Field{"base", "", o.base.count});
  d.add(Field{"layout", "layout", to_string(o.layout)});
  d.add(Field{
      "atom", "atom", pair(atom),
      fmt::format("{}: {} lines of {} B", to_string(atom), o.shape.swizzle->lines, o.shape.swizzle->span.count)});
  d.add(Field{"mma", "MMA", pair(words.mma),
              fmt::format("{}: m 0 to {} along MN, k 0 to {} along K", mma_text(words), words.m_blocks - 1,
                          words.k_steps - 1)});
  d.add(Field{"default_of", "", default_of_json(words)});
  d.add(Field{"m_blocks", "", words.m_blocks}).add(Field{"k_steps", "", words.k_steps});
  add_legality(d, o.choice);
  d.add(Drawing{[shape = o.shape, layout = o.layout.layout(), words, title = o.title](Medium medium) {
    return medium == Medium::page ? Document().add(figure_of(shape, layout, words, title)) : Document();
  }});
  d.add(step_table(words));
  d.add(Notes{"notes", options.notes});
  d.source = options.source;
  return d;
}

// ---- layouts without descriptors

Table mode_table(const std::vector<ModeAnswer>& modes) {
  // A reason that all modes share has been given already.
  const bool is_one_reason = std::ranges::all_of(
      modes, [&](const ModeAnswer& m) { return !m.descriptors && m.reason == modes.front().reason; });
  const auto label = [&](std::string text) { return is_one_reason ? std::string() : text; };
  Table table{"modes",
              is_one_reason ? "" : "the layout before its swizzle, under each mode",
              {{"swizzle", label("mode")},
               {"layout", ""},
               {"lbo", label("LBO"), Align::right},
               {"sbo", label("SBO"), Align::right},
               {"word", label("first word")},
               {"reason", label("why not")}},
              {}};
  for (const ModeAnswer& answer : modes) {
    std::vector<Cell> row{{std::string(answer.mode->name)}, {to_string(answer.layout)}};
    if (answer.descriptors) {
      row.push_back({answer.descriptors->leading.value.count});
      row.push_back({answer.descriptors->stride.value.count});
      row.push_back({first_word(*answer.descriptors), "", Tone::good});
      row.push_back({nullptr, " "});
    } else {
      for (int i = 0; i < 3; ++i) row.push_back({nullptr});
      row.push_back({answer.reason});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Field nearest_field(const LayoutDescriptors& answer) {
  if (!answer.nearest) return {"nearest", "", Json()};
  const NearestTile& near = *answer.nearest;
  const std::int64_t elements = answer.extents.mn * answer.extents.k;
  Json value{{"layout", to_string(near.tile.layout())},
             {"swizzle", std::string(near.tile.swizzle().name)},
             {"order", std::string(to_string(near.tile.order()))},
             {"lbo", near.descriptors.leading.value.count},
             {"sbo", near.descriptors.stride.value.count},
             {"word", first_word(near.descriptors)},
             {"agreeing", near.agreeing},
             {"elements", elements}};
  return {"nearest", "nearest", std::move(value),
          fmt::format(
              "{}\nmode {}, {}: LBO {} B, SBO {} B, {}; {} of {} elements lie where the layout puts them before "
              "its swizzle",
              to_string(near.tile.layout()), near.tile.swizzle().name, to_string(near.tile.order()),
              near.descriptors.leading.value.count, near.descriptors.stride.value.count,
              first_word(near.descriptors), near.agreeing, elements)};
}

Document refusal_view(const LayoutOperand& o, const LayoutDescriptors& answer) {
  Document d(fmt::format("{} on {}: no descriptor", describe_operand(o), o.target->name));
  d.add(Field{"layout", "", to_string(o.layout)});
  d.add(Field{"arch", "", std::string(o.target->name)});
  d.add(Field{"dtype", "", std::string(o.dtype->name)});
  d.add(Field{"major", "", std::string(to_string(o.major))});
  d.add(Field{"reason", "as it stands", answer.reason, "none: " + answer.reason, Tone::bad});
  if (answer.hint.empty()) d.add(Field{"hint", "", Json()});
  else d.add(Field{"hint", "hint", answer.hint});
  for (const ModeAnswer& mode : answer.modes)
    if (mode.descriptors)
      d.add(Field{"", fmt::format("under {}", mode.mode->name), "",
                  fmt::format("{} has LBO {} B, SBO {} B, {}", to_string(mode.layout),
                              mode.descriptors->leading.value.count, mode.descriptors->stride.value.count,
                              first_word(*mode.descriptors)),
                  Tone::good});
  d.add(nearest_field(answer));
  return d.add(mode_table(answer.modes));
}

}  // namespace

std::string describe_operand(const SmemTile& tile) {
  return fmt::format("{} {}, {}, mode {}, {}", tile.dtype().name, to_string(tile.extents()),
                     to_string(tile.major()), tile.swizzle().name, to_string(tile.order()));
}

std::string describe_operand(const LayoutOperand& operand) {
  return fmt::format("{} {}, {}", operand.dtype->name, to_string(operand.layout), to_string(operand.major));
}

Document view_tile_descriptors(const SmemTile& tile, const TileDescriptors& words, const DescViewOptions& options) {
  const Target& target = words.steps.front().descriptor.target();
  DescViewOptions with_notes = options;
  if (!tile.is_pattern_aligned())
    with_notes.notes.push_back(note(
        "off-pattern",
        fmt::format("the base {:#x} lies {} B past a multiple of {} B, after which the pattern of mode {} repeats",
                    tile.base().count, tile.base().count % tile.swizzle().pattern().count,
                    tile.swizzle().pattern().count, tile.swizzle().name),
        "the words are right where the tile is filled by absolute address, as TMA does; not where it is filled by "
        "an offset from its base"));
  return view({operand_choice(tile, target), operand_shape(tile), tile.base(), tile.layout(), tile.order(),
               describe_operand(tile)},
              words, with_notes);
}

Document view_layout_descriptors(const LayoutOperand& o, const LayoutDescriptors& answer,
                                 const DescViewOptions& options) {
  if (!answer.descriptors) return refusal_view(o, answer);
  DescViewOptions with_notes = options;
  if (answer.repeated > 0)
    with_notes.notes.push_back(note("repeated",
                                    fmt::format("{} elements lie where another one lies", answer.repeated),
                                    "swz layout shows the first two"));
  const OperandShape shape{answer.extents, atom_extents(o.major, *answer.mode, *o.dtype, o.packing), o.major,
                           answer.mode, element_bits(*o.dtype, o.packing)};
  return view({{o.target, o.dtype, o.packing, o.major, answer.mode},
               shape,
               o.base,
               o.layout,
               std::nullopt,
               fmt::format("{}, mode {}", describe_operand(o), answer.mode->name)},
              *answer.descriptors, with_notes);
}

}  // namespace swz
