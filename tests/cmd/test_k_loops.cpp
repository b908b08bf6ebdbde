// SPDX-License-Identifier: Apache-2.0
// One verdict of k loops: decode, map and kernel are asked about the same 10,000 loops, right ones and wrong ones, and compared
// with each other and with the bytes that the MMAs read, which are computed here from the formulas of PTX.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "answers.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "descriptor/k_loop.hpp"
#include "ptx/kernel_report.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

using Starts = std::vector<std::int64_t>;

struct Type {
  const char *dtype, *wgmma;
  int bits;
};
constexpr Type types[] = {
    {"f16", "k16.f32.f16.f16", 16}, {"tf32", "k8.f32.tf32.tf32", 32}, {"e4m3", "k32.f32.e4m3.e4m3", 8}};
struct Mode {
  std::uint64_t code;
  std::int64_t width;  // of a line
};
constexpr Mode modes[] = {{0, 16}, {3, 32}, {2, 64}, {1, 128}};

struct Loop {
  Type type = types[0];
  Mode mode = modes[0];
  bool is_mn = false, is_b = false;
  std::int64_t rows = 64, lbo = 16, sbo = 0, distance = 0;  // distance: of two atoms along K
  Starts starts = {};
  std::string planted = {};

  std::uint64_t word(std::int64_t start) const {
    return mode.code << 62 | static_cast<std::uint64_t>(sbo / 16) << 32 | static_cast<std::uint64_t>(lbo / 16) << 16 |
           static_cast<std::uint64_t>(start / 16);
  }
  bool has_lines() const { return !is_mn && mode.width > 16; }
  std::int64_t k() const { return 256 / type.bits; }
};

// ---- the truth

// Where the word at `start` reads (row, byte of K) or, MN-major, (byte of M or N, k).
std::int64_t read_at(const Loop& l, std::int64_t start, std::int64_t row, std::int64_t k) {
  const std::int64_t w = l.mode.width;
  std::int64_t at = start;
  if (!l.is_mn && w == 16) at += row % 8 * 16 + row / 8 * l.sbo + k / 16 * l.lbo + k % 16;
  else if (!l.is_mn) at += row % 8 * w + row / 8 * l.sbo + k;
  else if (w == 16) at += row % 16 + row / 16 * l.sbo + k % 8 * 16 + k / 8 * l.lbo;
  else at += row % w + row / w * l.lbo + k % 8 * w + k / 8 * l.sbo;
  return w == 16 ? at : at ^ ((at >> 7 & (w / 16 - 1)) << 4);
}

std::vector<std::int64_t> bytes_read(const Loop& l, std::int64_t start) {
  std::vector<std::int64_t> bytes;
  const std::int64_t rows = l.is_mn ? l.rows * l.type.bits / 8 : l.rows, ks = l.is_mn ? l.k() : 32;
  for (std::int64_t row = 0; row < rows; row += l.is_mn ? 16 : 1)
    for (std::int64_t k = 0; k < ks; k += l.is_mn ? 1 : 16) bytes.push_back(read_at(l, start, row, k));
  return bytes;
}

bool are_distinct(std::vector<std::int64_t> bytes) {
  std::ranges::sort(bytes);
  return std::ranges::adjacent_find(bytes) == bytes.end();
}

// One MMA reads no byte twice.
bool has_sound_strides(const Loop& l) { return are_distinct(bytes_read(l, l.starts[0])); }

bool are_disjoint(const Loop& l) {
  std::vector<std::int64_t> all;
  for (const std::int64_t start : l.starts) std::ranges::copy(bytes_read(l, start), std::back_inserter(all));
  return are_distinct(std::move(all));
}

// Where k step i of a tile starts that begins at 0, `phase` bytes of K before the first step.
std::int64_t right_start(const Loop& l, std::int64_t i, std::int64_t phase, std::int64_t distance) {
  const std::int64_t at = phase + 32 * i, w = l.mode.width;
  if (l.has_lines()) return at / w * distance + at % w - phase;
  if (!l.is_mn) return at / 16 * l.lbo;
  return i * l.k() / 8 * (w == 16 ? l.lbo : l.sbo);
}

