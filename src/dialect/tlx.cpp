// SPDX-License-Identifier: Apache-2.0
// TLX, the low-level extensions of Triton: its shared layouts, which are Triton's encodings with other names.
//
//   tlx.nv_mma_shared_layout_encoding([128, 64], [1, 0], tl.float16, …)     nvmma_shared of its width, and the shape
//   tlx.swizzled_layout(3, 3, 3, order=[1, 0])                              CuTe's Sw<3,3,3> on elements:
//     of 64x64: vec = 2^M = 8, maxPhase = 2^B = 8, perPhase = 2^(S+M) / 64 = 1
//   tlx.swizzled_shared_layout_encoding(8, 2, 4, [1, 0], …)                 swizzled_shared
//   tlx.local_alloc((128, 64), tl.float16, 3)                               three buffers, each nv_mma_…make_default
//
// Source: facebookexperimental/triton, third_party/tlx/language/tlx/types.py and mem_ops.py (read).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

constexpr std::string_view alloc = "local_alloc";
constexpr std::array<std::string_view, 6> names{alloc,
                                                "swizzled_layout",
                                                "swizzled_shared_layout_encoding",
                                                "swizzled_shared_layout_encoding.make_default",
                                                "nv_mma_shared_layout_encoding",
                                                "nv_mma_shared_layout_encoding.make_default"};

// The name without tlx. or triton.language.extra.tlx.; empty if it is none of these.
std::string_view tlx_name(std::string_view text) {
  for (const std::string_view name : names)
    if (text.ends_with(name) &&
        (text.size() == name.size() || text.substr(0, text.size() - name.size()).ends_with("tlx.")))
      return name;
  return {};
}

TritonNumbers order_or_default(const Literal* order, std::size_t rank) {
  return order != nullptr ? order->integers() : row_major_order(rank);
}

const DType& type_of(const Literal& type) { return require_dtype(last_name(type.text)); }

NvmmaShared nvmma(const Literal& l, const ArrayShape& shape, bool is_default) {
  const DType& dtype = type_of(l.require("elemType", is_default ? 1 : 2));
  const bool is_padded = l.boolean_or(false, "fp4Padded", is_default ? 2 : 6);
  const TritonNumbers order = order_or_default(is_default ? nullptr : l.find("order", 1), shape.size());
  require_order(order);
  if (shape.empty()) require_powers_of_two(l.require("shape", 0).integers());
  NvmmaShared e = widest_nvmma(shape, dtype.memory_bits, order[0] == 0 && shape.size() > 1, is_padded, {});
  if (!is_default && !l.boolean_or(true, "swizzled", 7)) e.swizzle_bytes = 0;
  return e;
}

// Sw<B,M,S> on the elements of an array whose contiguous extent is `columns`.
SwizzledShared swizzled(const std::array<std::int64_t, 3>& bms, const TritonNumbers& order, std::int64_t columns) {
  const auto [b, m, s] = bms;
  if (b < 0 || m < 0 || s < 0 || b + m > 30 || s + m > 30)
    throw Error(fmt::format("tlx.swizzled_layout({}, {}, {})", b, m, s), "B, M and S count bits: 3, 3, 3");
  return {std::int64_t{1} << m, std::max<std::int64_t>(1, (std::int64_t{1} << (s + m)) / columns), std::int64_t{1} << b,
          order};
}

// The layout of a buffer of local_alloc(shape, dtype, num, storage, reuse, layout): the one that it names, or the
// default for its shape and type.
std::vector<TritonEncoding> alloc_encodings(const Literal& l) {
  if (const Literal* storage = l.find("storage", 3); storage != nullptr && last_name(storage->text) != "smem")
    throw Error(fmt::format("local_alloc in {}: this is no array in shared memory", storage->text),
                "swz tmem d shows where an accumulator lies in tensor memory", storage->span);
  const ArrayShape buffer = l.require("shape", 0).integers();
  const Literal* layout = l.find("layout", 5);
  if (layout != nullptr && layout->text != "None") {
    if (layout->kind != Literal::Kind::call || tlx_name(layout->text).empty() || tlx_name(layout->text) == alloc)
      throw Error(fmt::format("the layout {} of local_alloc is not in the text", quoted(layout->text)),
                  "write it in its place: layout=tlx.swizzled_layout(3, 3, 3, order=[1, 0])", layout->span);
    return tlx_encodings(*layout, buffer);
  }
  if (buffer.size() < 2) return {{SwizzledShared{1, 1, 1, row_major_order(buffer.size())}}};
  return {{widest_nvmma(buffer, type_of(l.require("dtype", 1)).memory_bits, false, false, {})}};
}

}  // namespace

bool is_tlx(std::string_view name) { return !tlx_name(name).empty(); }

ArrayShape tlx_shape(const Literal& l) {
  if (tlx_name(l.text) == alloc) {
    ArrayShape shape = l.require("shape", 0).integers();
    const Literal& num = l.require("num", 2);
    const bool is_wrapped =
        num.kind == Literal::Kind::call && last_name(num.text) == "constexpr" && num.items.size() == 1;
    const std::int64_t buffers = (is_wrapped ? num.items[0] : num).integer();
    if (buffers < 1) throw Error(fmt::format("num = {} buffers", buffers), "at least 1", l.span);
    if (buffers > 1) shape.insert(shape.begin(), buffers);
    return shape;
  }
  if (!tlx_name(l.text).starts_with("nv_mma")) return {};
  const Literal* shape = l.find("shape", 0);
  return shape != nullptr ? shape->integers() : ArrayShape();
}

const DType* tlx_dtype(const Literal& l) {
  return tlx_name(l.text) == alloc ? &type_of(l.require("dtype", 1)) : nullptr;
}

std::vector<TritonEncoding> tlx_encodings(const Literal& l, const ArrayShape& shape) {
  const std::string_view name = tlx_name(l.text);
  if (name == alloc) return alloc_encodings(l);
  if (name.starts_with("nv_mma")) return {{nvmma(l, tlx_shape(l), name.ends_with("make_default"))}};
  if (name.ends_with("make_default"))
    return {{SwizzledShared{1, 1, 1, row_major_order(static_cast<std::size_t>(l.require("rank", 0).integer()))}}};
  const Literal* vector = l.find("vector_size");
  const auto number = [&](std::string_view key, std::size_t i) { return l.require(key, i).integer(); };
  const TritonNumbers order = l.require("order", 3).integers();
  require_order(order);
  if (name.starts_with("swizzled_shared"))
    return {{SwizzledShared{number("vectorSize", 0), number("perPhase", 1), number("maxPhase", 2), order}}};
  if (vector != nullptr)
    return {{SwizzledShared{number("vector_size", 0), number("per_phase", 1), number("max_phase", 2), order}}};
  const std::array bms{number("B", 0), number("M", 1), number("S", 2)};
  const auto fast = static_cast<std::size_t>(order[0]) + (shape.size() > order.size() ? 1 : 0);
  if (fast >= shape.size()) require_rank(order.size(), shape);
  if (shape[fast] < 1) require_powers_of_two(shape);
  std::vector<TritonEncoding> found{{swizzled(bms, order, shape[fast])}};
  if (bms[0] > 0 && bms[1] > 0 && bms[2] > 0) found.push_back({SwizzledShared{bms[0], bms[1], bms[2], order}});
  return found;
}

}  // namespace swz
