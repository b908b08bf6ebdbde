// SPDX-License-Identifier: Apache-2.0
#include "view/story/story.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "smem/choose.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

// "kind::mxf8f6f4 " of an MMA whose words need it to be understood.
std::string scaled_kind(const Story& story) {
  if (!story.instruction || !story.instruction->kind_row().block_scaled) return "";
  return fmt::format("kind::{} ", story.instruction->kind_row().name);
}

std::string instruction_name(const Story& story) {
  if (story.reader == StoryReader::tcgen05) return "tcgen05.mma " + to_string(story.ask.mma);
  return (story.reader == StoryReader::wgmma ? "wgmma." : "mma.") + to_string(story.ask.mma);
}

// ", cta_group::2, CTA 1", whose rows of D follow those of CTA 0.
std::string pair_text(const Story& story) {
  return is_pair(story) ? fmt::format(", cta_group::2, CTA {}", story.ask.cta) : std::string();
}

std::string title_of(const Story& story) {
  const SmemTile& tile = story.tile();
  const TileExtents whole = story.copies.from().extents;
  return fmt::format("{} {} {} of {}, {}, mode {}, {}, {}{}{} on {}", tile.dtype().name, operand_letter(story),
                     to_string(tile.extents()), to_string(whole), to_string(tile.major()), tile.swizzle().name,
                     to_string(tile.order()), scaled_kind(story), instruction_name(story), pair_text(story),
                     story.ask.target->name);
}

Json pair_of(const TileCoordinate& at) { return {at.row, at.k}; }
Json pair_of(const TileExtents& extents) { return {extents.mn, extents.k}; }
Json pair_or_null(const std::optional<TileCoordinate>& at) { return at ? pair_of(*at) : Json(); }

// ---- stages

void add_global(Document& d, const Story& story) {
  const TileCopies& copies = story.copies;
  const GmemOperand& from = copies.from();
  const TileExtents e = story.tile().extents();
  const Json value{{"extents", pair_of(from.extents)},
                   {"line_stride", from.line_stride.count},
                   {"first", pair_of(from.tile_at)},
                   {"byte", copies.global_bit({}).in_bytes().count}};
  d.field("global", "global", value,
          fmt::format("{}, {} contiguous, lines {} B apart; the tile is {} {}, k {}", to_string(from.extents),
                      contiguous_letter(story), from.line_stride.count, rows_word(story),
                      range_text(from.tile_at.mn, e.mn), range_text(from.tile_at.k, e.k)));
}

Json copy_list(const TileCopies& copies) {
  if (!copies.plan()) return Json::array();
  return json_list(copies.plan()->copies, [](const TileCopy& copy) {
    return Json{{"coordinate", {copy.coordinate[0], copy.coordinate[1]}}, {"offset", copy.smem_offset.count}};
  });
}

std::string copies_text(const Story& story) {
  const TileCopies& copies = story.copies;
  if (!copies.is_tensor_copy()) return fmt::format("{} {} of 16 B", copies.count(), copies.instruction());
  if (!copies.plan()) return "refused";
  std::string text =
      fmt::format("{} of a box {}, requests of {} B; the barrier expects {} B", plural(copies.count(), "TMA copy"),
                  to_string(copies.box()), copies.request().count, copies.expect_bytes().count);
  // A box for each atom along a line is what the mode takes; more than that is what the order of the atoms takes.
  const bool is_least = copies.count() == story.tile().atoms().along(story.tile().major());
  const std::string reason = is_least ? box_reason(story) : copies.plan()->limit;
  if (!reason.empty()) text += "\nwhy several: " + reason;
  if (const std::string fewer = fewer_boxes_text(story); !fewer.empty()) text += "; " + fewer;
  return text;
}

void add_copies(Document& d, const Story& story) {
  const TileCopies& copies = story.copies;
  const Json value{{"instruction", copies.instruction()},
                   {"count", copies.count()},
                   {"box", pair_of(copies.box())},
                   {"request_bytes", copies.request().count},
                   {"expect_bytes", copies.plan() ? Json(copies.expect_bytes().count) : Json()},
                   {"list", copy_list(copies)}};
  d.field("copies", "copies", value, copies_text(story));
}

