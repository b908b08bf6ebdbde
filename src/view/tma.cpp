#include "view/tma.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// ---- a tensor map

template <class Numbers>
void add_list(Document& d, const char* key, const char* label, const Numbers& numbers, int count,
              std::string_view unit = "") {
  const std::string text = fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + count, ", "));
  d.field(key, label, first_of(numbers, count), count == 0 ? "-" : fmt::format("{}{}", text, unit));
}

// im2col: of such a map, what it has in the place of a box.
void add_arguments(Document& d, const TensorMap& map, bool has_address = true, const Im2colMap* im2col = nullptr) {
  d.field("dtype", "tensorDataType", short_name(map.data_type), driver_name(map.data_type));
  d.field("rank", "tensorRank", map.rank);
  d.field("address", "globalAddress", map.global_address,
          has_address ? fmt::format("{:#x}", map.global_address) : "not printed");
  add_list(d, "dims", "globalDim", map.dims, map.dim_count());
  add_list(d, "strides", "globalStrides", map.strides, map.stride_count(), "  B");
  if (im2col != nullptr) {
    add_list(d, "lower", "pixelBoxLowerCorner", im2col->lower_corner, im2col->corner_count());
    add_list(d, "upper", "pixelBoxUpperCorner", im2col->upper_corner, im2col->corner_count());
    d.field("channels", "channelsPerPixel", im2col->channels_per_pixel);
    d.field("pixels", "pixelsPerColumn", im2col->pixels_per_column);
  } else {
    add_list(d, "box", "boxDim", map.box, map.dim_count());
  }
  add_list(d, "element_strides", "elementStrides", map.element_strides, map.dim_count());
  d.field("interleave", "interleave", short_name(map.interleave), driver_name(map.interleave));
  d.field("swizzle", "swizzle", short_name(map.swizzle), driver_name(map.swizzle));
  d.field("l2", "l2Promotion", short_name(map.l2_promotion), driver_name(map.l2_promotion));
  d.field("oob", "oobFill", short_name(map.oob_fill), driver_name(map.oob_fill));
}

void add_arguments(Document& d, const Im2colMap& map, bool has_address) {
  add_arguments(d, map.tensor, has_address, &map);
}

Json violation_json(const TensorMapViolation& v) {
  const auto number = [&](std::uint64_t bits) {
    return v.is_signed ? Json(static_cast<std::int64_t>(bits)) : Json(bits);
  };
  return {{"rule", v.rule},
          {"argument", v.argument},
          {"value", number(v.value)},
          {"bound", number(v.bound)},
          {"documented", v.is_documented()},
          {"observed", v.is_observed()},
          {"message", v.message},
          {"fix", v.hint},
          {"source", v.source}};
}

void add_violations(Document& d, const std::string& key, const std::vector<TensorMapViolation>& all) {
  d.json(key, json_list(all, violation_json));
  Notes notes{""};
  for (const TensorMapViolation& v : all) {
    notes.add(v);
    notes.findings.back().source = fmt::format("{}; {}", to_string(v.basis), v.source);
  }
  d.add(std::move(notes));
}

Json result_json(const EncodeResult& result) {
  return {
      {"value", result.code}, {"name", or_null(result.name)}, {"message", result.message}, {"hint", result.hint}};
}

Json paste_json(const PastedMap& pasted) {
  return {{"program", pasted.program},
          {"blocks", pasted.blocks},
          {"notes", json_list(pasted.notes, [](const Finding& note) { return to_json(note); })}};
}

void add_verdict(Document& d, std::int64_t violations, const std::string& where, std::string_view error) {
  d.answers = {"accepted"};
  d.field("accepted", "verdict", violations == 0,
          violations == 0 ? "accepted on " + where
                          : fmt::format("refused on {}: {}{}", where, error, plural(violations, "violation")),
          violations == 0 ? Tone::good : Tone::bad);
}

