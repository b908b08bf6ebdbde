// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/text.hpp"
#include "view/descriptor/desc.hpp"
#include "view/document/headline.hpp"
#include "view/tma/tma.hpp"

namespace swz {

namespace {

// ---- the figure

constexpr std::int64_t hues = 8;

Tint tint_of_copy(std::int64_t copy) { return {static_cast<int>(copy % hues), static_cast<int>(copy / hues % 4)}; }

// Each chunk in the colour of the copy that brings it, determined from where the boxes land.
std::vector<ChunkLook> looks_of(const TilePlan& plan, const PlacedOperand& placed) {
  std::map<std::int64_t, std::int64_t> copy_at;  // of a chunk, by its address
  for (const TileCopy& copy : plan.copies) {
    const BoxPlacement box(plan.map, Bytes{placed.base.count + copy.smem_offset.count}, placed.placement.target());
    for (std::int64_t row = 0; row < box.rows(); ++row)
      for (std::int64_t b = 0; b < box.inner().count; b += chunk.count)
        copy_at[box.byte(row, b).count] = &copy - plan.copies.data();
  }
  std::vector<ChunkLook> looks;
  for (std::int64_t i = 0; i < placed.placement.chunk_count(); ++i) {
    const std::int64_t copy = copy_at.at(placed.placement.chunk_at(i).byte.count);
    looks.push_back(
        {std::to_string(i), tint_of_copy(copy), Mark::none, fmt::format("copy {}", copy), {}, static_cast<int>(copy)});
  }
  return looks;
}

// What a copy writes: its first line of shared memory, and how many.
struct CopyLines {
  std::int64_t first = 0, count = 0;
};

CopyLines lines_of(const TilePlan& plan, const TileCopy& copy, const PlacedOperand& placed) {
  const BoxPlacement box(plan.map, Bytes{placed.base.count + copy.smem_offset.count}, placed.placement.target());
  const std::int64_t begin = box.address().count, end = begin + box.allocate().count;
  const std::int64_t first = begin / bank_row.count;
  return {first - first_line(placed.placement), (end + bank_row.count - 1) / bank_row.count - first};
}

// "copy 1: 0x4000": beside the line where each of the first copies begins, and the last.
void call_out_copies(Grid& smem, const TilePlan& plan, const PlacedOperand& placed) {
  constexpr std::ptrdiff_t most = 4;
  std::erase_if(smem.arrows, [](const Grid::Arrow& arrow) { return arrow.kind == Grid::Arrow::Kind::distance; });
  for (std::ptrdiff_t i = 0; i < std::ssize(plan.copies); ++i) {
    if (i >= most && i + 1 < std::ssize(plan.copies)) continue;
    const TileCopy& copy = plan.copies[static_cast<std::size_t>(i)];
    const CopyLines lines = lines_of(plan, copy, placed);
    const Grid::Place at{lines.first, 0};
    smem.arrows.push_back({Grid::Arrow::Kind::call_out, at, at,
                           fmt::format("copy {}: {:#x}", i, placed.base.count + copy.smem_offset.count)});
    smem.outlines.push_back({at, lines.count, std::ssize(smem.column_labels)});
    if (!smem.key_rows.empty()) smem.key_rows.push_back(static_cast<std::size_t>(lines.first));
  }
}

// Draws the boxes; those of a folded map are not rectangles of the tile.
void draw_boxes(Grid& grid, const TilePlan& plan, const Placement& p) {
  constexpr std::int64_t most_outlines = 64;
  grid.row_group = grid.column_group = 0;
  if (plan.map.rank != 2) return;
  const TensorMapDataTypeRow& type = *find_row(plan.map.data_type);
  const std::int64_t chunks = static_cast<std::int64_t>(plan.map.box[0]) * type.smem_bits / (chunk.count * 8);
  const auto lines = static_cast<std::int64_t>(plan.map.box[1]);
  const bool is_k = p.major() == Major::K;
  const std::int64_t rows = is_k ? lines : chunks, columns = is_k ? chunks : lines;
  if (rows == 0 || columns == 0) return;
  grid.row_group = static_cast<int>(rows);
  grid.column_group = static_cast<int>(columns);
  const std::int64_t all_rows = std::ssize(grid.row_labels), all_columns = std::ssize(grid.column_labels);
  if (all_rows / rows * (all_columns / columns) > most_outlines) return;
  for (std::int64_t row = 0; row < all_rows; row += rows)
    for (std::int64_t column = 0; column < all_columns; column += columns)
      grid.outlines.push_back({{row, column}, std::min(rows, all_rows - row), std::min(columns, all_columns - column)});
}

// "(0, 8) to byte 512"
std::string copy_text(const TilePlan& plan, const TileCopy& copy) {
  return fmt::format("{} to byte {}", tuple_text(first_of(copy.coordinate, plan.map.rank)), copy.smem_offset.count);
}

// Where each chunk is in the tensor map, 8, 0, 1, 0: a direction of the operand is divided into the dimensions that run
// along it, the one of the smallest step first.
std::vector<std::int64_t> coordinate_of(const TilePlan& plan, const Placement& p, const Chunk& c) {
  const bool is_k = p.major() == Major::K;
  const std::int64_t along = (is_k ? c.k : c.row) * p.element_bits() / find_row(plan.map.data_type)->smem_bits;
  std::vector<std::int64_t> coordinate;
  for (const PlanDimension& d : plan.dimensions) {
    std::int64_t at = (d.direction == p.major() ? along : is_k ? c.row : c.k) / d.step;
    for (const PlanDimension& other : plan.dimensions)
      if (other.direction == d.direction && other.step > d.step) at = at % (other.step / d.step);
    coordinate.push_back(at);
  }
  return coordinate;
}

// "16 copies of (16, 8)"
std::string count_text(const TilePlan& plan) {
  return fmt::format("{} of {}", plural(std::ssize(plan.copies), "copy"),
                     tuple_text(first_of(plan.map.box, plan.map.rank)));
}

// The title of a page has the number of copies.
ChunkPicture picture_of(const TilePlan& plan, const PlacedOperand& placed, bool is_page) {
  return {is_page ? gmem_title(placed.placement) : fmt::format("GMEM: {}", count_text(plan)),
          fmt::format("the figure of {}", to_string(placed.placement.extents())),
          "take -f json, or draw a smaller tile", looks_of(plan, placed)};
}

// "K in steps of 16"
std::string dimension_text(const PlanDimension& dimension) {
  const std::string_view name = direction_name(dimension.direction);
  return dimension.step == 1 ? std::string(name) : fmt::format("{} in steps of {}", name, dimension.step);
}

std::vector<std::string> meaning_of(const TilePlan& plan) {
  std::vector<std::string> meaning;
  for (const PlanDimension& dimension : plan.dimensions) meaning.push_back(dimension_text(dimension));
  return meaning;
}

// Why there are several copies, unless the title has it, and which map takes fewer.
std::string limit_text(const TilePlan& plan, const TilePlan* folded, bool is_in_title) {
  std::string text;
  if (!plan.limit.empty() && !is_in_title)
    text +=
        fmt::format("{}: {}. ", plural(std::ssize(plan.copies), "copy"), plan.limit.substr(0, plan.limit.rfind(": ")));
  if (folded != nullptr)
    text += fmt::format("A map of rank {} ({}) takes {}. ", folded->map.rank, fmt::join(meaning_of(*folded), ", "),
                        count_text(*folded));
  return text;
}

// "2 copies of (64, 128): a line of mode 128B holds 64 of 128 k": why a box is not wider; empty for another reason.
std::string reason_text(const TilePlan& plan, const PlacedOperand& placed) {
  const Placement& p = placed.placement;
  const TensorMapSwizzleRow& swizzle = *find_row(plan.map.swizzle);
  const std::int64_t all = p.extents().along(p.major()), wide = swizzle.span.count * 8 / p.element_bits();
  const std::int64_t box_bits = static_cast<std::int64_t>(plan.map.box[0]) * find_row(plan.map.data_type)->smem_bits;
  const bool is_all_of_it = std::ssize(plan.copies) * wide == all;
  if (swizzle.bits == 0 || all <= wide || !is_all_of_it || box_bits != swizzle.span.count * 8) return "";
  return fmt::format("{}: a line of {} holds {} of {} {}", count_text(plan), placed.name, wide, all,
                     p.major() == Major::K ? "k" : "rows");
}

Figure plan_figure(const TilePlan& plan, const TilePlan* folded, const PlacedOperand& placed, bool is_page) {
  const Placement& p = placed.placement;
  const std::int64_t count = std::ssize(plan.copies);
  ChunkPicture picture = picture_of(plan, placed, is_page);
  if (count == 1) picture.looks.clear();
  Figure figure = chunk_figure(placed, picture, is_page);
  draw_boxes(figure.panels[0][0], plan, p);
  if (is_page) call_out_copies(figure.panels[0][1], plan, placed);
  figure.caption = fmt::format("A cell is 16 bytes ({}), numbered along the lines of the tile.",
                               plural(p.chunk_elements(), "element"));
  if (count == 1) return figure;
  if (is_page) figure.caption = limit_text(plan, folded, !reason_text(plan, placed).empty()) + figure.caption;
  constexpr std::int64_t colours = 4 * hues;
  for (std::int64_t i = 0; i < std::min(count, colours); ++i) {
    figure.legend.push_back(
        {std::to_string(i) + (i + colours < count ? fmt::format(", {}, …", i + colours) : ""), tint_of_copy(i)});
    figure.legend.back().is_of_shade = true;
  }
  figure.legend_title = "colour: copy";
  // Of a text a colour is no shade.
  if (!is_page && count > hues) figure.about_shades = " From copy 8 on the shades are lighter.";
  for (const TileCopy& copy : plan.copies)
    figure.steps.push_back(fmt::format("copy {}: {}", &copy - plan.copies.data(), copy_text(plan, copy)));
  return figure;
}

// The tile as a map of higher rank numbers it: the coordinates of its chunks.
Grid folded_panel(const TilePlan& plan, const PlacedOperand& placed) {
  ChunkPicture picture = picture_of(plan, placed, true);
  for (std::size_t i = 0; i < picture.looks.size(); ++i) {
    const std::vector<std::int64_t> at =
        coordinate_of(plan, placed.placement, placed.placement.chunk_at(static_cast<std::int64_t>(i)));
    picture.looks[i].text = fmt::format("{}", fmt::join(at, ","));
    picture.looks[i].tint = {};  // colours are those of the copies above
    picture.looks[i].step = -1;
  }
  Grid grid = chunk_figure(placed, picture, true).panels[0][0];
  grid.title =
      fmt::format("or {} by a map of rank {}: its coordinates", plural(std::ssize(plan.copies), "copy"), plan.map.rank);
  std::erase_if(grid.arrows, [](const Grid::Arrow& arrow) { return arrow.from.row == arrow.to.row; });
  const std::size_t rows = grid.squares.size();
  for (const std::size_t row : {std::size_t{0}, std::size_t{1}, rows - 1})
    if (row < rows && (grid.key_rows.empty() || row > grid.key_rows.back())) grid.key_rows.push_back(row);
  draw_boxes(grid, plan, placed.placement);
  const std::vector<std::string> meaning = meaning_of(plan);
  grid.below = fmt::format("box {}; ", tuple_text(first_of(plan.map.box, plan.map.rank)));
  for (std::size_t i = 0; i < meaning.size(); ++i)
    grid.below += fmt::format("{}{} is {}", i == 0 ? "dimension " : ", ", i, meaning[i]);
  return grid;
}

// ---- the plan

using enum Column::Align;

constexpr std::size_t most_rows_in_text = 64;

Json copies_json(const TilePlan& plan) {
  return json_list(plan.copies, [&](const TileCopy& copy) -> Json {
    return {{"coordinate", first_of(copy.coordinate, plan.map.rank)}, {"smem_offset", copy.smem_offset.count}};
  });
}

// The bytes that the mbarrier counts for one copy.
Bytes copy_bytes(const TilePlan& plan) { return Bytes{plan.expect_bytes().count / std::ssize(plan.copies)}; }

// "2048 B"; with gaps "8192 B, 16384 in shared memory".
std::string bytes_text(const TilePlan& plan) {
  const std::int64_t counted = copy_bytes(plan).count, in_smem = counted_box_bytes(plan.map).count;
  return counted == in_smem ? fmt::format("{} B", counted)
                            : fmt::format("{} B ({} in shared memory)", counted, in_smem);
}

// Adds what this CTA fills with a tile, if that is less than a reader would expect: with a pair, half of the operand;
// with gaps, fewer bytes on the mbarrier than in shared memory.
void add_stage(Document& d, const TilePlan& plan) {
  d.field("stage", "in a stage", {{"smem_bytes", plan.smem_bytes().count}, {"expect_bytes", plan.expect_bytes().count}},
          fmt::format("{} B of shared memory of a CTA; expect_tx of its mbarrier: {} B", plan.smem_bytes().count,
                      plan.expect_bytes().count));
}

std::vector<Field> fields_of(const TilePlan& plan) {
  const TensorMap& map = plan.map;
  const Json box = first_of(map.box, map.rank), dims = first_of(map.dims, map.rank);
  const Json strides = first_of(map.strides, map.rank - 1);
  const TensorMapDataTypeRow& type = *find_row(map.data_type);
  return {{"rank", "rank", map.rank, fmt::format("{}  {}", map.rank, fmt::join(meaning_of(plan), ", "))},
          {"dtype", "data type", type.short_name, std::string(type.name)},
          {"dims", "dims", dims, tuple_text(dims)},
          {"strides", "strides", strides, tuple_text(strides) + "  B"},
          {"box", "box", box, fmt::format("{}  {} a copy", tuple_text(box), bytes_text(plan))},
          {"swizzle", "swizzle", short_name(map.swizzle)},
          {"request_bytes", "request", plan.request.count,
           fmt::format("{} contiguous bytes of global memory for each line of a box", plan.request.count)},
          {"copy_bytes", "", copy_bytes(plan).count},
          {"limit", plan.copies.size() == 1 ? "" : "why not fewer", or_null(plan.limit)}};
}

// Adds the answer: how many copies, and how many with a map of higher rank.
void add_counts(Document& d, const TilePlan& plan, const std::optional<TilePlan>& folded, const std::string& reason) {
  const auto text = [](const TilePlan& p) {
    return fmt::format("{}, {}{}, by a map of rank {}", count_text(p), bytes_text(p),
                       p.copies.size() > 1 ? " each" : "", p.map.rank);
  };
  const auto tone = [](const TilePlan& p) { return p.copies.size() == 1 ? Tone::good : Tone::accent; };
  d.headline = short_sentence(reason.empty() ? text(plan) : reason);
  d.line("plan", text(plan), tone(plan));
  if (!folded) return;
  d.line("or", text(*folded), tone(*folded));
  if (reason.empty())
    d.headline = short_sentence(
        fmt::format("{}; or {} by a map of rank {}", count_text(plan), folded->copies.size(), folded->map.rank));
}

Json plan_json(const TilePlan& plan) {
  Json object = Json::object();
  for (const Field& field : fields_of(plan))
    if (!field.key.empty()) object[field.key] = field.value;
  object["copies"] = copies_json(plan);
  return object;
}

// The first copies. Text only.
Table copy_table(const TilePlan& plan, std::size_t most) {
  const std::span<const TileCopy> shown(plan.copies.data(), std::min(plan.copies.size(), most));
  const auto coordinate = [&](const TileCopy& copy) { return tuple_text(first_of(copy.coordinate, plan.map.rank)); };
  return table_of<TileCopy>("", "", shown,
                            {{"", "copy", [&](const TileCopy& copy) { return &copy - shown.data(); }, right},
                             {"", "coordinate", coordinate},
                             {"", "SMEM offset", &TileCopy::smem_offset, right}});
}

void add_copies(Document& d, const TilePlan& plan) {
  constexpr std::size_t most_in_short_text = 4;
  const auto more = [&](std::size_t most, std::string_view where) {
    return Paragraph{fmt::format("and {} more; {}", plan.copies.size() - most, where), Tone::faint};
  };
  const bool is_long = plan.copies.size() > most_in_short_text;
  if (is_long) {
    d.add(in_short(copy_table(plan, most_in_short_text)));
    d.add(in_short(more(most_in_short_text, "--full shows them")));
  }
  Block whole = copy_table(plan, most_rows_in_text);
  d.add(is_long ? in_full(std::move(whole)) : std::move(whole));
  if (plan.copies.size() > most_rows_in_text) d.add(in_full(more(most_rows_in_text, "-f json has all")));
}

void add_plan(Document& d, const TilePlan& plan, bool has_json) {
  for (Field field : fields_of(plan)) {
    if (!has_json) field.key = "";
    if (!field.key.empty() || !field.label.empty()) d.add(std::move(field));
  }
  if (has_json) d.json("copies", copies_json(plan));
  if (plan.copies.size() > 1) add_copies(d, plan);
}

void add_refusal(Document& d, const Finding& refusal) {
  d.headline = short_sentence("no tensor map makes this tile: " + refusal.message);
  d.line("plan", "no tensor map makes this tile", Tone::bad);
  for (const char* key : {"rank", "dtype", "dims", "strides", "box", "swizzle", "request_bytes", "copy_bytes", "limit",
                          "copies", "folded"})
    d.json(key, nullptr);
  d.json("refusal", {{"rule", refusal.rule}, {"message", refusal.message}, {"hint", refusal.hint}});
  d.add(Notes{"", {refusal}});
}

void add_operand(Document& d, const GmemOperand& operand) {
  d.line("in GMEM", fmt::format("{}, lines {} B apart", to_string(operand.extents), operand.line_stride.count));
}

// Notes on the ends of an operand that is not a whole number of tiles.
Notes end_notes(const TilePlanReport& report) {
  const TileExtents tile = report.placed.placement.extents(), operand = report.operand.extents;
  std::vector<std::string> past;
  if (operand.mn % tile.mn != 0) past.push_back(fmt::format("MN {} is not a multiple of {}", operand.mn, tile.mn));
  if (operand.k % tile.k != 0) past.push_back(fmt::format("K {} is not a multiple of {}", operand.k, tile.k));
  if (past.empty()) return {"notes"};
  return {"notes",
          {note("past-the-end", fmt::format("the last tiles reach past the end: {}", fmt::join(past, ", ")),
                "a load fills the rest with 0 and counts it on the mbarrier, a store leaves it out")}};
}

// "bf16 64x32, K-major, mode 32B, mn-first", or a layout instead of the mode.
std::string placed_text(const TilePlanReport& report) {
  const PlacedOperand& placed = report.placed;
  std::string text = fmt::format("{} {}, {}, {}", report.dtype->name, to_string(placed.placement.extents()),
                                 to_string(placed.placement.major()), placed.name);
  if (placed.tile) text += fmt::format(", {}", to_string(placed.tile->order()));
  if (placed.base.count != 0) text += fmt::format(", at {:#x}", placed.base.count);
  return text;
}

Document drawn(const TilePlan& plan, const TilePlan* folded, const PlacedOperand& placed, Medium medium) {
  constexpr std::int64_t most_chunks_in_text = 256;  // that are easily read
  const Placement& p = placed.placement;
  const bool is_page = medium == Medium::page;
  if (!p.has_chunks() || (!is_page && p.chunk_count() > most_chunks_in_text)) return {};
  // Wider, it would be as large as the figure above and show one more number.
  constexpr std::int64_t widest_folded = 8;
  const bool is_narrow = (p.major() == Major::K ? p.chunks_per_line() : p.lines()) <= widest_folded;
  const bool has_folded_figure = folded != nullptr && is_page && is_narrow;
  Figure figure = plan_figure(plan, has_folded_figure ? nullptr : folded, placed, is_page);
  if (has_folded_figure) {
    figure.narrow.push_back(plan_figure(plan, folded, placed, is_page));
    figure.panels.push_back({folded_panel(*folded, placed)});
  }
  return Document().add(std::move(figure));
}

// ---- what an MMA reads of it

Json box_of(const TensorMap& map) { return first_of(map.box, map.rank); }

Json instead_json(const MmaReading& reading) {
  return json_list(reading.instead, [](const ReadableTile& readable) -> Json {
    return {{"swizzle", readable.tile.swizzle().name},
            {"order", to_string(readable.tile.order())},
            {"box", box_of(readable.plan.map)},
            {"copies", readable.plan.copies.size()},
            {"request_bytes", readable.plan.request.count}};
  });
}

// "what an MMA reads: mode none, box (8, 8), 4 copies; …"
std::string way_out(const MmaReading& reading) {
  if (reading.instead.empty()) return reading.hint;
  std::vector<std::string> tiles;
  for (const ReadableTile& readable : reading.instead)
    tiles.push_back(fmt::format("mode {}, box {}, {}", readable.tile.swizzle().name,
                                tuple_text(box_of(readable.plan.map)), plural(ssize(readable.plan.copies), "copy")));
  return fmt::format("what an MMA reads: {}", fmt::join(tiles, "; "));
}

std::string plan_command(const SmemTile& tile, const Target& target) {
  return fmt::format("swz tma plan --arch {} --dtype {} --tile {} --major {}{} --swizzle {}", target.name,
                     tile.dtype().name, to_string(tile.extents()), major_word(tile.major()),
                     tile.packing() == Packing::slots ? " --slots" : "", tile.swizzle().name);
}

}  // namespace

void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none) {
  const auto& words = reading.descriptors;
  const bool is_read = reading.is_read();
  const Json json{{"read", is_read},
                  {"mode", is_read ? Json(reading.mode->name) : Json()},
                  {"lbo", is_read ? Json(words->leading.value.count) : Json()},
                  {"sbo", is_read ? Json(words->stride.value.count) : Json()},
                  {"mma", is_read ? Json{words->mma.mn, words->mma.k} : Json()},
                  {"default_of", is_read ? default_of_json(*words) : Json()},
                  {"reason", is_read ? Json() : Json(reading.reason)},
                  {"instead", instead_json(reading)}};
  if (is_read) {
    d.field("mma", "MMA", json,
            fmt::format("reads it by descriptor: mode {}, LBO {} B, SBO {} B; {}", reading.mode->name,
                        words->leading.value.count, words->stride.value.count, mma_text(*words)),
            Tone::good);
    d.add(Notes{"lints", {}});
    return;
  }
  d.field("mma", "MMA", json, "no descriptor reads it", Tone::bad);
  const bool is_none = is_tma_none && !reading.instead.empty();
  constexpr Source what_words_say{"PTX ISA 9.1, 9.7.15.5.1.2.1, 9.7.16.3 and 9.7.16.10.1"};
  d.add(Notes{"lints",
              {lint(is_none ? "tma-none-is-not-mma-none" : "no-descriptor", reading.reason, way_out(reading),
                    to_string(what_words_say))}});
  if (!reading.instead.empty())
    d.add(Paragraph{"go on: " + plan_command(reading.instead[0].tile, *reading.target), Tone::faint, true});
}