void add_shared(Document& d, const Story& story) {
  const SmemTile& tile = story.tile();
  const Json value{{"base", tile.base().count},
                   {"bytes", tile.bytes().count},
                   {"swizzle", tile.swizzle().name},
                   {"order", to_string(tile.order())},
                   {"atom", pair_of(tile.atom())},
                   {"mn_atom_stride", tile.mn_atom_stride().count},
                   {"k_atom_stride", tile.k_atom_stride().count},
                   {"wavefronts", story.wavefronts},
                   {"linear_wavefronts", story.linear_wavefronts}};
  std::string text =
      fmt::format("{:#x} to {:#x}, atoms of {} = {} B", tile.base().count, tile.base().count + tile.bytes().count - 1,
                  to_string(tile.atom()), tile.swizzle().atom().count);
  if (tile.atoms().mn > 1)
    text += fmt::format("; {} {} further {:+} B", tile.atom().mn, rows_word(story), tile.mn_atom_stride().count);
  if (tile.atoms().k > 1) text += fmt::format("; {} k further {:+} B", tile.atom().k, tile.k_atom_stride().count);
  d.field("shared", "shared", value, text);
  d.line("banks", story_banks(story));
}

// The starts of the first block of rows, counted from the first: "+32 +64 +96 +16384".
std::string starts_text(const Story& story) {
  constexpr std::int64_t most = 12;
  std::string text;
  for (std::int64_t k = 1; k < story.words.k_steps; ++k) {
    if (k == most) return text + " …";
    text += fmt::format(" {:+}", story.word(0, k)->start_address().count - story.word(0, 0)->start_address().count);
  }
  return text;
}

Json word_list(const Story& story) {
  return json_list(story.words.steps, [](const MmaStep& step) {
    return Json{{"m_block", step.m_block},
                {"k_step", step.k_step},
                {"start", step.descriptor.start_address().count},
                {"word", hex64(step.descriptor.word())}};
  });
}

void add_words(Document& d, const Story& story) {
  if (story.words.steps.empty()) {
    const WavefrontTotal& total = *story.matrices;
    d.json("words", Json::array());
    d.field("matrices", "ldmatrix", {{"wavefronts", total.wavefronts}, {"ideal", total.ideal}},
            fmt::format("{} wavefronts for the tile, ideal {}", total.wavefronts, total.ideal));
    return;
  }
  const SmemDescriptor& first = *story.word(0, 0);
  const std::string starts = starts_text(story);
  d.field("words", "words", word_list(story),
          fmt::format("{}{}", hex64(first.word()),
                      starts.empty() ? std::string() : ", the k steps after it start at" + starts + " B"));
  d.json("matrices", Json());
}

void add_mmas(Document& d, const Story& story, const StoryElement& element) {
  const TileExtents blocks = story.blocks();
  const Json word = story.instruction ? Json(hex32(static_cast<std::uint32_t>(story.instruction->word()))) : Json();
  const Json value{{"instruction", instruction_name(story)},
                   {"m_blocks", blocks.mn},
                   {"k_steps", blocks.k},
                   {"rows", story.step.mn},
                   {"k", story.step.k},
                   {"instruction_descriptor", word}};
  d.field("mmas", "MMAs", value,
          fmt::format("{}: {} of {} {} x {} of k {}{}", instruction_name(story), plural(blocks.mn, "block"),
                      story.step.mn, rows_word(story), plural(blocks.k, "step"), story.step.k,
                      story.instruction ? "; " + instruction_text(story, element) : ""));
}

void add_factors(Document& d, const Story& story, const StoryElement& element) {
  const StoryFactors& factors = element.factors;
  if (!factors.way) {
    if (!factors.why_not.empty()) d.line("factors", "not followed: " + factors.why_not);
    d.json("factors", Json());
    return;
  }
  const ScaleWay& way = *factors.way;
  const std::int64_t copies = std::ssize(way.copies());
  const Json value{{"type", factors.type},
                   {"each", way.placement().block()},
                   {"stage_bytes", way.stage().size().count},
                   {"copies", copies},
                   {"columns", {way.tile().column, way.tile().column + way.columns() - 1}}};
  d.field("factors", "factors", value,
          fmt::format("SF{}: one {} for {} k, {} B of shared memory; {} tcgen05.cp to columns {}; {}",
                      operand_letter(story), factors.type, way.placement().block(), way.stage().size().count, copies,
                      range_text(way.tile().column, way.columns()), factor_text(*element.factor)));
}

