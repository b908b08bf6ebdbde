// SPDX-License-Identifier: Apache-2.0
// Every limit of base/limits.hpp on a command line: n is answered, n + 1 is refused with the limit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/limits.hpp"
#include "limit_rows.hpp"
#include "run_cli.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

using N = std::int64_t;

std::string repeated(const std::string& piece, N count, const std::string& separator = "") {
  std::string out;
  for (N i = 0; i < count; ++i) out += (i > 0 ? separator : "") + piece;
  return out;
}

Words with(Words words, const Words& piece, N count) {
  for (N i = 0; i < count; ++i) words.insert(words.end(), piece.begin(), piece.end());
  return words;
}

struct Case {
  std::function<Words(N)> words;
  std::function<std::string(N)> input = [](N) { return std::string(); };  // the contents of standard input
  // How the refusal begins when it is not that of require_within.
  std::string refusal = {};
  // Of n: whether it is answered, or has another fault that is seen only when it is within.
  bool is_answered = true;
};

std::map<const Limit*, Case> cases() {
  using namespace limits;
  const auto layout = [](auto text) { return Case{[text](N n) { return Words{"layout", text(n), "-f", "json"}; }}; };
  const auto lint = [](auto text) {
    return Case{[text](N n) { return Words{"swizzle", "lint", text(n), "-f", "json"}; }};
  };
  const Words tile{"--dtype", "bf16", "--tile", "8x64", "-f", "json"};
  // 64 modes without a number for each.
  const auto extents = [](N n) {
    const std::string most = "make_layout(" + repeated("append(1,64)", 64, ",") + ")";
    return n == layout_extents.most ? most : fmt::format("append({},1:0)", most);
  };
  std::map<const Limit*, Case> out;
  out[&line_bytes] = {[](N) {
                        return Words{"batch", "-"};
                      },
                      [](N n) { return "layout 8:1 #" + std::string(static_cast<std::size_t>(n) - 12, 'x') + "\n"; },
                      "the line is longer than 1 MiB"};
  out[&dump_bytes] = {[](N) {
                        return Words{"decode", "@-"};
                      },
                      [](N n) { return "0x42 #" + std::string(static_cast<std::size_t>(n) - 6, 'x'); },
                      "standard input is larger than 8192 KiB"};
  out[&log_bytes] = {[](N) {
                       return Words{"tma", "check", "--paste", "-"};
                     },
                     [](N n) { return std::string(static_cast<std::size_t>(n), 'x'); }, "standard input is larger than",
                     false};
  out[&pasted_uses] = {[](N) {
                         return Words{"tma", "check", "--paste", "-"};
                       },
                       [](N n) {
                         return "cuuint64_t dims[1]={n}; " + repeated("n", n - 2, ";") +
                                "; int n=64; cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, p, dims, 0, "
                                "dims, dims, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, "
                                "CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);";
                       }};
  out[&shared_dump] = {[](N) { return Words{"identify", "-", "--dtype", "u8", "--tile", "8x64"}; },
                       [](N n) { return fmt::format("{{0 <repeats {} times>}}", n); },
                       "the text describes more than 1048576 B", false};
  // Standard input is there once, and is no PTX.
  out[&ptx_files] = {[](N n) { return with({"kernel"}, {"-"}, n); }, [](N) { return std::string(); }, {}, false};
  out[&ptx_settings] = {[](N n) {
                          return with({"kernel", "-"}, {"--set", "%r1=1"}, n);
                        },
                        [](N) { return std::string(); },
                        {},
                        false};
  out[&expression_bytes] = layout([](N n) { return "8:1" + std::string(static_cast<std::size_t>(n) - 3, ' '); });
  out[&expression_nesting] = layout([](N n) { return repeated("(", n) + "8" + repeated(")", n); });
  out[&expression_numbers] = layout([](N n) { return "(" + repeated("1", n, ",") + ")"; });
  out[&expression_operations] = layout([](N n) { return repeated("8:1", n + 1, " o "); });
  out[&layout_extents] = layout(extents);
  out[&ranks] = layout([](N n) { return fmt::format("append(8:1,{})", n); });
  // Injective, which the strides do not show; the table of n is not asked for.
  out[&known_values] = {[](N n) {
                          return Words{"diff", fmt::format("Sw<1,40,1> o 0 o {}:1", n), fmt::format("{}:1", n)};
                        },
                        [](N) { return std::string(); }, "cannot tell whether the two are the same"};
  out[&composed_steps] = {[](N n) {
                            return Words{"layout", fmt::format("(4,6,8):(2,3,5) o {}:3", (n + 3) / 4)};
                          },
                          [](N) { return std::string(); }, "cannot tell whether", false};
  // k modes of extent 1 are k steps of k modes and k / 2 words at first, k / 2 words at last.
  out[&explained_steps] = {
      [](N n) {
        const N k = n == explained_steps.most ? 480 : 512;
        const std::string ones = repeated("1", k, ","), threes = repeated("3", k, ",");
        return Words{"layout", fmt::format("coalesce(({}):({}))", ones, threes), "--explain", "-f", "json"};
      },
      [](N) { return std::string(); }, "steps, modes and words are more than the limit of 262144"};
  // Each composition is one step; one that was explained right before is not explained again.
  out[&drawn_steps] = {[](N n) {
    return Words{"layout", repeated("9:1 o 8:1 o ", n / 2) + (n % 2 == 1 ? "9:1 o 8:1" : "8:1"), "--explain", "-f",
                 "svg"};
  }};
  // The list is one of them.
  out[&dialect_items] = {[](N n) {
                           return Words{"translate", "Layout([" + repeated("1", n - 1, ",") + "], lambda: 0)"};
                         },
                         [](N) { return std::string(); }, "", false};
  const auto triton = [](auto text, std::string beyond) {
    return Case{[](N) { return Words{"translate", "@-"}; }, text, std::move(beyond)};
  };
  const auto encoding = [](N i) {
    return fmt::format(
        "#e{} = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], "
        "order = [0]}}>\n",
        i);
  };
  const auto use = [](N extent) { return fmt::format("  %a = tt.load %p : tensor<{}xf32, #e0>\n", extent); };
  out[&triton_encodings] = triton(
      [=](N n) {
        std::string text;
        for (N i = 0; i < n; ++i) text += encoding(i);
        return text + use(128);
      },
      "");
  out[&triton_arrays] = triton(
      [=](N n) {
        std::string text = encoding(0);
        for (N i = 0; i < n; ++i) text += use(N{128} << i);
        return text;
      },
      "the first 16 of 17 are translated");
  out[&triton_uses] =
      triton([=](N n) { return encoding(0) + repeated(use(128), n); }, "-f json has the first 32 of 33");
  out[&c_bytes] = lint([](N n) { return "addr" + std::string(static_cast<std::size_t>(n) - 4, ' '); });
  out[&c_nesting] = lint([](N n) { return repeated("(", n) + "addr" + repeated(")", n); });
  out[&c_steps] = lint([](N n) { return repeated("~", n % 2 == 0 ? 1 : 0) + "addr" + repeated("+0", (n - 1) / 2); });
  out[&c_inputs] = {
      [](N n) { return Words{"swizzle", "lint", "addr + (addr & 1)", "--bytes", fmt::format("{}", n), "-f", "json"}; }};
  out[&expressions] = {[](N n) { return with({"layout", "-f", "json"}, {"8:1"}, n); }};
  out[&words] = {[](N n) { return with({"decode", "-f", "json"}, {"0x4000004000010042"}, n); }};
  out[&mapped_words] = {[](N n) { return with({"map", "--mma", "8x16", "-f", "json"}, {"0x4000004000010042"}, n); }};
  out[&compared_variants] = {[tile](N n) { return with(with({"place"}, tile, 1), {"--beside", "linear"}, n); }};
  out[&accesses] = {[tile](N n) { return with(with({"banks"}, tile, 1), {"--access", "ldmatrix.x1"}, n); }};
  out[&walked_instructions] = {[](N n) {
    return Words{
        "banks", "--layout", fmt::format("({},1):(0,1)", 32 * n), "--dtype", "u8", "--access", "ld.shared.b8 rows",
        "-f",    "json"};
  }};
  out[&highlighted_ranges] = {[](N n) {
    return Words{"frag", "mma.m16n8k16", "--operand", "d", "--highlight", "rows " + repeated("0", n, ","),
                 "-f",   "json"};
  }};
  out[&points] = {[](N n) {
    return Words{"frag", "mma.m16n8k16", "--operand", "d", "--at", repeated("0,0", n, ";"), "-f", "json"};
  }};
  out[&compared_factors] = {[](N n) {
    return Words{"sf", "diff", "linear", "linear", "--vec", "1", "--shape", fmt::format("{}x1", n), "-f", "json"};
  }};
  out[&scale_groups] = {[](N n) {
    return Words{"sf", "place", "--shape", fmt::format("{}x32", n), "--groups", repeated("1", n, ","), "-f", "json"};
  }};
  out[&listed_factors] = {
      [](N n) { return Words{"sf", "place", "--shape", fmt::format("{}x32", n), "--map", "-f", "json"}; }};
  out[&recording_bytes] = {[](N) {
                             return Words{"verify", "--replay", "-"};
                           },
                           [](N n) { return std::string(static_cast<std::size_t>(n), '\n'); },
                           "standard input is larger than 32768 KiB", false};
  out[&recording_line_bytes] = {[](N) {
                                  return Words{"verify", "--replay", "-"};
                                },
                                [](N n) { return std::string(static_cast<std::size_t>(n), ' '); }, "", false};
  out[&probe_cases] = {[](N n) {
                         return Words{"verify", "--only", "wgmma",   "--emit-kernel",
                                      "--arch", "sm_90a", "--cases", fmt::format("{}", n)};
                       },
                       [](N) { return std::string(); }, "--cases"};
  const auto fit = [](auto text, std::string beyond) {
    return Case{[](N) { return Words{"layout", "--fit", "-", "-f", "json"}; }, text, std::move(beyond)};
  };
  out[&offset_bytes] = fit([](N n) { return "0" + std::string(static_cast<std::size_t>(n) - 1, ' '); },
                           "standard input is larger than 32768 KiB");
  out[&given_offsets] = fit([](N n) { return repeated("0\n", n); }, "");
  out[&tile_extent] = {
      [](N n) { return Words{"tiles", "--tile", fmt::format("{}x64x16", n), "--mma", "m64n64k16", "-f", "json"}; }};
  out[&operand_extent] = {[](N n) { return Words{"sf", "place", "--shape", fmt::format("{}x64", n)}; }};
  out[&listed_coordinates] = {[](N n) {
                                return Words{"layout", fmt::format("{}:1", n), "--map", "-f", "json"};
                              },
                              [](N) { return std::string(); }, "a map of"};
  out[&most_coordinates] = {[](N n) { return Words{"layout", "8:1", "--limit", fmt::format("{}", n), "-f", "json"}; },
                            [](N) { return std::string(); }, "--limit"};
  out[&drawn_cells] = {[](N n) {
                         return Words{"layout", fmt::format("{}:1", n), "-f", "svg"};
                       },
                       [](N) { return std::string(); }, "the picture has 65537 cells; at most 65536 are drawn"};
  out[&junit_lines] = {[](N) {
                         return Words{"batch", "-", "--junit", "/dev/null"};
                       },
                       [](N n) { return repeated("[]\n", n); }};
  // 16384 = 128 x 128, 16385 = 113 x 145
  out[&listed_mmas] = {[](N n) {
    const N rows = n % 128 == 0 ? 128 : 113;
    return Words{"tiles", "--tile", fmt::format("{}x{}x16", 64 * rows, 8 * (n / rows)), "--mma", "m64n8k16",
                 "-f",    "json"};
  }};
  return out;
}