// All that follows the verdict itself.
template <class Map>
void add_reasons(Document& d, const MapVerdict<Map>& verdict) {
  const auto& result = verdict.result;
  const auto& pasted = verdict.pasted;
  if (result)
    d.line("returned", fmt::format("{}{}{}", result->code, result->name.empty() ? "" : " ", result->name),
           result->agrees ? Tone::plain : Tone::bad);
  if (pasted) d.line("printed by", std::string(pasted->program));
  add_arguments(d, verdict.map, !pasted || pasted->has_address);
  add_violations(d, "violations", verdict.violations);
  d.json("code", result ? result_json(*result) : Json());
  // Else the verdict says as much.
  if (result && (!result->agrees || !result->hint.empty()))
    d.add(Notes{"", {note(fmt::format("code-{}", result->code), result->message, result->hint)}});
  add_violations(d, "remarks", verdict.remarks);
  d.json("paste", pasted ? paste_json(*pasted) : Json());
  if (pasted) d.add(Notes{"", pasted->notes});
}

// ---- a box

constexpr std::int64_t chunk_bits = chunk.count * 8;

ComposedLayout layout_of(const BoxPlacement& box, Major major) {
  const TensorMapSwizzleRow& swizzle = *find_row(box.map().swizzle);
  const std::int64_t width = box.sizes()[0], pitch = box.pitch().count * 8 / box.element_bits();
  const bool is_k = major == Major::K;
  const Layout linear(is_k ? std::vector<IntTuple>{box.rows(), width} : std::vector<IntTuple>{width, box.rows()},
                      is_k ? std::vector<IntTuple>{pitch, 1} : std::vector<IntTuple>{1, pitch});
  if (swizzle.bits == 0) return linear;
  return ComposedLayout::smem_ptr(Swizzle(swizzle.bits, swizzle.base, swizzle.shift), box.element_bits(), linear);
}

// The chunks of the box in the order of its rows: hues are its 16-byte columns, shades its groups of eight rows.
std::vector<ChunkLook> looks_of(const BoxPlaceReport& report) {
  const std::int64_t n = chunk_bits / report.box.element_bits();
  const std::vector<BoxElement> asked = asked_elements(report).elements;
  std::vector<ChunkLook> looks;
  for (std::int64_t row = 0; row < report.box.rows(); ++row)
    for (std::int64_t column = 0; column < report.box.sizes()[0]; column += n) {
      const Point point = point_of(report, row, column, n);
      const bool is_outside = !point.chunk;
      ChunkLook look{is_outside ? "oob" : fmt::format("{}", *point.chunk),
                     {static_cast<int>(column / n % 8), static_cast<int>(row / 8 % 2 * 2)}};
      if (is_outside) look.mark = Mark::faint, look.tint = {};
      if (is_marked(report, asked, row, column, n)) look.mark = Mark::highlighted;
      look.point = point;
      looks.push_back(std::move(look));
    }
  return looks;
}

// Rows by the coordinates of dimension 1 and later, columns by those of dimension 0.
void label_box(Grid& grid, const BoxPlaceReport& report) {
  const BoxPlacement& box = report.box;
  const int rank = box.map().rank;
  grid.corner = rank < 2 ? "dim 0" : rank == 2 ? "dim 1\\0" : fmt::format("dims 1-{}\\0", rank - 1);
  const std::int64_t n = chunk_bits / box.element_bits();
  grid.row_labels = labels_of(box.rows(), 1, [&](std::int64_t row) {
    const TensorCoordinate at = box.row_start(row, report.start);
    return fmt::format("{}", fmt::join(at.begin() + 1, at.begin() + rank, ","));
  });
  grid.column_labels = labels_of(box.sizes()[0], n, [&](std::int64_t i) {
    const std::int64_t first = report.start[0] + i;
    return first < 0 && n > 1 ? fmt::format("{}..{}", first, first + n - 1) : range_text(first, n);
  });
}

