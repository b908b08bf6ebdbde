// swz tma place: where one copy puts a box.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "command.hpp"
#include "im2col_options.hpp"
#include "tensor_map_options.hpp"
#include "tile_options.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/box_place.hpp"

namespace swz {
namespace {

struct Request {
  TensorMapOptions map;
  std::string start;  // coordinates; empty: the first element
  std::string base = "0";
  std::string major = "k";
};

constexpr std::uint64_t most_dim = std::uint64_t{1} << 32;

// As large as the box; of what is no box its own rule tells.
std::string dims_of_box(const TensorMapOptions& options) {
  std::string text;
  for (const std::uint64_t box : parse_numbers(options.box, "--box"))
    text += fmt::format("{}{}", text.empty() ? "" : ",", std::clamp<std::uint64_t>(box, 1, most_dim));
  return text;
}

// Rows one after the other, each at the next multiple of 16 B.
std::string packed_strides(const TensorMapOptions& options) {
  const TensorMapDataTypeRow* type = find_row(require_tensor_map_data_type(options.dtype));
  std::int64_t stride = 0;
  std::string text;
  const std::vector<std::uint64_t> dims = parse_numbers(options.dims, "--dims");
  for (std::size_t i = 0; i + 1 < dims.size() && type != nullptr; ++i) {
    const auto dim = static_cast<std::int64_t>(std::min(dims[i], most_dim));
    stride = i == 0 ? ceil_div(dim * type->gmem_bits, 128) * 16 : checked_mul(stride, dim);
    text += fmt::format("{}{}", i == 0 ? "" : ",", stride);
  }
  return text;
}

// A box alone is a tensor of its own extents.
TensorMap map_of(TensorMapOptions options) {
  if (options.box.empty())
    throw usage("no box given", "the elements of a box along each dimension, innermost first: --box 64,128");
  if (options.dims.empty()) {
    options.dims = dims_of_box(options);
    if (!options.strides.empty()) throw usage("--strides without --dims", "give both, or neither");
  }
  if (options.strides.empty()) options.strides = packed_strides(options);
  return tensor_map_of(options);
}

TensorCoordinate start_of(const std::string& text, const TensorMap& map) {
  TensorCoordinate start = {};
  if (text.empty()) return start;
  const std::vector<std::uint64_t> numbers = parse_numbers(text, "--start");
  if (numbers.size() != static_cast<std::size_t>(map.rank))
    throw usage(fmt::format("--start has {} number{}; the box has {} dimension{}", numbers.size(),
                            numbers.size() == 1 ? "" : "s", map.rank, map.rank == 1 ? "" : "s"),
                "a coordinate for each dimension, innermost first");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    start[i] = static_cast<std::int64_t>(numbers[i]);
    if (start[i] < std::numeric_limits<std::int32_t>::min() || start[i] > std::numeric_limits<std::int32_t>::max())
      throw usage(fmt::format("the coordinate {} does not fit in 32 bits", start[i]),
                  "the instruction takes signed 32-bit coordinates, in elements");
  }
  return start;
}

// The type by which an MMA would read the elements; null: none has them.
const DType* operand_type(const std::string& name, const BoxPlacement& box) {
  const DType* dtype = find_dtype(name);
  if (dtype == nullptr) dtype = find_dtype(find_row(box.map().data_type)->short_name);
  return dtype != nullptr && dtype->memory_bits == box.element_bits() ? dtype : nullptr;
}

}  // namespace

Action define_tma_place(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_tensor_map_options(app, request->map);
  add_im2col_refusal(app);
  app.get_option("--dims")->description("globalDim, to number chunks and see what is filled (default: the box)");
  app.get_option("--strides")->description("globalStrides in bytes (default: no gap)");
  app.add_option("--start", request->start, "coordinates of the copy, innermost first (default: 0 for each)")
      ->type_name("N,N,...");
  app.add_option("--base", request->base, "shared-memory address of the box (default: 0)")->type_name("ADDRESS");
  app.add_option("--major", request->major, "how an MMA takes the box: k, dimension 0 is K (default), or mn")
      ->type_name("k|mn");
  return [request, &common] {
    const Target& target = target_of(common);
    const TensorMap map = map_of(request->map);
    require_accepted(map, target);
    const BoxPlacement box(map, parse_base(request->base));
    BoxPlaceReport report{box, start_of(request->start, map), parse_major(request->major), std::nullopt};
    if (const DType* dtype = operand_type(request->map.dtype, box))
      report.mma = mma_reading(box_destination(box, *dtype, report.major), target);
    const bool is_picture = common.format != "text" && common.format != "json";
    return Outcome{view_box_place(report, {common.format != "json", is_picture}), 0,
                   report.mma && !report.mma->is_read()};
  };
}

}  // namespace swz
