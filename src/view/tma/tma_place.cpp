// SPDX-License-Identifier: Apache-2.0
// View of a box: the answer of `swz tma place`, and its picture: the box in the tensor beside the lines of shared
// memory.
//
//   box 64 x 8 of bf16 at (64, 96) of a tensor of 100 x 100: chunk 4 of the box, which is chunk 1260 of the tensor, has
//   4 elements of the tensor and 4 that are filled; it is drawn half outside, and the chunks after it entirely outside
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/tile/tile_form.hpp"
#include "view/tma/tma.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {

namespace {

constexpr std::int64_t chunk_bits = chunk.count * 8;

ComposedLayout layout_of(const BoxPlacement& box, Major major) {
  const TensorMapSwizzleRow& swizzle = *find_row(box.map().swizzle);
  const std::int64_t width = box.columns(), pitch = box.pitch().count * 8 / box.column_bits();
  const bool is_k = major == Major::K;
  const Layout linear(is_k ? std::vector<IntTuple>{box.rows(), width} : std::vector<IntTuple>{width, box.rows()},
                      is_k ? std::vector<IntTuple>{pitch, 1} : std::vector<IntTuple>{1, pitch});
  if (swizzle.bits == 0) return linear;
  return ComposedLayout::smem_ptr(Swizzle(swizzle.bits, swizzle.base, swizzle.shift), box.column_bits(), linear);
}

// A chunk of the box; they are in the order of its rows.
struct BoxChunk {
  std::int64_t row = 0, column = 0;  // in the box, in rows and elements
  Point point = {};

