// The picture of a lint: where the chunks of the first 128-byte lines go, beside where the nearest mode has them.
#pragma once

#include <string>

#include "expr/swizzle_lint.hpp"
#include "view/document.hpp"

namespace swz {

// Names of inputs, values and sizes of one report.
struct LintWords {
  const SwizzleLint& s;

  bool has_coordinates() const { return s.request.expression.has_coordinates(); }
  std::uint64_t cols() const { return s.request.cols.value_or(1); }
  std::uint64_t chunk_units() const { return 128 / static_cast<std::uint64_t>(s.unit_bits); }
  std::string unit() const;                           // "byte", "f16 element"
  std::string units(std::uint64_t count) const;       // "1024 bytes"
  std::string input(std::uint64_t x) const;           // "0x80", "(1, 0)"
  std::string value(std::uint64_t value) const;       // "0x90", "64"
  std::string bytes_of(std::uint64_t units) const;    // "2048 B"
  std::string with_bytes(std::uint64_t count) const;  // "1024 f16 elements = 2048 B"
};

// Nothing when a chunk is larger than all inputs.
void add_lint_figure(Document& d, const SwizzleLint& lint);

}  // namespace swz
