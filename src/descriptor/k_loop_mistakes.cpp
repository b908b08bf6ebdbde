// SPDX-License-Identifier: Apache-2.0
// The mistakes of an advance: where a k loop starts its MMAs if it makes one of them. See k_loop.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "descriptor/k_loop.hpp"

namespace swz {

namespace {

// The words as they are, in one reading.
struct Case {
  const std::vector<std::int64_t>& offsets;
  const KSteps& steps;
  LoopOperand known;
  std::int64_t distance = 0;  // of two atoms along K

  std::int64_t first() const { return offsets[1]; }
  // Whether the first advance is 1 to `most` of these strides.
  bool is_multiple_of(std::int64_t stride, std::int64_t most = INT64_MAX) const {
    return stride != 0 && first() > 0 && first() % stride == 0 && first() / stride <= most;
  }
  // "+256 B a step (field +16)", or a list of all advances.
  std::string text() const {
    std::vector<std::string> all;
    for (std::size_t i = 1; i < offsets.size(); ++i) all.push_back(fmt::format("{:+}", offsets[i] - offsets[i - 1]));
    if (std::ranges::count(all, all.front()) == std::ssize(all))
      return fmt::format("{} B a step (field {:+})", all.front(), first() / chunk.count);
    constexpr std::size_t most = 8;
    const bool is_long = all.size() > most;
    all.resize(std::min(all.size(), most));
    return fmt::format("{}{} B", fmt::join(all, ", "), is_long ? ", ..." : "");
  }
};

using Offset = std::optional<std::int64_t>;

// The elements of K in these bytes; none if there are as many as bytes.
Offset in_elements(const KSteps& s, std::int64_t bytes) {
  if (s.element_bits == 8) return std::nullopt;
  return bytes * 8 / s.element_bits;
}

bool stays_in_line(const Case& c) { return c.steps.has_lines() && c.steps.atom(std::ssize(c.offsets) - 1) == 0; }

std::string elements_text(const KSteps& s) {
  return fmt::format("{} elements of {} bits", s.elements(), s.element_bits);
}

struct Mistake {
  std::string_view name;
  // The offset of step i from the first start, where `right` is the correct one. None if this mistake cannot be made.
  Offset (*offset)(const Case&, std::int64_t i, std::int64_t right);
  std::string (*tell)(const Case&);
};

constexpr Offset none = std::nullopt;

// clang-format off
constexpr Mistake advance_mistakes[] = {
    {"advance-constant",
     [](const Case&, std::int64_t, std::int64_t) { return Offset(0); },
     [](const Case& c) { return fmt::format("all {} words are the same: the start address does not advance",
                                            c.offsets.size()); }},
    {"advance-in-elements",
     [](const Case& c, std::int64_t, std::int64_t right) {
       const Offset count = in_elements(c.steps, right);
       return count ? Offset(*count / chunk.count * chunk.count) : none;
     },
     [](const Case& c) { return fmt::format("{}: {} a step were taken for bytes", c.text(), elements_text(c.steps)); }},
    {"advance-elements-unshifted",
     [](const Case& c, std::int64_t, std::int64_t right) {
       const Offset count = in_elements(c.steps, right);
       return count ? Offset(*count * chunk.count) : none;
     },
     [](const Case& c) { return fmt::format("{}: {} a step were added to the field, which counts 16 bytes", c.text(),
                                            elements_text(c.steps)); }},
    {"advance-unshifted",
     [](const Case&, std::int64_t, std::int64_t right) { return Offset(right * chunk.count); },
     [](const Case& c) { return fmt::format("{}: bytes were added to the field without >> 4", c.text()); }},
    {"advance-shifted-twice",
     [](const Case&, std::int64_t, std::int64_t right) {
       return Offset(right / chunk.count / chunk.count * chunk.count);
     },
     [](const Case& c) { return fmt::format("{}: bytes were shifted by 4 twice", c.text()); }},
    {"advance-past-atom",
     [](const Case& c, std::int64_t i, std::int64_t) {
       return c.steps.major == Major::MN || stays_in_line(c) ? none : Offset(i * c.steps.k_bytes);
     },
     [](const Case& c) {
       std::int64_t step = 1;
       while (c.steps.has_lines() && c.steps.atom(step) == 0) ++step;
       return fmt::format("{} leaves the {} B line of the atom: word {} reads other rows of the same k", c.text(),
                          c.steps.span(), step + 1);
     }},
    {"advance-of-other-major",
     [](const Case& c, std::int64_t i, std::int64_t) {
       const KSteps& s = c.steps;
       if (s.major == Major::MN) return Offset(i * s.k_bytes);
       return s.has_lines() ? Offset(i * s.elements() / s.mode().lines * s.word.stride_byte_offset().count) : none;
     },
     [](const Case& c) { return fmt::format("{}: right {}; this operand is {}", c.text(),
                                            c.steps.major == Major::MN ? "K-major, inside a line" : "MN-major",
                                            to_string(c.steps.major)); }},
    {"advance-strides-exchanged",
     [](const Case& c, std::int64_t i, std::int64_t) {
       const std::int64_t other = c.steps.other_stride();
       return c.steps.has_lines() || other < c.steps.mode().atom().count ? none : Offset(i * c.steps.groups() * other);
     },
     [](const Case& c) {
       const bool is_leading = c.steps.steps_over_leading();
       return fmt::format("{}: {} x {}; along K {} is stepped over", c.text(), c.steps.groups(),
                          is_leading ? "SBO" : "LBO", is_leading ? "LBO" : "SBO");
     }},
    {"advance-packed",
     [](const Case& c, std::int64_t i, std::int64_t) {
       return c.steps.has_lines() ? none : Offset(i * c.steps.groups() * c.steps.mode().atom().count);
     },
     [](const Case& c) { return fmt::format("{}: {} x the atom of {} B; atoms along K are {} = {} B apart", c.text(),
                                            c.steps.groups(), c.steps.mode().atom().count, c.steps.stride_name(),
                                            c.steps.stride()); }},
    {"advance-step-count",
     [](const Case& c, std::int64_t i, std::int64_t) {
       constexpr std::int64_t most = 4;  // groups of 8-bit elements
       return !c.steps.has_lines() && c.is_multiple_of(c.steps.stride(), most) ? Offset(i * c.first()) : none;
     },
     [](const Case& c) { return fmt::format("{}: {} x {}; a step of {} takes {}", c.text(), c.first() / c.steps.stride(),
                                            c.steps.stride_name(), elements_text(c.steps), c.steps.groups()); }},
    {advance_by_rows,
     [](const Case& c, std::int64_t i, std::int64_t) {
       // Words that may be anything are taken for those of other rows only if these are near.
       const std::int64_t most = c.known.major ? INT64_MAX : 32;
       const bool is_by_rows = c.steps.major == Major::K && c.is_multiple_of(c.steps.word.stride_byte_offset().count, most);
       return is_by_rows ? Offset(i * c.first()) : none;
     },
     [](const Case& c) {
       const std::int64_t groups = c.first() / c.steps.word.stride_byte_offset().count;
       return fmt::format("{}: {} x SBO, the same k of rows {} further", c.text(), groups, groups * 8);
     }},
    {"advance-overlaps",
     [](const Case& c, std::int64_t i, std::int64_t right) {
       const bool is_past_atom = c.steps.has_lines() && c.distance == c.steps.span() && c.steps.atom(i) > 0;
       const bool may_overlap = c.known.rows != 0 && !is_past_atom && !stays_in_line(c) && c.first() != 0;
       return may_overlap ? Offset(right) : none;
     },
     [](const Case& c) {
       if (!c.steps.has_lines())
         return fmt::format("{}: MMAs of {} rows read bytes twice, because {} is {} B", c.text(), c.known.rows,
                            c.steps.steps_over_leading() ? "SBO" : "LBO", c.steps.other_stride());
       const std::int64_t sbo = c.steps.word.stride_byte_offset().count;
       return fmt::format("{}: the next k atom is {} B further, and {} rows of this one reach {} B", c.text(), c.distance,
                          c.known.rows, c.known.rows / 8 * sbo);
     }},
    {"advance-wrapped",
     [](const Case& c, std::int64_t i, std::int64_t right) {
       const bool is_last = i + 1 == std::ssize(c.offsets);
       return is_last && c.steps.word.start_address().count + right < start_window(c.steps.word) ? none : Offset(right);
     },
     [](const Case& c) {
       const std::int64_t window = start_window(c.steps.word);
       return fmt::format("{}: a start address reached {:#x}, and its field of {} bits went on from 0", c.text(), window,
                          std::countr_zero(static_cast<std::uint64_t>(window / chunk.count)));
     }},
};
// clang-format on

// The possible distances of atoms along K; `span` means that a line continues into the next, as if there were no atoms.
std::vector<std::int64_t> distances(const KSteps& s) {
  if (!s.has_lines()) return {0};
  std::vector<std::int64_t> out{s.span()};
  if (s.next_atom != 0) {
    out.push_back(s.next_atom);
  } else if (s.atom(1) == 0) {  // if each step leaves its atom, some distance would explain anything
    const std::int64_t atom = s.mode().atom().count;
    for (std::int64_t distance = atom; distance < start_window(s.word) / 2; distance += atom) out.push_back(distance);
  }
  return out;
}

// The first step that the mistake does not explain; the number of steps if it explains all.
std::int64_t first_unexplained(const Mistake& mistake, const Case& c) {
  std::int64_t i = 1;
  for (; i < std::ssize(c.offsets); ++i) {
    const auto wrong = mistake.offset(c, i, c.steps.offset(i, c.distance));
    if (!wrong || (*wrong - c.offsets[static_cast<std::size_t>(i)]) % start_window(c.steps.word) != 0) break;
  }
  return i;
}

std::string right_text(const Case& c) {
  const KSteps& s = c.steps;
  std::string text = s.text();
  if (!s.has_lines()) return text;
  if (s.span() > s.k_bytes) text += fmt::format(", {} steps, then the next k atom", s.span() / s.k_bytes);
  if (s.next_atom != 0) return text + fmt::format(", {} B after the one before", s.next_atom);
  return text + ", rows / 8 x SBO further when the atoms are stacked mn-first";
}

// The explanation with the corrected first wrong word, unless that is in another atom, at an unknown distance.
Explanation explanation(const Case& c, std::string_view rule, std::string message) {
  const KSteps& s = c.steps;
  Explanation out{lint(rule, std::move(message), "the right advance, " + right_text(c)), {}};
  for (std::int64_t i = 1; c.known.has_words && i < std::ssize(c.offsets); ++i) {
    if (s.has_lines() && s.atom(i) != 0 && s.next_atom == 0) break;
    const std::int64_t offset = s.offset(i, s.next_atom), start = s.word.start_address().count + offset;
    if (offset == c.offsets[static_cast<std::size_t>(i)]) continue;
    if (start >= start_window(s.word) || start % chunk.count != 0) break;
    out.word = with_field(s.word.word(), s.word.format(), FieldId::start_address,
                          static_cast<std::uint64_t>(start / chunk.count));
    out.word_number = i + 1;
    out.hint += fmt::format("; word {} is then {}", i + 1, hex64(*out.word));
    break;
  }
  return out;
}

// Two words that start at the same place, numbered from 1.
std::optional<std::pair<std::size_t, std::size_t>> repeated_start(const std::vector<std::int64_t>& offsets) {
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const auto first = std::ranges::find(offsets, offsets[i]);
    if (first - offsets.begin() < static_cast<std::ptrdiff_t>(i)) return std::pair(first - offsets.begin() + 1, i + 1);
  }
  return std::nullopt;
}

// The smallest and the largest advance.
std::pair<std::int64_t, std::int64_t> advances_of(const std::vector<std::int64_t>& offsets) {
  std::pair<std::int64_t, std::int64_t> out{offsets[1], offsets[1]};
  for (std::size_t i = 2; i < offsets.size(); ++i)
    out = {std::min(out.first, offsets[i] - offsets[i - 1]), std::max(out.second, offsets[i] - offsets[i - 1])};
  return out;
}

}  // namespace

