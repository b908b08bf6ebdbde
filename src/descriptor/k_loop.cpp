// SPDX-License-Identifier: Apache-2.0
#include "descriptor/k_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

namespace {

using Offsets = std::vector<std::int64_t>;
using Words = std::vector<SmemDescriptor>;

std::int64_t start_of(const SmemDescriptor& word) { return word.start_address().count; }

Words picked(const Words& words, std::span<const std::size_t> indices) {
  Words out;
  for (const std::size_t i : indices) out.push_back(words[i]);
  return out;
}

Offsets offsets_of(const Words& words) {
  Offsets offsets;
  for (const SmemDescriptor& word : words)
    offsets.push_back(word.start_address().count - words.front().start_address().count);
  return offsets;
}

// The element sizes that an MMA of the target reads with this major and mode.
std::set<int> legal_bits(const Target& target, Major major, const SwizzleMode& mode) {
  std::set<int> bits;
  for (const DType& dtype : dtypes())
    for (const Packing packing : {Packing::packed, Packing::slots}) {
      if (packing == Packing::slots && dtype.container_bits == 0) continue;
      if (is_legal({&target, &dtype, packing, major, &mode})) bits.insert(element_bits(dtype, packing));
    }
  return bits;
}

// The offset of the start in the first line of a pattern, in bytes; 0 past that line: the tile does not begin with a
// pattern.
std::int64_t phase_in_line(const SmemDescriptor& word, std::int64_t k_bytes) {
  const std::int64_t pattern = word.swizzle()->pattern().count;
  const std::int64_t moved = word.start_address().count - bank_row.count * word.base_offset();
  const std::int64_t phase = (moved % pattern + pattern) % pattern;
  return phase < word.swizzle()->span.count && phase % k_bytes == 0 ? phase : 0;
}

// The element sizes and majors that are possible for the words.
std::vector<KSteps> readings_of(const SmemDescriptor& word, const LoopOperand& known) {
  std::vector<KSteps> readings;
  for (const Major major : {Major::K, Major::MN}) {
    if (known.major && *known.major != major) continue;
    for (const int bits : legal_bits(word.target(), major, *word.swizzle()))
      if (known.element_bits == 0 ? bits > 1 : known.element_bits == bits)  // b1 only if it is known
        readings.push_back({word, major, bits, 0, 0, known.next_atom.count, known.first_k});
  }
  return readings;
}

// The same steps for a loop that begins with `first`.
KSteps from(const SmemDescriptor& first, std::int64_t k_bytes, KSteps steps) {
  if (first.word() != steps.word.word()) steps.first_k.reset();
  steps.word = first;
  steps.k_bytes = k_bytes;
  if (steps.has_lines()) steps.phase = steps.first_k ? *steps.first_k % steps.span() : phase_in_line(first, k_bytes);
  return steps;
}

// The distance of two atoms along K that makes the words right; 0 if they stay in one atom. None if no distance does.
std::optional<std::int64_t> distance_of(const Offsets& offsets, const KSteps& steps) {
  std::int64_t distance = 0;
  for (std::size_t i = 0; steps.has_lines() && i < offsets.size(); ++i) {
    const std::int64_t step = static_cast<std::int64_t>(i), atoms = steps.atom(step);
    if (atoms == 0) continue;
    distance = (offsets[i] - steps.offset(step, 0)) / atoms;
    const bool is_known = steps.next_atom != 0;
    if (distance <= 0 || (is_known ? distance != steps.next_atom : distance % steps.mode().atom().count != 0))
      return std::nullopt;
    break;
  }
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] != steps.offset(static_cast<std::int64_t>(i), distance)) return std::nullopt;
  if (offsets[1] == 0) return std::nullopt;  // the stride is 0
  return distance;
}

// The reading of words that start one k step after another. It does not check which bytes they read.
std::optional<LoopReading> in_order(const Offsets& offsets, const KSteps& steps) {
  const auto distance = distance_of(offsets, steps);
  if (!distance) return std::nullopt;
  const int bits = steps.major == Major::K ? 0 : steps.element_bits;
  return LoopReading{steps.major, bits, steps.k_bytes, Bytes{*distance}, 0, steps.text()};
}

