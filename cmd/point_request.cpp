// SPDX-License-Identifier: Apache-2.0
#include "point_request.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

void require_few(const PointQuery& query) {
  require_within(limits::points, std::ssize(query.coordinates) + std::ssize(query.bytes) + std::ssize(query.registers));
}

// "37,20", "(37,20)" or "((1,2),3)"
IntTuple coordinate_of(const std::string& text) {
  try {
    if (const Value value = evaluate("(" + text + ")").value; const auto* tuple = std::get_if<IntTuple>(&value))
      if (!has_underscore(*tuple)) return unwrap(*tuple);
  } catch (const Error&) {
    // The error is below, in words that fit a coordinate.
  }
  throw usage_error(fmt::format("cannot read {} as a coordinate", swz::quoted(text)),
                    "numbers with commas: 37,20; several coordinates: '37,20; 37,28'");
}

// "T5,R1", "t5", "thread 5, register 1" or "5,1"
PointQuery::Register register_of(const std::string& text) {
  const Words names[] = {{"thread", "t", ""}, {"register", "r", ""}};
  const Words words = pieces_of(lower_case(text), ",");
  const auto number = [&](std::size_t i) {
    const std::size_t digits = std::min(words[i].find_first_of("0123456789"), words[i].size());
    const std::string name(trimmed(std::string_view(words[i]).substr(0, digits)));
    if (std::ranges::find(names[i], name) == names[i].end() || digits == words[i].size())
      throw usage_error(fmt::format("cannot read {}", swz::quoted(text)),
                        "a thread and its register, T5,R1; or T5: all that the thread holds");
    return read_number(words[i].substr(digits), 0, std::int64_t{1} << 31);
  };
  if (words.empty() || words.size() > 2)
    throw usage_error(fmt::format("cannot read {}", swz::quoted(text)), "a thread and its register: T5,R1");
  PointQuery::Register reg{number(0)};
  if (words.size() == 2) reg.index = number(1);
  return reg;
}

// A row that fills the query with what `add` makes of each piece between semicolons.
template <class Add>
Option point_option(std::string name, std::string value, PointQuery& query, std::string help, Add add) {
  return Option{std::move(name), std::move(value), std::move(help),
                [&query, add](const std::string& text) {
                  const Words pieces = pieces_of(text, ";");
                  if (pieces.empty()) throw usage_error("no element given", "for example --at 37,20");
                  for (const std::string& piece : pieces) {
                    add(query, piece);
                    require_few(query);
                  }
                }}
      .repeated(limits::points)
      .excluding({"--highlight"});
}

}  // namespace

Option at_option(PointQuery& query, const std::string& coordinate) {
  return point_option("--at", coordinate, query, "where this element lies; several with ';'",
                      [](PointQuery& q, const std::string& text) { q.coordinates.push_back(coordinate_of(text)); });
}

Options point_options(PointQuery& query, const std::string& coordinate) {
  return {at_option(query, coordinate),
          point_option("--at-byte", "ADDRESS", query, "which elements lie in this byte of shared memory",
                       [](PointQuery& q, const std::string& text) { read_value(text, q.bytes.emplace_back()); })};
}

Options fragment_point_options(PointQuery& query) {
  return {point_option("--at", "ROW,COLUMN|T5,R1|T5", query,
                       "where this element lies, or what this register or thread holds; several with ';'",
                       [](PointQuery& q, const std::string& text) {
                         if (lower_case(text.substr(0, 1)) == "t") q.registers.push_back(register_of(text));
                         else q.coordinates.push_back(coordinate_of(text));
                       }),
          point_option("--at-thread", "T[,R]", query, "the same as --at T5,R1 and --at T5",
                       [](PointQuery& q, const std::string& text) { q.registers.push_back(register_of(text)); })};
}

}  // namespace swz
