// SPDX-License-Identifier: Apache-2.0
#include "identify/register_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "identify/npy.hpp"
#include "identify/number_format.hpp"

namespace swz {
namespace {

constexpr std::int64_t most_threads = 1024,
                       most_registers = 1024;  // most threads of a CTA; a dump of tensor memory has fewer columns
constexpr std::string_view line_forms = "'thread 5: 0x00010000 0x00090008', or 'thread register value': 5 1 17";

// The meaning of one number of the text: a register, or an element of a type.
struct Cell {
  const DType* value_of = nullptr;  // null for a register
  int bits = 32;

  std::optional<std::uint64_t> find(std::string_view word) const;
};

struct RegisterValue {
  int thread = 0, index = 0;
  std::uint64_t value = 0;
};

// A number from `least` to `most`, decimal or 0x.
std::optional<std::int64_t> register_number(std::string_view word, std::int64_t least, std::int64_t most) {
  const bool is_negative = word.starts_with('-');
  if (is_negative) word.remove_prefix(1);
  const bool is_zero = !word.empty() && word.find_first_not_of('0') == std::string_view::npos;
  const auto magnitude = is_zero ? std::optional<std::uint64_t>(0) : find_unsigned(word);
  if (!magnitude || *magnitude > UINT32_MAX) return std::nullopt;
  const auto value = static_cast<std::int64_t>(*magnitude) * (is_negative ? -1 : 1);
  return value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> Cell::find(std::string_view word) const {
  if (value_of == nullptr) {
    const auto number = register_number(word, INT32_MIN, UINT32_MAX);
    return number ? std::optional<std::uint64_t>(static_cast<std::uint32_t>(*number)) : std::nullopt;
  }
  const auto value = find_decimal(word);
  return value ? number_bits(*value_of, *value) : std::nullopt;
}

struct WordOfLine {
  std::string_view text;
  Span place;  // in the whole text
};

// One line without its comment.
class RegisterLine {
 public:
  RegisterLine(std::string_view text, std::size_t begin, std::size_t end, const Cell& cell)
      : text_(text), begin_(begin), end_(end), cell_(cell) {
    end_ = std::min(end_, text.find('#', begin));
  }

  std::optional<std::size_t> colon() const {
    const std::size_t at = text_.substr(0, end_).rfind(':');
    return at != std::string_view::npos && at >= begin_ ? std::optional(at) : std::nullopt;
  }
  std::vector<WordOfLine> words(std::size_t from, std::size_t to) const {
    constexpr std::string_view blanks = " \t\r,;=()[]{}";
    const std::string_view line = text_.substr(0, to);
    std::vector<WordOfLine> all;
    for (std::size_t at = line.find_first_not_of(blanks, from); at < line.size();
         at = line.find_first_not_of(blanks, at)) {
      const std::size_t stop = std::min(line.find_first_of(blanks, at), line.size());
      all.push_back({line.substr(at, stop - at), {at, stop}});
      at = stop;
    }
    return all;
  }
  std::vector<WordOfLine> words() const { return words(begin_, end_); }

  std::int64_t number(const WordOfLine& word, std::string_view what, std::int64_t least, std::int64_t most) const {
    if (const auto value = register_number(word.text, least, most)) return *value;
    throw Error(fmt::format("{} is not {}", quoted(word.text), what), std::string(line_forms), word.place);
  }
  std::uint64_t value(const WordOfLine& word) const {
    if (const auto value = cell_.find(word.text)) return *value;
    throw Error(fmt::format("{} is not a {}", quoted(word.text),
                            cell_.value_of == nullptr ? "register of 32 bits"
                                                      : fmt::format("value of {}", cell_.value_of->name)),
                std::string(line_forms), word.place);
  }

  void append_to(std::vector<RegisterValue>& all) const {
    if (const auto at = colon()) {
      const std::vector<WordOfLine> before = words(begin_, *at), behind = words(*at + 1, end_);
      if (before.empty() || behind.empty())
        throw Error("this line does not name a thread and its registers", std::string(line_forms), {begin_, end_});
      const int thread = static_cast<int>(number(before.back(), "a thread", 0, most_threads - 1));
      require_registers(std::ssize(behind));
      for (int i = 0; i < std::ssize(behind); ++i)
        all.push_back({thread, i, value(behind[static_cast<std::size_t>(i)])});
      return;
    }
    const std::vector<WordOfLine> three = words();
    if (three.empty()) return;
    if (three.size() != 3)
      throw Error(fmt::format("this line has {} without a colon, not 3", plural(std::ssize(three), "word")),
                  std::string(line_forms), {begin_, end_});
    const int thread = static_cast<int>(number(three[0], "a thread", 0, most_threads - 1));
    const int index = static_cast<int>(number(three[1], "the number of a register", 0, most_registers - 1));
    all.push_back({thread, index, value(three[2])});
  }

 private:
  void require_registers(std::int64_t count) const {
    if (count > most_registers)
      throw Error(fmt::format("{} registers in one thread", count), "a thread of a kernel has at most 255",
                  {begin_, end_});
  }

  std::string_view text_;
  std::size_t begin_, end_;
  const Cell& cell_;
};

std::vector<RegisterValue> values_of_lines(std::string_view text, const Cell& cell) {
  std::vector<RegisterValue> all;
  try {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      RegisterLine(text, begin, end, cell).append_to(all);
      begin = end + 1;
    }
  } catch (const Error& error) {
    // Only the line is shown, because a dump is long.
    const LineOfText line = line_at(text, error.span.begin);
    throw Error(fmt::format("line {}: {}", line.number, error.message()), error.hint,
                {error.span.begin - line.begin, error.span.end - line.begin})
        .in_text(line.text.substr(0, 120));
  }
  return all;
}

void append_list(std::vector<RegisterValue>& all, int thread, const Json& list, const Cell& cell) {
  if (!list.is_array() || list.size() > static_cast<std::size_t>(most_registers))
    throw Error(fmt::format("thread {} has no list of at most {} registers", thread, most_registers),
                R"({"0": [65536, 589832], "1": …}, or a list for each thread)");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string number = list.at(i).dump();
    const auto value = cell.find(number);
    if (!value)
      throw Error(cell.value_of == nullptr ? fmt::format("{} does not fit in the 32 bits of a register", number)
                                           : fmt::format("{} is not a value of {}", number, cell.value_of->name),
                  "an element of 64 bits takes two, its low half first");
    all.push_back({thread, static_cast<int>(i), *value});
  }
}

std::vector<RegisterValue> values_of_json(std::string_view text, int passes, const Cell& cell) {
  const Json json = Json::parse(text);
  std::vector<RegisterValue> all;
  if (json.is_array()) {
    const std::size_t threads = json.size() / static_cast<std::size_t>(passes);
    for (std::size_t i = 0; i < json.size(); ++i)
      append_list(all, static_cast<int>(threads == 0 ? 0 : i % threads), json.at(i), cell);
    return all;
  }
  if (passes > 1)
    throw Error("a JSON object names each thread once, not once for each pass",
                "a list for each thread: [[…], …], pass after pass");
  auto left = static_cast<std::int64_t>(json.size());
  for (int thread = 0; thread < most_threads && left <= most_threads; ++thread) {
    const std::string key = std::to_string(thread);
    if (!json.contains(key)) continue;
    append_list(all, thread, json.at(key), cell);
    --left;
  }
  if (left > 0)
    throw Error("a key of the JSON object is not a thread of a CTA", R"({"0": [65536, 589832], "1": …}, up to 1023)");
  return all;
}

// Packs the cells of each thread into its registers, the first in the low bits.
void pack(RegisterDump& dump, const std::vector<std::uint64_t>& cells, const Cell& cell) {
  const std::int64_t bits = std::int64_t{dump.registers} * cell.bits;
  if (bits % 32 != 0)
    throw Error(fmt::format("{} of {} bits in each thread fill no registers of 32 bits",
                            plural(dump.registers, "value"), cell.bits),
                "all registers of all threads of a warp or warpgroup");
  const auto each = static_cast<std::size_t>(dump.registers);
  dump.registers = static_cast<int>(bits / 32);
  dump.words.assign(cells.size() / each * static_cast<std::size_t>(dump.registers), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t bit = i % each * static_cast<std::size_t>(cell.bits);
    std::uint32_t* word = &dump.words[i / each * static_cast<std::size_t>(dump.registers) + bit / 32];
    word[0] |= static_cast<std::uint32_t>(cells[i] << bit % 32);
    if (cell.bits == 64) word[1] = static_cast<std::uint32_t>(cells[i] >> 32);
  }
}

// A dump of consecutive threads with the same registers. Each thread occurs once per pass.
RegisterDump dump_of_values(std::string_view form, std::vector<RegisterValue> all, int passes, const Cell& cell) {
  if (all.empty()) throw Error("the dump is empty", std::string(line_forms));
  require_within(limits::shared_dump, std::ssize(all) * 4);
  // Equal ones stay in the order of the text, which is that of the passes.
  std::ranges::stable_sort(all, {}, [](const RegisterValue& v) { return std::pair(v.thread, v.index); });
  RegisterDump dump{form,
                    all.front().thread,
                    all.back().thread - all.front().thread + 1,
                    0,
                    passes,
                    {},
                    cell.value_of == nullptr ? NumberMeaning::bits : NumberMeaning::values};
  for (const RegisterValue& v : all) dump.registers = std::max(dump.registers, v.index + 1);
  const std::int64_t words = std::int64_t{dump.threads} * dump.registers, each = std::ssize(all) / passes;
  const auto lacks = [&](int thread, int index) {
    return Error(passes == 1 ? fmt::format("register {} of thread {} is not in the dump", index, thread)
                             : fmt::format("register {} of thread {} is not in the dump {} times, once in each pass",
                                           index, thread, passes),
                 "all registers of all threads of a warp or warpgroup");
  };
  std::vector<std::uint64_t> cells(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i) / passes, pass = static_cast<std::int64_t>(i) % passes;
    const int thread = dump.first_thread + static_cast<int>(place / dump.registers),
              index = static_cast<int>(place % dump.registers);
    const std::pair given(all[i].thread, all[i].index);
    if (given > std::pair(thread, index)) throw lacks(thread, index);
    if (given < std::pair(thread, index))
      throw Error(
          fmt::format("register {} of thread {} is in the dump more than {}", given.second, given.first,
                      passes == 1 ? "once" : fmt::format("{} times", passes)),
          passes == 1 ? "the dump of one fragment; several passes are for --expect codes" : "once in each pass");
    cells[static_cast<std::size_t>(pass * each + place)] = all[i].value;
  }
  if (std::ssize(all) < words * passes) throw lacks(all.back().thread, all.back().index + 1);
  pack(dump, cells, cell);
  return dump;
}