// ---- the element

std::string values_text(const std::vector<int>& values) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most); ++i) text += fmt::format(" d{}", values[i]);
  return values.size() > most ? text + " …" : text;
}

// Rows and columns count in the D of one MMA, of several in that of the element's block.
std::string result_text(const Story& story, const StoryWay& way) {
  const ResultPlace& r = way.result;
  const bool is_row = story.ask.role == OperandRole::a;
  const std::string of = story.blocks().mn > 1 ? fmt::format("block {} of D", way.mma.row) : "D";
  std::string text = fmt::format("{} {} of {}: ", is_row ? "row" : "column", r.index, of);
  if (story.tensor_memory) {
    if (!is_row)
      return text + fmt::format("column {} of tensor memory",
                                range_text(r.columns.first, r.columns.last - r.columns.first + 1));
    const bool is_one = r.lanes.first == r.lanes.last;
    return text + (is_one ? fmt::format("lane {} of tensor memory, warp {}", r.lanes.first, r.warp)
                          : fmt::format("lanes {} and {} of tensor memory", r.lanes.first, r.lanes.last));
  }
  if (!is_row) return text + fmt::format("registers{} of thread {} and others", values_text(r.values), r.lanes.first);
  return text + fmt::format("threads {}-{} (warp {}), registers{}", r.lanes.first, r.lanes.last, r.warp,
                            values_text(r.values));
}

Json result_json(const Story& story, const ResultPlace& r) {
  const Json lanes{r.lanes.first, r.lanes.last};
  return {{"of", story.ask.role == OperandRole::a ? "row" : "column"},
          {"index", r.index},
          {"lanes", story.tensor_memory ? lanes : Json()},
          {"threads", story.tensor_memory ? Json() : lanes},
          {"columns", {r.columns.first, r.columns.last}},
          {"warp", r.warp}};
}

Json factor_json(const StoryFactor& factor, const InstructionDescriptor& instruction) {
  const ScalePlace& place = factor.stop.place;
  return {{"row", factor.at.row},
          {"kb", factor.at.kb},
          {"first_k", factor.first_k},
          {"gmem_byte", factor.stop.gmem.count},
          {"smem_byte", factor.stop.smem.count},
          {"copy", factor.stop.copy},
          {"lanes", place.lanes},
          {"column", place.column},
          {"byte", place.byte},
          {"sf_id", place.sf_id},
          {"instruction_descriptor", hex32(static_cast<std::uint32_t>(instruction.word()))},
          {"factor", factor.back ? Json{factor.back->row, factor.back->kb} : Json()}};
}

// The place in each stage, with the element that the place alone leads back to.
Json way_json(const Story& story, const StoryElement& element) {
  const StoryWay& way = element.way;
  const StoryWayBack back = story_way_back(story, way);
  const SmemDescriptor* word = story.word(way.mma.row, way.mma.k);
  const auto shared = [&](std::int64_t number) { return way.written.count < 0 ? Json() : Json(number); };
  Json json{{"global",
             {{"at", pair_of(way.tensor)},
              {"byte", way.global.in_bytes().count},
              {"bit", way.global.count % 8},
              {"element", pair_or_null(back.from_global)}}},
            {"copy", nullptr},
            {"shared",
             {{"byte", shared(way.written.in_bytes().count)},
              {"bit", shared(way.written.count % 8)},
              {"bank", shared(way.written.count / 32 % bank_count)},
              {"element", pair_or_null(back.from_shared)}}},
            {"mma",
             {{"m_block", way.mma.row},
              {"k_step", way.mma.k},
              {"at", pair_of(way.in_mma)},
              {"word", word != nullptr ? Json(hex64(word->word())) : Json()},
              {"reads_byte", way.read.in_bytes().count},
              {"element", pair_or_null(back.from_mma)}}},
            {"factor", element.factor ? factor_json(*element.factor, *element.instruction) : Json()},
            {"registers", nullptr},
            {"result", result_json(story, way.result)}};
  if (way.entry)
    json["copy"] = {{"index", way.entry->copy},
                    {"entry", {way.entry->along, way.entry->line}},
                    {"element", pair_or_null(back.from_copy)}};
  if (way.holder)
    json["registers"] = {
        {"thread", way.holder->thread}, {"value", way.holder->value}, {"element", pair_or_null(back.from_register)}};
  return json;
}

