// SPDX-License-Identifier: Apache-2.0
#include "descriptor/named_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arch/swizzle_mode.hpp"
#include "base/text.hpp"
#include "descriptor/named_record.hpp"

namespace swz {

namespace {

enum class Part { none, whole, low, high, reg32, reg16, field };

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_narrow(std::uint64_t value) { return value >> 32 == 0; }
// Also accepts a signed number of 32 bits, as %d prints a high half.
bool is_half(const TextNumber& n) { return part_of_word(n, 32).has_value(); }

bool says_boolean(std::string_view symbol) { return is_one_of(symbol, {"true", "false", "True", "False"}); }

// Whether it is the name of a whole word: desc_, a_desc, smem_desc_base, descriptor, GmmaDescriptor.
bool names_word(std::string_view name) {
  const std::string lower = lower_case(name);
  if (is_one_of(lower, {"word", "raw", "reg64_", "reg64"})) return true;
  const bool is_other = lower.find("describ") != std::string::npos || lower.find("tma") != std::string::npos ||
                        lower.find("tensor") != std::string::npos;
  if (is_other) return false;
  return lower.find("descriptor") != std::string::npos ||
         (lower.find("desc") != std::string::npos && lower.find("description") == std::string::npos);
}

const FieldNameRow* field_of(std::string_view name) {
  const auto found = std::ranges::find(field_names(), name, &FieldNameRow::name);
  return found == field_names().end() ? nullptr : &*found;
}

// "R4 = 0010042": whether the text begins as a number, but cannot be read, at the place of half a word.
bool is_unread_half(const TextNumber& n) {
  return !n.repeats && !n.symbol.empty() && is_digit(n.symbol.front()) && names_part(n.name);
}

// Reads the numbers in order and collects records.
class Reader {
 public:
  explicit Reader(std::span<const TextNumber> numbers) : numbers_(numbers) { out_.is_used.resize(numbers.size()); }

  NamedWords words() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) take(i);
    flush();
    std::ranges::stable_sort(out_.words, {}, &NamedWord::first);
    return std::move(out_);
  }

 private:
  void take(std::size_t i) {
    const TextNumber& n = numbers_[i];
    if (is_unread_half(n)) {
      NamedWord unread;
      unread.first = i;
      unread.problem = Error(fmt::format("'{}' is not a number: hexadecimal without 0x?", text_of(n)),
                             "write 0x before a hexadecimal number, and a decimal one without zeros before it");
      out_.words.push_back(std::move(unread));
      return;
    }
    const Part part = part_of(i);
    if (n.repeats && n.symbol.empty()) return repeat(i);
    if (part == Part::none) return;
    if (const std::size_t halves = part == Part::reg32 && n.is_bound ? halves_from(i) : 0; halves % 2 != 0)
      return refuse_odd(i, halves);
    const bool is_elsewhere = n.outer_id != record_.outer && (n.outer_id != 0 || record_.outer != 0);
    if (!record_.members.empty() && !n.repeats && (is_elsewhere || begins_anew(i, part))) flush();
    if (!n.repeats) record_.outer = n.outer_id;  // "1 (F16)" has its own bracket
    record_.members.push_back(i);
    switch (part) {
      case Part::whole: record_.whole = i; break;
      case Part::low: record_.low = i; break;
      case Part::high: record_.high = i; break;
      case Part::reg32: record_.reg32.push_back(i); break;
      case Part::reg16: record_.reg16.push_back(i); break;
      default: record_.fields.push_back({field_of(n.name), n.value, n.symbol, n.scope, i});
    }
  }

  // With an odd number of halves behind a name it is not clear which are of one word.
  void refuse_odd(std::size_t first, std::size_t count) {
    NamedWord odd;
    odd.first = first;
    odd.problem =
        Error(fmt::format("'{}' begins {} numbers of 32 bits, and a word has 2", text_of(numbers_[first]), count),
              "give all of one word, the low one first");
    out_.words.push_back(std::move(odd));
    for (std::size_t i = first; i < first + count; ++i) out_.is_used[i] = true;
  }

  // A number that repeats the one before it belongs to the same record.
  void repeat(std::size_t i) {
    if (!record_.members.empty() && record_.members.back() + 1 == i) record_.members.push_back(i);
  }