// The same for a tile that begins with a pattern or, if this is not known, inside of one.
std::optional<LoopReading> in_order(const Words& words, const KSteps& reading, std::int64_t k_bytes) {
  const Offsets offsets = offsets_of(words);
  KSteps steps = from(words.front(), k_bytes, reading);
  if (auto right = in_order(offsets, steps)) return right;
  if (steps.first_k || std::exchange(steps.phase, 0) == 0) return std::nullopt;
  auto right = in_order(offsets, steps);
  if (right) right->is_off_pattern = true;
  return right;
}

// The reading with its text, if no two of the words read the same byte.
std::optional<LoopReading> without_overlap(std::optional<LoopReading> reading, const Words& words, const KSteps& steps,
                                           std::int64_t rows) {
  if (!reading) return std::nullopt;
  const auto most = rows_that_fit(offsets_of(words), from(words.front(), reading->k_bytes, steps));
  if (!most || (rows != 0 && *most != 0 && rows > *most)) return std::nullopt;
  reading->most_rows = *most;
  const std::int64_t distance = reading->next_atom.count;
  if (distance != 0) reading->text += fmt::format("; atoms along K are {} B apart", distance);
  if (*most != 0) reading->text += fmt::format("{} right for at most {} rows", distance != 0 ? ":" : ";", *most);
  if (reading->is_off_pattern)
    reading->text += fmt::format("; of a tile that begins at {:#x}, inside a pattern",
                                 std::ranges::min(words, {}, start_of).start_address().count);
  return reading;
}

// The reading of the words as the k steps of one loop, in any order.
std::optional<LoopReading> one_loop(const Words& words, const KSteps& steps, std::int64_t k_bytes) {
  std::vector<std::size_t> by_start(words.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::ranges::stable_sort(by_start, {}, [&](std::size_t i) { return start_of(words[i]); });
  auto reading = in_order(picked(words, by_start), steps, k_bytes);
  if (!reading) return std::nullopt;
  reading->loops.assign(words.size(), 0);
  reading->k_steps.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) reading->k_steps[by_start[i]] = static_cast<std::int64_t>(i);
  return reading;
}

// The reading of the words as several loops that take turns or follow each other, for several blocks of rows or several
// operands with the same fields.
std::optional<LoopReading> loops_in_one(const Words& words, const KSteps& steps, std::int64_t k_bytes,
                                        std::size_t count, bool take_turns) {
  const std::size_t size = words.size() / count;
  std::optional<LoopReading> common;
  for (std::size_t block = 0; block < count; ++block) {
    Words own;
    for (std::size_t i = 0; i < size; ++i) own.push_back(words[take_turns ? i * count + block : block * size + i]);
    auto reading = in_order(own, steps, k_bytes);
    if (!reading ||
        (common && (reading->next_atom != common->next_atom || reading->is_off_pattern != common->is_off_pattern)))
      return std::nullopt;
    if (!common) common = std::move(reading);
  }
  common->blocks = count;
  for (std::size_t i = 0; i < words.size(); ++i) {
    common->loops.push_back(take_turns ? i % count : i / size);
    common->k_steps.push_back(static_cast<std::int64_t>(take_turns ? i / count : i % size));
  }
  return common;
}

std::optional<LoopReading> loops_in_one(const Words& words, const KSteps& steps, std::int64_t k_bytes,
                                        std::int64_t rows) {
  for (std::size_t count = 2; count <= words.size() / 2; ++count)
    for (const bool take_turns : {true, false}) {
      if (words.size() % count != 0) continue;
      if (auto reading = without_overlap(loops_in_one(words, steps, k_bytes, count, take_turns), words, steps, rows))
        return reading;
    }
  return std::nullopt;
}

// The result for the words if major, element size and K are known.
struct Verdict {
  std::optional<LoopReading> right;
  std::vector<Explanation> mistakes;
};