Document view_tile_plan(const TilePlanReport& report) {
  Document d(placed_text(report));
  d.answers = {"copies"};
  const auto* refusal = std::get_if<Finding>(&report.first);
  if (refusal != nullptr) {
    add_operand(d, report.operand);
    add_refusal(d, *refusal);
    add_mma_reading(d, report.mma, false);
    return d.add(Notes{"notes", {}});
  }
  const TilePlan& plan = std::get<TilePlan>(report.first);
  const std::optional<TilePlan>& folded = report.folded;
  add_counts(d, plan, folded, reason_text(plan, report.placed));
  add_operand(d, report.operand);
  add_plan(d, plan, true);
  if (report.has_stage || find_row(plan.map.data_type)->is_padded()) add_stage(d, plan);
  d.json("folded", folded ? plan_json(*folded) : Json()).json("refusal", nullptr);
  // Of several copies a short text has the list.
  const bool is_short = plan.copies.size() > 1;
  const auto drawing = [plan, folded, placed = report.placed](Medium medium) {
    return drawn(plan, folded ? &*folded : nullptr, placed, medium);
  };
  d.add(Drawing{[=](Medium medium) { return is_short && medium == Medium::terminal ? Document() : drawing(medium); }});
  if (is_short)
    d.add(in_full(Drawing{[=](Medium medium) { return medium == Medium::terminal ? drawing(medium) : Document(); }}));
  add_mma_reading(d, report.mma, plan.map.swizzle == TensorMapSwizzle::none);
  if (folded) {
    Document other;
    other.add(Paragraph{fmt::format("the map of rank {}", folded->map.rank), Tone::strong});
    add_plan(other, *folded, false);
    for (Block& block : other.blocks) d.add(in_full(std::move(block)));
  }
  return d.add(end_notes(report));
}

}  // namespace swz
