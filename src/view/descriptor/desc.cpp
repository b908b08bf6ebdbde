// SPDX-License-Identifier: Apache-2.0
#include "view/descriptor/desc.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "smem/tile.hpp"
#include "view/dialect/operand_verdict.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

// ---- words

using enum Column::Align;

// A tile or a layout that has descriptor words.
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
  d.field("legal_swizzles", "legal", legal,
          fmt::format("{} on {} reads {} {} in mode{} {}", instruction(*choice.target), choice.target->name,
                      to_string(choice.major), choice.dtype->name, legal.size() == 1 ? "" : "s", join_and(legal)));
}

Table step_table(const TileDescriptors& words) {
  const auto tone = [](const MmaStep& step) { return step.is_next_atom ? Tone::accent : Tone::plain; };
  const auto advance = [&](const MmaStep& step) {
    const std::string text = fmt::format("{}{:+}", step.is_next_atom ? "next atom " : "", step.advance.count);
    return Cell(step.advance.count, step.k_step == 0 ? " " : text, tone(step));
  };
  const auto word = [&](const MmaStep& step) { return Cell(hex64(step.descriptor.word()), "", tone(step)); };
  Table table = table_of<MmaStep>("descriptors", "", words.steps,
                                  {{"m", "m", &MmaStep::m_block, right},
                                   {"k", "k", &MmaStep::k_step, right},
                                   {"byte_offset", "byte offset", &MmaStep::byte_offset, right},
                                   {"advance", "advance", advance, right},
                                   {"next_atom", "", &MmaStep::is_next_atom},
                                   {"word", "word", word}});
  const auto goes_on = [](const MmaStep& step) { return step.second_chunk.has_value(); };
  if (std::ranges::none_of(words.steps, goes_on)) return table;
  table.columns.push_back({"second_chunk", "second chunk at", right});
  for (std::size_t i = 0; i < words.steps.size(); ++i) {
    const std::optional<Bytes>& second = words.steps[i].second_chunk;
    table.rows[i].push_back(second ? Cell(second->count, fmt::format("{:#x}", second->count)) : Cell(nullptr, " "));
  }
  return table;
}

// "0x4000004000010040; k step +32 B, next atom +16288 B; next 64 rows +8192 B"
std::string words_text(const TileDescriptors& words) {
  std::string text = first_word(words), inside, next;
  for (const MmaStep& step : words.steps) {
    if (step.m_block != 0 || step.k_step == 0) continue;
    std::string& advance = step.is_next_atom ? next : inside;
    if (advance.empty()) advance = fmt::format("{:+} B", step.advance.count);
  }
  if (!inside.empty()) text += "; k step " + inside;
  if (!next.empty()) text += fmt::format("{} {}", inside.empty() ? "; k step" : ", to the next atom", next);
  if (words.m_blocks > 1) text += fmt::format("; next {} rows {:+} B", words.mma.mn, words.steps[1].byte_offset.count);
  return text;
}

// "0x4000004000010040: k step +0x20, next atom +0x3fa0, 64 rows +0x2000", in the base of the addresses that are drawn.
std::string words_headline(const TileDescriptors& words) {
  std::string inside, next;
  for (const MmaStep& step : words.steps)
    if (step.m_block == 0 && step.k_step > 0)
      (step.is_next_atom ? next : inside) =
          fmt::format("{} {:+#x}", step.is_next_atom && !inside.empty() ? "next atom" : "k step", step.advance.count);
  std::vector<std::string> advances;
  for (const std::string& advance : {inside, next})
    if (!advance.empty()) advances.push_back(advance);
  if (words.m_blocks > 1)
    advances.push_back(fmt::format("{} rows {:+#x}", words.mma.mn, words.steps[1].byte_offset.count));
  return short_sentence(first_word(words) + (advances.empty() ? "" : fmt::format(": {}", fmt::join(advances, ", "))));
}