Verdict judge(const Words& words, const KSteps& reading, std::int64_t k_bytes, const LoopOperand& known) {
  Verdict out{without_overlap(one_loop(words, reading, k_bytes), words, reading, known.rows), {}};
  // Blocks of rows that take turns count as several loops, not as one loop in an unusual order.
  if (out.right && !out.right->is_in_order() && !out.right->is_reversed())
    if (auto several = loops_in_one(words, reading, k_bytes, known.rows)) out.right = std::move(several);
  if (out.right && !out.right->is_off_pattern) return out;
  const Offsets offsets = offsets_of(words);
  const KSteps steps = from(words.front(), k_bytes, reading);
  out.mistakes = mistakes_of_advance(offsets, steps, known);
  if (out.right) return out;
  const bool may_be_blocks =
      known.k_steps != 0
          ? std::ssize(words) > known.k_steps
          : std::ranges::all_of(out.mistakes, [](const Explanation& e) { return e.rule == advance_by_rows; });
  if (may_be_blocks) out.right = loops_in_one(words, reading, k_bytes, known.rows);
  if (out.right) out.mistakes.clear();
  else if (out.mistakes.empty()) out.mistakes.push_back(unexplained_advance(offsets, steps, known));
  return out;
}

void add(KLoop& loop, Verdict verdict) {
  const auto has = [](const auto& all, auto of, const auto& one) {
    return std::ranges::find(all, one, of) != all.end();
  };
  if (verdict.right && !has(loop.readings, &LoopReading::text, verdict.right->text))
    loop.readings.push_back(std::move(*verdict.right));
  for (Explanation& e : verdict.mistakes)
    if (std::ranges::none_of(loop.mistakes, [&](const Explanation& other) {
          return other.rule == e.rule && other.message == e.message;
        }))
      loop.mistakes.push_back(std::move(e));
}

std::uint64_t without_start(const SmemDescriptor& word) {
  return word.word() & ~word.format().find(FieldId::start_address)->bits.mask();
}

std::optional<Explanation> differing_fields(const std::vector<SmemDescriptor>& words) {
  const SmemDescriptor& first = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (without_start(words[i]) == without_start(first)) continue;
    std::vector<std::string> fields;
    for (const Difference& difference : compare(first, words[i]))
      if (difference.field != to_string(FieldId::start_address))
        fields.push_back(fmt::format("{}: {} and {}", difference.field, difference.a, difference.b));
    return Explanation{
        lint("advance-other-field", fmt::format("word {} differs from the first in {}", i + 1, join_and(fields)),
             "a k step changes only the start address, bits 0-13"),
        std::nullopt};
  }
  return std::nullopt;
}

using Indices = std::vector<std::size_t>;

// Groups of at least two words that differ only in their start address.
std::vector<Indices> groups_of(const Words& words, const std::vector<std::optional<OperandRole>>& operands) {
  std::vector<Indices> groups;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].swizzle() == nullptr || words[i].absolute_lbo()) continue;
    const auto group = std::ranges::find_if(groups, [&](const Indices& other) {
      const SmemDescriptor& first = words[other.front()];
      return first.kind() == words[i].kind() && without_start(first) == without_start(words[i]) &&
             (operands.empty() || operands[other.front()] == operands[i]);
    });
    if (group == groups.end()) groups.push_back({i});
    else group->push_back(i);
  }
  std::erase_if(groups, [](const Indices& group) { return group.size() < 2; });
  return groups;
}

bool is_explained(const Explanation& mistake) {
  return mistake.rule != advance_at_all && mistake.rule != advance_repeats;
}

// Describes words that may not be k steps.
std::string other_rows(const KLoop& loop, const SmemDescriptor& word) {
  if (loop.advances == Offsets{0}) return "one word, given twice";
  if (std::ranges::find(loop.mistakes, advance_by_rows, &Explanation::rule) != loop.mistakes.end())
    return fmt::format("K-major: the same k of other rows, {} further each",
                       loop.advances[0] / word.stride_byte_offset().count * 8);
  return std::ranges::any_of(loop.mistakes, is_explained) ? "" : "words of other rows, tiles or operands";
}

}  // namespace