TEST_CASE("each limit is enforced at n and n + 1") {
  const std::map<const Limit*, Case> all = cases();
  Sweep every{3};
  for (const Limit* limit : limit_rows) {
    if (!every.takes()) continue;
    // Tested in tests/ptx: 64 MiB and 4 million registers take seconds. Passes of loops beyond are not followed, which is not refused.
    if (limit == &limits::ptx_bytes || limit == &limits::ptx_nesting || limit == &limits::sass_instructions ||
        limit == &limits::ptx_registers || limit == &limits::ptx_joins || limit == &limits::ptx_dominator_steps ||
        limit == &limits::ptx_sites || limit == &limits::ptx_nested_loops || limit == &limits::ptx_loop_passes ||
        limit == &limits::ptx_guessed_passes || limit == &limits::ptx_site_passes ||
        limit == &limits::ptx_loop_values ||
        // In tests/binary/test_hostile.cpp, or gigabytes.
        limit == &limits::decompressed_bytes || limit == &limits::searched_bytes || limit == &limits::fat_entries ||
        limit == &limits::archive_members || limit == &limits::nested_archives || limit == &limits::folder_files ||
        limit == &limits::listed_kernels || limit == &limits::sarif_kernels)
      continue;
    // Arrays and tiles of millions of elements take minutes there.
    if (is_sanitized &&
        (limit == &limits::triton_arrays || limit == &limits::tile_extent || limit == &limits::recording_bytes))
      continue;
    CAPTURE(limit->what);
    CAPTURE(limit->unit);
    REQUIRE(all.contains(limit));
    const Case& c = all.at(limit);
    const std::string refusal = c.refusal.empty() ? fmt::format("{}: {} {} are more than the limit of {}", limit->what,
                                                                limit->most + 1, limit->unit, limit->most)
                                                  : c.refusal;
    const CliResult within = run_cli(c.words(limit->most), {}, c.input(limit->most));
    const std::string first = within.out.substr(0, 200) + within.err.substr(0, 400);
    INFO(first);
    CHECK((within.exit_code <= 1) == c.is_answered);
    CHECK(first.find(refusal) == std::string::npos);
    const CliResult beyond = run_cli(c.words(limit->most + 1), {}, c.input(limit->most + 1));
    // A batch says it in its answer.
    const std::string said = beyond.out.substr(0, 400) + beyond.err;
    INFO(said.substr(0, 400));
    CHECK(said.find(refusal) != std::string::npos);
  }
}

TEST_CASE("the same list in the other commands that have it") {
  const auto refused = [](const Words& words) { return run_cli(words).err; };
  const Words tile{"--dtype", "bf16", "--tile", "64x64"};
  const N most = limits::compared_variants.most;
  const Words banks = with({"banks", "-f", "json", "--compare", repeated("none", most, ";")}, tile, 1);
  CHECK(run_cli(banks).exit_code == 0);
  Words more = banks;
  more[4] += ";none";
  CHECK(refused(more).find("--compare and --beside: 9 variants are more than the limit of 8") != std::string::npos);
  const Words find = with(with({"swizzle", "find"}, tile, 1), {"--reads", "ldmatrix.x4"}, limits::accesses.most + 1);
  CHECK(refused(find).find("9 accesses are more than the limit of 8") != std::string::npos);
}

}  // namespace
}  // namespace swz