  // The number of elements that are outside of the tensor.
  std::int64_t filled() const { return point.filled.value_or(0); }
};

std::int64_t elements_of(const BoxPlaceReport& report) { return chunk_bits / report.box.column_bits(); }

std::vector<BoxChunk> chunks_of(const BoxPlaceReport& report) {
  const std::int64_t n = elements_of(report);
  std::vector<BoxChunk> chunks;
  for (std::int64_t row = 0; row < report.box.rows(); ++row)
    for (std::int64_t i = 0; i < report.box.columns(); i += n) chunks.push_back({row, i, point_of(report, row, i, n)});
  return chunks;
}

// "8-15", and "-8..-1" before the tensor.
std::string entries_text(std::int64_t first, std::int64_t n) {
  return first < 0 && n > 1 ? fmt::format("{}..{}", first, first + n - 1) : range_text(first, n);
}

// Hues are the 16-byte columns of the box.
Tint tint_of(const BoxChunk& c, std::int64_t n) { return {static_cast<int>(c.column / n % 8)}; }

// A page has short numbers: those in the box. What is asked for is named by its number in the tensor.
bool counts_in_box(const BoxPlaceReport& report, bool is_page) {
  return is_page && report.query.empty() && report.highlight.empty();
}

// Parts outside of the tensor are drawn as such on a page, and named in text, where a number that ends in "|" is cut.
std::vector<ChunkLook> looks_of(const std::vector<BoxChunk>& chunks, const BoxPlaceReport& report, bool is_page) {
  const std::int64_t n = elements_of(report);
  const std::vector<BoxElement> asked = asked_elements(report).elements;
  std::vector<ChunkLook> looks;
  for (const BoxChunk& c : chunks) {
    const bool is_outside = c.filled() == n;
    ChunkLook look;
    look.point = c.point;
    look.outside = static_cast<double>(c.filled()) / static_cast<double>(n);
    if (is_outside) {
      look.text = is_page ? "" : "oob";
      look.mark = Mark::faint;
    } else {
      const std::optional<std::int64_t> number = counts_in_box(report, is_page) ? std::ssize(looks) : c.point.chunk;
      look.text = number ? fmt::format("{}{}", *number, c.filled() > 0 && !is_page ? "|" : "") : "";
      look.tint = tint_of(c, n);
    }
    if (is_marked(report, asked, c.row, c.column, n)) look.mark = Mark::highlighted;
    looks.push_back(std::move(look));
  }
  return looks;
}

bool has_gaps(const BoxPlacement& box) { return box.form() != nullptr && box.form()->has_gaps; }

// As the title and JSON name the copy.
std::string_view form_name(const BoxPlacement& box) {
  if (box.is_gather()) return "gather4";
  if (box.image() == nullptr) return "box";
  const auto& wide = box.image()->map.wide;
  return !wide ? "im2col" : *wide == Im2colWideMode::w ? "im2col::w" : "im2col::w::128";
}

// "W -1 to 3 in steps of 1, H …"
std::string axes_text(const Im2colWalk& walk) {
  std::string text;
  for (int i = 0; i < walk.axis_count(); ++i) {
    const Im2colAxis& axis = walk.axis(i);
    text += fmt::format("{}{} {} to {}", i == 0 ? "" : ", ", "WHD"[i], axis.lower, axis.end - 1);
    if (axis.step != 1) text += fmt::format(" in steps of {}", axis.step);
  }
  return text;
}

std::string_view fill_of(const BoxPlaceReport& report) {
  return report.box.map().oob_fill == TensorMapOobFill::nan ? "NaN" : "0";
}

std::vector<LegendEntry> legend_of(const std::vector<BoxChunk>& chunks, const BoxPlaceReport& report) {
  const std::int64_t n = elements_of(report), columns = report.box.columns() / n;
  std::vector<LegendEntry> legend;
  const BoxChunk* cut = nullptr;
  bool has_outside = false;
  std::array<bool, 8> is_shown = {};
  for (const BoxChunk& c : chunks) {
    if (c.filled() == n) has_outside = true;
    else is_shown[static_cast<std::size_t>(c.column / n % 8)] = true;
    if (c.filled() > 0 && c.filled() < n) cut = &c;
  }
  for (int hue = 0; hue < 8; ++hue)
    if (is_shown[static_cast<std::size_t>(hue)])
      legend.push_back(
          {fmt::format("{}{}", entries_text(report.start[0] + hue * n, n), columns > 8 ? ", …" : ""), {hue, 0}});
  if (has_outside)
    legend.push_back({fmt::format("outside the tensor, filled with {}", fill_of(report)), {}, Mark::none, 1});
  if (cut != nullptr)
    legend.push_back(
        {fmt::format("the tensor ends here: {} inside, {} filled with {}",
                     entries_text(report.start[0] + cut->column, n - cut->filled()),
                     entries_text(report.start[0] + cut->column + n - cut->filled(), cut->filled()), fill_of(report)),
         tint_of(*cut, n), Mark::none, 0.5});
  if (has_gaps(report.box)) legend.push_back({"gap: holds no element", {}, Mark::none, 1});
  if (report.box.pitch() > report.box.inner()) legend.push_back({"not written", {}});
  if (!report.query.empty() || !report.highlight.empty())
    legend.push_back({legend_of(report.query), {}, Mark::highlighted});
  return legend;
}

// Labels rows by the coordinates of dimension 1 and later, and columns by those of dimension 0.
void label_box(Grid& grid, const BoxPlaceReport& report) {
  const BoxPlacement& box = report.box;
  const int rank = box.map().rank;
  // With interleave a pixel is a row along W already; its bytes are the channels of a slice.
  const bool has_slices = box.walk() != nullptr && box.walk()->axis(0).dim == 0;
  if (has_slices) grid.corner = fmt::format("dims 0-{}\\B", rank - 1);
  else if (box.walk() != nullptr)
    grid.corner = fmt::format("{}\\C", rank == 3 ? "W,N" : rank == 4 ? "W,H,N" : "W,H,D,N");
  else grid.corner = rank < 2 ? "dim 0" : rank == 2 ? "dim 1\\0" : fmt::format("dims 1-{}\\0", rank - 1);
  const std::int64_t n = chunk_bits / box.column_bits();
  grid.row_labels = labels_of(box.rows(), 1, [&](std::int64_t row) {
    const TensorCoordinate at = box.row_start(row, report.start);
    return fmt::format("{}", fmt::join(at.begin() + (has_slices ? 0 : 1), at.begin() + rank, ","));
  });
  grid.column_labels = labels_of(box.columns(), n, [&](std::int64_t i) {
    return has_slices ? range_text(i * chunk.count, chunk.count) : entries_text(report.start[0] + box.along(i), n);
  });
  const auto rows = std::ssize(grid.row_labels), columns = std::ssize(grid.column_labels);
  grid.arrows = {{Grid::Arrow::Kind::extent, {0, 0}, {0, columns}, fmt::format("{} B", box.inner().count)},
                 {Grid::Arrow::Kind::extent, {0, 0}, {rows, 0}, plural(rows, "row")}};
  const TensorMap& map = box.map();
  const bool has_lines = box.is_tile() && rank > 1 && map.box[1] > 1 && map.element_strides[1] == 1;
  if (has_lines && map.interleave == TensorMapInterleave::none)
    grid.arrows.push_back({Grid::Arrow::Kind::distance, {0, 0}, {1, 0}, fmt::format("{} B", map.strides[0])});
}

// How far apart the rows of the tensor are, where they are not packed.
std::string pitch_text(const TensorMap& map) {
  if (map.rank < 2 || map.interleave != TensorMapInterleave::none) return {};
  const std::int64_t bits = static_cast<std::int64_t>(map.dims[0]) * find_row(map.data_type)->gmem_bits;
  const auto pitch = static_cast<std::int64_t>(map.strides[0]);
  if (pitch * 8 == bits) return {};
  return fmt::format(" Rows of the tensor are {} B apart{}.", pitch,
                     bits % (tma_start_alignment.count * 8) != 0
                         ? fmt::format(": {} B is not a multiple of {}", bits / 8, tma_start_alignment.count)
                         : "");
}

Figure box_figure(const BoxPlaceReport& report, const std::vector<BoxChunk>& chunks, bool is_page) {
  const BoxPlacement& box = report.box;
  const ComposedLayout layout = layout_of(box, Major::K);
  const PlacedOperand placed{"box", layout, box.address(),
                             Placement(layout, box.column_bits(), box.address(), Major::K, box.form(), box.target())};
  const int rank = box.map().rank;
  Figure figure =
      chunk_figure(placed,
                   {fmt::format("{}: {} at {} of {}", is_page ? "global memory" : "GMEM", form_name(box),
                                tuple_text(first_of(report.start, box.is_gather() ? 1 + gathered_rows : rank)),
                                tuple_text(first_of(box.map().dims, rank))),
                    "the figure of the box", "take -f json, or a smaller box", looks_of(chunks, report, is_page)},
                   is_page);
  Grid &logical = figure.panels[0][0], &smem = figure.panels[0][1];
  label_box(logical, report);
  const auto pattern_lines = static_cast<int>(find_row(box.map().swizzle)->pattern().count / bank_row.count);
  smem.row_group = pattern_lines > 1 && box.address().is_multiple_of(box.pattern()) ? pattern_lines : 0;
  figure.legend = legend_of(chunks, report);
  figure.legend_title = "colour: dimension 0";
  figure.caption = fmt::format("A cell is 16 bytes ({}) and shows the number of its chunk in the {}.",
                               plural(placed.placement.chunk_elements(), "element"),
                               counts_in_box(report, is_page) ? "box" : "tensor");
  figure.caption += pitch_text(box.map());
  if (has_gaps(box))
    figure.caption += fmt::format(" The first {} B of a chunk hold its elements, the last {} are not written.",
                                  chunk.count - box.form()->gap_bytes(), box.form()->gap_bytes());
  const auto is_cut = [](const BoxChunk& c) { return c.filled() > 0; };
  if (!is_page && std::ranges::any_of(chunks, is_cut))
    figure.caption +=
        fmt::format(" oob: outside the tensor, filled with {}; |: the tensor ends in this chunk.", fill_of(report));
  if (!is_page && box.pitch() > box.inner()) figure.caption += " Cells without a number are not written.";
  return figure;
}

// Of an im2col copy: what its rows beyond the pixels are, and channels that no pixel has.
void add_walk_notes(Notes& notes, const BoxPlaceReport& report) {
  const Im2colWalk& walk = *report.box.walk();
  const ImageCopy& image = *report.box.image();
  if (walk.rows() > walk.main_rows())
    notes.note("halo",
               image.map.wide == Im2colWideMode::w128
                   ? fmt::format("rows {} to {} are the halo: row 128 + 4 h + c is the place h after pixels 32 c to "
                                 "32 c + 31",
                                 walk.main_rows(), walk.rows() - 1)
                   : fmt::format("rows {} to {} are the halo: the walk goes on", walk.main_rows(), walk.rows() - 1));
  const auto channels = static_cast<std::int64_t>(image.map.tensor.dims[0]);
  if (image.map.tensor.interleave == TensorMapInterleave::none && report.start[0] >= channels)
    notes.note("channels-beyond",
               fmt::format("the copy starts at channel {} of {}: every row is filled", report.start[0], channels));
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
        fmt::format("{} elements lie outside the tensor: a load fills them with {} and counts them on the mbarrier, a "
                    "store leaves them out",
                    filled, map.oob_fill == TensorMapOobFill::nan ? "NaN (0x7ff7 in every 16 bits)" : "0"));
  if (box.walk() == nullptr && std::ranges::any_of(report.start, [](std::int64_t at) { return at < 0; }))
    notes.note("store-start",
               "a store cannot begin before the tensor: it faults (CUDA_ERROR_ILLEGAL_INSTRUCTION on H100)",
               "a load can");
  const bool reaches_end_of_row = report.start[0] + box.columns() > static_cast<std::int64_t>(map.dims[0]);
  if (box.walk() != nullptr) add_walk_notes(notes, report);
  else
    for (const TensorMapViolation& remark : remarks(map, default_target()))
      if (remark.rule == "store-end-of-row" && reaches_end_of_row) notes.add(remark);
  for (const std::string& text : box.unmeasured()) notes.note("not-measured", text);
  return notes;
}

