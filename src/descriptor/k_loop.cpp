#include "descriptor/k_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

namespace {

using Offsets = std::vector<std::int64_t>;

Offsets offsets_of(const std::vector<SmemDescriptor>& words) {
  Offsets offsets;
  for (const SmemDescriptor& word : words)
    offsets.push_back(word.start_address().count - words.front().start_address().count);
  return offsets;
}

// The element sizes that an MMA of the target reads so.
std::set<int> legal_bits(const Target& target, Major major, const SwizzleMode& mode) {
  std::set<int> bits;
  for (const DType& dtype : dtypes())
    for (const Packing packing : {Packing::packed, Packing::slots}) {
      if (packing == Packing::slots && dtype.container_bits == 0) continue;
      if (is_legal({&target, &dtype, packing, major, &mode})) bits.insert(element_bits(dtype, packing));
    }
  return bits;
}

// Bytes from the beginning of the first line of a pattern; past that line, 0: the tile does not begin with a pattern.
std::int64_t phase_in_line(const SmemDescriptor& word, std::int64_t k_bytes) {
  const std::int64_t pattern = word.swizzle()->pattern().count;
  const std::int64_t moved = word.start_address().count - bank_row.count * word.base_offset();
  const std::int64_t phase = (moved % pattern + pattern) % pattern;
  return phase < word.swizzle()->span.count && phase % k_bytes == 0 ? phase : 0;
}

// The element sizes and majors that the words may have.
std::vector<KSteps> readings_of(const SmemDescriptor& word, const LoopOperand& known) {
  std::vector<KSteps> readings;
  for (const Major major : {Major::K, Major::MN}) {
    if (known.major && *known.major != major) continue;
    for (const int bits : legal_bits(word.target(), major, *word.swizzle()))
      if (known.element_bits == 0 ? bits > 1 : known.element_bits == bits)  // b1 only where it is known
        readings.push_back({word, major, bits, 0, 0, known.next_atom.count, known.first_k});
  }
  return readings;
}

// The same for a loop that begins with `first`.
std::vector<KSteps> from(const SmemDescriptor& first, std::int64_t k_bytes, std::vector<KSteps> readings) {
  for (KSteps& steps : readings) {
    if (first.word() != steps.word.word()) steps.first_k.reset();
    steps.word = first;
    steps.k_bytes = k_bytes;
    if (steps.has_lines())
      steps.phase = steps.first_k ? *steps.first_k % steps.span() : phase_in_line(first, k_bytes);
  }
  return readings;
}

// Rows that lie between an atom and the next one along K; 0: any number.
std::int64_t rows_before(const KSteps& steps, std::int64_t distance, std::int64_t last) {
  constexpr std::int64_t group = 8;
  const std::int64_t sbo = steps.word.stride_byte_offset().count;
  if (sbo > 0 && distance >= sbo) return distance / sbo * group;
  return (steps.atom(last) + 1) * distance <= sbo ? 0 : group;  // k-first: the atoms along K lie between two groups
}

// The distance of two atoms along K that makes the words right; 0: they stay in one. None: nothing does.
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
  if (offsets[1] == 0) return std::nullopt;  // a stride of 0
  return distance;
}

std::optional<LoopReading> right(const Offsets& offsets, const KSteps& steps) {
  const auto distance = distance_of(offsets, steps);
  if (!distance) return std::nullopt;
  const int bits = steps.major == Major::K ? 0 : steps.element_bits;
  LoopReading reading{steps.major, bits, steps.k_bytes, Bytes{*distance}, 0, steps.text()};
  if (*distance == 0) return reading;
  reading.most_rows = rows_before(steps, *distance, std::ssize(offsets) - 1);
  reading.text += fmt::format("; atoms along K are {} B apart", *distance);
  if (reading.most_rows != 0) reading.text += fmt::format(": right for at most {} rows", reading.most_rows);
  return reading;
}

bool contains(const std::vector<LoopReading>& readings, const LoopReading& one) {
  return std::ranges::find(readings, one.text, &LoopReading::text) != readings.end();
}

std::vector<LoopReading> right_readings(const std::vector<SmemDescriptor>& words, std::int64_t k_bytes,
                                        const std::vector<KSteps>& readings, std::int64_t rows) {
  const Offsets offsets = offsets_of(words);
  std::vector<LoopReading> out;
  for (KSteps steps : from(words.front(), k_bytes, readings)) {
    auto reading = right(offsets, steps);
    if (!reading && !steps.first_k && std::exchange(steps.phase, 0) != 0) {
      reading = right(offsets, steps);
      if (!reading) continue;
      reading->text +=
          fmt::format("; of a tile that begins at {:#x}, inside a pattern", steps.word.start_address().count);
      reading->is_off_pattern = true;
    }
    if (!reading || (rows != 0 && reading->most_rows != 0 && rows > reading->most_rows)) continue;
    if (!contains(out, *reading)) out.push_back(std::move(*reading));
  }
  return out;
}