// Reads little-endian words, pass by pass, thread by thread.
RegisterDump dump_of_bytes(std::string_view form, std::span<const std::byte> bytes, int passes, std::int64_t threads) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  require_within(limits::shared_dump, size);
  if (size == 0 || threads < 1 || size % (4 * threads * passes) != 0)
    throw Error(fmt::format("{} B are not words of 32 bits of {}{}", size, plural(threads, "thread"),
                            passes == 1 ? "" : fmt::format(", {} times", passes)),
                "all threads have the same registers, 4 B each");
  RegisterDump dump{form, 0, static_cast<int>(threads), static_cast<int>(size / (4 * threads * passes)), passes, {}};
  for (std::size_t i = 0; i < bytes.size(); i += 4)
    dump.words.push_back(std::to_integer<std::uint32_t>(bytes[i]) | std::to_integer<std::uint32_t>(bytes[i + 1]) << 8 |
                         std::to_integer<std::uint32_t>(bytes[i + 2]) << 16 |
                         std::to_integer<std::uint32_t>(bytes[i + 3]) << 24);
  return dump;
}

RegisterDump dump_of_array(const NpyArray& array, int passes, int threads) {
  if ((array.is_big_endian && array.item_bytes > 1) || (array.is_fortran_order && array.shape.size() > 1))
    throw Error("the array is big-endian or in Fortran order", "numpy.ascontiguousarray(array), little-endian");
  if (threads == 0 && array.shape.size() != 2)
    throw Error(fmt::format("the array has {}, not threads x registers", plural(std::ssize(array.shape), "dimension")),
                "array.reshape(threads, -1), or --threads");
  return dump_of_bytes("npy", array.data, passes, threads != 0 ? threads : array.shape[0] / passes);
}

