// SPDX-License-Identifier: Apache-2.0
// Limits: how much of anything swz accepts, so that one command line is answered in about a second and 256 MB.
//
//   require_within(limits::highlighted_ranges, 257)
//     throws "--highlight: 257 ranges are more than the limit of 256", hint "write neighbours as one: 0-7"
//
// Each number is written only here. The code that enforces it takes it from the row, and a test compares the table in
// docs/notation.md with the rows.
#pragma once

#include <cstdint>
#include <string_view>

namespace swz {

struct Limit {
  std::string_view what;  // as the document names it
  std::int64_t most = 0;
  std::string_view unit;     // of the number: "bytes", "variants"
  std::string_view way_out;  // what to do with more than that
};

// Throws Error if `count` is above the limit.
void require_within(const Limit& limit, std::int64_t count);

namespace limits {

inline constexpr std::int64_t kib = 1024, mib = 1024 * kib;

// What is read
inline constexpr Limit line_bytes{"a line of swz batch", mib, "bytes", "split it"};
inline constexpr Limit dump_bytes{"a file that @FILE names", 8 * mib, "bytes", "give the part that matters"};
inline constexpr Limit log_bytes{"a text for --paste", 64 * kib, "bytes", "give the part that matters"};
inline constexpr Limit pasted_uses{"a text for --paste", 500, "uses of one name", "give the part that matters"};

// Bytes of shared memory, all passes together.
inline constexpr Limit shared_dump{"the contents of a dump for swz identify", mib, "bytes",
                                   "give the part that holds the tile"};

// Expressions over layouts
inline constexpr Limit expression_bytes{"an expression over layouts", 64 * kib, "bytes", "no layout needs that many"};
inline constexpr Limit expression_nesting{"an expression over layouts", 64, "levels of brackets",
                                          "no layout needs that many"};
inline constexpr Limit expression_numbers{"an expression over layouts", 1024, "numbers", "no layout needs that many"};
inline constexpr Limit expression_operations{"an expression over layouts", 256, "operations",
                                             "evaluate the parts on their own"};
inline constexpr Limit layout_extents{"one layout", 4096, "extents", "coalesce it, or repeat fewer modes"};
inline constexpr Limit ranks{"a function of expressions", 64, "arguments, or modes to fill up to",
                             "use a smaller rank"};
inline constexpr Limit known_values{"comparing layouts and finding their properties", 1 << 22, "values",
                                    "take a part of it"};
inline constexpr Limit composed_steps{"deciding whether a composition is a layout", 1 << 23, "values times modes",
                                      "split the right-hand side into smaller modes"};
// Each step counts 1, each mode of its layout counts 1, and its text counts 1 per 8 characters.
inline constexpr Limit explained_steps{"--explain", 1 << 18, "steps, modes and words",
                                       "explain the parts on their own"};
inline constexpr Limit drawn_steps{"--explain as a picture", 64, "steps",
                                   "explain the parts on their own, or take -f text"};

// Layouts of other projects
inline constexpr Limit dialect_items{"a layout in the notation of another project", 1 << 14, "numbers and names",
                                     "no layout needs that many"};
inline constexpr Limit triton_encodings{"a file of Triton IR", 256, "encodings", "give the part that matters"};
// Arrays past this number are counted, and the answer says how many it does not show.
inline constexpr Limit triton_arrays{"what is translated of an encoding in Triton IR", 16, "arrays",
                                     "give the part that matters"};
inline constexpr Limit triton_uses{"what is listed of an encoding in Triton IR", 32, "uses",
                                   "give the part that matters"};

// C expressions
inline constexpr Limit c_bytes{"a C expression", 4 * kib, "bytes", "no address needs that many"};
inline constexpr Limit c_nesting{"a C expression", 64, "levels of brackets and unary operators", "remove brackets"};
inline constexpr Limit c_steps{"a C expression", 256, "operations and operands", "no address needs that many"};
inline constexpr Limit c_inputs{"a C expression that is not linear over GF(2)", 1 << 18, "inputs", "take fewer"};

// Lists in one command line
inline constexpr Limit expressions{"swz layout", 16, "expressions", "compare a part of them"};
inline constexpr Limit words{"swz decode", 256, "words", "decode a part of them"};
inline constexpr Limit mapped_words{"swz map", 64, "words", "map a part of the k loop"};
inline constexpr Limit compared_variants{"--compare and --beside", 8, "variants", "compare a part of them"};
inline constexpr Limit accesses{"swz banks and swz swizzle find", 8, "accesses", "ask for each separately"};
inline constexpr Limit walked_instructions{"one access", 1 << 13, "warp instructions", "take a part of the operand"};
inline constexpr Limit highlighted_ranges{"--highlight", 256, "ranges", "write neighbours as one: 0-7"};
inline constexpr Limit points{"--at, --at-byte and --at-thread", 256, "elements",
                              "ask for some at a time, or take -f json of the whole"};

// Recordings and probes
inline constexpr Limit recording_bytes{"a recording for --replay", 32 * mib, "bytes",
                                       "record fewer probes at a time: --only"};
inline constexpr Limit recording_line_bytes{"a line of a recording", mib, "bytes",
                                            "a recording is one JSON object a line, as --record writes it"};
inline constexpr Limit probe_cases{"--cases of swz verify", 100'000, "cases of each probe",
                                   "run it again with another --seed"};

// From values back to a layout
inline constexpr Limit offset_bytes{"a file for --fit", 32 * mib, "bytes", "give the part that matters"};
inline constexpr Limit given_offsets{"swz layout --fit", 1 << 20, "offsets", "give the part that matters"};

// Compiled kernels
inline constexpr Limit ptx_bytes{"a file for swz kernel", 64 * mib, "bytes", "give the kernels that matter"};
inline constexpr Limit ptx_files{"swz kernel", 16, "files", "ask for some at a time"};
inline constexpr Limit ptx_settings{"--set of swz kernel", 64, "registers", "give those that matter"};
inline constexpr Limit sass_instructions{"a disassembly for swz kernel", 1 << 20, "instructions",
                                         "give the functions that matter: nvdisasm -fun"};
inline constexpr Limit ptx_nesting{"an operand or a scope of PTX", 64, "levels of brackets",
                                   "no compiler writes that many"};
inline constexpr Limit ptx_registers{"the registers that one kernel names", 1 << 22, "registers",
                                     "give a file with that kernel only"};
inline constexpr Limit ptx_joins{"the branches and loops of one kernel", 1 << 21, "joins",
                                 "no compiler nests so many loops"};
inline constexpr Limit ptx_dominator_steps{"the dominators of one kernel's blocks", 1 << 30, "steps",
                                           "no compiler nests so many loops"};
inline constexpr Limit ptx_sites{"the accesses, MMAs and copies of the kernels that swz kernel is asked about", 1 << 16,
                                 "sites", "name one kernel with --entry, or give a file with fewer"};
// For loops that are followed pass by pass. With more loops the access is counted alike for all passes, or is not
// known.
inline constexpr Limit ptx_nested_loops{"loops around one access, to follow their passes", 6, "loops",
                                        "it is counted for all passes alike"};
inline constexpr Limit ptx_loop_passes{"passes of one loop", 64, "passes", "it is counted for all passes alike"};
inline constexpr Limit ptx_guessed_passes{"passes of a loop whose end is not known", 16, "passes",
                                          "give the value of its bound with --set"};
inline constexpr Limit ptx_site_passes{"passes of all loops around one access", 1024, "passes",
                                       "it is counted for all passes alike"};
inline constexpr Limit ptx_loop_values{"values worked out in the passes of one kernel's loops", 1 << 24, "values",
                                       "name one kernel with --entry"};

// Files that hold compiled kernels
inline constexpr Limit decompressed_bytes{"a decompressed member of a zip file or of a fat binary", 2048 * mib, "bytes",
                                          "unpack it and give the file"};
inline constexpr Limit searched_bytes{"what is decompressed of one zip file", 16384 * mib, "bytes",
                                      "unpack it and give the files that matter"};
inline constexpr Limit fat_entries{"one fat binary", 1 << 16, "entries", "no toolkit writes that many"};
inline constexpr Limit archive_members{"an archive", 1 << 18, "members", "unpack those that matter"};
inline constexpr Limit nested_archives{"a file with compiled kernels", 4, "archives in one another",
                                       "unpack the innermost"};
inline constexpr Limit folder_files{"a folder for swz kernel", 1 << 14, "files", "give a folder inside it"};
inline constexpr Limit listed_kernels{"the kernels that swz kernel lists", 1 << 18, "kernels",
                                      "name those that matter with --entry and --arch"};
inline constexpr Limit sarif_kernels{"swz kernel --sarif", 1024, "kernels", "choose some with --entry and --arch"};

// Tiles
inline constexpr Limit tile_extent{"one extent of a tile", 1 << 20, "elements",
                                   "a CTA computes a tile of a few hundred rows and columns: name that one"};
inline constexpr Limit operand_extent{"one extent of a whole operand", std::int64_t{1} << 32, "elements",
                                      "no tensor map has more along a dimension"};

// What is written
inline constexpr Limit listed_coordinates{"--map and --table of swz layout, without --limit", 1 << 18, "coordinates",
                                          "take a part of it"};
inline constexpr Limit most_coordinates{"the largest --limit of swz layout", 1 << 20, "coordinates",
                                        "take a part of it"};
inline constexpr Limit listed_factors{"--map of swz sf place", 1 << 18, "factors",
                                      "take fewer rows or a smaller K, or --at"};
inline constexpr Limit compared_factors{"comparing layouts of scale factors", 1 << 24, "factors",
                                        "take fewer rows or a smaller K"};
inline constexpr Limit scale_groups{"groups of scale factors", 1024, "groups", "take a part of them"};
inline constexpr Limit drawn_cells{"a picture", 1 << 16, "cells", "draw a part of it"};
inline constexpr Limit junit_lines{"swz batch --junit", 1 << 16, "lines", "split the file"};
inline constexpr Limit listed_mmas{"swz tiles", 1 << 14, "MMAs",
                                   "a CTA computes a tile of a few hundred rows and columns: name that one"};

}  // namespace limits

}  // namespace swz
