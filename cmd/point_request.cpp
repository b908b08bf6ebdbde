#include "point_request.hpp"

#include "base/text.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

void require_few(const PointQuery& query) {
  require_within(limits::points,
                 std::ssize(query.coordinates) + std::ssize(query.bytes) + std::ssize(query.registers));
}

// "37,20", "(37,20)" or "((1,2),3)"
IntTuple coordinate_of(const std::string& text) {
  try {
    if (const Value value = evaluate("(" + text + ")").value; const auto* tuple = std::get_if<IntTuple>(&value))
      if (!has_underscore(*tuple)) return unwrap(*tuple);
  } catch (const Error&) {
    // Said below, in words that fit a coordinate.
  }
  throw usage_error(fmt::format("cannot read {} as a coordinate", swz::quoted(text)),
                    "numbers with commas: 37,20; several coordinates: '37,20; 37,28'");
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

Option at_thread_option(PointQuery& query) {
  return point_option("--at-thread", "T,R", query,
                      "which elements register R of thread T holds; T: all of its registers",
                      [](PointQuery& q, const std::string& text) {
                        const Words words = pieces_of(text, ",");
                        constexpr std::int64_t most = std::int64_t{1} << 31;
                        if (words.size() != 1 && words.size() != 2)
                          throw usage_error(fmt::format("cannot read {}", swz::quoted(text)),
                                            "a thread and a register: 5,1; or a thread: 5");
                        PointQuery::Register asked{read_number(words[0], 0, most)};
                        if (words.size() == 2) asked.index = read_number(words[1], 0, most);
                        q.registers.push_back(asked);
                      });
}

}  // namespace swz