RegisterDump read_any(std::span<const std::byte> input, int passes, int threads, std::optional<DumpForm> form,
                      const Cell& cell) {
  if (is_npy(input)) return dump_of_array(read_npy(input), passes, threads);
  if (threads != 0) {
    const DumpText text = read_dump(input, {cell.bits, cell.value_of}, form);
    RegisterDump dump = dump_of_bytes("words", text.bytes, passes, threads);
    dump.meaning = text.meaning;
    return dump;
  }
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  if (std::ranges::any_of(text, [](char c) { return (c < ' ' && c != '\n' && c != '\r' && c != '\t') || c > '~'; }))
    throw Error("bytes do not show how many threads they belong to",
                "--threads 32 for a warp, --threads 128 for a warpgroup");
  const std::string_view inside = trimmed(text);
  if (inside.starts_with('{') || inside.starts_with('['))
    return dump_of_values("JSON", values_of_json(text, passes, cell), passes, cell);
  return dump_of_values("lines", values_of_lines(text, cell), passes, cell);
}

RegisterDump read_warps(std::span<const std::byte> input, int passes, int threads, std::optional<DumpForm> form,
                        const Cell& cell) {
  RegisterDump dump = read_any(input, passes, threads, form, cell);
  if (dump.first_thread % 32 != 0 || dump.threads % 32 != 0)
    throw Error(fmt::format("the dump has threads {} to {}: not whole warps", dump.first_thread,
                            dump.first_thread + dump.threads - 1),
                "all 32 threads of each warp, the first of them a multiple of 32");
  if (dump.threads > most_threads)
    throw Error(fmt::format("the dump has {} threads", dump.threads), "a CTA has at most 1024");
  return dump;
}

}  // namespace