std::vector<Explanation> mistakes_of_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps,
                                             const LoopOperand& known) {
  std::vector<Explanation> out;
  for (const Mistake& mistake : advance_mistakes) {
    Case c{offsets, steps, known};
    for (const std::int64_t distance : distances(steps)) {
      c.distance = distance;
      const std::int64_t step = first_unexplained(mistake, c);
      if (step == std::ssize(offsets)) out.push_back(explanation(c, mistake.name, mistake.tell(c)));
      if (step == std::ssize(offsets) || steps.atom(step) == 0) break;  // no distance affects this step
    }
  }
  return out;
}

Explanation unexplained_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps,
                                const LoopOperand& known) {
  const Case c{offsets, steps, known};
  if (const auto same = repeated_start(offsets))
    return explanation(c, advance_repeats,
                       fmt::format("{}: word {} starts where word {} does", c.text(), same->second, same->first));
  const auto [least, most] = advances_of(offsets);
  const std::int64_t right = steps.offset(1, steps.span());
  if (steps.has_lines() && ((0 < least && least < steps.k_bytes) || (0 > most && most > -steps.k_bytes)))
    return explanation(
        c, "advance-short",
        fmt::format("{}: MMAs start inside the {} B of K that another one reads", c.text(), steps.k_bytes));
  const bool is_whole =
      right > 0 && std::ranges::all_of(offsets, [&](std::int64_t offset) { return offset % right == 0; });
  const bool is_in_line = !steps.has_lines() || steps.phase + offsets.back() < steps.span() ||
                          (least > steps.k_bytes && steps.phase + least < steps.span());
  // Whole strides between words that may be anything prove nothing.
  if (is_whole && is_in_line && least > 0 && (steps.has_lines() || known.major))
    return explanation(c, advance_skips,
                       fmt::format("{}: {} B of K are read, then some are left out", c.text(), steps.k_bytes));
  return explanation(c, advance_at_all, c.text());
}

}  // namespace swz