// "row 37, k 20", of B "n 37, k 20"
std::string entry_text(const Story& story, const BoxEntry& entry) {
  const bool is_k_major = story.tile().major() == Major::K;
  return fmt::format("{} {}, k {}", row_word(story), is_k_major ? entry.line : entry.along,
                     is_k_major ? entry.along : entry.line);
}

std::string way_text(const Story& story, const StoryWay& way) {
  const bool is_first_tile = story.copies.from().tile_at == TileExtents{};
  std::string text = fmt::format("{}byte {:#x} of the operand",
                                 is_first_tile ? "" : fmt::format("({},{}) of the tile, ", way.at.row, way.at.k),
                                 way.global.in_bytes().count);
  if (way.entry) text += fmt::format(" → box {}, {} of it", way.entry->copy, entry_text(story, *way.entry));
  text += way.written.count < 0 ? std::string(" → by no copy")
                                : fmt::format(" → byte {:#x}, bank {}", way.written.in_bytes().count,
                                              way.written.count / 32 % bank_count);
  text += fmt::format(" → k step {}", way.mma.k);
  if (story.blocks().mn > 1) text += fmt::format(" of block {}", way.mma.row);
  if (const SmemDescriptor* word = story.word(way.mma.row, way.mma.k)) text += ", word " + hex64(word->word());
  if (!way.is_right()) text += fmt::format(", which reads byte {:#x}", way.read.in_bytes().count);
  if (way.holder)
    text += fmt::format(" → thread {}, {}{}", way.holder->thread, story.ask.role == OperandRole::a ? "a" : "b",
                        way.holder->value);
  return text + " → " + result_text(story, way);
}

std::string way_sentence(const std::string& name, const std::string& way) {
  return name + ": " + way + (way.ends_with("…") ? "" : ".");
}

Json break_json(const StoryBreak& found) {
  Json json = to_json(static_cast<const Finding&>(found));
  json["link"] = to_string(found.link);
  json["wrong"] = found.of == 0 ? Json() : Json(found.wrong);
  json["of"] = found.of == 0 ? Json() : Json(found.of);
  json["first"] = pair_or_null(found.first);
  json["word"] = found.word ? Json(hex64(*found.word)) : Json();
  return json;
}

}  // namespace

StoryElement story_element(const StoryAnswer& answer) {
  StoryElement out{story_way(answer.story, answer.followed), {}, {}, {}};
  out.factors = story_factors(answer.story, out.way.mma.row);
  if (out.factors.way) out.factor = story_factor(answer.story, *out.factors.way, out.way);
  out.instruction = story_instruction(answer.story, out.way.mma.k);
  return out;
}

std::string instruction_text(const Story& story, const StoryElement& element) {
  return fmt::format("instruction descriptor {}{}", hex32(static_cast<std::uint32_t>(element.instruction->word())),
                     has_instruction_of_step(story) ? fmt::format(" of k step {}", element.way.mma.k) : "");
}

std::string factor_text(const StoryFactor& factor) {
  const ScalePlace& place = factor.stop.place;
  return fmt::format("factor {} of row {}: byte {:#x} of its stage, lanes {}, column {}, byte {}, sf_id {}",
                     factor.at.kb, factor.at.row, factor.stop.smem.count, fmt::join(place.lanes, ", "), place.column,
                     place.byte, place.sf_id);
}