  // "t1 lo = 66" and "t0 hi = 64" are of two words.
  bool is_of_other_thread(const std::optional<std::size_t>& half, const TextNumber& n) const {
    const auto is_numbered = [](std::string_view tag) {
      return !tag.empty() && is_letter(tag.front()) && is_digit(tag.back());
    };
    return half && is_numbered(n.tag) && is_numbered(numbers_[*half].tag) && n.tag != numbers_[*half].tag;
  }

  // Whether a part cannot belong to the record that has been collected so far.
  bool begins_anew(std::size_t i, Part part) const {
    const TextNumber& n = numbers_[i];
    if (n.restates) return false;
    switch (part) {
      case Part::whole:
        if (record_.whole) return true;
        return n.outer_id == 0 && n.line != numbers_[record_.members.back()].line;
      case Part::low: return record_.low || is_of_other_thread(record_.high, n);
      case Part::high: return record_.high || is_of_other_thread(record_.low, n);
      case Part::reg32:  // "desc_a: 0x10042 0x40000040 desc_b: …"
        return !record_.reg32.empty() && (numbers_[record_.reg32[0]].group_id != n.group_id || names_word(n.name));
      case Part::reg16: return !record_.reg16.empty() && numbers_[record_.reg16[0]].group_id != n.group_id;
      default: break;
    }
    const FieldId id = field_of(n.name)->id;
    return (record_.has(id) && !stands_twice(n, id)) ||
           (!record_.fields.empty() && record_.is_idesc() != is_idesc_field(id));
  }

  // Whether a field that is already there is given again for the same word: in the same bracket; or next to the fields
  // of its line, if it is not the first of them.
  bool stands_twice(const TextNumber& n, FieldId id) const {
    const auto said = std::ranges::find(record_.fields, id, [](const NamedSetting& s) { return s.row->id; });
    const TextNumber& before = numbers_[said->number];
    if (n.group_id != before.group_id) return false;
    return n.group_id != 0 ||
           (n.line == before.line && n.qualifier == before.qualifier && said != record_.fields.begin());
  }

  void flush() {
    NamedRecord record = std::exchange(record_, {});
    if (record.members.empty()) return;
    if (!record.has_words() && !record.names_fields()) return;
    for (const std::size_t i : record.members) out_.is_used[i] = true;
    if (!record.names_fields())  // "swizzle = 5" next to a word may be anything
      std::erase_if(record.fields, [&](const NamedSetting& s) {
        const bool is_common = s.row->unit == FieldNameRow::Unit::common;
        if (is_common) out_.is_used[s.number] = false;
        return is_common;
      });
    out_.words.push_back(compose(record, numbers_));
  }

  std::size_t next_of(std::size_t i) const {
    do ++i;
    while (i < numbers_.size() && numbers_[i].repeats);
    return i;
  }

  // How many of x, y, z, w follow each other in the bracket or the line of x, from `i` on.
  std::size_t axes_from(std::size_t i) const {
    constexpr std::string_view axes = "xyzw";
    std::size_t count = 0;
    for (std::size_t at = i; at < numbers_.size() && count < axes.size(); at = next_of(at), ++count) {
      const TextNumber& n = numbers_[at];
      const bool is_next = n.name.size() == 1 && n.name[0] == axes[count] && n.is_bound && is_half(n) &&
                           n.group_id == numbers_[i].group_id && n.symbol.empty();
      if (!is_next) break;
    }
    return count;
  }

  // The parts of uint2 and uint4. Three axes are a coordinate.
  Part axis_part(std::size_t i) const {
    constexpr std::string_view axes = "xyzw";
    const TextNumber& n = numbers_[i];
    const std::string of = lower_case(n.qualifier) + lower_case(n.group);
    if (n.group_id == 0 && of.empty()) return Part::none;
    for (const std::string_view coordinate : {"idx", "dim", "coord", "index", "rank"})
      if (of.find(coordinate) != std::string::npos) return Part::none;
    const auto is_pair = [&](std::size_t y, std::size_t x) {  // {y = 64, x = 66}
      return x < numbers_.size() && numbers_[y].name == "y" && numbers_[x].name == "x" && numbers_[x].is_bound &&
             numbers_[x].group_id == numbers_[y].group_id && is_half(numbers_[x]) && axes_from(x) == 1;
    };
    if (is_half(n) && is_pair(i, next_of(i))) return Part::high;
    if (i > 0 && is_pair(i - 1, i) && record_.high == i - 1) return Part::low;
    std::size_t first = i, axis = axes.find(n.name[0]);
    for (std::size_t steps = axis; steps > 0; --steps) {
      do {
        if (first == 0) return Part::none;
        --first;
      } while (numbers_[first].repeats);
    }
    const std::size_t count = axes_from(first);
    if (count != 2 && count != 4) return Part::none;
    return axis % 2 == 0 ? Part::low : Part::high;
  }

