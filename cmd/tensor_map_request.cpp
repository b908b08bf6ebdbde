// SPDX-License-Identifier: Apache-2.0
#include "tensor_map_request.hpp"

#include <cctype>

#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr std::size_t most_numbers = 16;

// Whether the letter at i is that of "64x128", which is two numbers, and not that of "0x40", which is one.
bool is_by(const std::string& text, std::size_t i) {
  const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  const bool is_prefix = text[i - 1] == '0' && (i == 1 || std::isalnum(static_cast<unsigned char>(text[i - 2])) == 0);
  return text[i] == 'x' && is_digit(i - 1) && is_digit(i + 1) && !is_prefix;
}

std::uint64_t parse_number(const std::string& word) {
  const bool is_negative = word.starts_with('-');
  const NumberHints hints{"it takes numbers with commas between them: 64,128", "the driver takes 64 bits"};
  const std::uint64_t magnitude = parse_unsigned(is_negative ? std::string_view(word).substr(1) : word, 64, hints);
  if (!is_negative) return magnitude;
  if (magnitude > 1ULL << 63)
    throw usage_error(fmt::format("{} does not fit in 64 bits", swz::quoted(word)), hints.too_wide);
  return 0 - magnitude;
}

template <std::size_t n>
void fill(std::array<std::uint64_t, n>& to, const NumberList& from) {
  for (std::size_t i = 0; i < n && i < from.size(); ++i) to[i] = from[i];
}

// Throws Error unless the option has as many numbers as it should; the hint tells what they are.
void require_count(std::string_view option, std::size_t found, std::size_t wanted, std::string_view hint) {
  if (found == wanted) return;
  throw usage_error(fmt::format("{} has {}; with these --dims it must have {}", option,
                                plural(static_cast<std::int64_t>(found), "number"), wanted),
                    std::string(hint));
}

std::uint64_t one_number(const NumberList& list, std::string_view option) {
  if (list.size() != 1)
    throw usage_error(fmt::format("{} has {} numbers; it must have 1", option, list.size()),
                      "channelsPerPixel and pixelsPerColumn of an im2col map: --channels 64 --pixels 128");
  return list[0];
}

std::array<std::int64_t, 3> corner_of(const NumberList& list, std::string_view option, const Im2colMap& map) {
  std::array<std::int64_t, 3> corner{};
  // A rank without corners is refused as such, whatever is given here.
  if (map.corner_count() == 0) return corner;
  require_count(option, list.size(), static_cast<std::size_t>(map.corner_count()),
                map.wide ? "Im2colWide has only the offset along W"
                         : "one offset for each dimension between the channels and the images, W first");
  for (std::size_t i = 0; i < list.size(); ++i) corner[i] = static_cast<std::int64_t>(list[i]);
  return corner;
}

NumberList parse_numbers(const std::string& text) {
  std::string spaced = text;
  for (std::size_t i = 1; i < text.size(); ++i)
    if (is_by(spaced, i)) spaced[i] = ',';
  NumberList numbers;
  for (const std::string& word : entries_of(spaced, " \t\n,;()[]{}")) {
    numbers.push_back(parse_number(word));
    if (numbers.size() > most_numbers)
      throw usage_error(fmt::format("more than {} numbers", most_numbers), "a tensor has 1 to 5 dimensions");
  }
  return numbers;
}

}  // namespace

Option number_list(std::string names, std::string value, NumberList& to, std::string help) {
  return option(std::move(names), std::move(value), to, std::move(help), parse_numbers);
}

void read_value(const std::string& text, TensorTypeText& to) { to = {text, require_tensor_map_data_type(text)}; }

Options tensor_map_options(TensorMapRequest& r) {
  Words types;
  for (const TensorMapDataTypeRow& row : tensor_map_data_types()) types.emplace_back(row.short_name);
  return {
      option("--dtype", "TYPE", r.dtype, "data type: FLOAT16, f16, or the enum's number")
          .offering(std::move(types))
          .by_default("f16"),
      number_list("--dims", "N,N,...", r.dims, "globalDim: elements along each dimension, innermost first")
          .in("elements")
          .noting(r.has_dims),
      number_list("--strides", "BYTES,...", r.strides, "globalStrides: bytes, from dimension 1 on").in("bytes"),
      number_list("--box", "N,N,...", r.box, "boxDim: elements along each dimension").in("elements"),
      number_list("--element-strides", "N,N,...", r.element_strides, "elementStrides")
          .in("elements")
          .by_default_note("1 for each"),
      option("--interleave", "NAME", r.map.interleave, "interleave", require_tensor_map_interleave)
          .offering({"none", "16B", "32B"})
          .by_default("none"),
      option("--swizzle", "MODE", r.map.swizzle, "swizzle, by any of its names or the enum's number",
             require_tensor_map_swizzle)
          .offering({"none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B", "96B"})
          .by_default("none"),
      option("--l2", "NAME", r.map.l2_promotion, "L2 promotion", require_tensor_map_l2_promotion)
          .offering({"none", "64B", "128B", "256B"})
          .by_default("none"),
      option("--oob", "NAME", r.map.oob_fill, "value of the elements outside the tensor", require_tensor_map_oob_fill)
          .offering({"zero", "nan"})
          .by_default("zero"),
      option("--address", "ADDRESS", r.map.global_address, "globalAddress")
          .in("bytes")
          .by_default("0")
          .noting(r.has_address)};
}

