// Im2colMap: the arguments of cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide, and what is refused.
//
// cuTensorMapEncodeIm2col was measured: 180,000 of 180,000 verdicts of an H200, 60,000 of them drawn after the rules
// were fixed. cuTensorMapEncodeIm2colWide was NOT: it needs sm_100, and its rules are those of cuda.h.
//
//   f16 images (N, H, W, C) = (8, 56, 56, 64), filter 3x3, padding 1:
//     dims (64, 56, 56, 8), strides (128, 7168, 401408), lower (-1, -1), upper (-1, -1), 64 channels, 128 pixels,
//     128B box along W: 56 + upper - lower = 56 places of the filter's first entry: accepted
//   lower (-129, -1)     "im2col-lower-range": pixelBoxLowerCorner[0] = -129, rank 4 allows -128 to 127
//   upper (-57, -1)      "im2col-box-empty": 56 - 57 + 1 = 0
//
// Entry i of a corner belongs to dimension i + 1, W first, as CuTe passes them and the H200 counts; cuda.h lists
// the offsets as {D, H, W}. With interleave the H200 holds entry i against dimension i. A box of pixels runs along
// dimension d from lower to dims[d] + upper, counted in 32 bits. Rules that tiled maps have too are rows of
// tma/tensor_map_rules.hpp.
//
// Invariants (tested): a map breaks a rule exactly when an oracle of its own refuses it, and exactly when the H200
// refused it (tests/data/im2col.txt); applying `nearest` of the first violation again and again ends at an accepted
// map, wherever each violation has one.
// Source: cuda.h of CUDA 13.0; H200, driver 580.159.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tma/tensor_map_rules.hpp"

namespace swz {

// CUtensorMapIm2ColWideMode
enum class Im2colWideMode : int { w, w128 };

struct Im2colMap {
  TensorMap tensor;  // its box means nothing
  std::array<std::int64_t, 3> lower_corner = {}, upper_corner = {};
  std::uint64_t channels_per_pixel = 0, pixels_per_column = 0;
  std::optional<Im2colWideMode> wide = {};  // of cuTensorMapEncodeIm2colWide, whose corners have W alone

  bool operator==(const Im2colMap&) const = default;
  // 0 where the rank is none that im2col has.
  int corner_count() const {
    if (tensor.rank < 3 || tensor.rank > tensor_map_max_rank) return 0;
    return wide ? 1 : tensor.rank - 2;
  }
};

// One map, and the entry of the corners that is looked at.
struct Im2colCase {
  const Im2colMap& map;
  TensorMapCase tensor;
  std::size_t i = 0;
};

struct Im2colAdvice {
  TensorMapAdvice told;  // without its own `nearest`
  std::optional<Im2colMap> nearest;
};

struct Im2colRule {
  std::string_view name;
  std::string_view argument;
  bool is_of_each_corner;
  RuleBasis basis;  // of cuTensorMapEncodeIm2col; of the wide one every rule is documented alone
  std::string_view what;
  bool (*breaks)(const Im2colCase&);
  Im2colAdvice (*tell)(const Im2colCase&);
};

// What is refused of im2col maps alone.
std::span<const Im2colRule> im2col_rules();
// What is not refused and a reader may not expect.
std::span<const Im2colRule> im2col_remark_rules();
// Whether a rule of tiled maps is one of im2col maps too.
bool is_im2col_rule(const TensorMapRule& rule);
// Of a rule with this basis.
Source im2col_source(RuleBasis basis, bool is_wide);

using Im2colViolation = MapFinding<Im2colMap>;

// Every rule that is broken. Empty: the driver accepts the map, or of the wide call cuda.h allows it.
std::vector<Im2colViolation> violations(const Im2colMap& map, const Target& target);
std::vector<Im2colViolation> remarks(const Im2colMap& map, const Target& target);

}  // namespace swz