// In order, steps of one tile; distance 0: any.
std::optional<std::int64_t> is_one_loop(const Loop& l, const Starts& starts, std::int64_t distance) {
  const std::int64_t in_line = starts[0] % (8 * l.mode.width) < l.mode.width ? starts[0] % l.mode.width : 0;
  for (const std::int64_t phase : {in_line / 32 * 32 == in_line ? in_line : 0, std::int64_t{0}}) {
    std::vector<std::int64_t> distances{distance};
    if (distance == 0 && l.has_lines())
      for (std::int64_t d = 8 * l.mode.width; d < 1 << 18; d += 8 * l.mode.width) distances.push_back(d);
    for (const std::int64_t d : distances) {
      bool is_right = true, leaves = false;
      for (std::size_t i = 0; i < starts.size() && is_right; ++i) {
        const auto step = static_cast<std::int64_t>(i);
        leaves = leaves || (l.has_lines() && (phase + 32 * step) / l.mode.width > 0);
        is_right = starts[i] - starts[0] == right_start(l, step, phase, d);
      }
      if (is_right && (!leaves || d > 0)) return leaves ? d : 0;
    }
  }
  return std::nullopt;
}

bool is_right(const Loop& l) {
  if (!are_disjoint(l)) return false;
  Starts sorted = l.starts;
  std::ranges::sort(sorted);
  if (is_one_loop(l, sorted, 0)) return true;
  for (std::size_t count = 2; count <= l.starts.size() / 2; ++count)
    for (const bool take_turns : {true, false}) {
      if (l.starts.size() % count != 0) continue;
      const std::size_t size = l.starts.size() / count;
      std::set<std::optional<std::int64_t>> distances;
      for (std::size_t block = 0; block < count; ++block) {
        Starts own;
        for (std::size_t i = 0; i < size; ++i)
          own.push_back(l.starts[take_turns ? i * count + block : block * size + i]);
        distances.insert(is_one_loop(l, own, 0));
      }
      if (distances.size() == 1 && *distances.begin()) return true;
    }
  return false;
}

// ---- loops

Loop random_tile(Random& random) {
  Loop l;
  const auto below = [&](std::int64_t n) { return random.below(n); };
  l.type = types[below(3)];
  l.mode = modes[below(4)];
  l.is_b = below(2) == 1;
  if (l.is_b) l.rows = 8 * (1 + below(8));
  l.is_mn = l.type.bits == 16 && below(2) == 1;
  const std::int64_t w = l.mode.width, steps = 2 + below(7), first = 1024 * (1 + below(8)),
                     along = l.rows * (l.is_mn ? 2 : 1);
  if (l.is_mn) {
    // Atoms of 8 k: those along M or N lie between two of them, or the other way.
    const std::int64_t atoms = (along + w - 1) / w, atom = 8 * w;
    (w == 16 ? l.lbo : l.sbo) = atom * (below(2) == 1 ? atoms : 1 + below(3));
    (w == 16 ? l.sbo : l.lbo) = atom * (below(2) == 1 ? 1 : steps * 2 * 3);
  } else if (w == 16) {
    l.lbo = 128 * (below(2) == 1 ? l.rows / 8 : 1);
    l.sbo = l.lbo == 128 && l.rows > 8 ? 128 * 2 * steps : 128;
  } else {
    l.sbo = 8 * w * (1 + below(2));
    l.distance = below(3) == 0 ? 8 * w : l.sbo * (l.rows / 8);
    if (l.distance < l.sbo && below(2) == 1) l.sbo = l.distance * steps;
  }
  const std::int64_t phase = l.has_lines() && below(4) == 0 ? 32 * below(w / 32) : 0;
  for (std::int64_t i = 0; i < steps; ++i) l.starts.push_back(first + phase + right_start(l, i, phase, l.distance));
  return l;
}

void plant(Loop& l, Random& random) {
  const auto below = [&](std::int64_t n) { return random.below(n); };
  const auto index_below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(n)));
  };
  const std::int64_t first = l.starts[0], step = l.starts[1] - l.starts[0];
  const auto regular = [&](std::int64_t advance) {
    for (std::size_t i = 0; i < l.starts.size(); ++i)
      l.starts[i] = first + static_cast<std::int64_t>(i) * advance / 16 * 16;
  };
  switch (below(12)) {
    case 0: l.planted = "short"; return regular(16);
    case 1: l.planted = "half"; return regular(step / 2);
    case 2: l.planted = "long"; return regular(2 * step);
    case 3: l.planted = "of the other major"; return regular(l.is_mn ? 32 : l.k() / 8 * l.sbo);
    case 4: l.planted = "elements for bytes"; return regular(step * 8 / l.type.bits);
    case 5: l.planted = "elements in the field"; return regular(16 * step * 8 / l.type.bits);
    case 6: l.planted = "crossing"; return regular(32);
    case 7: {
      l.planted = "shuffled";
      random.shuffle(l.starts);
      return;
    }
    case 8: {
      l.planted = "repeated";
      const std::size_t at = 1 + index_below(l.starts.size() - 1);
      l.starts[at] = l.starts[at - 1];
      return;
    }
    case 9: {
      l.planted = "one word elsewhere";
      l.starts[index_below(l.starts.size())] += 16 * (1 + below(64));
      return;
    }
    case 10: {
      l.planted = "two loops in sequence";
      const Starts once = l.starts;
      const std::int64_t moved = 16 * (below(2) == 1 ? below(512) : 64 * below(64));
      for (const std::int64_t start : once) l.starts.push_back(start + moved);
      return;
    }
    default: {
      l.planted = "loops that take turns";
      const std::int64_t moved = below(2) == 1 ? l.rows / 8 * l.sbo : 16 * below(256);
      Starts out;
      for (const std::int64_t start : l.starts)
        for (std::int64_t block = 0; block < 2; ++block) out.push_back(start + block * moved);
      l.starts = out;
    }
  }
}