std::uint64_t RegisterDump::value(int thread, int first_bit, int bits) const {
  std::uint64_t all = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const std::uint32_t* word =
        &words[(static_cast<std::size_t>(pass) * static_cast<std::size_t>(threads) + static_cast<std::size_t>(thread)) *
                   static_cast<std::size_t>(registers) +
               static_cast<std::size_t>(first_bit / 32)];
    const std::uint64_t whole = bits > 32 ? word[0] | std::uint64_t{word[1]} << 32 : word[0] >> first_bit % 32;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    all |= (whole & mask) << pass * bits % 64;
  }
  return all;
}

RegisterDump read_registers(std::span<const std::byte> input, int passes, int threads, std::optional<DumpForm> form) {
  return read_warps(input, passes, threads, form, {});
}

std::vector<RegisterDump> read_register_meanings(std::span<const std::byte> input, int passes, int threads,
                                                 std::optional<DumpForm> form, const DType& type, int bits) {
  std::vector<RegisterDump> all;
  std::optional<Error> refused;
  for (const Cell& cell : {Cell{}, Cell{&type, bits}}) try {
      RegisterDump dump = read_warps(input, passes, threads, form, cell);
      if (all.empty() || dump.words != all[0].words) all.push_back(std::move(dump));
    } catch (const Error& error) {
      if (!refused || refuses_a_fraction(*refused)) refused = error;
    }
  if (all.empty()) throw *refused;
  return all;
}

}  // namespace swz
