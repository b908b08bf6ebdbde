// SPDX-License-Identifier: Apache-2.0
// Tensor map: the box that a TMA load writes to shared memory, given by the arguments of cuTensorMapEncodeTiled.
//
//   pitch = max(inner bytes, span of the swizzle)     inner bytes: boxDim[0], at most the span
//   byte  = lin ^ (((lin >> 7) & mask) << 4)          lin = base + row·pitch + byte in the row, absolute
//
//   tensor_map(swizzle = CU_TENSOR_MAP_SWIZZLE_64B, boxDim = {16, 4}, dataType = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16)
//     is 4x16, rows of 32 B at a pitch of 64 B: element (2,8) at lin 2·64 + 16 = 144, line 1: byte 128, element 64
//
// The notation is swz's own: the driver's names of the arguments and of their values, in any order. It also reads
// `box`, `dtype`, `interleave` and the short names ("128B", "bf16"). boxDim counts its fastest dimension first, the
// array of swz its slowest: boxDim {64, 128} is 128x64. Without boxDim or dataType, --shape and --dtype are used.
//
// Source: cuda.h of CUDA 13.0; src/tma/placement.hpp, measured on H200 (6,000 loads).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "arch/tensor_map_enum.hpp"
#include "base/checked.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/literal.hpp"

