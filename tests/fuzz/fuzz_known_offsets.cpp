// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of offsets: a layout that has the given offsets, or an Error. Small ones are fitted.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "identify/fit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most_fitted = 512;
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    const swz::KnownOffsets known = swz::is_npy(bytes)
                                        ? swz::known_offsets_of(swz::read_npy(bytes))
                                        : swz::read_known_offsets({reinterpret_cast<const char*>(data), size});
    if (known.points.empty() || known.points.size() > most_fitted) return 0;
    const swz::Fit fit = swz::fit_layout(known);
    if (!fit.is_exact || !fit.layout || !known.is_complete()) return 0;
    for (const swz::KnownOffset& point : known.points)
      if ((*fit.layout)(point.index) != point.offset) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
