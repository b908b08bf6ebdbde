// The mistakes of an advance: where a k loop starts its MMAs when it makes one of them. See k_loop.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "descriptor/k_steps.hpp"

namespace swz {

namespace {

// The words as they are, under one reading.
struct Case {
  const std::vector<std::int64_t>& offsets;
  const KSteps& steps;
  LoopOperand known;
  std::int64_t distance = 0;  // of two atoms along K

  std::int64_t first() const { return offsets[1]; }
  // "+256 B a step (field +16)", or all of them
  std::string text() const;
};

std::string Case::text() const {
  std::vector<std::string> all;
  for (std::size_t i = 1; i < offsets.size(); ++i) all.push_back(fmt::format("{:+}", offsets[i] - offsets[i - 1]));
  if (std::ranges::count(all, all.front()) == std::ssize(all))
    return fmt::format("{} B a step (field {:+})", all.front(), first() / chunk.count);
  constexpr std::size_t most = 8;
  const bool is_long = all.size() > most;
  all.resize(std::min(all.size(), most));
  return fmt::format("{}{} B", fmt::join(all, ", "), is_long ? ", ..." : "");
}

// Elements of K of a step, where they are not as many as its bytes.
std::optional<std::int64_t> in_elements(const KSteps& s, std::int64_t bytes) {
  if (s.element_bits == 8) return std::nullopt;
  return bytes * 8 / s.element_bits;
}

bool stays_in_line(const Case& c) { return c.steps.has_lines() && c.steps.atom(std::ssize(c.offsets) - 1) == 0; }

std::string elements_text(const KSteps& s) {
  return fmt::format("{} elements of {} bits", s.elements(), s.element_bits);
}

struct Mistake {
  std::string_view name, what;
  // From the first start to that of step i, where `right` is what it should be. None: this mistake cannot be made.
  std::optional<std::int64_t> (*offset)(const Case&, std::int64_t i, std::int64_t right);
  std::string (*tell)(const Case&);
};

// clang-format off
constexpr Mistake rows[] = {
    {"advance-constant", "the start address does not advance",
     [](const Case& c, std::int64_t, std::int64_t) -> std::optional<std::int64_t> {
       if (!c.known.major && c.offsets.size() == 2) return std::nullopt;  // one word given twice
       return 0;
     },
     [](const Case& c) { return fmt::format("all {} words are the same: the start address does not advance",
                                            c.offsets.size()); }},
    {"advance-in-elements", "elements were taken for bytes",
     [](const Case& c, std::int64_t, std::int64_t right) -> std::optional<std::int64_t> {
       const auto count = in_elements(c.steps, right);
       if (!count) return std::nullopt;
       return *count / chunk.count * chunk.count;
     },
     [](const Case& c) { return fmt::format("{}: {} a step were taken for bytes", c.text(), elements_text(c.steps)); }},
    {"advance-elements-unshifted", "elements were added to the field",
     [](const Case& c, std::int64_t, std::int64_t right) -> std::optional<std::int64_t> {
       const auto count = in_elements(c.steps, right);
       if (!count) return std::nullopt;
       return *count * chunk.count;
     },
     [](const Case& c) { return fmt::format("{}: {} a step were added to the field, which counts 16 bytes", c.text(),
                                            elements_text(c.steps)); }},
    {"advance-unshifted", "bytes were added to the field, without >> 4",
     [](const Case&, std::int64_t, std::int64_t right) -> std::optional<std::int64_t> { return right * chunk.count; },
     [](const Case& c) { return fmt::format("{}: bytes were added to the field without >> 4", c.text()); }},
    {"advance-shifted-twice", "bytes were divided by 16 twice",
     [](const Case&, std::int64_t, std::int64_t right) -> std::optional<std::int64_t> {
       return right / chunk.count / chunk.count * chunk.count;
     },
     [](const Case& c) { return fmt::format("{}: bytes were shifted by 4 twice", c.text()); }},
    {"advance-past-atom", "the advance leaves the atom along the line",
     [](const Case& c, std::int64_t i, std::int64_t) -> std::optional<std::int64_t> {
       if (c.steps.major == Major::MN || stays_in_line(c)) return std::nullopt;
       return i * c.steps.k_bytes;
     },
     [](const Case& c) {
       const KSteps& s = c.steps;
       std::int64_t step = 1;
       while (s.has_lines() && s.atom(step) == 0) ++step;
       return fmt::format("{}: word {} starts past the {} B line of its atom, in other rows of the same k", c.text(),
                          step + 1, s.span());
     }},
    {"advance-of-other-major", "the advance is that of the other major",
     [](const Case& c, std::int64_t i, std::int64_t) -> std::optional<std::int64_t> {
       const KSteps& s = c.steps;
       if (s.major == Major::MN) return i * s.k_bytes;
       if (!s.has_lines()) return std::nullopt;
       return i * s.elements() / s.mode().lines * s.word.stride_byte_offset().count;
     },
     [](const Case& c) { return fmt::format("{}: right {}; this operand is {}", c.text(),
                                            c.steps.major == Major::MN ? "K-major, inside a line" : "MN-major",
                                            to_string(c.steps.major)); }},
    {"advance-strides-swapped", "LBO was taken for SBO, or SBO for LBO",
     [](const Case& c, std::int64_t i, std::int64_t) -> std::optional<std::int64_t> {
       if (c.steps.has_lines() || c.steps.other_stride() < c.steps.mode().atom().count) return std::nullopt;
       return i * c.steps.groups() * c.steps.other_stride();
     },
     [](const Case& c) {
       const bool is_leading = c.steps.steps_over_leading();
       return fmt::format("{}: {} x {}; along K {} is stepped over", c.text(), c.steps.groups(), is_leading ? "SBO" : "LBO",
                          is_leading ? "LBO" : "SBO");
     }},
    {"advance-packed", "atoms along K were taken to follow each other",
     [](const Case& c, std::int64_t i, std::int64_t) -> std::optional<std::int64_t> {
       if (c.steps.has_lines()) return std::nullopt;
       return i * c.steps.groups() * c.steps.mode().atom().count;
     },
     [](const Case& c) { return fmt::format("{}: {} x the atom of {} B; atoms along K are {} = {} B apart", c.text(),
                                            c.steps.groups(), c.steps.mode().atom().count, c.steps.stride_name(),
                                            c.steps.stride()); }},
    {"advance-step-count", "the right stride was taken too few or too many times",
     [](const Case& c, std::int64_t i, std::int64_t) -> std::optional<std::int64_t> {
       constexpr std::int64_t most = 4;  // groups of 8-bit elements
       const std::int64_t stride = c.steps.stride();
       if (c.steps.has_lines() || stride == 0 || c.first() % stride != 0) return std::nullopt;
       if (c.first() <= 0 || c.first() / stride > most) return std::nullopt;
       return i * c.first();
     },
     [](const Case& c) { return fmt::format("{}: {} x {}; a step of {} takes {}", c.text(), c.first() / c.steps.stride(),
                                            c.steps.stride_name(), elements_text(c.steps), c.steps.groups()); }},
    {advance_by_rows, "the advance goes to other rows",
     [](const Case& c, std::int64_t i, std::int64_t) -> std::optional<std::int64_t> {
       const std::int64_t sbo = c.steps.word.stride_byte_offset().count;
       if (!c.known.major || c.steps.major == Major::MN || sbo == 0) return std::nullopt;
       if (c.first() <= 0 || c.first() % sbo != 0) return std::nullopt;
       return i * c.first();
     },
     [](const Case& c) {
       const std::int64_t groups = c.first() / c.steps.word.stride_byte_offset().count;
       return fmt::format("{}: {} x SBO, the same k of rows {} further", c.text(), groups, groups * 8);
     }},
    {"advance-overlaps", "the next k atom begins before the rows of this one end",
     [](const Case& c, std::int64_t i, std::int64_t right) -> std::optional<std::int64_t> {
       const bool is_past_atom = c.distance == c.steps.span() && c.steps.atom(i) > 0;
       if (c.known.rows == 0 || !c.steps.has_lines() || is_past_atom || stays_in_line(c)) return std::nullopt;
       return right;
     },
     [](const Case& c) {
       const std::int64_t sbo = c.steps.word.stride_byte_offset().count;
       return fmt::format("{}: the next k atom is {} B further, and {} rows of this one reach {} B", c.text(), c.distance,
                          c.known.rows, c.known.rows / 8 * sbo);
     }},
    {"advance-wrapped", "the start address does not fit in the field",
     [](const Case& c, std::int64_t i, std::int64_t right) -> std::optional<std::int64_t> {
       const bool is_last = i + 1 == std::ssize(c.offsets);
       if (is_last && c.steps.word.start_address().count + right < start_window) return std::nullopt;
       return right;
     },
     [](const Case& c) { return fmt::format("{}: a start address reached {:#x}, and its field of 14 bits went on from 0",
                                            c.text(), start_window); }},
};
// clang-format on

// How far apart atoms along K may be: `span` is a line that goes on into the next, as if there were no atoms.
std::vector<std::int64_t> distances(const KSteps& s) {
  if (!s.has_lines()) return {0};
  std::vector<std::int64_t> out{s.span()};
  if (s.next_atom != 0) {
    out.push_back(s.next_atom);
  } else if (s.atom(1) == 0) {  // where each step leaves its atom, some distance would explain anything
    const std::int64_t atom = s.mode().atom().count;
    for (std::int64_t distance = atom; distance < start_window / 2; distance += atom) out.push_back(distance);
  }
  return out;
}

// The first step that the mistake does not explain, or none: the number of steps.
std::int64_t first_unexplained(const Mistake& mistake, const Case& c) {
  std::int64_t i = 1;
  for (; i < std::ssize(c.offsets); ++i) {
    const auto wrong = mistake.offset(c, i, c.steps.offset(i, c.distance));
    if (!wrong || (*wrong - c.offsets[static_cast<std::size_t>(i)]) % start_window != 0) break;
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

// The first word that is wrong, as it should be. None: it lies in another atom, nobody knows where.
struct RightStep {
  std::int64_t step = 0;
  std::uint64_t word = 0;
};
std::optional<RightStep> first_right(const Case& c) {
  const KSteps& s = c.steps;
  for (std::int64_t i = 1; i < std::ssize(c.offsets); ++i) {
    if (s.has_lines() && s.atom(i) != 0 && s.next_atom == 0) return std::nullopt;
    const std::int64_t offset = s.offset(i, s.next_atom), start = s.word.start_address().count + offset;
    if (offset == c.offsets[static_cast<std::size_t>(i)]) continue;
    if (start >= start_window || start % chunk.count != 0) return std::nullopt;
    return RightStep{i, with_field(s.word.word(), s.word.format(), FieldId::start_address,
                                   static_cast<std::uint64_t>(start / chunk.count))};
  }
  return std::nullopt;
}

Explanation explanation(const Case& c, std::string_view rule, std::string message) {
  const auto right = first_right(c);
  std::string hint = "right, " + right_text(c);
  if (right) hint += fmt::format("; word {} is then {}", right->step + 1, hex64(right->word));
  return {lint(rule, std::move(message), std::move(hint)), right ? std::optional(right->word) : std::nullopt};
}

constexpr MistakeSummary other_advance{"advance", "another advance is right"};

void append(std::vector<Explanation>& out, const Case& c, std::string_view rule, std::string message) {
  const bool is_known =
      std::ranges::any_of(out, [&](const Explanation& e) { return e.rule == rule && e.message == message; });
  if (!is_known) out.push_back(explanation(c, rule, std::move(message)));
}

}  // namespace

std::vector<Explanation> mistakes_of_advance(const std::vector<std::int64_t>& offsets,
                                             const std::vector<KSteps>& readings, const LoopOperand& known) {
  std::vector<Explanation> out;
  for (const Mistake& mistake : rows)
    for (const KSteps& steps : readings) {
      Case c{offsets, steps, known};
      for (const std::int64_t distance : distances(steps)) {
        c.distance = distance;
        const std::int64_t step = first_unexplained(mistake, c);
        if (step == std::ssize(offsets)) append(out, c, mistake.name, mistake.tell(c));
        if (step == std::ssize(offsets) || steps.atom(step) == 0) break;  // no distance matters to this step
      }
    }
  return out;
}

Explanation unexplained_advance(const std::vector<std::int64_t>& offsets, const KSteps& steps) {
  const Case c{offsets, steps, {}};
  return explanation(c, other_advance.name, c.text());
}

std::vector<MistakeSummary> advance_mistakes() {
  std::vector<MistakeSummary> out;
  for (const Mistake& mistake : rows) out.push_back({mistake.name, mistake.what});
  out.push_back(other_field);
  out.push_back(other_advance);
  return out;
}

}  // namespace swz