std::vector<Loop> all_loops(std::size_t count) {
  Random random(28);
  std::vector<Loop> loops;
  while (loops.size() < count) {
    Loop l = random_tile(random);
    if (loops.size() % 3 != 0) plant(l, random);
    if (has_sound_strides(l) && std::ranges::min(l.starts) >= 0 && std::ranges::max(l.starts) < 1 << 18)
      loops.push_back(std::move(l));
  }
  return loops;
}

// ---- the three commands

struct Said {
  bool is_right = false;
  std::set<std::string> rules = {};

  bool operator==(const Said&) const = default;
};

std::string to_text(const Said& said) {
  std::string out = said.is_right ? "right" : "not right:";
  for (const std::string& rule : said.rules) out += " " + rule;
  return out;
}

std::vector<SmemDescriptor> words_of(const Loop& l) {
  std::vector<SmemDescriptor> words;
  for (const std::int64_t start : l.starts) words.emplace_back(l.word(start), require_target("sm_90a"));
  return words;
}

Said said_by_map(const Loop& l) {
  const KLoop loop =
      k_loop(words_of(l),
             {.major = l.is_mn ? Major::MN : Major::K, .element_bits = l.type.bits, .rows = l.rows, .k_bytes = 32});
  Said said{loop.is_right(), {}};
  if (!said.is_right)
    for (const Explanation& e : loop.mistakes) said.rules.emplace(e.rule);
  return said;
}

// About the type, the major and the rows of the loop, which decode does not know.
struct SaidByDecode {
  bool lists_it = false, is_right = false;
  std::set<std::string> rules = {};
};

SaidByDecode said_by_decode(const Loop& l) {
  const std::vector<FoundLoop> found = find_loops(words_of(l), false);
  SaidByDecode said;
  REQUIRE_FALSE(found.empty());
  REQUIRE(found[0].words.size() == l.starts.size());
  const KLoop& loop = found[0].loop;
  said.lists_it = std::ranges::any_of(loop.readings, [&](const LoopReading& r) {
    return (r.major == Major::MN) == l.is_mn && (r.element_bits == 0 || r.element_bits == l.type.bits) &&
           r.k_bytes == 32 && (r.most_rows == 0 || l.rows <= r.most_rows);
  });
  said.is_right = loop.is_right();
  for (const Explanation& e : loop.mistakes) said.rules.emplace(e.rule);
  return said;
}

// One entry whose MMAs read the words as A or as B; the other operand advances along K as it should.
std::string entry_of(const Loop& l, std::size_t number, const std::vector<std::int64_t>& other_steps) {
  std::string text = fmt::format(".visible .entry f{}() {{\n.reg .b64 %rd<99>;\n.reg .f32 %f<4>;\n", number);
  const Loop other{.type = l.type, .lbo = 128, .sbo = 8192};
  for (std::size_t i = 0; i < l.starts.size(); ++i) {
    const std::string own = fmt::format("{:#x}", l.word(l.starts[i]));
    const std::string right = fmt::format("{:#x}", other.word(1024 + 256 * other_steps[i]));
    text += fmt::format("mov.b64 %rd{}, {};\nmov.b64 %rd{}, {};\n", 2 * i, l.is_b ? right : own, 2 * i + 1,
                        l.is_b ? own : right);
    const std::string transposed =
        l.type.bits != 16 ? "" : fmt::format(", {}, {}", l.is_mn && !l.is_b ? 1 : 0, l.is_mn && l.is_b ? 1 : 0);
    text += fmt::format("wgmma.mma_async.sync.aligned.m64n{}{} {{%f0, %f1, %f2, %f3}}, %rd{}, %rd{}, 1, 1, 1{};\n",
                        l.is_b ? l.rows : 8, l.type.wgmma, 2 * i, 2 * i + 1, transposed);
  }
  return text + "ret;\n}\n";
}

