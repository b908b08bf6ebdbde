// The tables of rules and remarks of im2col maps.
#include "tma/im2col_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tma/rule_parts.hpp"

namespace swz {

namespace {

using Case = Im2colCase;
using Advice = Im2colAdvice;
using enum RuleBasis;
using namespace rule_parts;

constexpr std::uint64_t most_channels = 256, most_pixels = 1024;

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

// The dimension that corner i is held against.
std::size_t corner_dim(const Case& c) { return !c.map.wide && is_interleaved(c.tensor) ? c.i : c.i + 1; }

// Whether offsets and dimension are in range, so that a box can be counted.
bool has_pixel_box(const Case& c) {
  const CornerRange range = corner_range(c.map);
  const std::uint64_t dim = c.map.tensor.dims[corner_dim(c)];
  return is_in(c.map.lower_corner[c.i], range) && is_in(c.map.upper_corner[c.i], range) && dim >= 1 &&
         dim <= 1ULL << 32;
}
// One behind the last pixel along that dimension.
std::int64_t pixel_end(const Case& c) {
  return static_cast<std::int64_t>(c.map.tensor.dims[corner_dim(c)]) + c.map.upper_corner[c.i];
}
// The driver counts in 32 bits.
bool is_end_wrapped(const Case& c) { return !c.map.wide && pixel_end(c) > INT32_MAX; }
bool is_box_empty(const Case& c) {
  if (!has_pixel_box(c)) return false;
  const std::int64_t end =
      is_end_wrapped(c) ? static_cast<std::int32_t>(static_cast<std::uint32_t>(pixel_end(c))) : pixel_end(c);
  return end <= c.map.lower_corner[c.i];
}

Advice tell_empty_box(const Case& c) {
  const std::size_t d = corner_dim(c);
  const auto dim = static_cast<std::int64_t>(c.map.tensor.dims[d]);
  const std::int64_t lower = c.map.lower_corner[c.i], upper = c.map.upper_corner[c.i], nearest = lower + 1 - dim;
  if (is_end_wrapped(c)) {
    constexpr std::uint64_t most = 1ULL << 30;
    return {
        {bits_of(dim), most,
         fmt::format("globalDim[{}] {} + upper {} does not fit in the 32 bits in which the driver counts pixels", d,
                     dim, upper),
         fmt::format("split the dimension; dims[{}] = {}", d, most), std::nullopt},
        changed(c, [&](Im2colMap& map) { map.tensor.dims[d] = most; })};
  }
  return {{bits_of(upper), bits_of(nearest),
           fmt::format("the box of pixels is empty along dimension {}: globalDim {} + upper {} - lower {} = {}", d,
                       dim, upper, lower, dim + upper - lower),
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

bool counts_pixels(const Case& c) { return c.map.wide != Im2colWideMode::w128; }

// The most shared memory that a CTA of any target can have.
constexpr Bytes most_smem{227 * 1024};

std::int64_t column_bits(const Case& c) {
  return inner_bits(c) * static_cast<std::int64_t>(counts_pixels(c) ? c.map.pixels_per_column : 128);
}

bool is_uneven(const Case& c) {
  return has_inner_bytes(c) && !is_padded(c.tensor) && inner_bits(c) % (chunk.count * 8) != 0;
}
bool has_column(const Case& c) { return has_inner_bytes(c) && c.map.pixels_per_column <= most_pixels; }

Advice remark(std::uint64_t value, std::uint64_t bound, std::string message, std::string fix) {
  return {{value, bound, std::move(message), std::move(fix), std::nullopt}, std::nullopt};
}

// clang-format off
constexpr Im2colRule rules[] = {
    {"im2col-rank", "rank", false, both, "the rank is 3, 4 or 5",
     [](const Case& c) { return c.map.corner_count() == 0; }, tell_rank},
    {"im2col-wide-arch", "arch", false, documented, "Im2colWide needs compute capability 10.0",
     [](const Case& c) { return c.map.wide.has_value() && c.tensor.target.has_tma && is_hopper(c.tensor); },
     [](const Case& c) -> Advice {
       return {{90, 100, fmt::format("{} has no Im2colWide: it needs compute capability 10.0", c.tensor.target.name),
                "im2col without --wide", std::nullopt}, std::nullopt};
     }},
    {"im2col-lower-range", "lower", true, both,
     "pixelBoxLowerCorner: -32768 to 32767 of rank 3 and Im2colWide, -128 to 127 of rank 4, -16 to 15 of rank 5",
     [](const Case& c) { return !is_in(c.map.lower_corner[c.i], corner_range(c.map)); },
     [](const Case& c) { return tell_corner(c, "pixelBoxLowerCorner", "lower", &Im2colMap::lower_corner); }},
    {"im2col-upper-range", "upper", true, both, "pixelBoxUpperCorner: the same",
     [](const Case& c) { return !is_in(c.map.upper_corner[c.i], corner_range(c.map)); },
     [](const Case& c) { return tell_corner(c, "pixelBoxUpperCorner", "upper", &Im2colMap::upper_corner); }},
    {"im2col-box-empty", "upper", true, both, "globalDim + upper, counted in 32 bits, is beyond lower along each dimension",
     is_box_empty, tell_empty_box},
    {"im2col-channels-range", "channels", false, both, "channelsPerPixel is at most 256",
     [](const Case& c) { return c.map.channels_per_pixel > most_channels; },
     [](const Case& c) {
       return tell_channels(c, most_channels,
                            fmt::format("channelsPerPixel = {} is more than 256", c.map.channels_per_pixel),
                            "channels = 256, and the other channels in copies of their own");
     }},
    {"im2col-channels-128-padded", "channels", false, documented, "of the ALIGN16B types channelsPerPixel is 128",
     [](const Case& c) {
       return is_padded(c.tensor) && c.map.channels_per_pixel <= most_channels && c.map.channels_per_pixel != 128;
     },
     [](const Case& c) {
       return tell_channels(c, 128, fmt::format("channelsPerPixel = {}; of {} it is 128", c.map.channels_per_pixel,
                                                c.tensor.type->name), "channels = 128");
     }},
    {"im2col-pixels-range", "pixels", false, both, "pixelsPerColumn is at most 1024; mode W128 ignores it",
     [](const Case& c) { return counts_pixels(c) && c.map.pixels_per_column > most_pixels; },
     [](const Case& c) -> Advice {
       return {{c.map.pixels_per_column, most_pixels,
                fmt::format("pixelsPerColumn = {} is more than 1024", c.map.pixels_per_column),
                "pixels = 1024, and several copies", std::nullopt},
               changed(c, [](Im2colMap& map) { map.pixels_per_column = most_pixels; })};
     }},
    {"im2col-channels-0", "channels", false, observed, "channelsPerPixel is 1 or more",
     [](const Case& c) { return !c.map.wide && c.map.channels_per_pixel == 0; },
     [](const Case& c) {
       const auto unit = static_cast<std::uint64_t>(c.tensor.type == nullptr ? 16 : 128 / c.tensor.type->smem_bits);
       return tell_channels(c, unit, "channelsPerPixel = 0", fmt::format("channels = {}, 16 B", unit));
     }},
    {"im2col-pixels-0", "pixels", false, observed, "pixelsPerColumn is 1 or more",
     [](const Case& c) { return !c.map.wide && c.map.pixels_per_column == 0; },
     [](const Case& c) -> Advice {
       return {{0, 1, "pixelsPerColumn = 0", "pixels = 1 or more", std::nullopt},
               changed(c, [](Im2colMap& map) { map.pixels_per_column = 1; })};
     }},
    {"im2col-channels-16", "channels", false, observed, "channelsPerPixel is a multiple of 16 B",
     [](const Case& c) { return !c.map.wide && is_uneven(c); },
     [](const Case& c) {
       const auto unit = static_cast<std::uint64_t>(128 / c.tensor.type->smem_bits);
       return tell_channels(c, std::min(c.map.channels_per_pixel / unit * unit + unit, most_channels),
                            inner_text(c) + ", not a multiple of 16 B", fmt::format("channels = a multiple of {}", unit));
     }},
    {"im2col-column-bytes", "pixels", false, observed,
     "element size times channelsPerPixel times pixelsPerColumn is at most 233,472 B",
     [](const Case& c) { return !c.map.wide && has_column(c) && column_bits(c) > most_box_bytes.count * 8; },
     [](const Case& c) -> Advice {
       const auto most = static_cast<std::uint64_t>(most_box_bytes.count * 8 / inner_bits(c));
       return {{static_cast<std::uint64_t>(column_bits(c) / 8), static_cast<std::uint64_t>(most_box_bytes.count),
                fmt::format("a column takes {} B of shared memory; the driver accepts at most {} B (228 KiB)",
                            column_bits(c) / 8, most_box_bytes.count),
                fmt::format("pixels = {}", most), std::nullopt},
               changed(c, [&](Im2colMap& map) { map.pixels_per_column = most; })};
     }},
    {"im2col-wide-swizzle", "swizzle", false, documented, "Im2colWide takes swizzle 64B, 128B and 128B_ATOM_32B",
     [](const Case& c) { return c.map.wide && c.tensor.swizzle != nullptr && !takes_wide(c.map.tensor.swizzle); },
     [](const Case& c) {
       return tell_swizzle(c, TensorMapSwizzle::b128,
                           fmt::format("swizzle {} with Im2colWide, which takes 64B, 128B and 128B_ATOM_32B",
                                       c.tensor.swizzle->name));
     }},
    {"im2col-channels-span", "channels", false, both, "without interleave channelsPerPixel is not wider than the swizzle",
     is_wider_than_span, tell_span},
};

constexpr Im2colRule remark_table[] = {
    {"im2col-wide-empty-copy", "channels", false, documented, "0 channels or pixels are not forbidden",
     [](const Case& c) {
       return c.map.wide && (c.map.channels_per_pixel == 0 || (counts_pixels(c) && c.map.pixels_per_column == 0));
     },
     [](const Case&) { return remark(0, 1, "channelsPerPixel or pixelsPerColumn is 0: cuda.h does not forbid it, a "
                                           "copy would load nothing", "at least 1"); }},
    {"im2col-wide-channels-16", "channels", false, documented, "cuda.h does not ask for channels of a multiple of 16 B",
     [](const Case& c) { return c.map.wide && is_uneven(c); },
     [](const Case& c) {
       return remark(c.map.channels_per_pixel, static_cast<std::uint64_t>(128 / c.tensor.type->smem_bits),
                     inner_text(c) + ", not a multiple of 16 B: cuda.h does not forbid it here, other maps are refused",
                     fmt::format("a multiple of {}", 128 / c.tensor.type->smem_bits));
     }},
    {"im2col-wide-column-bytes", "pixels", false, documented, "a column may be larger than the shared memory of a CTA",
     [](const Case& c) {
       return c.map.wide && has_column(c) && column_bits(c) > most_smem.count * 8;
     },
     [](const Case& c) {
       return remark(c.map.pixels_per_column, static_cast<std::uint64_t>(most_smem.count * 8 / inner_bits(c)),
                     fmt::format("one copy loads {} B; a CTA has at most {} B of shared memory", column_bits(c) / 8,
                                 most_smem.count),
                     "fewer pixels or channels");
     }},
    {"im2col-corner-order", "lower", false, observed, "the offsets stand W first, cuda.h lists them as {D, H, W}",

     [](const Case& c) {
       const auto differs = [&](const std::array<std::int64_t, 3>& corner) {
         for (std::size_t i = 1; i < static_cast<std::size_t>(c.map.corner_count()); ++i)
           if (corner[i] != corner[0]) return true;
         return false;
       };
       return differs(c.map.lower_corner) || differs(c.map.upper_corner);
     },
     [](const Case& c) {
       return remark(0, 0, fmt::format("entry 0 of the corners belongs to W (dimension 1), entry {} to dimension {}: the "
                                       "driver counts so and CuTe passes them so; cuda.h lists them as {{D, H, W}}",
                                       c.map.corner_count() - 1, c.map.corner_count()), "");
     }},
};
// clang-format on

}  // namespace

std::span<const Im2colRule> im2col_rules() { return rules; }
std::span<const Im2colRule> im2col_remark_rules() { return remark_table; }

}  // namespace swz
