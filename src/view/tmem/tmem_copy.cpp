// SPDX-License-Identifier: Apache-2.0
#include "view/tmem/tmem_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "arch/narrow.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/operand_map.hpp"
#include "view/tmem/tmem_figure.hpp"

namespace swz {

SmemDescriptor copy_descriptor(const TmemCopy& copy, Bytes start, const SwizzleMode& mode) {
  const bool is_plain = mode.bits == 0;
  const int units = copy.bits / 128, core = std::min(copy.rows, 8) * 16;
  return SmemDescriptor::encode({.start_address = start,
                                 .leading_byte_offset = {is_plain && units > 1 ? core : 16},
                                 .stride_byte_offset = {is_plain ? std::int64_t{units} * core : mode.atom().count},
                                 .swizzle = mode},
                                sm_100a());
}

const NarrowForm* narrow_form_of(Decompression format) {
  if (format == Decompression::none) return nullptr;
  return &require_narrow_form(MmaKind::f8f6f4, format == Decompression::fp4 ? "e2m1" : "e3m2");
}

namespace {

constexpr int unit_bytes = 16;  // of a row: they stay together without a swizzle, and decompression reads them

OperandMap source_map(const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  return operand_map(SmemDescriptor(*view.word, sm_100a()), {copy.rows, copy.bits / 8}, 8, Major::K);
}

std::vector<int> lanes_of(const TmemCopy& copy, int row) {
  std::vector<int> lanes;
  for (int time = 0; time < copy.times; ++time) lanes.push_back(copy.lane(row, time));
  return lanes;
}

std::string lanes_text(const TmemCopy& copy, int row) {
  return fmt::format("{}", fmt::join(lanes_of(copy, row), ", "));
}

std::string bytes_text(std::int64_t first, std::int64_t count) {
  return fmt::format("{:#x}-{:#x}", first, first + count - 1);
}

// Where the units of a row begin.
std::vector<std::int64_t> addresses_of(const OperandMap& map, int row) {
  std::vector<std::int64_t> addresses;
  for (std::int64_t byte = 0; byte < map.extents.k; byte += unit_bytes) addresses.push_back(map.byte(row, byte));
  return addresses;
}

std::string addresses_text(const std::vector<std::int64_t>& addresses) {
  std::string text;
  for (const std::int64_t address : addresses)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", bytes_text(address, unit_bytes));
  return text;
}

// ---- answers

void add_row(Document& d, const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  d.field("lanes", "lanes", lanes_of(copy, *view.row), lanes_text(copy, *view.row));
  d.field("columns", "columns", Json{0, copy.columns() - 1}, range_text(0, copy.columns()));
  if (!view.word) return;
  const std::vector<std::int64_t> addresses = addresses_of(source_map(view), *view.row);
  d.field("addresses", "bytes", addresses, addresses_text(addresses));
}

// Adds 16 elements for every 16 bytes of the source, a byte each in tensor memory.
void add_element(Document& d, const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  const NarrowForm* form = narrow_form_of(view.decompression);
  const int element = *view.element, count = copy.bits / 8;
  if (element < 0 || element >= count)
    throw usage_error(fmt::format("a row of {} has no element {}", full_name(copy), element),
                      fmt::format("elements are 0 to {}", count - 1));
  d.field("lanes", "lanes", lanes_of(copy, *view.row), lanes_text(copy, *view.row));
  d.field("column", "column", element / 4);
  d.field("byte", "byte", element % 4);
  const int first = form == nullptr ? 0 : form->tmem_first_bit, width = form == nullptr ? 8 : form->bits;
  const std::string bits = fmt::format("{}:{}", first + width - 1, first);
  d.field("bits", "bits", bits, bits + " of the byte");
  if (!view.word) return;
  const std::int64_t bit =
      source_map(view).place(*view.row, element / unit_bytes * unit_bytes) + element % unit_bytes * std::int64_t{width};
  d.field("address", "from byte", bit / 8, fmt::format("{:#x}, bits {}:{}", bit / 8, bit % 8 + width - 1, bit % 8));
}

// Adds what is in 32 bits of tensor memory: a word of the row, or four elements.
void add_word(Document& d, const TmemCopyView& view, int row, int word) {
  d.field("row", "source row", row);
  if (view.decompression == Decompression::none) {
    d.field("word", "word", word, fmt::format("{} of the row: bytes {}", word, range_text(4 * word, 4)));
    d.json("elements", nullptr);
  } else {
    d.json("word", nullptr);
    d.field("elements", "elements", Json{4 * word, 4 * word + 3},
            range_text(4 * word, 4) + " of the row, one byte each");
  }
  if (!view.word) return;
  const bool is_plain = view.decompression == Decompression::none;
  const std::int64_t address = source_map(view).byte(row, is_plain ? 4 * word : word / 4 * unit_bytes);
  d.field("address", "from byte", address, bytes_text(address, is_plain ? 4 : unit_bytes));
}

void add_cell(Document& d, TmemCopyView& shown) {
  const TmemCopy& copy = *shown.copy;
  const int row = copy.row(shown.cell->lane);
  if (row < 0 || shown.cell->column >= copy.columns())
    throw usage_error(
        fmt::format("{} does not write lane {}, column {}", full_name(copy), shown.cell->lane, shown.cell->column),
        fmt::format("it writes columns {}{}", range_text(0, copy.columns()),
                    copy.rows == 4 ? " of lanes 0, 32, 64 and 96" : ""));
  shown.row = row;
  add_word(d, shown, row, shown.cell->column);
}

void add_byte(Document& d, TmemCopyView& shown) {
  const OperandMap map = source_map(shown);
  const std::vector<std::int64_t> bytes = map.bytes();
  const auto found = std::ranges::find(bytes, shown.byte->count);
  if (found == bytes.end())
    throw usage_error(
        fmt::format("{} does not read byte {:#x} by this word", full_name(*shown.copy), shown.byte->count),
        fmt::format("it reads {} of the bytes from {:#x} to {:#x}", bytes.size(), *std::ranges::min_element(bytes),
                    *std::ranges::max_element(bytes)));
  const auto at = static_cast<int>(found - bytes.begin()), each = static_cast<int>(map.extents.k);
  const int row = at / each, byte = at % each, unit = byte / unit_bytes * unit_bytes;
  const NarrowForm* form = narrow_form_of(shown.decompression);
  shown.row = row;
  const int width = form == nullptr ? 8 : form->bits;
  const int first = byte % unit_bytes * 8 / width, last = (byte % unit_bytes * 8 + 7) / width;
  if (first >= unit_bytes)
    throw usage_error(fmt::format("byte {:#x} is a gap, which the copy leaves out", shown.byte->count),
                      fmt::format("16 elements of {} bits take {} of 16 bytes", width, 2 * width));
  d.field("row", "source row", row, fmt::format("{}, byte {} of it", row, byte)).json("byte", byte);
  d.field("lanes", "lanes", lanes_of(*shown.copy, row), lanes_text(*shown.copy, row));
  if (form == nullptr) {
    d.field("column", "column", byte / 4, fmt::format("{}, bits {}", byte / 4, range_text(byte % 4 * 8, 8)));
    d.json("bits", Json{byte % 4 * 8, byte % 4 * 8 + 7}).json("elements", nullptr);
  } else {
    d.field("column", "column", (unit + first) / 4, range_text((unit + first) / 4, last / 4 - first / 4 + 1));
    d.json("bits", nullptr);
    d.field("elements", "elements", Json{unit + first, unit + last},
            range_text(unit + first, last - first + 1) + " of the row, one byte each");
  }
}

// ---- without a question

struct ModeRow {
  const SwizzleMode* mode;
  SmemDescriptor descriptor;
};

Table descriptor_table(const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  std::vector<ModeRow> rows;
  // No source defines mode 128B_32B for K-major, and a row must end in its line.
  for (const SwizzleMode& mode : swizzle_modes())
    if (mode.family == SwizzleFamily::chunk_16 && (mode.bits == 0 || mode.span.count * 8 >= copy.bits))
      rows.push_back({&mode, copy_descriptor(copy, view.base, mode)});
  const auto right = Column::Align::right;
  const auto lines = [&](const ModeRow& row) {
    const std::int64_t pitch = row.mode->bits == 0 ? copy.bits / 8 : row.mode->span.count;
    return Bytes{copy.rows * pitch};
  };
  return table_of<ModeRow>(
      "descriptors", "descriptors of a compact source, by its swizzle", rows,
      {{"swizzle", "swizzle", [](const ModeRow& row) { return Cell(row.mode->name, "", Tone::strong); }},
       {"descriptor", "descriptor", [](const ModeRow& row) { return Cell(hex64(row.descriptor.word())); }},
       {"lbo", "LBO", [](const ModeRow& row) { return Cell(row.descriptor.leading_byte_offset()); }, right},
       {"sbo", "SBO", [](const ModeRow& row) { return Cell(row.descriptor.stride_byte_offset()); }, right},
       {"bytes", "takes", lines, right}});
}

void add_shape(Document& d, const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  d.field("rows", "rows", copy.rows, fmt::format("{} of {} bits in shared memory", copy.rows, copy.bits));
  d.field("columns", "columns", Json{0, copy.columns() - 1}, range_text(0, copy.columns()));
  d.field("bytes", "bytes", copy.rows * copy.bits / 8);
  if (view.word) return;
  const SmemDescriptor descriptor = copy_descriptor(copy, view.base);
  d.field("descriptor", "descriptor", hex64(descriptor.word()),
          fmt::format("{}  at address {:#x}: no swizzle, LBO {}, SBO {} B", hex64(descriptor.word()), view.base.count,
                      descriptor.leading_byte_offset().count, descriptor.stride_byte_offset().count));
  d.add(descriptor_table(view));
}

struct SourceUnit {
  int row = 0, first = 0;  // byte of the row
  std::int64_t address = 0;
};

std::vector<SourceUnit> source_units(const OperandMap& map) {
  std::vector<SourceUnit> units;
  for (int row = 0; row < map.extents.mn; ++row)
    for (int first = 0; first < map.extents.k; first += unit_bytes) units.push_back({row, first, map.byte(row, first)});
  return units;
}

// Adds the units. The groups of 8 rows are alike except for SBO: text has the first.
void add_units(Document& d, const TmemCopyView& view, const OperandMap& map) {
  const std::vector<SourceUnit> units = source_units(map);
  d.json("units", json_list(units, [](const SourceUnit& u) { return Json{u.row, u.first, u.address}; }));
  std::vector<SourceUnit> first;
  std::ranges::copy_if(units, std::back_inserter(first), [](const SourceUnit& u) { return u.row < 8; });
  const auto right = Column::Align::right;
  const std::int64_t sbo = SmemDescriptor(*view.word, sm_100a()).stride_byte_offset().count;
  d.add(table_of<SourceUnit>(
      "", view.copy->rows > 8 ? fmt::format("the first 8 rows; the next 8 are {} B further on", sbo) : "rows", first,
      {{"", "row", &SourceUnit::row, right},
       {"", "its bytes", [](const SourceUnit& u) { return Cell(nullptr, range_text(u.first, unit_bytes)); }, right},
       {"", "shared memory", [](const SourceUnit& u) { return Cell(nullptr, bytes_text(u.address, unit_bytes)); }},
       {"", "lanes", [&](const SourceUnit& u) { return Cell(nullptr, lanes_text(*view.copy, u.row)); }},
       {"", "columns", [](const SourceUnit& u) { return Cell(nullptr, range_text(u.first / 4, 4)); }, right}}));
}

// Adds what the word describes; of its lints, those that are not about an operand of an MMA.
void add_source(Document& d, Notes& lints, const TmemCopyView& view, const OperandMap& map) {
  const SmemDescriptor word(*view.word, sm_100a());
  const std::vector<std::int64_t> bytes = map.bytes();
  const auto [first, last] = std::ranges::minmax(bytes);
  d.field("reads", "source",
          {{"word", hex64(word.word())},
           {"swizzle", word.swizzle()->name},
           {"lbo", word.leading_byte_offset().count},
           {"sbo", word.stride_byte_offset().count},
           {"bytes", {first, last}}},
          fmt::format("{}: {} bytes from {:#x} to {:#x}, swizzle {}, SBO {} B{}", hex64(word.word()), bytes.size(),
                      first, last, word.swizzle()->name, word.stride_byte_offset().count,
                      view.copy->bits > 128 && word.swizzle()->bits == 0
                          ? fmt::format(", LBO {} B", word.leading_byte_offset().count)
                          : ""));
  for (Finding& finding : lint(word))
    if (finding.severity == Severity::format || finding.rule == "start-outside") lints.add(std::move(finding));
  if (const auto repeated = repeated_reads(map))
    lints.lint("source-overlap",
               fmt::format("rows {} and {} of the source share byte {:#x}: {} bytes are read more than once",
                           repeated->first.row, repeated->second.row, repeated->byte, repeated->count),
               fmt::format("a compact source has the descriptor {}",
                           hex64(copy_descriptor(*view.copy, word.start_address(), *word.swizzle()).word())),
               to_string(view.copy->source));
}

void add_answer(Document& d, TmemCopyView& shown) {
  if (shown.row && shown.element) add_element(d, shown);
  else if (shown.cell) add_cell(d, shown);
  else if (shown.byte) add_byte(d, shown);
  else if (shown.row) add_row(d, shown);
  else add_shape(d, shown);
}

}  // namespace

Document view_tmem_copy(const TmemCopyView& view) {
  const TmemCopy& copy = *view.copy;
  TmemCopyView shown = view;
  const NarrowForm* form = narrow_form_of(view.decompression);
  Document d(fmt::format("tcgen05.cp.{}{}, cta_group::{}", full_name(copy),
                         form == nullptr ? "" : fmt::format(".b8x16.{}", form->ptx), view.cta_group));
  d.answers = {"row",  "word", "elements",  "lanes",   "columns",   "column",
               "byte", "bits", "addresses", "address", "descriptor"};
  if (view.row && (*view.row < 0 || *view.row >= copy.rows))
    throw usage_error(fmt::format("{} has no row {}", full_name(copy), *view.row),
                      fmt::format("rows are 0 to {}", copy.rows - 1));
  const bool has_question = view.row || view.cell || view.byte;
  add_ctas(d, view.cta_group > 1 ? std::vector{0, 1} : std::vector{0}, view.cta_group,
           "each from its own shared memory to its own tensor memory");
  Notes lints{"lints"};
  if (view.word) {
    const OperandMap map = source_map(view);
    add_source(d, lints, view, map);
    add_answer(d, shown);
    if (!has_question) add_units(d, view, map);
  } else {
    add_answer(d, shown);
  }
  const std::string columns = range_text(0, copy.columns());
  d.headline = copy.times > 1
                   ? fmt::format("each of {} rows goes to {} lanes of columns {}", copy.rows, copy.times, columns)
                   : fmt::format("columns {} get {} of shared memory", columns, plural(copy.rows, "row"));
  d.add(tmem_copy_drawing(shown));
  std::vector<std::vector<int>> map;
  for (int row = 0; row < copy.rows && view.has_map; ++row) map.push_back(lanes_of(copy, row));
  d.json("map", view.has_map ? Json(map) : Json());
  if (form != nullptr && form->bits == 6) add_open(d, {"fp6-container"});
  else add_open(d, {});
  add_evidence(d, form != nullptr && view.element ? form->source : copy.source);
  return d.add(std::move(lints));
}

}  // namespace swz
