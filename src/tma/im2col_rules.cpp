// SPDX-License-Identifier: Apache-2.0
// The tables of rules and remarks that apply only to im2col maps.

#include <fmt/format.h>

#include <algorithm>

#include "tma/rule_parts.hpp"

namespace swz {

namespace {

using namespace rule_parts;

constexpr std::uint64_t most_channels = most_inner, most_pixels = 1024;

// The largest offset of a corner, for a map whose rank has corners. The smallest is -most - 1.
std::int64_t most_offset(const Im2colMap& map) {
  const int bits = map.wide || map.tensor.rank == 3 ? 16 : map.tensor.rank == 4 ? 8 : 5;
  return (std::int64_t{1} << (bits - 1)) - 1;
}

bool is_in_range(std::int64_t offset, const Im2colMap& map) {
  return offset >= -most_offset(map) - 1 && offset <= most_offset(map);
}

Told tell_corner(const Case& c, std::string_view argument, std::string_view option,
                 std::array<std::int64_t, 3> Im2colMap::*corner) {
  const std::int64_t offset = (c.im2col->*corner)[c.i];
  const std::int64_t most = most_offset(*c.im2col), least = -most - 1, nearest = std::clamp(offset, least, most);
  const std::string name = c.im2col->wide ? fmt::format("{}Width", argument) : fmt::format("{}[{}]", argument, c.i);
  return tell(c, corner, number(nearest), nearest,
              fmt::format("{} = {} is not {} to {}, the offsets of {}", name, offset, least, most,
                          c.im2col->wide ? "Im2colWide" : fmt::format("rank {}", c.map.rank)),
              fmt::format("{}[{}] = {}; what reaches further is loaded by tiled maps", option, c.i, nearest));
}

// The dimension against which corner i is checked.
std::size_t corner_dim(const Case& c) { return !c.im2col->wide && is_interleaved(c) ? c.i : c.i + 1; }

// Whether offsets and dimension are in range, so that the box has a size.
bool has_pixel_box(const Case& c) {
  const std::uint64_t dim = c.map.dims[corner_dim(c)];
  return is_in_range(c.im2col->lower_corner[c.i], *c.im2col) && is_in_range(c.im2col->upper_corner[c.i], *c.im2col) &&
         dim >= 1 && dim <= 1ULL << 32;
}
// One past the last pixel along that dimension.
std::int64_t pixel_end(const Case& c) {
  return static_cast<std::int64_t>(c.map.dims[corner_dim(c)]) + c.im2col->upper_corner[c.i];
}
// True if the sum overflows 32 bits, in which the driver counts.
bool is_end_wrapped(const Case& c) { return !c.im2col->wide && pixel_end(c) > INT32_MAX; }
bool is_box_empty(const Case& c) {
  if (!has_pixel_box(c)) return false;
  const std::int64_t end =
      is_end_wrapped(c) ? static_cast<std::int32_t>(static_cast<std::uint32_t>(pixel_end(c))) : pixel_end(c);
  return end <= c.im2col->lower_corner[c.i];
}

Told tell_empty_box(const Case& c) {
  const std::size_t d = corner_dim(c);
  const auto dim = static_cast<std::int64_t>(c.map.dims[d]);
  const std::int64_t lower = c.im2col->lower_corner[c.i], upper = c.im2col->upper_corner[c.i],
                     nearest = lower + 1 - dim;
  if (is_end_wrapped(c)) {
    constexpr std::uint64_t most = 1ULL << 30;
    return tell(c, &TensorMap::dims, most, most,
                fmt::format("globalDim[{}] {} + upper {} does not fit in the 32 bits in which the driver counts pixels",
                            d, dim, upper),
                fmt::format("split the dimension; dims[{}] = {}", d, most), d);
  }
  return tell(
      c, &Im2colMap::upper_corner, number(nearest), nearest,
      fmt::format("the box of pixels is empty along dimension {}: globalDim {} + upper {} - lower {} = {}", d, dim,
                  upper, lower, dim + upper - lower),
      fmt::format("upper[{}] = {} or more; of a filter of R entries it is padding - (R - 1) * dilation", c.i, nearest));
}

Told tell_rank(const Case& c) {
  const int rank = c.map.rank, nearest = std::clamp(rank, 3, tensor_map_max_rank);
  Told told = tell(c, &TensorMap::rank, number(nearest), nearest,
                   fmt::format("tensorRank = {} is not 3, 4 or 5: (C, W, [H, [D,]] N)", rank),
                   rank < 3 ? "add dimensions of one entry: an image has C, W and N" : "NDHWC has 5 dimensions");
  if (rank < 3) told.nearest.reset();
  return told;
}

std::string inner_text(const Case& c) {
  return fmt::format("channelsPerPixel = {} is {} B", c.im2col->channels_per_pixel,
                     static_cast<double>(inner_bits(c)) / 8);
}

Told tell_channels(const Case& c, std::uint64_t bound, std::string message, std::string fix) {
  return tell(c, &Im2colMap::channels_per_pixel, bound, bound, std::move(message), std::move(fix));
}
Told tell_pixels(const Case& c, std::uint64_t bound, std::string message, std::string fix) {
  return tell(c, &Im2colMap::pixels_per_column, bound, bound, std::move(message), std::move(fix));
}

bool is_wider_than_span(const Case& c) {
  return has_inner_bits(c) && !is_interleaved(c) && c.swizzle != nullptr && c.swizzle->span.count > 0 &&
         inner_bits(c) > c.swizzle->span.count * 8;
}

Told tell_span(const Case& c) {
  const std::int64_t span = c.swizzle->span.count;
  const auto most = static_cast<std::uint64_t>(span * 8 / c.type->smem_bits);
  return tell_channels(c, most, fmt::format("{}; swizzle {} takes at most {} B", inner_text(c), c.swizzle->name, span),
                       fmt::format("channels = {}, and the other channels in copies of their own", most));
}

bool takes_wide(TensorMapSwizzle swizzle) {
  using enum TensorMapSwizzle;
  return swizzle == b64 || swizzle == b128 || swizzle == b128_atom_32;
}

bool counts_pixels(const Case& c) { return c.im2col->wide != Im2colWideMode::w128; }

// The largest shared memory that a CTA of any target has.
constexpr Bytes most_smem{227 * 1024};

std::int64_t column_bits(const Case& c) {
  return inner_bits(c) * static_cast<std::int64_t>(counts_pixels(c) ? c.im2col->pixels_per_column : 128);
}

bool has_column(const Case& c) { return has_inner_bits(c) && c.im2col->pixels_per_column <= most_pixels; }

bool differs(const std::array<std::int64_t, 3>& corner, int count) {
  return std::any_of(corner.begin(), corner.begin() + count, [&](std::int64_t offset) { return offset != corner[0]; });
}

// clang-format off
constexpr TensorMapRule rules[] = {
    {"im2col-rank", "rank", whole, both, of_images, "the rank is 3, 4 or 5",
     [](const Case& c) { return c.im2col->corner_count() == 0; }, tell_rank},
    {"im2col-wide-arch", "arch", whole, documented, of_wide, "Im2colWide needs compute capability 10.0",
     [](const Case& c) { return c.target.has_tma && is_hopper(c); },
     [](const Case& c) -> Told {
       return {90, 100, fmt::format("{} has no Im2colWide: it needs compute capability 10.0", c.target.name),
               "im2col without --wide"};
     }},
    {"im2col-lower-range", "lower", corners, both, of_images,
     "pixelBoxLowerCorner: -32768 to 32767 of rank 3 and Im2colWide, -128 to 127 of rank 4, -16 to 15 of rank 5",
     [](const Case& c) { return !is_in_range(c.im2col->lower_corner[c.i], *c.im2col); },
     [](const Case& c) { return tell_corner(c, "pixelBoxLowerCorner", "lower", &Im2colMap::lower_corner); }},
    {"im2col-upper-range", "upper", corners, both, of_images, "pixelBoxUpperCorner: the same",
     [](const Case& c) { return !is_in_range(c.im2col->upper_corner[c.i], *c.im2col); },
     [](const Case& c) { return tell_corner(c, "pixelBoxUpperCorner", "upper", &Im2colMap::upper_corner); }},
    {"im2col-box-empty", "upper", corners, both, of_images,
     "globalDim + upper, counted in 32 bits, is beyond lower along each dimension", is_box_empty, tell_empty_box},
    {"im2col-channels-range", "channels", whole, both, of_images, "channelsPerPixel is at most 256",
     [](const Case& c) { return c.im2col->channels_per_pixel > most_channels; },
     [](const Case& c) {
       return tell_channels(c, most_channels,
                            fmt::format("channelsPerPixel = {} is more than 256", c.im2col->channels_per_pixel),
                            "channels = 256, and the other channels in copies of their own");
     }},
    {"im2col-channels-128-padded", "channels", whole, documented, of_images,
     "of the ALIGN16B types channelsPerPixel is 128",
     [](const Case& c) {
       return is_padded(c) && c.im2col->channels_per_pixel <= most_channels && c.im2col->channels_per_pixel != 128;
     },
     [](const Case& c) {
       return tell_channels(c, 128, fmt::format("channelsPerPixel = {}; of {} it is 128",
                                                c.im2col->channels_per_pixel, c.type->name), "channels = 128");
     }},
    {"im2col-pixels-range", "pixels", whole, both, of_images,
     "pixelsPerColumn is at most 1024; mode W128 ignores it",
     [](const Case& c) { return counts_pixels(c) && c.im2col->pixels_per_column > most_pixels; },
     [](const Case& c) {
       return tell_pixels(c, most_pixels,
                          fmt::format("pixelsPerColumn = {} is more than 1024", c.im2col->pixels_per_column),
                          "pixels = 1024, and several copies");
     }},
    {"im2col-channels-0", "channels", whole, observed, of_im2col, "channelsPerPixel is 1 or more",
     [](const Case& c) { return c.im2col->channels_per_pixel == 0; },
     [](const Case& c) {
       const auto unit = static_cast<std::uint64_t>(c.type == nullptr ? 16 : 128 / c.type->smem_bits);
       return tell_channels(c, unit, "channelsPerPixel = 0", fmt::format("channels = {}, 16 B", unit));
     }},
    {"im2col-pixels-0", "pixels", whole, observed, of_im2col, "pixelsPerColumn is 1 or more",
     [](const Case& c) { return c.im2col->pixels_per_column == 0; },
     [](const Case& c) { return tell_pixels(c, 1, "pixelsPerColumn = 0", "pixels = 1 or more"); }},
    {"im2col-channels-16", "channels", whole, observed, of_im2col, "channelsPerPixel is a multiple of 16 B", is_inner_uneven,
     [](const Case& c) {
       return tell_channels(c, even_inner(c), inner_text(c) + ", not a multiple of 16 B",
                            fmt::format("channels = a multiple of {}", 128 / c.type->smem_bits));
     }},
    {"im2col-column-bytes", "pixels", whole, observed, of_im2col,
     "element size times channelsPerPixel times pixelsPerColumn is at most 233,472 B",
     [](const Case& c) { return has_column(c) && column_bits(c) > most_box_bytes.count * 8; },
     [](const Case& c) {
       const auto most = number(most_box_bytes.count * 8 / inner_bits(c));
       Told told = tell_pixels(c, most, fmt::format("a column takes {} B of shared memory; the driver accepts at most "
                                                    "{} B (228 KiB)", column_bits(c) / 8, most_box_bytes.count),
                               fmt::format("pixels = {}", most));
       told.value = number(column_bits(c) / 8);
       told.bound = number(most_box_bytes.count);
       return told;
     }},
    {"im2col-wide-swizzle", "swizzle", whole, documented, of_wide, "Im2colWide takes swizzle 64B, 128B and 128B_ATOM_32B",
     [](const Case& c) { return c.swizzle != nullptr && !takes_wide(c.map.swizzle); },
     [](const Case& c) {
       return tell(c, &TensorMap::swizzle, number(TensorMapSwizzle::b128), TensorMapSwizzle::b128,
                   fmt::format("swizzle {} with Im2colWide, which takes 64B, 128B and 128B_ATOM_32B", c.swizzle->name),
                   "swizzle 128B");
     }},
    {"im2col-wide-interleave", "interleave", whole, documented, of_wide, "Im2colWide has no interleave",
     [](const Case& c) { return is_interleaved(c); },
     [](const Case& c) {
       return tell(c, &TensorMap::interleave, 0, TensorMapInterleave::none,
                   "interleave with Im2colWide: im2col::w and im2col::w::128 have none (PTX ISA 9.4, 5.5.5)",
                   "interleave NONE");
     }},
    {"im2col-channels-span", "channels", whole, both, of_images,
     "without interleave channelsPerPixel is not wider than the swizzle", is_wider_than_span, tell_span},
};
constexpr TensorMapRule remark_table[] = {
    {"im2col-wide-empty-copy", "channels", whole, documented, of_wide, "0 channels or pixels are not forbidden",
     [](const Case& c) {
       return c.im2col->channels_per_pixel == 0 || (counts_pixels(c) && c.im2col->pixels_per_column == 0);
     },
     [](const Case&) -> Told {
       return {0, 1, "channelsPerPixel or pixelsPerColumn is 0: cuda.h does not forbid it, a copy would load nothing",
               "at least 1"};
     }},
    {"im2col-wide-channels-16", "channels", whole, documented, of_wide,
     "cuda.h does not ask for channels of a multiple of 16 B", is_inner_uneven,
     [](const Case& c) -> Told {
       const int unit = 128 / c.type->smem_bits;
       return {c.im2col->channels_per_pixel, static_cast<std::uint64_t>(unit),
               inner_text(c) + ", not a multiple of 16 B: cuda.h does not forbid it here, other maps are refused",
               fmt::format("a multiple of {}", unit)};
     }},
    {"im2col-wide-column-bytes", "pixels", whole, documented, of_wide,
     "a column may be larger than the shared memory of a CTA",
     [](const Case& c) { return has_column(c) && column_bits(c) > most_smem.count * 8; },
     [](const Case& c) -> Told {
       return {c.im2col->pixels_per_column, static_cast<std::uint64_t>(most_smem.count * 8 / inner_bits(c)),
               fmt::format("one copy loads {} B; a CTA has at most {} B of shared memory", column_bits(c) / 8,
                           most_smem.count), "fewer pixels or channels"};
     }},
    {"im2col-corner-order", "lower", whole, observed, of_images,
     "the offsets begin with W, cuda.h lists them as {D, H, W}",
     [](const Case& c) {
       const int count = c.im2col->corner_count();
       return differs(c.im2col->lower_corner, count) || differs(c.im2col->upper_corner, count);
     },
     [](const Case& c) -> Told {
       const int count = c.im2col->corner_count();
       return {0, 0, fmt::format("entry 0 of the corners belongs to W (dimension 1), entry {} to dimension {}: the "
                                 "driver counts and CuTe passes them in this order; cuda.h lists them as {{D, H, W}}",
                                 count - 1, count), ""};
     }},
};
// clang-format on

}  // namespace

std::span<const TensorMapRule> im2col_rules() { return rules; }
std::span<const TensorMapRule> im2col_remark_rules() { return remark_table; }

}  // namespace swz