// The fields of a copy that is no tile.
void add_form(Document& d, const BoxPlaceReport& report) {
  const BoxPlacement& box = report.box;
  if (box.is_tile()) return;
  d.json("form", form_name(box));
  if (const Im2colWalk* walk = box.walk()) {
    const ImageCopy& copy = *box.image();
    d.field("lower", "pixels", first_of(copy.map.lower_corner, walk->axis_count()), axes_text(*walk));
    d.json("upper", first_of(copy.map.upper_corner, walk->axis_count()));
    d.field("offsets", "offsets", first_of(copy.offsets.filter, walk->axis_count()),
            fmt::format("{}: added to each pixel, not to where the walk turns",
                        tuple_text(first_of(copy.offsets.filter, walk->axis_count()))));
    d.json("halo", copy.offsets.halo).json("main_rows", walk->main_rows());
  }
  Json coordinates = Json::array();
  for (std::int64_t row = 0; row < box.rows(); ++row)
    coordinates.push_back(first_of(box.row_start(row, report.start), box.map().rank));
  d.json("coordinates", coordinates);
}

// "8 rows of 128 B: expect 1024 B on the mbarrier"
std::string headline_of(const BoxPlacement& box, std::int64_t filled, std::string_view fill) {
  if (filled > 0)
    return fmt::format("expect {} B; {} of {} elements lie outside and become {}", box.expect_bytes().count, filled,
                       box.rows() * box.columns(), fill);
  return fmt::format("{} of {} B: expect {} B on the mbarrier",
                     plural(box.rows(), box.walk() != nullptr ? "pixel" : "row"), box.inner().count,
                     box.expect_bytes().count);
}

}  // namespace

