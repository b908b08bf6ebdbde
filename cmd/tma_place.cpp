// swz tma place: where one copy puts a box.
#include <algorithm>
#include <limits>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "operand_request.hpp"
#include "tensor_map_request.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/tma.hpp"

namespace swz {
namespace {

struct Request {
  TensorMapRequest map;
  NumberList start;  // coordinates; empty: the first element
  SmemAddress base;
  Major major = Major::K;
};

Options options_of(Request& r) {
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
  return std::move(options) +
         Options{im2col_refusal(),
                 option("--start", "N,N,...", r.start, "coordinates of the copy, innermost first")
                     .in("elements")
                     .by_default_note("0 for each"),
                 base_option(r.base, "shared-memory address of the box"),
                 major_option(r.major, "how an MMA reads the box: k if dimension 0 is K, otherwise mn")};
}

void validate(const Request& r) {
  if (r.map.box.empty())
    throw usage_error("no box given", "the elements of a box along each dimension, innermost first: --box 64,128");
}

constexpr std::uint64_t most_dim = std::uint64_t{1} << 32;

// As large as the box; what is wrong with the box is said by its own rule.
NumberList dims_of(const NumberList& box) {
  NumberList dims;
  for (const std::uint64_t extent : box.numbers)
    dims.numbers.push_back(std::clamp<std::uint64_t>(extent, 1, most_dim));
  return dims;
}

// Rows one after the other, each at the next multiple of 16 B.
NumberList packed_strides(const TensorMapRequest& r) {
  const TensorMapDataTypeRow* type = find_row(r.dtype.type);
  std::int64_t stride = 0;
  NumberList strides;
  for (std::size_t i = 0; i + 1 < r.dims.size() && type != nullptr; ++i) {
    const auto dim = static_cast<std::int64_t>(std::min(r.dims.numbers[i], most_dim));
    stride = i == 0 ? ceil_div(dim * type->gmem_bits, 128) * 16 : checked_mul(stride, dim);
    strides.numbers.push_back(static_cast<std::uint64_t>(stride));
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

TensorCoordinate start_of(const std::vector<std::uint64_t>& numbers, const TensorMap& map) {
  TensorCoordinate start = {};
  if (numbers.empty()) return start;
  if (numbers.size() != static_cast<std::size_t>(map.rank))
    throw usage_error(fmt::format("--start has {}; the box has {}", plural(ssize(numbers), "number"),
                                  plural(map.rank, "dimension")),
                      "a coordinate for each dimension, innermost first");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    start[i] = static_cast<std::int64_t>(numbers[i]);
    if (start[i] < std::numeric_limits<std::int32_t>::min() || start[i] > std::numeric_limits<std::int32_t>::max())
      throw usage_error(fmt::format("the coordinate {} does not fit in 32 bits", start[i]),
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

Answer answer(const Request& r, const Context& context) {
  const Target& target = context.target();
  const TensorMap map = map_of(r.map);
  require_accepted(map, target);
  const BoxPlacement box(map, r.base.bytes);
  BoxPlaceReport report{box, start_of(r.start.numbers, map), r.major, std::nullopt};
  if (const DType* dtype = operand_type(r.map.dtype.text, box))
    report.mma = mma_reading(box_destination(box, *dtype, report.major), target);
  return {view_box_place(report), 0, report.mma && !report.mma->is_read()};
}

}  // namespace

Command tma_place_command() {
  return {.name = "tma place",
          .summary = "where one copy puts the bytes of a box",
          .details = R"(Takes the arguments of a tensor map (a box is enough) and shows the box with its
chunks of 16 bytes, numbered as in the tensor, next to the lines of shared
memory where the copy puts them: the distance between two rows, the bytes to
allocate, the bytes that the mbarrier counts, the gaps that are not written,
what is filled because it is outside the tensor, and whether an MMA reads the
box by descriptor.

The rule was measured on H200: 6,000 of 6,000 loads.)",
          .examples = {{"swz tma place --dtype bf16 --box 32,8",
                        "8 x 64 B without a swizzle: TMA none is not MMA none"},
                       {"swz tma place --dtype bf16 --box 16,8 --swizzle 64B --base 0x400",
                        "rows narrower than the swizzle leave gaps"},
                       {"swz tma place --dtype bf16 --box 64,8 --swizzle 128B --dims 100,100 --start 64,96",
                        "at the corner of a tensor"}},
          .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