  // R4 and R5 are a pair.
  Part register_part(std::size_t i) const {
    const auto holds = [&](std::size_t at, int number) {
      return at < numbers_.size() && register_number(numbers_[at].name) == number &&
             numbers_[at].name.front() == numbers_[i].name.front() && is_half(numbers_[at]);
    };
    const int own = register_number(numbers_[i].name);
    if (own % 2 == 0) {
      const bool ends_pair = record_.high && !record_.low && holds(*record_.high, own + 1);
      return ends_pair || holds(next_of(i), own + 1) ? Part::low : Part::none;
    }
    const bool follows = record_.low && !record_.high && holds(*record_.low, own - 1);
    // R5 before R4
    return follows || holds(next_of(i), own - 1) ? Part::high : Part::none;
  }

  Part part_of(std::size_t i) const {
    const TextNumber& n = numbers_[i];
    const bool is_symbol = !n.symbol.empty();
    if (!n.address.empty()) return Part::none;
    if (is_symbol) {
      const FieldNameRow* row = field_of(n.name);
      const bool is_mode = n.symbol == "INTERLEAVE" || find_swizzle_mode(n.symbol) != nullptr;
      if (row == nullptr) return Part::none;
      const bool is_code = !codes_of(*row, n.symbol, n.scope).empty();
      // For a name that only fields have, an unknown value is refused, not ignored.
      const bool is_sure = row->unit == FieldNameRow::Unit::raw && is_idesc_field(row->id);
      const bool is_field = row->id == FieldId::swizzle || says_boolean(n.symbol) || is_code || is_sure;
      return is_field && (is_mode || is_code || !n.repeats) ? Part::field : Part::none;
    }
    if (n.repeats) return Part::none;
    if (record_.reg32.size() == 1 && record_.reg32[0] + 1 == i && is_behind(i)) return Part::reg32;
    const std::string_view name = n.name.empty() ? n.group : n.name;
    if (is_one_of(name, {"reg32_", "reg32", "mov", "make_uint2", "uint2"})) return Part::reg32;
    if (is_one_of(name, {"reg16_", "reg16"})) return Part::reg16;
    if (n.name.empty()) return names_word(name) && !is_narrow(n.value) ? Part::whole : Part::none;
    if (register_number(n.name) >= 0) return is_half(n) ? register_part(i) : Part::none;
    const bool is_instruction = names_idesc(name) && is_idesc_word(n.value, {});
    if (!n.is_bound) return names_word(name) && (is_instruction || !is_narrow(n.value)) ? Part::whole : Part::none;
    if (n.name.size() == 1 && std::string_view("xyzw").find(n.name) != std::string_view::npos) return axis_part(i);
    if (names_low_half(name)) return Part::low;
    if (names_high_half(name)) return Part::high;
    if (field_of(name) != nullptr) return Part::field;
    if (!names_word(name)) return Part::none;
    return halves_from(i) > 0 ? Part::reg32 : Part::whole;
  }

  // "desc: 0x10042 0x40000040": the count of halves from here on, if the first two are a word that a format accepts;
  // otherwise 0.
  std::size_t halves_from(std::size_t i) const {
    const TextNumber& n = numbers_[i];
    const std::size_t j = next_of(i);
    if (names_idesc(n.name) || !is_half(n) || j != i + 1 || !is_behind(j)) return 0;
    if (find_words(hex64(*part_of_word(n, 32) | *part_of_word(numbers_[j], 32) << 32)).words.empty()) return 0;
    std::size_t count = 2;
    while (is_behind(i + count)) ++count;
    return count;
  }

  // Whether it comes right after the number before it, without a name.
  bool is_behind(std::size_t i) const {
    if (i == 0 || i >= numbers_.size()) return false;
    const TextNumber &n = numbers_[i], &before = numbers_[i - 1];
    return n.name.empty() && n.symbol.empty() && !n.repeats && n.address.empty() && is_half(n) &&
           n.line == before.line && n.group_id == before.group_id;
  }

  std::span<const TextNumber> numbers_;
  NamedWords out_ = {};
  NamedRecord record_ = {};
};

}  // namespace

NamedWords find_named_words(std::span<const TextNumber> numbers) { return Reader(numbers).words(); }

}  // namespace swz
