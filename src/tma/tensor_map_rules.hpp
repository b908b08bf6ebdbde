// What cuTensorMapEncodeTiled refuses, and why: the driver says CUDA_ERROR_INVALID_VALUE and no more.
//
//   violations({f16, dims (128, 2, 4096), strides (128, 2), …}, sm_90a)
//     "stride-16"  strides[1] = 2, bound 16, documented and observed
//     globalStrides[1] = 2 B is not a multiple of 16; fix: strides[1] = 16
//
// The rules are rows of a table. Where NVIDIA's text and the driver differ, the driver decides: what only the text
// forbids is a remark, what only the driver forbids is a violation that says "observed". Rules for the sub-byte
// types and the 128B sub-modes could be read but not observed: sm_90 refuses those types and modes as a whole.
//
// Invariants (tested): a map is accepted exactly when an oracle written from the measured table accepts it;
// applying `nearest` of the first violation again and again ends at an accepted map, wherever each violation has
// one. Source: cuda.h of CUDA 13.0; H200, driver 580.159: 47,372 of 47,372 verdicts.
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

// What a rule rests on.
enum class RuleBasis { documented, observed, both, format };

constexpr std::string_view to_string(RuleBasis basis) {
  switch (basis) {
    case RuleBasis::documented: return "documented";
    case RuleBasis::observed: return "observed";
    case RuleBasis::both: return "documented and observed";
    case RuleBasis::format: return "the field in the map has no more bits";
  }
  return "";
}

// Entries of the argument that a rule looks at, one after the other.
enum class RuleEntries { whole, first, dims, later_dims, strides };

// One map, and the entry that is looked at. `type` and `swizzle` are null when the enum has no such value.
struct TensorMapCase {
  const TensorMap& map;
  const Target& target;
  const TensorMapDataTypeRow* type;
  const TensorMapSwizzleRow* swizzle;
  std::size_t i = 0;
};

// With the numbers of this map.
struct TensorMapAdvice {
  std::uint64_t value = 0, bound = 0;
  std::string message;
  std::string fix;
  std::optional<TensorMap> nearest;  // the map with the nearest legal value of this argument; none: there is none
  bool is_signed = false;            // value and bound are numbers with a sign
};

struct TensorMapRule {
  std::string_view name;
  std::string_view argument;  // "strides"; the entry's index is added
  RuleEntries entries;
  RuleBasis basis;
  std::string_view what;  // one line, for the table of rules: what the driver does
  bool (*breaks)(const TensorMapCase&);
  TensorMapAdvice (*tell)(const TensorMapCase&);
  Source source;
  std::string_view text = {};  // what cuda.h says, where that is something else
};

// What the driver refuses, in the order of the arguments.
std::span<const TensorMapRule> argument_rules();  // target, enums, rank, address, dimensions, strides
std::span<const TensorMapRule> box_rules();       // box, element strides, swizzle, fill
// What the driver accepts although the text forbids it, or a reader may not expect.
std::span<const TensorMapRule> remark_rules();

// A rule that an argument breaks.
struct ArgumentFinding : Finding {
  std::string argument;  // "box[0]"
  RuleBasis basis = RuleBasis::both;
  std::uint64_t value = 0, bound = 0;
  bool is_signed = false;  // value and bound are numbers with a sign

  bool is_documented() const { return basis == RuleBasis::documented || basis == RuleBasis::both; }
  bool is_observed() const { return basis == RuleBasis::observed || basis == RuleBasis::both; }
};
ArgumentFinding argument_finding(Severity severity, std::string_view rule, std::string argument, RuleBasis basis,
                                 const TensorMapAdvice& told);

template <class Map>
struct MapFinding : ArgumentFinding {
  std::optional<Map> nearest;  // the map with the nearest legal value of this argument; none: there is none
};
using TensorMapViolation = MapFinding<TensorMap>;

// Every violated rule. Empty: the driver accepts the map.
std::vector<TensorMapViolation> violations(const TensorMap& map, const Target& target);
bool is_accepted(const TensorMap& map, const Target& target);
// Throws Error with the first violation.
void require_accepted(const TensorMap& map, const Target& target);
std::vector<TensorMapViolation> remarks(const TensorMap& map, const Target& target);

// The most bytes of shared memory that the box of a map may count (counted_box_bytes).
inline constexpr Bytes most_box_bytes{228 * 1024};

}  // namespace swz