std::string story_banks(const Story& story) {
  const bool is_k_major = story.tile().major() == Major::K;
  const std::string read = fmt::format("one read of 8 {} x 16 B: ", is_k_major ? rows_word(story) : "k");
  // A wavefront is a count of ld.shared and ldmatrix; of what an MMA reads by its descriptor, only the banks are known.
  const bool is_counted = story.reader == StoryReader::ldmatrix;
  const std::int64_t times = story.wavefronts, linear = story.linear_wavefronts;
  if (times > 1)
    return read + (is_counted ? plural(times, "wavefront") : fmt::format("{} in one group of 4 banks", times));
  const std::string text = read + "8 groups of 4 banks, " + (is_counted ? "1 wavefront" : "no conflict");
  if (linear == 1) return text;
  return text + (is_counted ? fmt::format(" ({} without the swizzle)", linear)
                            : fmt::format(" (without the swizzle {} in one group)", linear));
}

std::string box_reason(const Story& story) {
  const Major major = story.tile().major();
  const SwizzleMode& mode = story.tile().swizzle();
  if (mode.bits == 0 || !story.copies.plan() || story.copies.count() == 1) return "";
  return fmt::format("a box is at most as wide as a line of mode {}: {} B = {} {}", mode.name, mode.span.count,
                     story.tile().atom().along(major), major == Major::K ? "k" : rows_word(story));
}

std::string fewer_boxes_text(const Story& story) {
  if (story.ask.box || !story.copies.plan()) return "";
  const std::optional<TmaBoxes> fewer = fewer_boxes(story.tile());
  if (!fewer) return "";
  return fmt::format("stacked {} it takes {} of {}", to_string(other_order(story.tile().order())),
                     plural(fewer->count, "box"), to_string(fewer->box));
}

std::string story_headline(const Story& story) {
  if (!story.breaks.empty()) return story.breaks.front().message;
  const TileExtents blocks = story.blocks();
  const std::string copies = story.copies.is_tensor_copy()
                                 ? plural(story.copies.count(), "TMA copy")
                                 : fmt::format("{} {}", story.copies.count(), story.copies.instruction());
  return fmt::format("{}, {}: every element is read where it is written", copies, plural(blocks.mn * blocks.k, "MMA"));
}

// "the copies write mode 128B, the MMAs read mode 64B; 4064 of 4096 wrong". Of a verdict about advances, "+16 B a step:
// 16 elements a step were taken for bytes", what they mean.
static std::string story_title(const Story& story, std::string verdict) {
  if (const std::size_t colon = verdict.find(": "); verdict.starts_with('+') && colon != std::string::npos)
    verdict.erase(0, colon + 2);
  std::string title = short_sentence(verdict);
  if (title.size() == verdict.size() || story.breaks.empty() || story.breaks.front().of == 0) return title;
  const std::string damage = fmt::format("; {} of {} wrong", story.breaks.front().wrong, story.breaks.front().of);
  return title.size() + damage.size() > headline_letters ? title : title + damage;
}

std::string element_name(const Story& story, TileCoordinate at) {
  const TileExtents first = story.copies.from().tile_at;
  return fmt::format("{}[{}][{}]", operand_letter(story), first.mn + at.row, first.k + at.k);
}

Document view_story(const StoryAnswer& answer) {
  const Story& story = answer.story;
  Document d(title_of(story));
  const std::string verdict = story_headline(story);
  d.headline = story_title(story, verdict);
  d.line("verdict", verdict, story.breaks.empty() ? Tone::good : Tone::bad);
  d.json("arch", story.ask.target->name).json("dtype", story.tile().dtype().name);
  d.json("operand", to_string(story.ask.role)).json("tile", pair_of(story.tile().extents()));
  d.json("major", to_string(story.tile().major()));
  add_global(d, story);
  add_copies(d, story);
  add_shared(d, story);
  add_words(d, story);
  const StoryElement element = story_element(answer);
  add_mmas(d, story, element);
  add_factors(d, story, element);
  const StoryWay& way = element.way;
  const std::string name = element_name(story, way.at);
  d.field("way", name, way_json(story, element), way_text(story, way));
  d.json("breaks", json_list(story.breaks, break_json));
  Notes lints{""};
  for (const StoryBreak& found : story.breaks) lints.add(found);
  d.add(std::move(lints));
  d.answers = {"breaks"};
  d.add(Drawing{[answer, sentence = way_sentence(name, way_text(story, way))](Medium medium) {
    return medium == Medium::page ? Document().add(story_figure(answer, sentence)) : Document();
  }});
  return d;
}

}  // namespace swz
