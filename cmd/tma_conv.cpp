// SPDX-License-Identifier: Apache-2.0
// swz tma conv: the im2col map of a convolution, and the copies of the entries of its filter.
#include <algorithm>

#include "base/text.hpp"
#include "tensor_map_request.hpp"
#include "tma/convolution.hpp"
#include "view/tma/convolution.hpp"

namespace swz {
namespace {

struct ConvRequest {
  NumberList input, filter, pad, pad_after, stride, dilation, entry;
  ConvOp op = ConvOp::fprop;
  TensorTypeText dtype;
  TensorMapSwizzle swizzle = TensorMapSwizzle::b128;
  std::int64_t channels = 0;  // 0: as many as the swizzle takes
  std::int64_t pixels = 128;
  std::int64_t row = 0;
};

constexpr std::int64_t most_extent = std::int64_t{1} << 31;

Options conv_options(ConvRequest& r) {
  Words types;
  for (const TensorMapDataTypeRow& row : tensor_map_data_types()) types.emplace_back(row.short_name);
  return {
      number_list("--input", "N,[D,[H,]]W,C", r.input, "the activations: images, extents, channels")
          .in("elements")
          .required(),
      number_list("--filter", "[T,[R,]]S", r.filter, "entries of the filter, as many as extents; W last")
          .by_default_note("1 for each"),
      number_list("--pad", "[N,[N,]]N", r.pad, "padding before each extent; one number is for all")
          .in("elements")
          .by_default_note("0"),
      number_list("--pad-after", "[N,[N,]]N", r.pad_after, "padding after each extent")
          .in("elements")
          .by_default_note("that of --pad"),
      number_list("--stride", "[N,[N,]]N", r.stride, "stride of the filter").by_default_note("1"),
      number_list("--dilation", "[N,[N,]]N", r.dilation, "dilation of the filter").by_default_note("1"),
      one_of<ConvOp>("--op", "OP", r.op, {{"fprop", ConvOp::fprop}, {"dgrad", ConvOp::dgrad}, {"wgrad", ConvOp::wgrad}},
                     "dgrad walks the gradient of the output, whose channels are those of --input")
          .by_default("fprop"),
      option("--dtype", "TYPE", r.dtype, "data type: FLOAT16, f16, or the enum's number")
          .offering(std::move(types))
          .by_default("f16"),
      option("--swizzle", "MODE", r.swizzle, "swizzle of the map", require_tensor_map_swizzle)
          .offering({"none", "32B", "64B", "128B"})
          .by_default("128B"),
      number("--channels", "N", r.channels, 1, 256, "channels of a copy: channelsPerPixel")
          .by_default_note("as many as the swizzle takes, without one 64"),
      number("--pixels", "N", r.pixels, 1, 1024, "pixels of a copy: pixelsPerColumn").by_default("128"),
      number_list("--entry", "[T,[R,]]S", r.entry, "one entry of the filter").by_default_note("all"),
      number("--row", "N", r.row, 0, most_extent, "row of the GEMM where the copies begin").by_default("0")};
}

// The number for axis i, W first, of a list in the order of --input.
std::int64_t number_of(const NumberList& list, std::string_view option, std::size_t i, std::size_t axes,
                       std::int64_t absent, std::int64_t least, std::int64_t most) {
  if (list.empty()) return absent;
  if (list.size() != axes && list.size() != 1)
    throw usage_error(fmt::format("{} has {}; the input has {}", option, plural(ssize(list), "number"),
                                  plural(static_cast<std::int64_t>(axes), "extent")),
                      "one for each extent, W last, or one for all");
  const auto value = static_cast<std::int64_t>(list.size() == 1 ? list[0] : list[axes - 1 - i]);
  if (value < least || value > most)
    throw usage_error(fmt::format("{} {} is not {} to {}", option, value, least, most),
                      fmt::format("nearest: {}", std::clamp(value, least, most)));
  return value;
}

Convolution convolution_of(const ConvRequest& r) {
  if (r.input.size() < 3 || r.input.size() > 5)
    throw usage_error(fmt::format("--input has {}; im2col takes 3 to 5 dimensions", plural(ssize(r.input), "number")),
                      "images, extents, channels: --input 8,56,56,64");
  for (const std::uint64_t extent : r.input)
    if (extent < 1 || extent > static_cast<std::uint64_t>(most_extent))
      throw usage_error(fmt::format("the extent {} is not 1 to 2^31", static_cast<std::int64_t>(extent)),
                        "images, extents, channels: --input 8,56,56,64");
  const std::size_t axes = r.input.size() - 2;
  Convolution conv{
      r.op, r.dtype.type, static_cast<std::int64_t>(r.input.front()), static_cast<std::int64_t>(r.input.back()), {}};
  for (std::size_t i = 0; i < axes; ++i) {
    const auto of = [&](const NumberList& list, std::string_view option, std::int64_t absent, std::int64_t least) {
      return number_of(list, option, i, axes, absent, least, 65535);
    };
    ConvAxis x{static_cast<std::int64_t>(r.input[axes - i])};
    x.filter = of(r.filter, "--filter", 1, 1);
    x.before = of(r.pad, "--pad", 0, 0);
    x.after = of(r.pad_after, "--pad-after", x.before, 0);
    x.stride = of(r.stride, "--stride", 1, 1);
    x.dilation = of(r.dilation, "--dilation", 1, 1);
    conv.axes.push_back(x);
  }
  return conv;
}

std::vector<FilterEntry> entries_of(const ConvRequest& r, const Convolution& conv) {
  if (conv.entries() > 4096)
    throw usage_error(fmt::format("the filter has {} entries", conv.entries()), "at most 4096 are shown");
  if (r.entry.empty()) return filter_entries(conv);
  std::array<std::int64_t, 3> at = {};
  if (r.entry.size() != conv.axes.size())
    throw usage_error(fmt::format("--entry has {}; the filter has {}", plural(ssize(r.entry), "number"),
                                  plural(ssize(conv.axes), "dimension")),
                      "one for each, W last");
  for (std::size_t i = 0; i < r.entry.size(); ++i) at[i] = static_cast<std::int64_t>(r.entry[r.entry.size() - 1 - i]);
  return {filter_entry(conv, at)};
}

Answer conv_answer(const ConvRequest& r, const Context& context) {
  const Convolution conv = convolution_of(r);
  require_convolution(conv);
  const TensorMapDataTypeRow& type = *find_row(r.dtype.type);
  const std::int64_t span = find_row(r.swizzle)->span.count;
  const std::int64_t most = span == 0 ? 64 : span * 8 / type.smem_bits;
  const Im2colMap map = im2col_map(conv, r.channels != 0 ? r.channels : most, r.pixels, r.swizzle);
  require_possible(map, context.target());
  const std::vector<FilterEntry> entries = entries_of(r, conv);
  for (const FilterEntry& entry : entries) require_offsets(map, entry.offsets);
  static_cast<void>(start_of_row(conv, r.row));
  return {view_convolution({conv, map, r.row, entries}), 0};
}

}  // namespace

Commands tma_conv_commands() {
  return {{.name = "tma conv",
           .summary = "the im2col map of a convolution, and the copies of its filter",
           .details = R"(Shows the arguments of cuTensorMapEncodeIm2col for a convolution: the corners of
the box of pixels, the element strides; for each entry of the filter the offsets
of its copy and where its channels begin in K; and the coordinates of the copies
that begin at a row of the GEMM. The picture shows which pixel each row of a
copy holds, and which the copy fills because they are outside.

swz tma place --im2col shows where the bytes of one copy are.

The walk was measured on an H100 and an H200.)",
           .examples = {{"swz tma conv --input 8,56,56,64 --filter 3,3 --pad 1", "3x3 with padding 1"},
                        {"swz tma conv --input 8,56,56,64 --filter 3,3 --pad 1 --stride 2 --row 128 --entry 0,2",
                         "one entry, from a later row"},
                        {"swz tma conv --input 2,8,16,16,64 --filter 3,3,3 --pad 1 --op dgrad", "the gradient in 3D"}},
           .next = {{"Which pixel lands at which byte?",
                     "tma place --im2col --dtype {dtype} --dims {dims} --element-strides {element_strides} "
                     "--lower={lower} --upper={upper} --channels {channels} --pixels {pixels} --swizzle {swizzle} "
                     "--start={start}"}},
           .prepare = [] { return prepare(conv_options, conv_answer); }}};
}

}  // namespace swz