Figure box_figure(const BoxPlaceReport& report, bool has_tips) {
  const BoxPlacement& box = report.box;
  const ComposedLayout layout = layout_of(box, Major::K);
  const PlacedOperand placed{"box", layout, box.address(),
                             Placement(layout, box.element_bits(), box.address(), Major::K)};
  Figure figure = chunk_figure(
      placed, {"box in the tensor", "the figure of the box", "take -f json, or a smaller box", looks_of(report)},
      has_tips);
  Grid &logical = figure.panels[0][0], &smem = figure.panels[0][1];
  label_box(logical, report);
  const auto pattern_lines = static_cast<int>(find_row(box.map().swizzle)->pattern().count / bank_row.count);
  smem.row_group = pattern_lines > 1 && box.address().is_multiple_of(box.pattern()) ? pattern_lines : 0;
  figure.caption = fmt::format(
      "A cell is 16 bytes ({}) and shows the number of its chunk in the tensor. Colour: 16-byte column "
      "of the box.{}",
      plural(placed.placement.chunk_elements(), "element"),
      box.pitch() > box.inner() ? " Cells without a number are not written." : "");
  if (!report.query.empty() || !report.highlight.empty())
    figure.legend.push_back({legend_of(report.query), {}, Mark::highlighted});
  return figure;
}

Notes box_notes(const BoxPlaceReport& report, std::int64_t filled) {
  const BoxPlacement& box = report.box;
  const TensorMap& map = box.map();
  const std::string_view swizzle = find_row(map.swizzle)->name;
  Notes notes{"notes"};
  if (box.pitch() > box.inner())
    notes.note(
        "gap",
        fmt::format("{} B after each row are not written: a row of swizzle {} takes {} B",
                    box.pitch().count - box.inner().count, swizzle, box.pitch().count),
        fmt::format("allocate {} B, expect {} B on the mbarrier", box.allocate().count, box.expect_bytes().count));
  if (!box.address().is_multiple_of(box.pattern()))
    notes.add(phase_note(box.address(), box.pattern(), fmt::format("swizzle {}", swizzle)));
  if (filled > 0)
    notes.note(
        "filled",
        fmt::format(
            "{} elements lie outside the tensor: a load fills them with {} and counts them on the mbarrier, a "
            "store leaves them out",
            filled, map.oob_fill == TensorMapOobFill::nan ? "NaN (0x7ff7 in every 16 bits)" : "0"));
  if (std::ranges::any_of(report.start, [](std::int64_t at) { return at < 0; }))
    notes.note("store-start",
               "a store cannot begin before the tensor: it faults (CUDA_ERROR_ILLEGAL_INSTRUCTION on H100)",
               "a load can");
  const bool reaches_end_of_row =
      report.start[0] + static_cast<std::int64_t>(map.box[0]) > static_cast<std::int64_t>(map.dims[0]);
  for (const TensorMapViolation& remark : remarks(map, default_target()))
    if (remark.rule == "store-end-of-row" && reaches_end_of_row) notes.add(remark);
  for (const std::string& text : box.unmeasured()) notes.note("not-measured", text);
  return notes;
}

}  // namespace

Document view_verdict(const TensorMapVerdict& verdict) {
  Document d;
  add_verdict(d, ssize(verdict.violations), std::string(verdict.target->name), "CUDA_ERROR_INVALID_VALUE, ");
  d.json("arch", verdict.target->name);
  add_reasons(d, verdict);
  return d;
}

Document view_verdict(const Im2colVerdict& verdict) {
  Document d;
  const auto& wide = verdict.map.wide;
  add_verdict(
      d, ssize(verdict.violations),
      fmt::format("{}{}", verdict.target->name, wide ? " by the documented rules, which were not measured" : ""),
      "");
  d.json("measured", !wide).json("arch", verdict.target->name);
  d.field("kind", "call",
          !wide                        ? "im2col"
          : *wide == Im2colWideMode::w ? "im2col_w"
                                       : "im2col_w128",
          wide ? fmt::format("cuTensorMapEncodeIm2colWide, mode {}", *wide == Im2colWideMode::w ? "W" : "W128")
               : "cuTensorMapEncodeIm2col");
  add_reasons(d, verdict);
  return d;
}

