// The tables of rules and remarks of im2col maps.
#include "tma/im2col_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tma/rule_parts.hpp"

namespace swz {

namespace {

using Case = Im2colCase;
using Advice = Im2colAdvice;
using namespace rule_parts;

constexpr std::uint64_t most_channels = 256, most_pixels = 1024, most_element_stride = 8;

// The map of the case after change(map).
template <class Change>
std::optional<Im2colMap> changed(const Case& c, Change change) {
  Im2colMap map = c.map;
  change(map);
  return map;
}

struct CornerRange {
  std::int64_t least, most;
};

// Of a map whose rank has corners.
CornerRange corner_range(const Im2colMap& map) {
  const int bits = map.wide || map.tensor.rank == 3 ? 16 : map.tensor.rank == 4 ? 8 : 5;
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

bool is_in(std::int64_t offset, const CornerRange& range) { return offset >= range.least && offset <= range.most; }

std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

Advice tell_corner(const Case& c, std::string_view argument, std::string_view option,
                   std::array<std::int64_t, 3> Im2colMap::*corner) {
  const std::int64_t offset = (c.map.*corner)[c.i];
  const CornerRange range = corner_range(c.map);
  const std::int64_t nearest = std::clamp(offset, range.least, range.most);
  const std::string name = c.map.wide ? fmt::format("{}Width", argument) : fmt::format("{}[{}]", argument, c.i);
  return {{bits_of(offset), bits_of(nearest),
           fmt::format("{} = {} is not {} to {}, the offsets of {}", name, offset, range.least, range.most,
                       c.map.wide ? "Im2colWide" : fmt::format("rank {}", c.map.tensor.rank)),
           fmt::format("{}[{}] = {}; what reaches further is loaded by tiled maps", option, c.i, nearest),
           std::nullopt, true},
          changed(c, [&](Im2colMap& map) { (map.*corner)[c.i] = nearest; })};
}

// Entries of the box of pixels along the dimension of corner i; none: the offsets or the dimension are out of
// range.
std::optional<std::int64_t> pixel_box(const Case& c) {
  const CornerRange range = corner_range(c.map);
  const std::int64_t lower = c.map.lower_corner[c.i], upper = c.map.upper_corner[c.i];
  const std::uint64_t dim = c.map.tensor.dims[c.i + 1];
  if (!is_in(lower, range) || !is_in(upper, range) || dim < 1 || dim > 1ULL << 32) return std::nullopt;
  return static_cast<std::int64_t>(dim) + upper - lower;
}

Advice tell_empty_box(const Case& c) {
  const auto dim = static_cast<std::int64_t>(c.map.tensor.dims[c.i + 1]);
  const std::int64_t lower = c.map.lower_corner[c.i], upper = c.map.upper_corner[c.i], nearest = lower + 1 - dim;
  return {{bits_of(upper), bits_of(nearest),
           fmt::format("the box of pixels is empty along dimension {}: globalDim {} + upper {} - lower {} = {}",
                       c.i + 1, dim, upper, lower, *pixel_box(c)),
           fmt::format("upper[{}] = {} or more; of a filter of R entries it is padding - (R - 1) * dilation", c.i,
                       nearest),
           std::nullopt, true},
          changed(c, [&](Im2colMap& map) { map.upper_corner[c.i] = nearest; })};
}

Advice tell_rank(const Case& c) {
  const int rank = c.map.tensor.rank, nearest = std::clamp(rank, 3, tensor_map_max_rank);
  return {
      {number(rank), number(nearest), fmt::format("tensorRank = {} is not 3, 4 or 5: (C, W, [H, [D,]] N)", rank),
       rank < 3 ? "add dimensions of one entry: an image has C, W and N" : "NDHWC has 5 dimensions", std::nullopt},
      rank < 3 ? std::nullopt : changed(c, [&](Im2colMap& map) { map.tensor.rank = nearest; })};
}

bool has_inner_bytes(const Case& c) {
  return c.tensor.type != nullptr && c.map.channels_per_pixel >= 1 && c.map.channels_per_pixel <= most_channels;
}
std::int64_t inner_bits(const Case& c) {
  return static_cast<std::int64_t>(c.map.channels_per_pixel) * c.tensor.type->smem_bits;
}
std::string inner_text(const Case& c) {
  return fmt::format("channelsPerPixel = {} is {} B", c.map.channels_per_pixel,
                     static_cast<double>(inner_bits(c)) / 8);
}

Advice tell_channels(const Case& c, std::uint64_t bound, std::string message, std::string fix) {
  return {{c.map.channels_per_pixel, bound, std::move(message), std::move(fix), std::nullopt},
          changed(c, [&](Im2colMap& map) { map.channels_per_pixel = bound; })};
}

bool is_wider_than_span(const Case& c) {
  return has_inner_bytes(c) && !is_interleaved(c.tensor) && c.tensor.swizzle != nullptr &&
         c.tensor.swizzle->span.count > 0 && inner_bits(c) > c.tensor.swizzle->span.count * 8;
}

Advice tell_span(const Case& c) {
  const std::int64_t span = c.tensor.swizzle->span.count;
  const auto most = static_cast<std::uint64_t>(span * 8 / c.tensor.type->smem_bits);
  return tell_channels(
      c, most, fmt::format("{}; swizzle {} takes at most {} B", inner_text(c), c.tensor.swizzle->name, span),
      fmt::format("channels = {}, and the other channels in copies of their own", most));
}

bool takes_wide(TensorMapSwizzle swizzle) {
  using enum TensorMapSwizzle;
  return swizzle == b64 || swizzle == b128 || swizzle == b128_atom_32;
}

Advice tell_swizzle(const Case& c, TensorMapSwizzle nearest, std::string message) {
  return {{number(c.map.tensor.swizzle), number(nearest), std::move(message),
           fmt::format("swizzle {}", find_row(nearest)->name), std::nullopt},
          changed(c, [&](Im2colMap& map) { map.tensor.swizzle = nearest; })};
}

Advice tell_interleaved_swizzle(const Case& c) {
  Advice advice =
      tell_swizzle(c, TensorMapSwizzle::b32,
                   "INTERLEAVE_32B without SWIZZLE_32B: cuTensorMapEncodeTiled has the same rule and does "
                   "not check it, of this call nothing is known");
  if (!is_padded(c.tensor)) return advice;
  advice.told.fix = fmt::format("interleave NONE: {} takes no swizzle 32B", c.tensor.type->name);
  advice.nearest = changed(c, [](Im2colMap& map) { map.tensor.interleave = TensorMapInterleave::none; });
  return advice;
}

bool counts_pixels(const Case& c) { return c.map.wide != Im2colWideMode::w128; }

// The most shared memory that a CTA of any target can have.
constexpr Bytes most_smem{227 * 1024};

std::int64_t column_bits(const Case& c) {
  return inner_bits(c) * static_cast<std::int64_t>(counts_pixels(c) ? c.map.pixels_per_column : 128);
}

Advice remark(std::uint64_t value, std::uint64_t bound, std::string message, std::string fix) {
  return {{value, bound, std::move(message), std::move(fix), std::nullopt}, std::nullopt};
}

// clang-format off
constexpr Im2colRule rules[] = {
    {"im2col-rank", "rank", false, "the rank is 3, 4 or 5",
     [](const Case& c) { return c.map.corner_count() == 0; }, tell_rank},
    {"im2col-wide-arch", "arch", false, "Im2colWide needs compute capability 10.0",
     [](const Case& c) { return c.map.wide.has_value() && c.tensor.target.has_tma && is_hopper(c.tensor); },
     [](const Case& c) -> Advice {
       return {{90, 100, fmt::format("{} has no Im2colWide: it needs compute capability 10.0", c.tensor.target.name),
                "im2col without --wide", std::nullopt}, std::nullopt};
     }},
    {"im2col-lower-range", "lower", true,
     "pixelBoxLowerCorner: -32768 to 32767 of rank 3 and Im2colWide, -128 to 127 of rank 4, -16 to 15 of rank 5",
     [](const Case& c) { return !is_in(c.map.lower_corner[c.i], corner_range(c.map)); },
     [](const Case& c) { return tell_corner(c, "pixelBoxLowerCorner", "lower", &Im2colMap::lower_corner); }},
    {"im2col-upper-range", "upper", true, "pixelBoxUpperCorner: the same",
     [](const Case& c) { return !is_in(c.map.upper_corner[c.i], corner_range(c.map)); },
     [](const Case& c) { return tell_corner(c, "pixelBoxUpperCorner", "upper", &Im2colMap::upper_corner); }},
    {"im2col-box-empty", "upper", true, "the box of pixels, globalDim + upper - lower along each dimension, is not empty",
     [](const Case& c) { return pixel_box(c).value_or(1) < 1; }, tell_empty_box},
    {"im2col-channels-range", "channels", false, "channelsPerPixel is at most 256",
     [](const Case& c) { return c.map.channels_per_pixel > most_channels; },
     [](const Case& c) {
       return tell_channels(c, most_channels,
                            fmt::format("channelsPerPixel = {} is more than 256", c.map.channels_per_pixel),
                            "channels = 256, and the other channels in copies of their own");
     }},
    {"im2col-channels-128-padded", "channels", false, "of the ALIGN16B types channelsPerPixel is 128",
     [](const Case& c) {
       return is_padded(c.tensor) && c.map.channels_per_pixel <= most_channels && c.map.channels_per_pixel != 128;
     },
     [](const Case& c) {
       return tell_channels(c, 128, fmt::format("channelsPerPixel = {}; of {} it is 128", c.map.channels_per_pixel,
                                                c.tensor.type->name), "channels = 128");
     }},
    {"im2col-pixels-range", "pixels", false, "pixelsPerColumn is at most 1024; mode W128 ignores it",
     [](const Case& c) { return counts_pixels(c) && c.map.pixels_per_column > most_pixels; },
     [](const Case& c) -> Advice {
       return {{c.map.pixels_per_column, most_pixels,
                fmt::format("pixelsPerColumn = {} is more than 1024", c.map.pixels_per_column),
                "pixels = 1024, and several copies", std::nullopt},
               changed(c, [](Im2colMap& map) { map.pixels_per_column = most_pixels; })};
     }},
    {"im2col-element-stride-0", "elementStrides[0]", false, "with interleave elementStrides[0] is 1 to 8; without it is ignored",
     [](const Case& c) { return is_interleaved(c.tensor) && c.map.tensor.dim_count() > 0 &&
                                c.map.tensor.element_strides[0] - 1 >= most_element_stride; },
     [](const Case& c) -> Advice {
       const std::uint64_t step = c.map.tensor.element_strides[0], nearest = step == 0 ? 1 : most_element_stride;
       return {{step, nearest, fmt::format("elementStrides[0] = {} is not 1 to 8", step),
                fmt::format("elementStrides[0] = {}", nearest), std::nullopt},
               changed(c, [&](Im2colMap& map) { map.tensor.element_strides[0] = nearest; })};
     }},
    {"im2col-interleave-swizzle", "swizzle", false, "of cuTensorMapEncodeIm2col, INTERLEAVE_32B needs SWIZZLE_32B",
     [](const Case& c) {
       return !c.map.wide && c.map.tensor.interleave == TensorMapInterleave::bytes_32 &&
              c.map.tensor.swizzle != TensorMapSwizzle::b32;
     },
     tell_interleaved_swizzle},
    {"im2col-wide-swizzle", "swizzle", false, "Im2colWide takes swizzle 64B, 128B and 128B_ATOM_32B",
     [](const Case& c) { return c.map.wide && c.tensor.swizzle != nullptr && !takes_wide(c.map.tensor.swizzle); },
     [](const Case& c) {
       return tell_swizzle(c, TensorMapSwizzle::b128,
                           fmt::format("swizzle {} with Im2colWide, which takes 64B, 128B and 128B_ATOM_32B",
                                       c.tensor.swizzle->name));
     }},
    {"im2col-channels-span", "channels", false, "without interleave channelsPerPixel is no wider than the swizzle",
     is_wider_than_span, tell_span},
};

constexpr Im2colRule remark_table[] = {
    {"im2col-empty-copy", "channels", false, "0 channels or pixels are not forbidden",
     [](const Case& c) {
       return c.map.channels_per_pixel == 0 || (counts_pixels(c) && c.map.pixels_per_column == 0);
     },
     [](const Case&) { return remark(0, 1, "channelsPerPixel or pixelsPerColumn is 0: cuda.h does not forbid it, a "
                                           "copy would load nothing", "at least 1"); }},
    {"im2col-channels-16", "channels", false, "cuda.h does not ask for channels of a multiple of 16 B",
     [](const Case& c) { return has_inner_bytes(c) && inner_bits(c) % 128 != 0; },
     [](const Case& c) {
       return remark(c.map.channels_per_pixel, static_cast<std::uint64_t>(128 / c.tensor.type->smem_bits),
                     inner_text(c) + ", not a multiple of 16 B: cuda.h does not forbid it here, tiled maps are refused",
                     fmt::format("a multiple of {}", 128 / c.tensor.type->smem_bits));
     }},
    {"im2col-column-bytes", "pixels", false, "a column may be larger than the shared memory of a CTA",
     [](const Case& c) {
       return has_inner_bytes(c) && c.map.pixels_per_column <= most_pixels && column_bits(c) > most_smem.count * 8;
     },
     [](const Case& c) {
       return remark(c.map.pixels_per_column, static_cast<std::uint64_t>(most_smem.count * 8 / inner_bits(c)),
                     fmt::format("one copy loads {} B; a CTA has at most {} B of shared memory", column_bits(c) / 8,
                                 most_smem.count),
                     "fewer pixels or channels");
     }},
    {"im2col-corner-order", "lower", false, "cuda.h lists the offsets as {D, H, W}, CuTe passes W first",
     [](const Case& c) {
       const auto differs = [&](const std::array<std::int64_t, 3>& corner) {
         for (std::size_t i = 1; i < static_cast<std::size_t>(c.map.corner_count()); ++i)
           if (corner[i] != corner[0]) return true;
         return false;
       };
       return differs(c.map.lower_corner) || differs(c.map.upper_corner);
     },
     [](const Case& c) {
       return remark(0, 0, fmt::format("entry 0 of the corners is taken for W (dimension 1), entry {} for dimension "
                                       "{}, as CuTe passes them; cuda.h lists them as {{D, H, W}}",
                                       c.map.corner_count() - 1, c.map.corner_count()), "");
     }},
};
// clang-format on

}  // namespace

std::span<const Im2colRule> im2col_rules() { return rules; }
std::span<const Im2colRule> im2col_remark_rules() { return remark_table; }

}  // namespace swz