bool LoopReading::is_in_order() const { return blocks > 1 || std::ranges::is_sorted(k_steps); }
bool LoopReading::is_reversed() const { return blocks == 1 && std::ranges::is_sorted(k_steps, std::greater{}); }

bool KLoop::is_explained() const { return is_right() || std::ranges::any_of(mistakes, swz::is_explained); }

std::string KSteps::text() const {
  const char* reader = k_bytes == 32                  ? ""
                       : word.target().has_107_fields ? "64 B of K at once, "
                                                      : "B of a sparse MMA, ";
  const std::string who = reader + std::string(to_string(major));
  if (!has_lines()) {
    const std::int64_t step = groups() * stride();
    const std::string of = major == Major::K ? "" : fmt::format(", {}-bit elements", element_bits);
    return fmt::format("{}{}: {} x {} = {} B a step (field +{})", who, of, groups(), stride_name(), step,
                       step / chunk.count);
  }
  if (span() <= k_bytes) return fmt::format("{}: each step goes to the next k atom", who);
  return fmt::format("{}: {} B a step (field +{}) inside the {} B line", who, k_bytes, k_bytes / chunk.count, span());
}

KLoop k_loop(const Words& words, const LoopOperand& known) {
  constexpr std::int64_t dense = 32, sparse = 64;
  const Offsets offsets = offsets_of(words);
  KLoop loop;
  for (std::size_t i = 1; i < offsets.size(); ++i) loop.advances.push_back(offsets[i] - offsets[i - 1]);
  if (const auto other = differing_fields(words)) {
    loop.mistakes.push_back(*other);
    return loop;
  }

  const std::vector<KSteps> readings = readings_of(words.front(), known);
  const std::int64_t usual = known.k_bytes == 0 ? dense : known.k_bytes;
  const auto as_sparse = [&] {
    KLoop out;
    for (const KSteps& reading : readings)
      if (Verdict verdict = judge(words, reading, sparse, known); verdict.right)
        add(out, {std::move(verdict.right), {}});
    return out.readings;
  };
  for (const KSteps& reading : readings) add(loop, judge(words, reading, usual, known));
  std::ranges::stable_sort(loop.readings, {}, &LoopReading::blocks);
  if (loop.is_right()) {
    if (!std::ranges::all_of(loop.readings, &LoopReading::is_off_pattern)) loop.mistakes.clear();
    return loop;
  }
  if (known.k_bytes == 0) loop.readings = as_sparse();
  else if (usual == dense && !loop.mistakes.empty())
    for (const LoopReading& other : as_sparse()) loop.mistakes.front().hint += fmt::format("; or {}", other.text);
  if (known.major) return loop;
  // If one reading explains the words, the readings that do not are not mentioned.
  if (std::ranges::any_of(loop.mistakes, is_explained))
    std::erase_if(loop.mistakes, [](const Explanation& e) { return !is_explained(e); });
  if (!loop.is_right()) loop.other_rows = other_rows(loop, words.front());
  return loop;
}

std::vector<FoundLoop> find_loops(const Words& words, bool is_log,
                                  const std::vector<std::optional<OperandRole>>& operands) {
  constexpr std::size_t longest = 16;  // of a part of a group: every run up to this length is tried
  std::vector<FoundLoop> found;
  for (const Indices& group : groups_of(words, operands)) {
    KLoop whole = k_loop(picked(words, group));
    const bool is_whole = whole.is_explained();
    if (is_whole || !is_log) found.push_back({group, std::move(whole)});
    std::size_t size = 0;
    for (std::size_t begin = 0; !is_whole && begin + 1 < group.size(); begin += std::max<std::size_t>(size, 1)) {
      for (size = std::min({longest, group.size() - begin, group.size() - 1}); size >= 2; --size) {
        const std::span run(group.data() + begin, size);
        KLoop loop = k_loop(picked(words, run));
        if (!loop.is_explained()) continue;
        found.push_back({Indices(run.begin(), run.end()), std::move(loop)});
        break;
      }
    }
  }
  return found;
}

}  // namespace swz