namespace swz {
namespace {

constexpr std::string_view tensor_map_call = "tensor_map(";
constexpr std::array<std::string_view, 10> tensor_map_keys{
    "swizzle", "boxDim", "box", "dataType", "dtype", "tensorDataType", "interleave", "elementStrides", "shape", "rank"};
constexpr std::int64_t longest_box = 256;

bool recognises_tensor_map(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  if (text.starts_with(tensor_map_call) || text.starts_with("CU_TENSOR_MAP_SWIZZLE_")) return true;
  return std::ranges::any_of(std::array<std::string_view, 4>{"swizzle", "boxDim", "box", "dataType"},
                             [&](std::string_view key) {
                               if (!text.starts_with(key)) return false;
                               const std::size_t next = text.find_first_not_of(" \t\n", key.size());
                               return next != std::string_view::npos && text[next] == '=';
                             });
}

const Literal* first_of(const Literal& call, std::initializer_list<std::string_view> keys) {
  const Literal* first = nullptr;
  for (const std::string_view key : keys) {
    const Literal* found = call.find(key);
    if (found != nullptr && first != nullptr) throw stands_twice(first->key, found->span);
    if (found != nullptr) first = found;
  }
  return first;
}

// The text of a name, a string, or a word that begins with a digit: 128B.
const std::string& word_of(const Literal& item) {
  if (item.kind != Literal::Kind::name && item.kind != Literal::Kind::string)
    throw Error("a number without its name", "write the name, for example CU_TENSOR_MAP_SWIZZLE_128B");
  return item.text;
}

const TensorMapSwizzleRow& swizzle_row(const Literal& call) {
  const Literal* item = call.find("swizzle", 0);
  if (item == nullptr)
    throw usage_error("the swizzle of the tensor map is not said", "add swizzle = CU_TENSOR_MAP_SWIZZLE_128B");
  const TensorMapSwizzleRow* row = find_row(require_tensor_map_swizzle(word_of(*item)));
  if (row == nullptr || row->flips_halves)
    throw Error("this mode is not known byte for byte", "128B, 64B, 32B, NONE, 128B_ATOM_32B or 128B_ATOM_64B");
  return *row;
}

ElementWidth box_element(const Literal& call, const Given& given) {
  const Literal* item = first_of(call, {"dataType", "tensorDataType", "dtype"});
  if (item == nullptr) return width_of(required_dtype(given));
  const TensorMapDataTypeRow* row = find_row(require_tensor_map_data_type(word_of(*item)));
  if (row == nullptr || row->is_padded())
    throw Error("this type is padded in shared memory: 16 elements take 16 bytes, with a gap",
                "swz tma place shows where they lie");
  if (given.dtype != nullptr) return element_width(given, row->smem_bits);
  const DType* dtype = find_dtype(row->short_name);
  return dtype != nullptr ? width_of(*dtype) : ElementWidth{nullptr, row->smem_bits};
}

void require_plain_copy(const Literal& call) {
  if (const Literal* item = call.find("interleave"))
    if (require_tensor_map_interleave(word_of(*item)) != TensorMapInterleave::none)
      throw Error("interleave: no document says where its bytes lie in shared memory", "CU_TENSOR_MAP_INTERLEAVE_NONE");
  if (const Literal* item = call.find("elementStrides"))
    if (std::ranges::any_of(item->integers(), [](std::int64_t s) { return s != 1; }))
      throw Error("an element stride other than 1 loads fewer elements than the box", "swz tma place shows them");
}

// The shape of the box, slowest dimension first.
ArrayShape box_shape(const Literal& call, const Given& given) {
  const Literal* item = first_of(call, {"boxDim", "box"});
  ArrayShape shape = item == nullptr ? required_shape(given) : item->integers();
  if (item != nullptr) std::ranges::reverse(shape);
  if (shape.empty() || shape.size() > tensor_map_max_rank)
    throw usage_error(fmt::format("a box of {} dimensions", shape.size()), "tensor maps have 1 to 5");
  for (const std::int64_t extent : shape)
    if (extent < 1 || extent > longest_box)
      throw usage_error(fmt::format("the extent {} of a box", extent),
                        "boxDim is 1 to 256 along each dimension: take several boxes");
  element_count(shape);
  if (item != nullptr) require_same_shape(given, shape);
  return shape;
}

Reading read_arguments(const Literal& call, const Given& given) {
  if (call.text != "tensor_map")
    throw Error("not the arguments of a tensor map that swz reads here",
                "swizzle = CU_TENSOR_MAP_SWIZZLE_128B, boxDim = {64, 64}, dataType = "
                "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16");
  call.require_keys(tensor_map_keys);
  const TensorMapSwizzleRow& mode = swizzle_row(call);
  require_plain_copy(call);
  const ElementWidth element = box_element(call, given);
  const ArrayShape shape = box_shape(call, given);
  const std::int64_t inner_bits = shape.back() * element.bits, inner = inner_bits / 8;
  if (inner_bits % 128 != 0)
    throw usage_error(fmt::format("the inner dimension of the box has {} bits", inner_bits),
                      "boxDim[0] times the element size is a multiple of 16 bytes");
  if (mode.span.count != 0 && inner > mode.span.count)
    throw usage_error(
        fmt::format("the inner dimension of the box has {} B, the swizzle spans {} B", inner, mode.span.count),
        fmt::format("boxDim[0] is at most {} elements: load {} boxes, one after the other",
                    mode.span.count * 8 / element.bits, ceil_div(inner, mode.span.count)));
  std::vector<FlatMode> modes(shape.size());
  std::int64_t stride = std::max(inner, mode.span.count) * 8 / element.bits;
  modes.back() = {shape.back(), 1};
  for (std::size_t d = shape.size() - 1; d-- > 0; stride *= shape[d]) modes[d] = {shape[d], stride};
  const Swizzle on_bytes = mode.bits == 0 ? Swizzle() : Swizzle(mode.bits, mode.base, mode.shift);
  const auto swizzle = mode.bits == 0 ? Swizzle() : in_units(on_bytes, log2_exact(element.bits) - 3);
  if (!swizzle) throw Error("this mode tears elements of that size apart");
  Reading reading{shared_form(shape, element, ComposedLayout(*swizzle, 0, Layout(modes)))};
  if (mode.bits > 0) reading.notes.push_back(base_alignment_note(on_bytes));
  else
    reading.notes.push_back(note("nvmma-zero-is-plain",
                                 "SWIZZLE_NONE leaves the box row by row, never as core matrices: no MMA reads rows "
                                 "longer than 16 B so",
                                 "for core matrices load boxes of 16 B, one a column of chunks"));
  if (mode.span.count > inner)
    reading.notes.push_back(
        note("pitch", fmt::format("rows of {} B lie {} B apart: the span of the swizzle", inner, mode.span.count)));
  return reading;
}

// Arguments without a call get tensor_map( ) around them; places refer to the original text.
Reading read_tensor_map(std::string_view text, const Given& given) {
  text = text.substr(0, text.find_last_not_of("; \t\n") + 1);
  if (text.find(tensor_map_call) != std::string_view::npos) return read_arguments(parse_literal(text), given);
  try {
    return read_arguments(parse_literal(fmt::format("{}{})", tensor_map_call, text)), given);
  } catch (const Error& e) {
    const auto back = [&](std::size_t at) {
      return std::min(at < tensor_map_call.size() ? 0 : at - tensor_map_call.size(), text.size());
    };
    throw Error(e.message(), e.hint, {back(e.span.begin), back(e.span.end)}, e.kind);
  }
}

std::string data_type_name(ElementWidth element) {
  const DType* dtype = any_dtype(element);
  return dtype == nullptr || dtype->tensor_map_type.empty() ? "" : std::string(dtype->tensor_map_type);
}

Written write_tensor_map(const LayoutForm& form) {
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  if (shared->element.bits == 0) return refused("the element type is not said: --dtype");
  const std::string type = data_type_name(shared->element);
  if (type.empty()) return refused("no tensor map carries this type; nearest: the unsigned one of its width");
  const ArrayShape box(shared->shape.rbegin(), shared->shape.rend());
  std::vector<std::string> texts;
  for (const TensorMapSwizzleRow& mode : tensor_map_swizzles())
    if (!mode.flips_halves)
      texts.push_back(
          fmt::format("tensor_map(swizzle = CU_TENSOR_MAP_SWIZZLE_{}, boxDim = {{{}}}, dataType = "
                      "CU_TENSOR_MAP_DATA_TYPE_{})",
                      mode.name, fmt::join(box, ", "), type));
  std::string text = first_equal(*shared, texts, read_tensor_map);
  if (!text.empty()) return {std::move(text)};
  return refused(
      "no one box is this: rows of 16 B to one span of the swizzle at the pitch of the mode, at most 256 a "
      "dimension; "
      "nearest: several boxes, one after the other (swz tma plan)");
}

}  // namespace

Dialect tensor_map_dialect() {
  return {
      .name = "tma",
      .title = "tensor map (TMA)",
      .unit = "elements",
      .needs = "",
      .example =
          "tensor_map(swizzle = CU_TENSOR_MAP_SWIZZLE_128B, boxDim = {64, 64}, dataType = "
          "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16)",
      .rules =
          R"(The box that a load leaves in shared memory, by the arguments of `cuTensorMapEncodeTiled` that decide it. The text is
swz's own: `swizzle`, `boxDim` (or `box`) and `dataType` (or `dtype`) with the driver's names or the short ones, in any
order; a bare `CU_TENSOR_MAP_SWIZZLE_128B` takes `--shape` and `--dtype`. `boxDim` has its fastest dimension first:
{64, 128} is an array of 128x64.

pitch = max(inner bytes, span); lin = base + row pitch + byte in the row; byte = lin ^ (((lin >> 7) & mask) << 4)

`swizzle = 64B, box = {16, 4}, dtype = bf16`: rows of 32 B, 64 B apart; element (2,8) is at lin 144, line 1, so at byte
128, element 64.

Traps: the XOR acts on absolute addresses. `SWIZZLE_NONE` is plain row by row, never core matrices. The inner
dimension has at most one span: a wider tile is several boxes, which lie one after the other. Interleave, element
strides and types that are padded in shared memory are refused.)",
      .source = "cuda.h of CUDA 13.0; H200, 6,000 loads (measured)",
      .recognises = recognises_tensor_map,
      .read = read_tensor_map,
      .write = write_tensor_map};
}

}  // namespace swz
