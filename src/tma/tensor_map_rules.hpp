// SPDX-License-Identifier: Apache-2.0
// The refusals of the calls that make a tensor map, with reasons: the driver reports only CUDA_ERROR_INVALID_VALUE.
//
//   violations({f16, dims (128, 2, 4096), strides (128, 2), …}, sm_90a)
//     "stride-16"  strides[1] = 2, bound 16, documented and observed
//     globalStrides[1] = 2 B is not a multiple of 16; fix: strides[1] = 16
//   of an im2col map with lower (-129, -1)
//     "im2col-lower-range"  pixelBoxLowerCorner[0] = -129, rank 4 allows -128 to 127
//
// The rules are rows of tables (refusal_rules.cpp, im2col_rules.cpp, remark_rules.cpp). If NVIDIA's text and the driver
// differ, the driver decides: what only the text forbids is a remark, what only the driver forbids is a violation
// marked "observed". Rules for the sub-byte types and the 128B sub-modes could be read but not observed: sm_90 refuses
// those types and modes as a whole. cuTensorMapEncodeIm2colWide needs sm_100 and was not measured: all its rules are
// only documented.
//
// Invariants (tested): a map is accepted exactly if an oracle written from the measured table accepts it, an im2col map
// exactly if the H200 did (tests/data/im2col.txt); applying `nearest` of the first violation repeatedly ends at an
// accepted map, if each violation has one.
// Source: cuda.h of CUDA 13.0; H200, driver 580.159: 47,372 of 47,372 verdicts of cuTensorMapEncodeTiled, 180,000 of
// 180,000 of cuTensorMapEncodeIm2col, 60,000 of them drawn after the rules were fixed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/target.hpp"
#include "base/finding.hpp"
#include "tma/tensor_map.hpp"

namespace swz {

// The basis of a rule.
enum class RuleBasis { documented, observed, both, format };

constexpr std::string_view to_string(RuleBasis basis) {
  constexpr std::string_view names[] = {"documented", "observed", "documented and observed",
                                        "the field in the map has no more bits"};
  return names[static_cast<std::size_t>(basis)];
}

// The calls to which a rule applies, one bit each: cuTensorMapEncodeTiled, …Im2col and …Im2colWide.
inline constexpr unsigned of_tiled = 1, of_im2col = 2, of_wide = 4;
inline constexpr unsigned of_images = of_im2col | of_wide, of_measured = of_tiled | of_im2col,
                          of_every = of_tiled | of_images;

// The entries of the argument that a rule checks, one by one.
enum class RuleEntries { whole, first, dims, later_dims, strides, corners };

// One call, and the entry that is checked. `type` and `swizzle` are null if the enum has no such value.
struct TensorMapCase {
  const TensorMap& map;
  const Im2colMap* im2col;  // null for cuTensorMapEncodeTiled
  const Target& target;
  const TensorMapDataTypeRow* type;
  const TensorMapSwizzleRow* swizzle;
  std::size_t i = 0;

  unsigned call() const { return im2col == nullptr ? of_tiled : im2col->wide ? of_wide : of_im2col; }
};

// The advice with the numbers of this map.
struct TensorMapAdvice {
  std::uint64_t value = 0, bound = 0;
  std::string message;
  std::string fix;
  // The call with the nearest legal value of this argument; for cuTensorMapEncodeTiled only its tensor counts.
  std::optional<Im2colMap> nearest = {};
  bool is_signed = false;  // value and bound are signed numbers
};

struct TensorMapRule {
  std::string_view name;
  std::string_view argument;  // "strides"; the index of the entry is appended
  RuleEntries entries;
  RuleBasis basis;
  unsigned calls;
  std::string_view what;  // one line, for the table of rules: what the driver does
  bool (*breaks)(const TensorMapCase&);
  TensorMapAdvice (*tell)(const TensorMapCase&);
  Source source = {};          // for cuTensorMapEncodeTiled
  std::string_view text = {};  // the statement of cuda.h, if it differs
};

// What the driver refuses, in the order of the arguments.
std::span<const TensorMapRule> refusal_rules();
std::span<const TensorMapRule> im2col_rules();  // only for im2col maps
// What the driver accepts although the text forbids it, or although a reader may not expect it.
std::span<const TensorMapRule> remark_rules();
std::span<const TensorMapRule> im2col_remark_rules();

// The source of a rule with this basis, for an im2col map.
Source im2col_source(RuleBasis basis, bool is_wide);

// A rule that an argument breaks.
struct TensorMapViolation : Finding {
  std::string argument;  // "box[0]"
  RuleBasis basis = RuleBasis::both;
  std::uint64_t value = 0, bound = 0;
  bool is_signed = false;            // value and bound are signed numbers
  std::optional<Im2colMap> nearest;  // as in TensorMapAdvice; none if there is none

  bool is_documented() const { return basis == RuleBasis::documented || basis == RuleBasis::both; }
  bool is_observed() const { return basis == RuleBasis::observed || basis == RuleBasis::both; }
};

// Every violated rule. Empty if the driver accepts the map, or, for the wide call, if cuda.h allows it.
std::vector<TensorMapViolation> violations(const TensorMap& map, const Target& target);
std::vector<TensorMapViolation> violations(const Im2colMap& map, const Target& target);
std::vector<TensorMapViolation> remarks(const TensorMap& map, const Target& target);
std::vector<TensorMapViolation> remarks(const Im2colMap& map, const Target& target);
bool is_accepted(const TensorMap& map, const Target& target);
// Throws Error with the first violation; of an im2col map with its rule and source too.
void require_accepted(const TensorMap& map, const Target& target);
void require_accepted(const Im2colMap& map, const Target& target);
// Throws Error unless the target can have the map: the driver accepts it, or tensormap.replace makes it (swizzle 96B).
void require_possible(const TensorMap& map, const Target& target);
void require_possible(const Im2colMap& map, const Target& target);

// The largest number of bytes of shared memory that the box of a map may count (counted_box_bytes).
inline constexpr Bytes most_box_bytes{228 * 1024};

// ---- the meaning of the code that cuTensorMapEncodeTiled returned, in addition to the verdict on its arguments
//
//   explain_result(715, map, true)   the arguments are legal and 715 is from an earlier kernel: find that kernel
//   explain_result(1, map, false)    the code is that of the broken rules
//
// Only CUDA_ERROR_INVALID_VALUE (1) refers to the arguments. Every other code is also returned for legal ones.
// Source: H200, driver 580.159: each of the refusals among 47,372 verdicts was 1; cuda.h for the documented codes.

struct EncodeResult {
  int code = 0;
  std::string name;  // "CUDA_ERROR_ILLEGAL_INSTRUCTION"; empty if swz does not know the code
  std::string message, hint;
  bool agrees = false;  // with the verdict: 0 if accepted, 1 if refused
};

EncodeResult explain_result(int code, const TensorMap& map, bool is_accepted);

// Reads "715", "CUDA_ERROR_ILLEGAL_INSTRUCTION", "illegal_instruction". Throws Error for any other text.
int require_cuda_result(std::string_view text);

}  // namespace swz