// K steps of several blocks of rows, or of several operands with the same fields.
void find_blocks(KLoop& loop, const std::vector<SmemDescriptor>& words, std::int64_t k_bytes,
                 const std::vector<KSteps>& readings, std::int64_t rows) {
  for (std::size_t count = 2; count <= words.size() / 2; ++count) {
    if (words.size() % count != 0) continue;
    for (const bool take_turns : {true, false}) {
      // The blocks take turns or follow each other.
      const std::size_t size = words.size() / count;
      const auto right_block = [&](std::size_t block) {
        std::vector<SmemDescriptor> own;
        for (std::size_t i = 0; i < size; ++i)
          own.push_back(words[take_turns ? i * count + block : block * size + i]);
        return right_readings(own, k_bytes, readings, rows);
      };
      std::vector<LoopReading> common = right_block(0);
      for (std::size_t i = 1; i < count && !common.empty(); ++i) {
        const std::vector<LoopReading> own = right_block(i);
        std::erase_if(common, [&](const LoopReading& reading) { return !contains(own, reading); });
      }
      if (common.empty()) continue;
      loop.blocks = count;
      loop.readings = common;
      return;
    }
  }
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
             "a k step changes the start address alone, bits 0-13"),
        std::nullopt};
  }
  return std::nullopt;
}

using Indices = std::vector<std::size_t>;

std::vector<SmemDescriptor> picked(const std::vector<SmemDescriptor>& words, std::span<const std::size_t> indices) {
  std::vector<SmemDescriptor> out;
  for (const std::size_t i : indices) out.push_back(words[i]);
  return out;
}

// Two words or more that differ in their start address alone.
std::vector<Indices> groups_of(const std::vector<SmemDescriptor>& words) {
  std::vector<Indices> groups;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].swizzle() == nullptr || words[i].absolute_lbo()) continue;
    const auto group = std::ranges::find_if(groups, [&](const Indices& other) {
      const SmemDescriptor& first = words[other.front()];
      return first.kind() == words[i].kind() && without_start(first) == without_start(words[i]);
    });
    if (group == groups.end()) groups.push_back({i});
    else group->push_back(i);
  }
  std::erase_if(groups, [](const Indices& group) { return group.size() < 2; });
  return groups;
}

// A constant number of groups of 8 rows, K-major.
std::string other_rows(const Offsets& offsets, const SmemDescriptor& word) {
  constexpr std::int64_t most_groups = 32;
  const std::int64_t sbo = word.stride_byte_offset().count;
  if (sbo == 0 || offsets[1] <= 0 || offsets[1] % sbo != 0 || offsets[1] / sbo > most_groups) return "";
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != offsets[1]) return "";
  return fmt::format("K-major: the same k of other rows, {} further each", offsets[1] / sbo * 8);
}

}  // namespace

std::string KSteps::text() const {
  const std::string who = fmt::format("{}{}", k_bytes == 32 ? "" : "B of a sparse MMA, ", to_string(major));
  if (!has_lines()) {
    const std::int64_t step = groups() * stride();
    const std::string of = major == Major::K ? "" : fmt::format(", {}-bit elements", element_bits);
    return fmt::format("{}{}: {} x {} = {} B a step (field +{})", who, of, groups(), stride_name(), step,
                       step / chunk.count);
  }
  if (span() <= k_bytes) return fmt::format("{}: each step goes to the next k atom", who);
  return fmt::format("{}: {} B a step (field +{}) inside the {} B line", who, k_bytes, k_bytes / chunk.count,
                     span());
}

KLoop k_loop(const std::vector<SmemDescriptor>& words, const LoopOperand& known) {
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
  const std::vector<KSteps> steps = from(words.front(), usual, readings);
  const std::vector<SmemDescriptor> reversed(words.rbegin(), words.rend());
  for (const std::int64_t k_bytes : {dense, sparse}) {
    if (known.k_bytes != 0 && known.k_bytes != k_bytes) continue;
    for (const bool is_reversed : {false, true}) {
      loop.readings = right_readings(is_reversed ? reversed : words, k_bytes, readings, known.rows);
      loop.is_reversed = is_reversed && loop.is_right();
      if (!loop.is_right()) continue;
      if (std::ranges::all_of(loop.readings, &LoopReading::is_off_pattern))
        loop.mistakes = mistakes_of_advance(offsets, steps, known);
      return loop;
    }
  }
  loop.mistakes = mistakes_of_advance(offsets, steps, known);
  const bool may_be_blocks =
      known.k_steps != 0
          ? std::ssize(words) > known.k_steps
          : std::ranges::all_of(loop.mistakes, [](const Explanation& e) { return e.rule == advance_by_rows; });
  if (may_be_blocks) find_blocks(loop, words, usual, readings, known.rows);
  if (loop.is_right()) loop.mistakes.clear();
  else if (!known.major) loop.other_rows = other_rows(offsets, words.front());
  else if (loop.mistakes.empty() && !steps.empty())
    loop.mistakes.push_back(unexplained_advance(offsets, steps.front()));
  return loop;
}

std::vector<FoundLoop> find_loops(const std::vector<SmemDescriptor>& words) {
  constexpr std::size_t longest = 16;  // of a part of a group: each run is tried
  std::vector<FoundLoop> found;
  for (const Indices& group : groups_of(words)) {
    std::size_t size = group.size();
    for (std::size_t begin = 0; begin + 1 < group.size(); begin += std::max<std::size_t>(size, 1)) {
      if (begin > 0) size = std::min(longest, group.size() - begin);
      for (; size >= 2; size = std::min(longest, size - 1)) {
        const std::span run(group.data() + begin, size);
        KLoop loop = k_loop(picked(words, run));
        if (!loop.says_something()) continue;
        found.push_back({Indices(run.begin(), run.end()), std::move(loop)});
        break;
      }
    }
  }
  return found;
}

}  // namespace swz