Document view_encoded(const TensorMap& map, const std::optional<EncodedTensorMap>& encoded,
                      const std::string& source) {
  Document d;
  add_arguments(d, map);
  d.source = source;
  d.json("tensor_map", encoded ? Json(to_hex(*encoded)) : Json());
  if (encoded) d.answers = {"words"};
  d.json("words", encoded ? json_list(encoded->words, hex64) : Json());
  if (!encoded) return d;
  Table table{"", "the 16 words", {{"", "byte", Column::Align::right}, {"", "word"}, {"", "word"}}, {}};
  for (std::size_t i = 0; i < encoded->words.size(); i += 2)
    table.rows.push_back({i * 8, hex64(encoded->words[i]), hex64(encoded->words[i + 1])});
  d.add(std::move(table));
  return d;
}

Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedTensorMap& decoded) {
  Document d;
  d.json("tensor_map", to_hex(encoded));
  d.answers = {"dtype",           "rank",       "address", "dims", "strides", "box",
               "element_strides", "interleave", "swizzle", "l2",   "oob"};
  if (decoded.map) add_arguments(d, *decoded.map);
  else
    for (const std::string& key : d.answers) d.json(key, nullptr);
  d.json("problems", json_list(decoded.problems, [](const TensorMapProblem& problem) -> Json {
           const BitField& bits = problem.bits;
           return {{"word", problem.word}, {"bits", {bits.low, bits.high()}}, {"message", problem.message}};
         }));
  Notes notes{""};
  for (const TensorMapProblem& problem : decoded.problems)
    notes.lint("not-written-so", problem.message, "", std::string(tensor_map_source.where));
  return d.add(std::move(notes));
}

SmemDestination box_destination(const BoxPlacement& box, const DType& dtype, Major major) {
  return {layout_of(box, major), dtype, Packing::packed, major, box.address()};
}

Document view_box_place(const BoxPlaceReport& report) {
  const BoxPlacement& box = report.box;
  const TensorMap& map = box.map();
  const TensorMapDataTypeRow& type = *find_row(map.data_type);
  if (report.start[0] * type.gmem_bits % (tma_start_alignment.count * 8) != 0)
    throw Error(
        fmt::format("a copy that starts at element {} of dimension 0, which is not a multiple of 16 B, faults",
                    report.start[0]),
        fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION on H200; start at a multiple of {} elements",
                    tma_start_alignment.count * 8 / type.gmem_bits));
  const Json sizes = first_of(map.box, map.rank);
  std::int64_t filled = 0;
  for (std::int64_t row = 0; row < box.rows(); ++row)
    filled += point_of(report, row, 0, box.sizes()[0]).filled.value_or(0);

  Document d(fmt::format("{} box {}, swizzle {}{}", type.short_name, tuple_text(sizes), short_name(map.swizzle),
                         box.address().count == 0 ? "" : fmt::format(", at {:#x}", box.address().count)));
  const Drawing picture{
      [report](Medium medium) { return Document().add(box_figure(report, medium == Medium::page)); }};
  if (!report.query.empty()) {
    const Asked<BoxElement> asked = asked_elements(report);
    std::vector<Point> points;
    for (const BoxElement& e : asked.elements) points.push_back(point_of(report, e.row, e.column));
    return view_points(std::move(d), points, picture, asked.notes);
  }
  d.json("dtype", type.short_name).json("box", sizes).json("swizzle", short_name(map.swizzle));
  d.json("base", box.address().count).json("start", first_of(report.start, map.rank));
  d.field("rows", "rows", box.rows(),
          fmt::format("{} of {} B, {} B apart", box.rows(), box.inner().count, box.pitch().count));
  d.json("row_bytes", box.inner().count).json("pitch", box.pitch().count);
  d.field("allocate", "allocate", box.allocate().count, fmt::format("{} B", box.allocate().count));
  d.field("expect_bytes", "mbarrier", box.expect_bytes().count,
          fmt::format("expects {} B", box.expect_bytes().count));
  d.json("alignment", tma_smem_alignment.count);
  d.field("pattern", "align", box.pattern().count,
          box.pattern() == tma_smem_alignment ? fmt::format("{} B", tma_smem_alignment.count)
                                              : fmt::format("{} B; at multiples of {} B the image looks the same",
                                                            tma_smem_alignment.count, box.pattern().count));
  d.json("filled", filled);
  d.answers = {"rows", "row_bytes", "pitch", "expect_bytes"};
  d.add(picture);
  d.json("addresses", box.addresses());
  if (report.mma) add_mma_reading(d, *report.mma, map.swizzle == TensorMapSwizzle::none);
  else d.json("mma", nullptr);
  return d.add(box_notes(report, filled));
}

}  // namespace swz