Document words_view(const Described& o, const TileDescriptors& words, const DescViewOptions& options) {
  const TileExtents atom = o.shape.atom;
  Document d(fmt::format("{}, at {:#x}: {} descriptors on {}", o.title, o.base.count, instruction(*o.choice.target),
                         o.choice.target->name));
  d.answers = {"descriptors.word"};
  // The first word points at element (0, 0), whatever offset the layout has.
  const DescribedOperand drawn{o.shape, words.steps.front().descriptor.start_address(), o.layout.layout(), o.title};
  d.headline = words_headline(words);
  d.line("word", words_text(words), Tone::strong);
  d.field("lbo", "LBO", words.leading.value.count, stride_text(words.leading));
  d.field("sbo", "SBO", words.stride.value.count, stride_text(words.stride));
  if (!options.highlight.empty()) d.line("highlighted", highlight_text(drawn, options.highlight), Tone::accent);
  d.add(step_table(words));
  d.json("swizzle", o.shape.swizzle->name);
  d.json("leading", words.leading.derivation).json("stride", words.stride.derivation);
  d.json("arch", o.choice.target->name).json("kind", to_string(o.choice.target->descriptor));
  d.json("dtype", o.choice.dtype->name).json("major", to_string(o.choice.major));
  d.json("tile", pair(o.shape.extents)).json("order", o.order ? Json(to_string(*o.order)) : Json());
  d.json("base", o.base.count);
  d.field("layout", "layout", to_string(o.layout));
  d.field("atom", "atom", pair(atom),
          fmt::format("{}: {} lines of {} B", to_string(atom), o.shape.swizzle->lines, o.shape.swizzle->span.count));
  d.field(
      "mma", "MMA", pair(words.mma),
      fmt::format("{}: m 0 to {} along MN, k 0 to {} along K", mma_text(words), words.m_blocks - 1, words.k_steps - 1));
  d.json("default_of", default_of_json(words)).json("m_blocks", words.m_blocks).json("k_steps", words.k_steps);
  add_legality(d, o.choice);
  d.add(Drawing{[drawn, words, highlight = options.highlight](Medium medium) {
    return medium == Medium::page ? Document().add(desc_figure(drawn, words, highlight)) : Document();
  }});
  d.add(Notes{"notes", options.notes});
  d.source = options.source;
  return d;
}

// ---- layouts without descriptors

Table mode_table(const std::vector<ModeAnswer>& modes) {
  // A reason that all modes share was given above.
  const bool is_one_reason = std::ranges::all_of(
      modes, [&](const ModeAnswer& m) { return !m.descriptors && m.reason == modes.front().reason; });
  const auto label = [&](std::string text) { return is_one_reason ? std::string() : text; };
  // A cell that reads from the words of a mode, if it has any.
  const auto of_words = [](auto cell) {
    return [cell](const ModeAnswer& m) { return m.descriptors ? Cell(cell(*m.descriptors)) : Cell(nullptr); };
  };
  using Words = TileDescriptors;
  return table_of<ModeAnswer>(
      "modes", is_one_reason ? "" : "the layout before its swizzle, under each mode", modes,
      {{"swizzle", label("mode"), [](const ModeAnswer& m) { return m.mode->name; }},
       {"layout", "", [](const ModeAnswer& m) { return to_string(m.layout); }},
       {"lbo", label("LBO"), of_words([](const Words& w) { return w.leading.value.count; }), right},
       {"sbo", label("SBO"), of_words([](const Words& w) { return w.stride.value.count; }), right},
       {"word", label("first word"), of_words([](const Words& w) { return Cell(first_word(w), "", Tone::good); })},
       {"reason", label("why not"),
        [](const ModeAnswer& m) { return m.descriptors ? Cell(nullptr, " ") : Cell(m.reason); }}});
}

// "LBO 1 B, SBO 64 B, 0x4000004000010040"
std::string strides_and_word(const TileDescriptors& words) {
  return fmt::format("LBO {} B, SBO {} B, {}", words.leading.value.count, words.stride.value.count, first_word(words));
}

Field nearest_field(const LayoutDescriptors& answer) {
  if (!answer.nearest) return {"nearest", "", nullptr};
  const auto& [tile, words, agreeing] = *answer.nearest;
  const std::string layout = to_string(tile.layout());
  const std::int64_t elements = answer.extents.mn * answer.extents.k;
  return {
      "nearest",
      "nearest",
      {{"layout", layout},
       {"swizzle", tile.swizzle().name},
       {"order", to_string(tile.order())},
       {"lbo", words.leading.value.count},
       {"sbo", words.stride.value.count},
       {"word", first_word(words)},
       {"agreeing", agreeing},
       {"elements", elements}},
      fmt::format("{}\nmode {}, {}: {}; {} of {} elements lie where the layout puts them before its swizzle", layout,
                  tile.swizzle().name, to_string(tile.order()), strides_and_word(words), agreeing, elements)};
}

Document refusal_view(const LayoutOperand& o, const LayoutDescriptors& answer) {
  Document d(fmt::format("{} on {}", describe_operand(o), o.target->name));
  d.json("layout", to_string(o.layout)).json("arch", o.target->name).json("dtype", o.dtype->name);
  d.json("major", to_string(o.major));
  d.answers = {"reason"};
  const std::string verdict = "no descriptor: " + answer.reason;
  d.headline = short_sentence(verdict);
  d.field("reason", "as given", answer.reason, verdict, Tone::bad);
  d.known("hint", "hint", or_null(answer.hint));
  for (const ModeAnswer& mode : answer.modes)
    if (mode.descriptors)
      d.line(fmt::format("under {}", mode.mode->name),
             fmt::format("{} has {}", to_string(mode.layout), strides_and_word(*mode.descriptors)), Tone::good);
  d.add(nearest_field(answer)).add(mode_table(answer.modes));
  return d.add(Drawing{[o, answer](Medium medium) {
    return medium == Medium::page ? Document().add(refusal_figure(o, answer)) : Document();
  }});
}

}  // namespace