SmemDestination box_destination(const BoxPlacement& box, const DType& dtype, Major major) {
  const Packing packing = dtype.memory_bits == box.column_bits() ? Packing::packed : Packing::slots;
  return {layout_of(box, major), dtype, packing, major, box.address()};
}

Drawing box_drawing(const TensorMap& map, std::string title) {
  return {[map, title = std::move(title)](Medium medium) {
    Document d;
    const TensorMapSwizzleRow& swizzle = *find_row(map.swizzle);
    std::int64_t bytes =
        std::max(swizzle.span.count, static_cast<std::int64_t>(map.box[0]) * find_row(map.data_type)->smem_bits / 8);
    for (std::size_t i = 1; i < static_cast<std::size_t>(map.dim_count()); ++i)
      bytes *= static_cast<std::int64_t>(map.box[i]);
    if (medium != Medium::page || map.interleave != TensorMapInterleave::none || swizzle.flips_halves ||
        bytes > smem_window(nullptr).count)
      return d;
    const BoxPlaceReport report{BoxPlacement(map, Bytes{0}), {}, Major::K, std::nullopt};
    Figure figure = box_figure(report, chunks_of(report), true);
    // Each row of the tensor is like the first ones.
    constexpr std::size_t few_rows = 8;
    Grid& tensor = figure.panels.front().front();
    if (const std::size_t rows = tensor.squares.size(); rows > few_rows) tensor.key_rows = {0, 1, 2, rows - 1};
    figure.title = title;
    d.add(std::move(figure));
    return d;
  }};
}