TensorMap tensor_of(const TensorMapRequest& r) {
  if (!r.has_dims)
    throw usage_error("no tensor given", "--dims, --strides and --box, innermost dimension first: --dims 4096,8192");
  NumberList element_strides = r.element_strides;
  if (element_strides.empty()) element_strides.assign(r.dims.size(), 1);
  require_count("--strides", r.strides.size(), r.dims.empty() ? 0 : r.dims.size() - 1,
                "dimension 0 has no stride: the driver takes those of dimension 1 and later, in bytes");
  require_count("--element-strides", element_strides.size(), r.dims.size(), "usually 1 for each dimension");

  TensorMap map = r.map;
  map.data_type = r.dtype.type;
  map.rank = static_cast<int>(r.dims.size());
  fill(map.dims, r.dims);
  fill(map.strides, r.strides);
  fill(map.element_strides, element_strides);
  return map;
}

TensorMap tensor_map_of(const TensorMapRequest& r) {
  TensorMap map = tensor_of(r);
  require_count("--box", r.box.size(), static_cast<std::size_t>(map.rank),
                "the elements of a box along each dimension, innermost first");
  fill(map.box, r.box);
  return map;
}

Options im2col_options(Im2colRequest& r) {
  const Words im2col{"--im2col"};
  return {flag("--im2col", r.is_im2col, "an im2col map: the arguments of cuTensorMapEncodeIm2col")
              .excluding({"--box"}, "--lower, --upper, --channels and --pixels say what a copy loads"),
          number_list("--lower", "N,...", r.lower, "pixelBoxLowerCorner: offsets along W, H, D").needing(im2col),
          number_list("--upper", "N,...", r.upper, "pixelBoxUpperCorner: offsets along W, H, D").needing(im2col),
          number_list("--channels", "N", r.channels, "channelsPerPixel").needing(im2col),
          number_list("--pixels", "N", r.pixels, "pixelsPerColumn").needing(im2col),
          one_of<Im2colWideMode>("--wide", "MODE", r.wide, {{"w", Im2colWideMode::w}, {"w128", Im2colWideMode::w128}},
                                 "mode of cuTensorMapEncodeIm2colWide, whose corners have only W")
              .needing(im2col)};
}

Im2colMap im2col_map_of(const Im2colRequest& im2col, const TensorMapRequest& tensor) {
  Im2colMap map{.tensor = tensor_of(tensor)};
  map.wide = im2col.wide;
  map.lower_corner = corner_of(im2col.lower, "--lower", map);
  map.upper_corner = corner_of(im2col.upper, "--upper", map);
  map.channels_per_pixel = one_number(im2col.channels, "--channels");
  // Mode W128 ignores it.
  if (map.wide != Im2colWideMode::w128 || !im2col.pixels.empty())
    map.pixels_per_column = one_number(im2col.pixels, "--pixels");
  return map;
}

namespace {

// "--dtype f16 --dims 64,4", then `box`, then the options that follow it.
std::string option_line(const TensorMap& map, const std::string& box) {
  const auto list = [](const auto& values, int count) {
    return fmt::to_string(fmt::join(values.begin(), values.begin() + count, ","));
  };
  std::string line = fmt::format("--dtype {} --dims {}", short_name(map.data_type), list(map.dims, map.dim_count()));
  if (map.rank > 1) line += " --strides " + list(map.strides, map.stride_count());
  return line + fmt::format(" {} --element-strides {} --interleave {} --swizzle {} --l2 {} --oob {}", box,
                            list(map.element_strides, map.dim_count()), short_name(map.interleave),
                            short_name(map.swizzle), short_name(map.l2_promotion), short_name(map.oob_fill));
}

}  // namespace

std::string option_line(const TensorMap& map) {
  return option_line(map, fmt::format("--box {}", fmt::join(map.box.begin(), map.box.begin() + map.dim_count(), ",")));
}

std::string option_line(const Im2colMap& map) {
  const auto corner = [&](const std::array<std::int64_t, 3>& of) {
    return fmt::to_string(fmt::join(of.begin(), of.begin() + map.corner_count(), ","));
  };
  return option_line(map.tensor,
                     fmt::format("--im2col --lower {} --upper {} --channels {} --pixels {}", corner(map.lower_corner),
                                 corner(map.upper_corner), map.channels_per_pixel, map.pixels_per_column));
}

}  // namespace swz
