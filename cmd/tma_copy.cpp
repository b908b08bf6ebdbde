// SPDX-License-Identifier: Apache-2.0
// swz tma place, swz tma plan: where one copy puts a box, and the copies by which TMA makes a tile, or any layout.
#include <algorithm>
#include <limits>

#include "arch/tma_form.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "highlight.hpp"
#include "operand_request.hpp"
#include "point_request.hpp"
#include "tensor_map_request.hpp"
#include "view/tma/tma.hpp"

namespace swz {
namespace {

// --- place

struct PlaceRequest {
  TensorMapRequest map;
  Im2colRequest im2col;
  NumberList offsets;                // of an im2col copy
  std::optional<std::int64_t> halo;  // of the wide ones
  NumberList gather;                 // the rows of gather4
  NumberList start;                  // coordinates; empty: the first element, of im2col the first pixel
  Bytes base;
  Major major = Major::K;
  PointQuery query;
  std::string highlight;  // what may be named depends on the box
};

Options place_options(PlaceRequest& r) {
  Options options = tensor_map_options(r.map);
  for (Option& option : options) {
    if (option.name() == "--dims") {
      option.help = "globalDim, to number chunks and show what is filled";
      option.initial_note = "the box";
    }
    if (option.name() == "--strides") {
      option.help = "globalStrides in bytes";
      option.initial_note = "no gap";
      option.needs = {"--dims"};
    }
  }
  Options im2col = im2col_options(r.im2col);
  im2col.front().help = "an im2col copy: what its rows are, pixel by pixel";
  return std::move(options) + std::move(im2col) +
         Options{
             number_list("--offsets", "N,...", r.offsets, "offsets of the filter along W, H, D, as the copy has them")
                 .in("elements")
                 .by_default_note("0 for each")
                 .needing({"--im2col"}),
             number("--halo", "N", r.halo, 0, 511, "wHalo of im2col::w and im2col::w::128").needing({"--wide"}),
             number_list("--gather", "Y,Y,Y,Y", r.gather, "the rows of tile::gather4 or tile::scatter4")
                 .needing({"--dims"})
                 .excluding({"--im2col"}, "gather4 takes a tiled map of rank 2"),
             number_list("--start", "N,N,...", r.start,
                         "coordinates of the copy, innermost first; with --gather the column")
                 .in("elements")
                 .by_default_note("0 for each, of im2col the lower corner"),
             base_option(r.base, "shared-memory address of the box"),
             major_option(r.major, "how an MMA reads the box: k if dimension 0 is K, otherwise mn"),
             option("--highlight", "WHAT", r.highlight,
                    "mark cells: 'rows 0-7; columns 0-63', 'chunks 0,2' or 'bytes 0x400-0x40f'")} +
         point_options(r.query, "N,N,...");
}

constexpr std::uint64_t most_dim = std::uint64_t{1} << 32;

// The dims of the box; what is wrong with the box is reported by its own rule.
NumberList dims_of(const NumberList& box) {
  NumberList dims;
  for (const std::uint64_t extent : box) dims.push_back(std::clamp<std::uint64_t>(extent, 1, most_dim));
  return dims;
}

// Rows in order, each at the next multiple of 16 B.
NumberList packed_strides(const TensorMapRequest& r) {
  const TensorMapDataTypeRow* type = find_row(r.dtype.type);
  std::int64_t stride = 0;
  NumberList strides;
  for (std::size_t i = 0; i + 1 < r.dims.size() && type != nullptr; ++i) {
    const auto dim = static_cast<std::int64_t>(std::min(r.dims[i], most_dim));
    stride = i == 0 ? ceil_div(dim * type->gmem_bits, 128) * 16 : checked_mul(stride, dim);
    strides.push_back(static_cast<std::uint64_t>(stride));
  }
  return strides;
}

// Without --dims the tensor has the extents of the box.
TensorMap map_of(TensorMapRequest r) {
  if (r.dims.empty()) r.dims = dims_of(r.box);
  r.has_dims = true;
  if (r.strides.empty()) r.strides = packed_strides(r);
  return tensor_map_of(r);
}

std::int64_t coordinate_of(std::uint64_t number) {
  const auto at = static_cast<std::int64_t>(number);
  if (at < std::numeric_limits<std::int32_t>::min() || at > std::numeric_limits<std::int32_t>::max())
    throw usage_error(fmt::format("the coordinate {} does not fit in 32 bits", at),
                      "the instruction takes signed 32-bit coordinates, in elements");
  return at;
}

TensorCoordinate start_of(const PlaceRequest& r, const BoxPlacement& box) {
  TensorCoordinate start = {};
  if (const Im2colWalk* walk = box.walk(); walk != nullptr && r.start.empty())
    for (int i = 0; i < walk->axis_count(); ++i) start[walk->axis(i).dim] = walk->axis(i).lower;
  const std::int64_t wanted = box.is_gather() ? 1 : box.map().rank;
  if (!r.start.empty() && ssize(r.start) != wanted)
    throw usage_error(
        fmt::format("--start has {}; {} {}", plural(ssize(r.start), "number"),
                    box.is_gather() ? "with --gather it is one column,"
                    : box.is_tile() ? "the box has"
                                    : "the tensor has",
                    plural(wanted, box.is_gather() ? "number" : "dimension")),
        box.is_gather() ? "the rows are those of --gather" : "a coordinate for each dimension, innermost first");
  for (std::size_t i = 0; i < r.start.size(); ++i) start[i] = coordinate_of(r.start[i]);
  for (std::size_t i = 0; i < r.gather.size(); ++i) start[1 + i] = coordinate_of(r.gather[i]);
  return start;
}

// The type by which an MMA would read the elements; null if no MMA reads them.
const DType* operand_type(const std::string& name, const BoxPlacement& box) {
  const TensorMapDataTypeRow& type = *find_row(box.map().data_type);
  if (type.value == TensorMapDataType::u4_align16) return &require_dtype("e2m1");
  const DType* dtype = find_dtype(name);
  if (dtype == nullptr) dtype = find_dtype(type.short_name);
  return dtype != nullptr && dtype->memory_bits == box.element_bits() ? dtype : nullptr;
}

// The target, which has to have the form of TMA. Without --arch one that has it.
const Target& target_with(std::string_view form, const Context& context) {
  const TmaForm& row = *std::ranges::find(tma_forms(), form, &TmaForm::name);
  if (runs_on(row.availability, context.target())) return context.target();
  if (context.arch == nullptr) return sm_100a();
  throw Error(fmt::format("{} has no {}", context.target().name, form), "sm_100 and later; --arch sm_100a", {},
              ErrorKind::input);
}

ImageCopy image_of(const PlaceRequest& r) {
  TensorMapRequest tensor = r.map;
  if (tensor.strides.empty()) tensor.strides = packed_strides(tensor);
  ImageCopy copy{im2col_map_of(r.im2col, tensor), {}};
  const auto corners = static_cast<std::size_t>(copy.map.corner_count());
  if (!r.offsets.empty() && r.offsets.size() != corners)
    throw usage_error(fmt::format("--offsets has {}; a map of rank {} takes {}", plural(ssize(r.offsets), "number"),
                                  copy.map.tensor.rank, corners),
                      "the offset of the filter's entry along W, then H, then D");
  for (std::size_t i = 0; i < r.offsets.size(); ++i) copy.offsets.filter[i] = static_cast<std::int64_t>(r.offsets[i]);
  copy.offsets.halo = r.halo.value_or(0);
  return copy;
}

BoxPlacement placement_of(const PlaceRequest& r, const Context& context) {
  if (r.im2col.is_im2col) {
    const ImageCopy copy = image_of(r);
    const Target& target = !copy.map.wide
                               ? context.target()
                               : target_with(*copy.map.wide == Im2colWideMode::w ? "im2col::w load to shared::cta"
                                                                                 : "im2col::w::128 load to shared::cta",
                                             context);
    require_possible(copy.map, target);
    return {copy, r.base, &target};
  }
  if (r.map.box.empty())
    throw usage_error("no box given", "the elements of a box along each dimension, innermost first: --box 64,128");
  if (r.gather.empty()) {
    const TensorMap map = map_of(r.map);
    require_possible(map, context.target());
    return {map, r.base, &context.target()};
  }
  if (r.gather.size() != gathered_rows)
    throw usage_error(fmt::format("--gather has {}; gather4 and scatter4 take 4", plural(ssize(r.gather), "row")),
                      "a row may be named twice in a gather: --gather 7,3,3,900");
  const Target& target = target_with("tile::gather4 load to shared::cta", context);
  const TensorMap map = map_of(r.map);
  require_possible(map, target);
  return {GatherCopy{map}, r.base, &target};
}

Answer place_answer(const PlaceRequest& r, const Context& context) {
  const BoxPlacement box = placement_of(r, context);
  BoxPlaceReport report{box, start_of(r, box), r.major, std::nullopt};
  // Four rows are no operand.
  if (const DType* dtype = operand_type(r.map.dtype.text, box); dtype != nullptr && !box.is_gather())
    report.mma = mma_reading(box_destination(box, *dtype, report.major), *box.target());
  report.query = r.query;
  report.highlight = parse_highlight(r.highlight, [&] { return highlight_kinds(report); });
  return {view_box_place(report), 0, r.query.empty() && report.mma && !report.mma->is_read()};
}

// --- plan

struct PlanRequest {
  OperandRequest placed;
  std::optional<TileExtents> operand;  // none: the tile itself
  std::optional<Bytes> stride;         // none: without a gap
  int rank = 0;                        // 0: 2, or as many as are needed
};

// A convolution shares none of the options of an operand.
Option conv_refusal() {
  return Option{"--conv", "", "refused: swz tma conv plans convolutions",
                [](const std::string&) {
                  throw usage_error("--conv: convolutions have a command of their own",
                                    "swz tma conv --input 8,56,56,64 --filter 3,3 --pad 1");
                }}
      .hidden();
}

Options plan_options(PlanRequest& r) {
  return operand_options(r.placed) +
         Options{conv_refusal(),
                 option("--operand", "MNxK", r.operand, "extents of the operand in global memory")
                     .in("elements")
                     .by_default_note("the tile's"),
                 option("--stride", "BYTES", r.stride, "bytes from one line of the operand to the next")
                     .in("bytes")
                     .by_default_note("no gap"),
                 number("--rank", "N", r.rank, 2, 5, "highest rank of the map")
                     .by_default_note("2, or the lowest that suffices")};
}

SmemDestination destination_of(const PlacedOperand& placed, const OperandRequest& r) {
  if (placed.tile) return *placed.tile;
  return {placed.layout, dtype_of(r), r.tile.packing(), placed.placement.major(), placed.base};
}

GmemOperand operand_of(const PlanRequest& r, const SmemDestination& to, const Target& target) {
  const TileRequest& tile = r.placed.tile;
  const bool is_half = tile.cta_group == 2;
  GmemOperand operand = packed_operand(to, target, r.operand.value_or(is_half ? tile.extents.value() : to.extents()));
  if (is_half) operand.tile_at.mn = PairHalf{tile.cta, tile.extents->mn}.first_row();
  if (r.stride) operand.line_stride = *r.stride;
  return operand;
}

std::variant<TilePlan, Finding> first_plan(const PlanRequest& request, const SmemDestination& to,
                                           const GmemOperand& operand, const Target& target) {
  std::variant<TilePlan, Finding> plan = plan_tile(to, operand, target, request.rank == 0 ? 2 : request.rank);
  for (int rank = 3; request.rank == 0 && rank <= tensor_map_max_rank && plan.index() == 1; ++rank)
    if (auto higher = plan_tile(to, operand, target, rank); higher.index() == 0) plan = std::move(higher);
  return plan;
}

Answer plan_answer(const PlanRequest& asked, const Context& context) {
  const PlanRequest r = with_layout(asked, &PlanRequest::placed);
  const TileRequest& tile = r.placed.tile;
  const Target& target = target_of(tile, context);
  PlacedOperand placed = placed_operand(r.placed, target);
  const SmemDestination to = destination_of(placed, r.placed);
  const GmemOperand operand = operand_of(r, to, target);
  TilePlanReport report{std::move(placed),       to.dtype,           operand, first_plan(r, to, operand, target), {},
                        mma_reading(to, target), tile.cta_group == 2};
  if (const auto* first = std::get_if<TilePlan>(&report.first)) {
    TilePlan folded = std::get<TilePlan>(plan_tile(to, operand, target, tensor_map_max_rank));
    if (folded.copies.size() < first->copies.size()) report.folded = std::move(folded);
  }
  return {with_form(view_tile_plan(report), r.placed, *report.dtype, context, true),
          std::holds_alternative<Finding>(report.first) ? 1 : 0, !report.mma.is_read()};
}

}  // namespace

Commands tma_copy_commands() {
  return {
      {.name = "tma place",
       .summary = "where one copy puts the bytes of a box",
       .details = R"(Takes the arguments of a tensor map (a box is enough) and shows the box with its
chunks of 16 bytes, numbered as in the tensor, next to the lines of shared
memory where the copy puts them: the distance between two rows, the bytes to
allocate, the bytes that the mbarrier counts, the gaps that are not written,
what is filled because it is outside the tensor, and whether an MMA reads the
box by descriptor.

With --im2col each row is a pixel: which one, and what is filled because the
filter reaches over the edge. With --gather each row is one of four that the
instruction names.

The rules of tiles and of im2col were measured on H200 and H100; gather4 and
im2col::w need Blackwell and were not.)",
       .examples = {{"swz tma place --dtype bf16 --box 32,8", "8 x 64 B without a swizzle: TMA none is not MMA none"},
                    {"swz tma place --dtype bf16 --box 16,8 --swizzle 64B --base 0x400",
                     "rows narrower than the swizzle leave gaps"},
                    {"swz tma place --dtype bf16 --box 64,8 --swizzle 128B --dims 100,100 --start 64,96",
                     "at the corner of a tensor"},
                    {"swz tma place --dtype f16 --dims 64,4,4,1 --im2col --lower -1,-1 --upper -1,-1 --channels 64 "
                     "--pixels 16 --swizzle 128B --offsets 2,0",
                     "entry (2, 0) of a 3x3 filter with padding 1"},
                    {"swz tma place --dtype bf16 --dims 256,1000 --box 64,1 --swizzle 128B --gather 7,3,3,1000 "
                     "--start 64 --arch sm_100a",
                     "four rows of a table, one of them outside"}},
       .next = {{"Where does an MMA read 128 such rows?",
                 "place {?coordinates} --dtype {dtype} --tile 128x{box.0} --swizzle {swizzle}"},
                {"Which boxes does a whole tile need?",
                 "tma plan --dtype {dtype} --tile {box.1}x{box.0} --swizzle {swizzle}"},
                {"Which words read it?",
                 "desc {?mma.lbo} --dtype {dtype} --tile {box.1}x{box.0} --swizzle {swizzle} --base {base}"},
                {"Does the pattern begin where the box does?", "phase {?mma.mode} --swizzle {swizzle} --base {base}"}},
       .prepare = [] { return prepare(place_options, place_answer); }},
      {.name = "tma plan",
       .summary = "the TMA copies that fill a tile; exit 1 when there are none",
       .details = R"(Shows the tensor map and the copies that fill a tile or any layout: the box, the
coordinate and the SMEM offset of each copy, how many bytes of global memory one
line of a box requests, and why fewer copies are not enough. If a map of higher
rank, which folds the operand into more dimensions, takes fewer copies, it is
shown as well.

For a layout it also shows whether an MMA reads the result by descriptor, and if
not, the box that an MMA would read.

Coordinates are those of a tile that begins at element (0, 0) of the operand;
with --cta-group 2 those of one CTA, which copies its half of the rows.

4- and 6-bit elements with gaps fill more shared memory than the mbarrier
counts: in a stage both are shown.)",
       .examples = {{"swz tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first", "16 copies, or 1"},
                    {"swz tma plan --dtype bf16 --tile 128x64 --operand 8192x4096", "a tile of a larger operand"},
                    {"swz tma plan --kind mxf8f6f4 --dtype e2m1 --tile 256x128 --cta-group 2 --cta 1",
                     "fp4 with gaps, the half of the second CTA"},
                    {"swz tma plan --dtype bf16 --layout '(8,32):(32,1)'", "one box, but not what an MMA reads"}},
       .next =
           {{"Is its tensor map accepted?",
             "tma check {!--kind} --dtype {dtype} --dims {dims} --strides {strides} --box {box} --swizzle {swizzle}"},
            {"Where does the first box land?",
             "tma place --dtype {dtype} --dims {dims} --strides {strides} --box {box} --swizzle {swizzle}"},
            {"Which words read the tile?", "desc {!--layout} {operand}"},
            {"How does the tile get to its MMA?", "story {!--layout} {operand}"}},
       .prepare = [] { return prepare(plan_options, plan_answer); }}};
}

}  // namespace swz