namespace {

// Throws Error for a start that faults.
void require_start(const BoxPlaceReport& report) {
  const BoxPlacement& box = report.box;
  const TensorMapDataTypeRow& type = *find_row(box.map().data_type);
  if (report.start[0] * box.element_gmem_bits() % (tma_start_alignment.count * 8) != 0)
    throw Error(fmt::format("a copy that starts at element {} of dimension 0, which is not a multiple of 16 B, faults",
                            report.start[0]),
                fmt::format("CUDA_ERROR_ILLEGAL_INSTRUCTION on H200; start at a multiple of {} elements",
                            tma_start_alignment.count * 8 / box.element_gmem_bits()));
  if (type.is_padded() && report.start[0] % padded_box != 0)
    throw Error(fmt::format("a copy of {} cannot start at element {} of dimension 0", type.name, report.start[0]),
                fmt::format("its first coordinate is a multiple of {}: PTX ISA 9.1, 9.7.9.27.1.1", padded_box));
  if (box.walk() != nullptr) require_fine_start(box, report.start);
}

}  // namespace

Document view_box_place(const BoxPlaceReport& report) {
  require_start(report);
  const BoxPlacement& box = report.box;
  const TensorMap& map = box.map();
  const TensorMapDataTypeRow& type = *find_row(map.data_type);
  const Json sizes = box.is_tile() ? first_of(map.box, map.rank) : first_of(box.sizes(), 2);
  const std::vector<BoxChunk> chunks = chunks_of(report);
  std::int64_t filled = 0;
  for (const BoxChunk& c : chunks) filled += c.filled();
  const auto is_named = [&](const BoxChunk& c) { return is_marked(report, {}, c.row, c.column, elements_of(report)); };
  if (!report.highlight.empty() && std::ranges::none_of(chunks, is_named))
    throw usage_error("nothing of the box is highlighted",
                      "rows and columns count in the box, chunks are the numbers in its cells, bytes are addresses");

  Document d(fmt::format("{} {} {}, swizzle {}{}", type.short_name, form_name(box), tuple_text(sizes),
                         short_name(map.swizzle),
                         box.address().count == 0 ? "" : fmt::format(", at {:#x}", box.address().count)));
  d.headline = headline_of(box, filled, fill_of(report));
  const Drawing picture{
      [report, chunks](Medium medium) { return Document().add(box_figure(report, chunks, medium == Medium::page)); }};
  if (!report.query.empty()) {
    const Asked<BoxElement> asked = asked_elements(report);
    std::vector<Point> points;
    for (const BoxElement& e : asked.elements) points.push_back(point_of(report, e.row, e.column));
    d.headline.clear();  // that of the points
    return view_points(std::move(d), points, picture, asked.notes);
  }
  if (filled > 0 || !box.is_tile()) d.line("verdict", d.headline);
  d.json("dtype", type.short_name).json("box", sizes).json("swizzle", short_name(map.swizzle));
  d.json("base", box.address().count);
  d.json("start", first_of(report.start, box.is_gather() ? 1 + gathered_rows : map.rank));
  add_form(d, report);
  d.field("rows", "rows", box.rows(),
          fmt::format("{} of {} B, {} B apart", box.rows(), box.inner().count, box.pitch().count));
  d.json("row_bytes", box.inner().count).json("pitch", box.pitch().count);
  d.field("allocate", "allocate", box.allocate().count, fmt::format("{} B", box.allocate().count));
  d.field("expect_bytes", "mbarrier", box.expect_bytes().count, fmt::format("expects {} B", box.expect_bytes().count));
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
  else d.json("mma", nullptr).add(Notes{"lints", {}});
  if (type.is_padded()) {
    const std::vector<std::string_view> open{"tx-bytes", "padded-swizzle"};
    d.json("open", open_json(open)).json("evidence", to_string(box.form()->source.evidence));
    d.add(open_notes(open));
  }
  return d.add(box_notes(report, filled));
}

}  // namespace swz
