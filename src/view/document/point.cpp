// SPDX-License-Identifier: Apache-2.0
#include "view/document/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"

namespace swz {
namespace {

// A number of a point: its name in JSON and in words. An axis has no key: it is a part of "at". Memory, chunk and
// thread begin a line of a tip.
struct Number {
  std::string_view key, label;
  std::int64_t first = 0, count = 1;
  enum class Look { plain, address, lane, filled } look = Look::plain;
  bool begins_line = false;
};

// All numbers of a point in the order in which they are shown. There are no strings, as a picture asks once per cell.
class Numbers {
 public:
  explicit Numbers(const Point& p) {
    for (const Point::Axis& axis : p.at) add({"", axis.name, axis.first, axis.count});
    add("index", "index", p.index);
    if (p.filled) add({"filled", "filled", *p.filled, 1, Number::Look::filled, true});
    add("offset", "offset", p.offset);
    if (p.memory) add(*p.memory);
    if (p.slot_byte) add({"slot", "slot", p.slot_byte->count, 1, Number::Look::address});
    if (p.gap) add({"gap_bytes", "gap bytes", p.gap->count});
    if (p.chunk) add({"chunk", "chunk", *p.chunk, 1, Number::Look::plain, true});
    if (p.slot) add(*p.slot);
    if (p.k) add({"k", "k", p.k->first, p.k->count});
    if (p.scale) add({"scale_thread", "scale thread", p.scale->thread, 1, Number::Look::lane, true});
    if (p.scale) add({"scale_bit", "scale bit", p.scale->first_bit, p.scale->bits});
    add("row", "D row", p.d_row);
    add("col", "D column", p.d_column);
    add("address_lane", "address lane", p.address_lane);
    add("reads", "reads", p.reads);
    if (p.lies_at) add({"lies_at", "lies at", p.lies_at->count, 1, Number::Look::address});
  }

  const Number* begin() const { return list_.data(); }
  const Number* end() const { return list_.data() + size_; }

 private:
  void add(const Number& number) { list_[size_++] = number; }
  void add(std::string_view key, std::string_view label, const std::optional<std::int64_t>& number) {
    if (number) add({key, label, *number});
  }
  void add(const Point::Memory& memory) {
    const std::int64_t byte = memory.first.count / 8, words = std::max<std::int64_t>(1, memory.size.count / 32);
    add({"byte", "byte", byte, 1, Number::Look::address, true});
    if (memory.size.count % 8 != 0) add({"bit", "bit", memory.first.count % 8, memory.size.count});
    add({"line", "line", byte / bank_row.count});
    add({"bank", "bank", byte / 4 % 32, words});
  }
  void add(const Point::Slot& slot) {
    add({"thread", "thread", slot.thread, 1, Number::Look::lane, true});
    add({"value", "value", slot.value});
    add({"register", "register", slot.index});
    add({"register_bit", "bit", slot.first_bit, slot.bits});
  }

