// K steps: where the MMAs of a k loop should start, under one reading of the words. Formulas, example and source:
// k_loop.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "descriptor/k_loop.hpp"

namespace swz {

// Start addresses repeat after this: the field holds 14 bits of 16 bytes.
inline constexpr std::int64_t start_window = std::int64_t{1} << 18;

struct KSteps {
  SmemDescriptor word;  // the first
  Major major = Major::K;
  int element_bits = 0;
  std::int64_t k_bytes = 32;
  std::int64_t phase = 0;                    // of the first start in its line
  std::int64_t next_atom = 0;                // 0: not known
  std::optional<std::int64_t> first_k = {};  // bytes of K before `word`

  const SwizzleMode& mode() const { return *word.swizzle(); }
  std::int64_t span() const { return mode().span.count; }
  // Swizzled K-major operands: a step stays in a line or goes to the next atom.
  bool has_lines() const { return major == Major::K && mode().bits > 0; }
  // The others go on by whole strides.
  bool steps_over_leading() const { return mode().bits == 0; }
  std::int64_t stride() const {
    return (steps_over_leading() ? word.leading_byte_offset() : word.stride_byte_offset()).count;
  }
  std::int64_t other_stride() const {
    return (steps_over_leading() ? word.stride_byte_offset() : word.leading_byte_offset()).count;
  }
  std::int64_t elements() const { return k_bytes * 8 / element_bits; }
  // How many strides a step goes on.
  std::int64_t groups() const { return major == Major::K ? k_bytes / chunk.count : elements() / mode().lines; }
  // How many atoms after the first one step i begins.
  std::int64_t atom(std::int64_t i) const { return (phase + i * k_bytes) / span(); }
  // From the start of the first step; where it lies in another atom, with atoms `distance` apart.
  std::int64_t offset(std::int64_t i, std::int64_t distance) const {
    if (!has_lines()) return i * groups() * stride();
    return atom(i) * distance + (phase + i * k_bytes) % span() - phase;
  }

  // "LBO" or "SBO"
  const char* stride_name() const { return steps_over_leading() ? "LBO" : "SBO"; }
  // "2 x SBO = 2048 B a step (field +128)"
  std::string text() const;
};

// `offsets`: from the first start to each, of words that are not right under any of `readings`.
std::vector<Explanation> mistakes_of_advance(const std::vector<std::int64_t>& offsets,
                                             const std::vector<KSteps>& readings, const LoopOperand& known);
// Of these, the one that words of several blocks of rows also make.
inline constexpr std::string_view advance_by_rows = "advance-by-rows";
inline constexpr MistakeSummary other_field{"advance-other-field", "another field than the start address changes"};
// What is said where no mistake explains the words.
Explanation unexplained_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps);

}  // namespace swz
