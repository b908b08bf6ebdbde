// SPDX-License-Identifier: Apache-2.0
// Every row of base/limits.hpp, in its order, with its number as docs/notation.md writes it. A test in
// tests/base/test_limits.cpp checks that none is missing.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

#include "base/checked.hpp"
#include "base/limits.hpp"

namespace swz {

inline constexpr std::array limit_rows{&limits::line_bytes,
                                       &limits::dump_bytes,
                                       &limits::log_bytes,
                                       &limits::pasted_uses,
                                       &limits::shared_dump,
                                       &limits::expression_bytes,
                                       &limits::expression_nesting,
                                       &limits::expression_numbers,
                                       &limits::expression_operations,
                                       &limits::layout_extents,
                                       &limits::ranks,
                                       &limits::known_values,
                                       &limits::composed_steps,
                                       &limits::explained_steps,
                                       &limits::drawn_steps,
                                       &limits::dialect_items,
                                       &limits::triton_encodings,
                                       &limits::triton_arrays,
                                       &limits::triton_uses,
                                       &limits::c_bytes,
                                       &limits::c_nesting,
                                       &limits::c_steps,
                                       &limits::c_inputs,
                                       &limits::expressions,
                                       &limits::words,
                                       &limits::mapped_words,
                                       &limits::compared_variants,
                                       &limits::accesses,
                                       &limits::walked_instructions,
                                       &limits::highlighted_ranges,
                                       &limits::points,
                                       &limits::recording_bytes,
                                       &limits::recording_line_bytes,
                                       &limits::probe_cases,
                                       &limits::offset_bytes,
                                       &limits::given_offsets,
                                       &limits::ptx_bytes,
                                       &limits::ptx_files,
                                       &limits::ptx_settings,
                                       &limits::sass_instructions,
                                       &limits::ptx_nesting,
                                       &limits::ptx_registers,
                                       &limits::ptx_joins,
                                       &limits::ptx_dominator_steps,
                                       &limits::ptx_sites,
                                       &limits::ptx_nested_loops,
                                       &limits::ptx_loop_passes,
                                       &limits::ptx_guessed_passes,
                                       &limits::ptx_site_passes,
                                       &limits::ptx_loop_values,
                                       &limits::decompressed_bytes,
                                       &limits::searched_bytes,
                                       &limits::fat_entries,
                                       &limits::archive_members,
                                       &limits::nested_archives,
                                       &limits::folder_files,
                                       &limits::listed_kernels,
                                       &limits::sarif_kernels,
                                       &limits::tile_extent,
                                       &limits::operand_extent,
                                       &limits::listed_coordinates,
                                       &limits::most_coordinates,
                                       &limits::listed_factors,
                                       &limits::compared_factors,
                                       &limits::scale_groups,
                                       &limits::drawn_cells,
                                       &limits::junit_lines,
                                       &limits::listed_mmas};

// "64 KiB", "64 levels", "2^20 coordinates"
inline std::string most_of(const Limit& limit) {
  const std::int64_t n = limit.most;
  if (limit.unit == "bytes")
    return n % limits::mib == 0 ? fmt::format("{} MiB", n / limits::mib) : fmt::format("{} KiB", n / limits::kib);
  if (is_power_of_two(n) && n >= 1 << 13) return fmt::format("2^{} {}", log2_exact(n), limit.unit);
  return fmt::format("{} {}", n, limit.unit);
}

}  // namespace swz