  std::array<Number, 27> list_ = {};  // five axes and each of the other numbers once
  std::size_t size_ = 0;
};

void append_value(std::string& out, const Number& n) {
  const auto to = std::back_inserter(out);
  if (n.look == Number::Look::address) fmt::format_to(to, "{0:#x} = {0}", n.first);
  else if (n.look == Number::Look::lane && n.first >= 32)
    fmt::format_to(to, "{} (warp {}, lane {})", n.first, n.first / 32, n.first % 32);
  else if (n.look == Number::Look::filled) fmt::format_to(to, "{} outside of the tensor", n.first);
  else if (n.count == 1) fmt::format_to(to, "{}", n.first);
  else fmt::format_to(to, "{}-{}", n.first, n.first + n.count - 1);
}

// "banks 8-11", "k 8-15", "byte 0x480 = 1152"
void append(std::string& out, const Number& n) {
  out.append(n.label).append(n.count > 1 && n.label.size() > 1 && !n.label.starts_with("dim") ? "s " : " ");
  append_value(out, n);
}

std::string tuple_of(const std::vector<std::int64_t>& numbers) { return fmt::format("({})", fmt::join(numbers, ", ")); }

// "row 37, k 20", "((1,2),3)"
std::string place_text(const Point& p) {
  std::string text = p.coordinate ? to_string(*p.coordinate) : std::string();
  for (const Point::Axis& axis : p.at) {
    if (!text.empty()) text += ", ";
    append(text, {"", axis.name, axis.first, axis.count});
  }
  return text;
}

Json nested(const IntTuple& t) {
  if (!t.is_tuple()) return t.value();
  return json_list(t.children(), nested);
}

std::string value_text(const Number& n) {
  std::string text;
  append_value(text, n);
  return text;
}

// Adds one point, one line for each of its numbers.
void add_lines(Document& d, const Point& p) {
  if (!p.of.empty()) d.line("of", p.of);
  d.line("at", place_text(p), Tone::strong);
  if (!p.element.empty()) d.line("element", tuple_of(p.element) + " of the tensor");
  for (const Number& n : Numbers(p)) {
    if (n.key.empty()) continue;
    std::string text;
    append(text, n);
    const std::size_t label = text.size() - value_text(n).size() - 1;
    d.line(text.substr(0, label), n.key == "filled" ? "by the copy: it lies outside of the tensor" : value_text(n));
  }
}

Table table_of(const std::vector<Point>& points) {
  Table table{"", "", {}, {}};
  const auto column = [&](std::string_view label, Column::Align align = Column::Align::right) {
    const auto found = std::ranges::find(table.columns, label, &Column::label);
    const auto at = static_cast<std::size_t>(found - table.columns.begin());
    if (found == table.columns.end()) {
      table.columns.push_back({"", std::string(label), align});
      for (auto& row : table.rows) row.emplace_back(nullptr);
    }
    return at;
  };
  for (const Point& p : points) {
    table.rows.emplace_back(table.columns.size(), Cell(nullptr));
    const auto put = [&](std::string_view label, std::string text, Column::Align align) {
      const std::size_t at = column(label, align);  // may lengthen the row
      table.rows.back()[at] = Cell(nullptr, std::move(text));
    };
    if (!p.of.empty()) put("of", p.of, Column::Align::left);
    if (p.coordinate) put("at", to_string(*p.coordinate), Column::Align::left);
    if (!p.element.empty()) put("element", tuple_of(p.element), Column::Align::left);
    for (const Number& n : Numbers(p))
      put(n.key == "register_bit" ? "bits"
          : n.key == "scale_bit"  ? "scale bits"
                                  : n.label,
          n.key == "filled" ? "yes" : value_text(n), Column::Align::right);
  }
  return table;
}

// "points.=at.=offset.=byte": the numbers that any of the points has, in their order.
std::string answer_path(const std::vector<Point>& points) {
  std::vector<std::string_view> keys{"of", "at", "element"};
  for (const Point& p : points)
    for (const Number& n : Numbers(p))
      if (!n.key.empty() && std::ranges::find(keys, n.key) == keys.end()) keys.push_back(n.key);
  return fmt::format("points.={}", fmt::join(keys, ".="));
}

[[noreturn]] void refuse(const std::string& message, const std::vector<Point::Axis>& axes) {
  std::vector<std::int64_t> example;
  std::vector<std::string> bounds;
  for (const Point::Axis& axis : axes) {
    example.push_back(axis.first + std::min<std::int64_t>(axis.count - 1, std::int64_t{1} + std::ssize(example)));
    bounds.push_back(fmt::format("{} {} to {}", axis.name, axis.first, axis.first + axis.count - 1));
  }
  throw usage_error(message, fmt::format("{}; for example --at {}", join_and(bounds), fmt::join(example, ",")));
}

}  // namespace

std::string tip_of(const Point& p) {
  std::string tip = p.of.empty() ? std::string() : p.of + ": ";
  if (p.coordinate) tip += to_string(*p.coordinate);
  bool is_first = !p.coordinate;
  for (const Number& n : Numbers(p)) {
    if (!is_first) tip += n.begins_line ? "\n" : ", ";
    is_first = false;
    append(tip, n);
  }
  if (!p.element.empty()) tip += fmt::format("\nelement {}", tuple_of(p.element));
  return tip;
}

Json to_json(const Point& p) {
  Json json = Json::object();
  if (!p.of.empty()) json["of"] = p.of;
  if (p.coordinate) json["at"] = p.coordinate->is_tuple() ? nested(*p.coordinate) : nested(std::vector{*p.coordinate});
  else json["at"] = json_list(p.at, [](const Point::Axis& axis) { return axis.first; });
  if (!p.element.empty()) json["element"] = p.element;
  for (const Number& n : Numbers(p))
    if (!n.key.empty()) json[n.key] = n.key == "filled" ? Json(true) : Json(n.first);
  if (p.memory && p.memory->has_range) {
    const std::int64_t first = p.memory->first.count % 8;
    json["bits"] = fmt::format("{}:{}", first + p.memory->size.count - 1, first);
  }
  return json;
}

std::string legend_of(const PointQuery& query) {
  if (query.coordinates.size() + query.bytes.size() + query.registers.size() != 1) return "highlighted";
  if (!query.coordinates.empty()) return "at " + to_string(query.coordinates.front());
  if (!query.bytes.empty()) return fmt::format("byte {:#x}", query.bytes.front().count);
  const PointQuery::Register& reg = query.registers.front();
  return fmt::format("thread {}{}", reg.thread, reg.index ? fmt::format(", register {}", *reg.index) : "");
}

Document view_points(Document d, const std::vector<Point>& points, const Drawing& picture,
                     const std::vector<Finding>& findings) {
  d.json("points", json_list(points, [](const Point& p) { return to_json(p); }));
  if (!points.empty()) d.answers = {answer_path(points)};
  if (points.size() == 1) add_lines(d, points.front());
  else if (!points.empty()) d.add(table_of(points));
  if (picture.draw)
    d.add(Drawing{[picture](Medium medium) { return medium == Medium::page ? picture.draw(medium) : Document(); }});
  return d.findings(findings);
}

std::vector<std::int64_t> require_coordinate(const IntTuple& asked, const std::vector<Point::Axis>& axes) {
  const std::vector<std::int64_t> numbers = flat_values(asked);
  if (numbers.size() != axes.size() || depth(asked) > 1) {
    std::vector<std::string> names;
    for (const Point::Axis& axis : axes) names.emplace_back(axis.name);
    refuse(fmt::format("--at {} has {}; an element has {}", to_string(asked), plural(std::ssize(numbers), "number"),
                       join_and(names)),
           axes);
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (numbers[i] < axes[i].first || numbers[i] >= axes[i].first + axes[i].count)
      refuse(fmt::format("--at {}: there is no {} {}", to_string(asked), axes[i].name, numbers[i]), axes);
  return numbers;
}

}  // namespace swz