std::vector<std::int64_t> in_order(std::size_t count) {
  std::vector<std::int64_t> steps(count);
  for (std::size_t i = 0; i < count; ++i) steps[i] = static_cast<std::int64_t>(i);
  return steps;
}

// The steps in which the words of a right loop come; for several loops in one, loop by loop.
std::vector<std::int64_t> order_of(const Loop& l) {
  Starts sorted = l.starts;
  std::ranges::sort(sorted);
  if (!is_one_loop(l, sorted, 0)) return in_order(l.starts.size());
  std::vector<std::int64_t> steps;
  for (const std::int64_t start : l.starts) steps.push_back(std::ranges::find(sorted, start) - sorted.begin());
  return steps;
}

std::vector<Said> said_by_kernel(const std::vector<Loop>& loops) {
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n";
  for (std::size_t i = 0; i < loops.size(); ++i) text += entry_of(loops[i], i, order_of(loops[i]));
  const PtxModule module = read_ptx(text);
  std::vector<Said> said;
  for (const KernelReport& report : kernel_reports(module, {})) {
    const std::string own = loops[said.size()].is_b ? "B of the MMAs" : "A of the MMAs";
    Said& one = said.emplace_back();
    for (const MmaSite& site : report.mma)
      for (const Finding& finding : site.findings) {
        if (finding.message.starts_with(own)) one.rules.emplace(finding.rule);
        else if (finding.rule.starts_with("advance")) one.rules.insert(fmt::format("other operand: {}", finding.rule));
      }
    one.is_right = one.rules.empty();
  }
  return said;
}

std::string loop_text(const Loop& l) {
  std::string out = fmt::format("{} {}-major {} rows {}, {}:", l.type.dtype, l.is_mn ? "MN" : "K", l.is_b ? "B" : "A",
                                l.rows, l.planted);
  for (const std::int64_t start : l.starts) out += " " + hex64(l.word(start));
  return out;
}

bool has_neighbours_alike(const Starts& starts) { return std::ranges::adjacent_find(starts) != starts.end(); }
bool has_repeats(Starts starts) {
  std::ranges::sort(starts);
  return has_neighbours_alike(starts);
}

// 10,000 with SWZ_WHOLE_SWEEPS=1.
TEST_CASE("decode, map and kernel say the same of thousands of loops, and what the bytes say") {
  const std::vector<Loop> loops = all_loops(static_cast<std::size_t>(10000 / step_of(25, 4)));
  constexpr std::size_t batch = 100;
  std::map<std::string, std::pair<long, long>> right_and_wrong;
  for (std::size_t begin = 0; begin < loops.size(); begin += batch) {
    const std::vector<Loop> own(loops.begin() + static_cast<std::ptrdiff_t>(begin),
                                loops.begin() + static_cast<std::ptrdiff_t>(begin + batch));
    const std::vector<Said> kernel = said_by_kernel(own);
    REQUIRE(kernel.size() == batch);
    for (std::size_t i = 0; i < batch; ++i) {
      const Loop& l = own[i];
      const Said map = said_by_map(l);
      const SaidByDecode decode = said_by_decode(l);
      INFO(loop_text(l), "\nmap: ", to_text(map), "\nkernel: ", to_text(kernel[i]), "\ndecode: ", decode.is_right, " ",
           to_text({decode.lists_it, decode.rules}));
      CHECK(map.is_right == is_right(l));
      CHECK(decode.lists_it == map.is_right);
      // Where decode says that nothing is right, it names what map names: but not other rows or k that lie far away, and "advance"
      // only if another reading has a name for it.
      const std::set<std::string> not_named{"advance", "advance-repeats", "advance-by-rows", "advance-skips"};
      if (!decode.is_right)
        for (const std::string& rule : map.rules) CHECK((decode.rules.contains(rule) || not_named.contains(rule)));
      // Words that come again later are no mistake by themselves where the other operand multiplies them with other data.
      if (kernel[i] != map) CHECK((kernel[i].is_right && has_repeats(l.starts) && !has_neighbours_alike(l.starts)));
      ++(map.is_right ? right_and_wrong[l.planted].first : right_and_wrong[l.planted].second);
    }
  }
  for (const auto& [planted, counts] : right_and_wrong)
    MESSAGE(planted, ": ", counts.first, " right, ", counts.second, " not");
  for (const auto& [planted, counts] : right_and_wrong) CHECK(counts.first + counts.second > at_least(100, 25, 4));
}

}  // namespace
}  // namespace swz