std::string mma_text(const TileDescriptors& words) {
  std::string text = to_string(words.mma);
  if (words.default_of)
    text += fmt::format(", the default for {} {}{})", *words.default_of == OperandRole::a ? "A (M" : "B (N",
                        words.mma.mn * words.cta_group, words.cta_group == 2 ? " with cta_group::2" : "");
  return text;
}

Json default_of_json(const TileDescriptors& words) {
  return words.default_of ? Json(to_string(*words.default_of)) : Json();
}

std::string describe_operand(const SmemTile& tile) {
  return fmt::format("{} {}, {}, mode {}, {}", tile.dtype().name, to_string(tile.extents()), to_string(tile.major()),
                     tile.swizzle().name, to_string(tile.order()));
}

std::string describe_operand(const LayoutOperand& operand) {
  return fmt::format("{} {}, {}", operand.dtype->name, to_string(operand.layout), to_string(operand.major));
}

OperandShape operand_shape(const LayoutOperand& o, const LayoutDescriptors& answer) {
  return {answer.extents, atom_extents(o.major, *answer.mode, *o.dtype, o.packing), o.major, answer.mode,
          element_bits(*o.dtype, o.packing)};
}

Document view_tile_descriptors(const SmemTile& tile, const TileDescriptors& words, const DescViewOptions& options) {
  const Target& target = words.steps.front().descriptor.target();
  DescViewOptions with_notes = options;
  if (!tile.is_pattern_aligned()) {
    const SwizzleMode& mode = tile.swizzle();
    const std::int64_t past = tile.base().count % mode.pattern().count;
    with_notes.notes.push_back(
        note("off-pattern",
             fmt::format("the base {:#x} lies {} B past a multiple of {} B, after which the pattern of mode {} repeats",
                         tile.base().count, past, mode.pattern().count, mode.name),
             fmt::format(
                 "the words are right if the tile is filled by absolute address, as TMA does; not if it is filled by "
                 "an offset from its base{}",
                 past < mode.span.count
                     ? ""
                     : ". swz decode has start-off-pattern for them: a word does not show how its tile was filled")));
  }
  return words_view({operand_choice(tile, target), operand_shape(tile), tile.base(), tile.layout(), tile.order(),
                     describe_operand(tile)},
                    words, with_notes);
}

Document view_layout_descriptors(const LayoutOperand& o, const LayoutDescriptors& answer,
                                 const DescViewOptions& options) {
  if (!answer.descriptors) return refusal_view(o, answer);
  DescViewOptions with_notes = options;
  if (answer.repeated > 0)
    with_notes.notes.push_back(note("repeated", fmt::format("{} elements lie where another one lies", answer.repeated),
                                    "swz layout shows the first two"));
  return words_view({{o.target, o.dtype, o.packing, o.major, answer.mode},
                     operand_shape(o, answer),
                     o.base,
                     o.layout,
                     std::nullopt,
                     fmt::format("{}, mode {}", describe_operand(o), answer.mode->name)},
                    *answer.descriptors, with_notes);
}

Document add_stage_words(Document d, const TileDescriptors& words, const StagedLayout& stages, int element_bits) {
  const FieldRow& start = *words.steps.front().descriptor.format().find(FieldId::start_address);
  Json list = Json::array();
  Table table{"",
              stages_text(stages, element_bits),
              {{"", "stage", right}, {"", "byte offset", right}, {"", "first word"}},
              {}};
  for (std::size_t i = 0; i < stages.starts.size(); ++i) {
    const std::int64_t offset = stages.starts[i] * element_bits / 8;
    const auto word = [&](const MmaStep& step) {
      const SmemDescriptor& first = step.descriptor;
      return hex64(start.bits.write(first.word(), raw_of(start, first.start_address().count + offset)));
    };
    Json of_stage = Json::array();
    for (const MmaStep& step : words.steps) of_stage.push_back(word(step));
    table.rows.push_back({Cell(static_cast<std::int64_t>(i)), Cell(offset), Cell(word(words.steps.front()))});
    list.push_back(std::move(of_stage));
  }
  Json json = stages_json(stages, element_bits);
  if (!json.is_null()) json["words"] = std::move(list);
  d.json("stages", std::move(json));
  if (stages.stage_count() > 1) d.add(std::move(table));
  return d;
}

}  // namespace swz
