// SPDX-License-Identifier: Apache-2.0
// TileLang: layouts that are functions of the coordinates.
//
//   Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8])                       shared memory
//   Layout((64, 64) -> (1, 8, 512), transform: (_i, _j) -> (0, _i // 8, …))   as it prints
//   Fragment([16, 8], forward_fn=lambda i, j: (i % 8 * 4 + j // 2, i // 8 * 2 + j % 2))      registers
//   Fragment((16, 8) -> (4,), replicate: 1, thread: 32, forward_thread: …, forward_index: (…))   as it prints
//
// The indices of a Layout's output are a place in an array of the output's shape, row by row. For a lambda, interval
// arithmetic on each index gives that shape: element (9, 8) of the first line is at 9 * 64 + (8 ^ 8) = 576.
//
// A Fragment gives the thread and the value that have an element: (9, 3) of the third line is value 3 of thread 5. With
// replicate = n it has n copies; the thread, but not the value, depends on the number `rep` of the copy.
// Invariants (tested): equal to TileLang's own function at every coordinate; the written text reads back as the same.
// Source: tilelang 0.1.15, run; its layout/layout.py and fragment.py.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/index_expression.hpp"
#include "dialect/offset_text.hpp"
#include "dialect/tilelang.hpp"

namespace swz {
namespace {

constexpr std::string_view fragment_example =
    "T.Fragment([16, 8], forward_fn=lambda i, j: (i % 8 * 4 + j // 2, i // 8 * 2 + j % 2))";

// Reads the rest of a text, word by word.
class TransformReader : public Cursor {
 public:
  TransformReader(std::string_view text, std::string_view example) : Cursor(text), example_(example) {}

  void expect(std::string_view symbol) {
    if (!accept(symbol)) fail(fmt::format("expected '{}'", symbol));
  }
  [[noreturn]] void fail(std::string message) {
    throw Error(std::move(message), fmt::format("for example {}", example_), {position(), position() + 1});
  }
  Literal literal() { return parse_literal(*this); }
  ArrayShape extents() { return literal().integers(); }
  std::int64_t integer() { return literal().integer(); }
  // Reads a name with dots: T.Fragment.
  std::string name() {
    skip_space();
    return std::string(take_while([](char c) { return is_word(c) || c == '.'; }));
  }
  // Reads the names of a function up to its body: "i, j".
  std::vector<std::string> names() {
    std::vector<std::string> result;
    do result.push_back(name());
    while (accept(",") && result.size() < 16);
    if (result.back().empty()) result.pop_back();
    return result;
  }
  std::vector<IndexExpression> indices(const std::vector<std::string>& names) {
    std::vector<IndexExpression> result;
    const bool is_list = accept("[") || (is_tuple() && accept("("));
    do {
      if (is_list && !result.empty() && (accept("]") || accept(")"))) return result;
      result.emplace_back(*this, names);
    } while (is_list && accept(","));
    if (is_list && !accept("]")) expect(")");
    return result;
  }
  void require_end() {
    if (!at_end()) throw Error("expected the end of the layout", "one layout at a time", {position(), text().size()});
  }

 private:
  // A '(' with a comma at its own level opens a tuple, any other one an expression.
  bool is_tuple() {
    if (peek() != '(') return false;
    int depth = 0;
    for (const char c : rest()) {
      if (c == '(') ++depth;
      if (c == ')' && --depth == 0) return false;
      if (c == ',' && depth == 1) return true;
    }
    return false;
  }

  std::string_view example_;
};

void require_names(std::size_t names, std::size_t dimensions) {
  if (names != dimensions)
    throw usage_error(fmt::format("{} names for an array of {} dimensions", names, dimensions),
                      "a transform has a name for each dimension");
}

// The extent that TileLang gives to an output.
std::int64_t output_extent(const IndexExpression& index, const ArrayShape& shape) {
  const Interval known = index.bounds(shape);
  return index.has_bitwise() ? known.most - known.least + 1 : known.most + 1;
}

// The indices of an output as the number of its element, row by row.
struct OutputPlace {
  std::vector<IndexExpression> indices;
  ArrayShape extents;

  std::int64_t operator()(std::span<const std::int64_t> coordinate) const {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < indices.size(); ++d)
      place = checked_add(checked_mul(place, extents[d]), indices[d](coordinate));
    return place;
  }
};

OutputPlace output_place(std::vector<IndexExpression> indices, ArrayShape extents) {
  if (extents.size() != indices.size())
    throw usage_error(fmt::format("{} indices for an output of {} dimensions", indices.size(), extents.size()),
                      "the transform has an index for each dimension of the output");
  return {std::move(indices), std::move(extents)};
}

void require_shape_of_text(const Given& given, const ArrayShape& shape) {
  if (!given.shape.empty() && given.shape != shape)
    throw usage_error(fmt::format("the layout is one of {}, not of {}", shape_text(shape), shape_text(given.shape)),
                      "leave --shape out");
}

// ---- Layout

Reading read_layout_transform(std::string_view text, const Given& given) {
  TransformReader reader(text, "Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8])");
  if (last_name(reader.name()) != "Layout") reader.fail("expected 'Layout'");
  reader.expect("(");
  const ArrayShape shape = reader.extents();
  const bool is_printed = reader.accept("->");
  ArrayShape output = is_printed ? reader.extents() : ArrayShape();
  reader.expect(",");
  reader.expect(is_printed ? "transform:" : "lambda");
  if (is_printed) reader.expect("(");
  const std::vector<std::string> names = reader.names();
  require_names(names.size(), shape.size());
  reader.expect(is_printed ? ")" : ":");
  if (is_printed) reader.expect("->");
  std::vector<IndexExpression> indices = reader.indices(names);
  reader.expect(")");
  reader.require_end();
  require_shape_of_text(given, shape);
  if (!is_printed)
    for (const IndexExpression& index : indices) output.push_back(output_extent(index, shape));
  const OutputPlace place = output_place(std::move(indices), std::move(output));
  std::vector<std::int64_t> offsets;
  for (std::int64_t n = 0, count = element_count(shape); n < count; ++n) {
    const std::vector<std::int64_t> coordinate = coordinate_of(n, shape);
    const std::int64_t offset = place(coordinate);
    if (offset < 0)
      throw usage_error(fmt::format("element ({}) lies at {}", fmt::join(coordinate, ","), offset),
                        "offsets start at 0");
    offsets.push_back(offset);
  }
  return {shared_form(shape, element_width(given), std::move(offsets))};
}

// ---- Fragment

struct FragmentFunction {
  ArrayShape shape;
  std::int64_t copies = 1;
  std::vector<IndexExpression> thread = {};  // one, of the coordinates and the number of the copy
  OutputPlace value = {};
};

ArrayShape with_copies(ArrayShape shape, std::int64_t copies) {
  if (copies > 1) shape.push_back(copies);
  return shape;
}

// The map (thread, value) -> element. Throws Error if a value has no element, or two.
RegisterForm held(const FragmentFunction& f, ElementWidth element) {
  const ArrayShape all = with_copies(f.shape, f.copies);
  const std::int64_t count = element_count(all);
  std::vector<std::int64_t> threads, values;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::vector<std::int64_t> coordinate = coordinate_of(n, all);
    threads.push_back(f.thread[0](coordinate));
    values.push_back(f.value(coordinate));
    if (threads.back() < 0 || values.back() < 0)
      throw usage_error(fmt::format("element ({}) is value {} of thread {}", fmt::join(coordinate, ","), values.back(),
                                    threads.back()),
                        "threads and values start at 0");
  }
  const std::int64_t thread_count = std::ranges::max(threads) + 1, value_count = std::ranges::max(values) + 1;
  const ArrayShape grid{thread_count, value_count};
  // The column-major index of each element, by its row-major number.
  const std::vector<std::int64_t> numbers = column_major_numbers(f.shape);
  std::vector<std::int64_t> index_of(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    index_of[static_cast<std::size_t>(numbers[i])] = static_cast<std::int64_t>(i);
  std::vector<std::int64_t> elements(static_cast<std::size_t>(element_count(grid)), -1);
  for (std::size_t n = 0; n < threads.size(); ++n) {
    std::int64_t& slot = elements[static_cast<std::size_t>(threads[n] * value_count + values[n])];
    const std::int64_t index = index_of[n / static_cast<std::size_t>(f.copies)];
    if (slot >= 0 && slot != index)
      throw usage_error(fmt::format("value {} of thread {} is two elements", values[n], threads[n]),
                        "each value of a thread holds one element");
    slot = index;
  }
  if (const auto empty = std::ranges::find(elements, -1); empty != elements.end()) {
    const std::int64_t at = empty - elements.begin();
    throw usage_error(fmt::format("value {} of thread {} holds no element", at % value_count, at / value_count),
                      "a (thread, value) layout has an element in every value of every thread");
  }
  const auto layout = as_composed(shared_form(grid, {}, std::move(elements)));
  if (!layout || !layout->is_layout())
    throw usage_error("the element of a (thread, value) is not a sum of strides",
                      "CuTe's (thread, value) layout has strides alone: no XOR, no rotation");
  return {f.shape, element, layout->layout()};
}

// Reads what follows the arrow: "(4,), replicate: 1, thread: 32, forward_thread: …, forward_index: (…)".
void read_printed(TransformReader& reader, FragmentFunction& f) {
  const ArrayShape output = reader.extents();
  std::vector<std::string> names{"_i", "_j", "_k", "_l", "_m", "_n"};
  names.resize(std::min(names.size(), f.shape.size()));
  while (reader.accept(",")) {
    const std::string key = reader.name();
    reader.expect(":");
    if (key == "replicate") {
      f.copies = reader.integer();
      if (f.copies > 1) names.emplace_back("_rep");
    } else if (key == "forward_thread") {
      f.thread = reader.indices(names);
    } else if (key == "forward_index") {
      f.value = output_place(reader.indices(names), output);
    } else if (key == "thread") {
      (void)reader.name();  // skips a number, or pos_inf of an XOR: the function has the information
    } else if (key == "thread_range") {
      (void)reader.literal();
    } else {
      reader.fail(fmt::format("a Fragment prints no {}", quoted(key)));
    }
  }
}

// Reads what follows the shape: "forward_thread_fn=lambda i, j: …, forward_index_fn=lambda i, j: …, replicate=2".
void read_called(TransformReader& reader, FragmentFunction& f) {
  std::size_t thread_names = 0, value_names = 0;
  std::vector<std::string> keys;
  const auto function = [&](std::size_t& count) {
    reader.expect("lambda");
    const std::vector<std::string> names = reader.names();
    count = names.size();
    reader.expect(":");
    return reader.indices(names);
  };
  while (reader.accept(",")) {
    const std::string key = keys.emplace_back(reader.name());
    if (std::ranges::count(keys, key) > 1) reader.fail(fmt::format("{} stands twice", quoted(key)));
    reader.expect("=");
    if (key == "replicate") {
      f.copies = reader.integer();
    } else if (key == "forward_fn") {
      f.thread = function(thread_names);
      if (f.thread.size() != 2) reader.fail("forward_fn is a thread and a value");
      f.value = {{f.thread[1]}, {1}};
      value_names = thread_names;
    } else if (key == "forward_thread_fn") {
      f.thread = function(thread_names);
    } else if (key == "forward_index_fn") {
      f.value = output_place(function(value_names), {1});
    } else {
      reader.fail(fmt::format("a Fragment takes no {}", quoted(key)));
    }
  }
  const std::size_t dimensions = f.shape.size() + (f.copies > 1 ? 1 : 0);
  if (!f.thread.empty()) require_names(thread_names, dimensions);
  if (value_names != f.shape.size() && !f.value.indices.empty()) require_names(value_names, dimensions);
}

Reading read_fragment(std::string_view text, const Given& given) {
  TransformReader reader(text, fragment_example);
  (void)reader.name();
  reader.expect("(");
  FragmentFunction f{reader.extents()};
  if (reader.accept("->")) read_printed(reader, f);
  else read_called(reader, f);
  reader.expect(")");
  reader.require_end();
  require_shape_of_text(given, f.shape);
  if (f.thread.empty() || f.value.indices.empty()) reader.fail("a Fragment without its thread or its value");
  if (f.copies < 1) reader.fail(fmt::format("{} copies of each element", f.copies));
  return {held(f, element_width(given))};
}

// Where the elements of a register layout are, copy by copy. None if a thread has copies, or some elements have no
// holder.
struct HeldAt {
  std::int64_t copies = 1;
  std::vector<std::int64_t> thread;  // of each copy of each element
  std::vector<std::int64_t> value;   // of each element
};
std::optional<HeldAt> held_at(const RegisterForm& form) {
  const std::vector<std::int64_t> numbers = numbers_of(form);
  const auto elements = static_cast<std::size_t>(element_count(form.shape)),
             values = static_cast<std::size_t>(value_count(form));
  if (numbers.size() % elements != 0) return std::nullopt;
  HeldAt at{static_cast<std::int64_t>(numbers.size() / elements), {}, std::vector<std::int64_t>(elements, -1)};
  std::vector<std::vector<std::int64_t>> threads(elements);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<std::size_t>(numbers[i]);
    const auto value = static_cast<std::int64_t>(i % values);
    if (at.value[number] >= 0 && at.value[number] != value) return std::nullopt;
    at.value[number] = value;
    threads[number].push_back(static_cast<std::int64_t>(i / values));
  }
  for (const std::vector<std::int64_t>& of : threads) {
    if (static_cast<std::int64_t>(of.size()) != at.copies) return std::nullopt;
    at.thread.insert(at.thread.end(), of.begin(), of.end());
  }
  return at;
}

bool is_fragment_of(std::string_view text, const RegisterForm& form) {
  try {
    return is_same_function(std::get<RegisterForm>(read_fragment(text, {}).form), form);
  } catch (const Error&) {  // a text of offset_texts need not be right
    return false;
  }
}

}  // namespace

bool is_tilelang_transform(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('(')), module = head.substr(0, head.find('.'));
  const bool is_own = (module == "Layout" && text.find("IntTuple") == std::string_view::npos) || module == "T" ||
                      module == "tl" || module == "tilelang";
  return head.size() < text.size() && ((is_own && last_name(head) == "Layout") || last_name(head) == "Fragment");
}

Reading read_tilelang_transform(std::string_view text, const Given& given) {
  return last_name(text.substr(0, text.find('('))).ends_with("Layout") ? read_layout_transform(text, given)
                                                                       : read_fragment(text, given);
}

Written write_tilelang_transform(const SharedForm& form) {
  const std::size_t rank = form.shape.size();
  if (rank > most_tilelang_dimensions) return refused("a lambda of more than six dimensions");
  const OffsetNotation python = python_notation(rank);
  std::vector<std::string> texts;
  for (const std::string& index : offset_texts(form, python))
    texts.push_back(
        fmt::format("Layout([{}], lambda {}: {})", fmt::join(form.shape, ", "), fmt::join(python.names, ", "), index));
  std::string text = first_equal(form, texts, read_layout_transform);
  if (text.empty()) return refused("neither strides, XORs nor a rotation: write its formula as the lambda of a Layout");
  return {std::move(text)};
}

Written write_tilelang_transform(const RegisterForm& form) {
  if (rank(form.layout) > 2) return refused("its elements lie in several CTAs; a Fragment is of one");
  if (form.shape.size() >= most_tilelang_dimensions) return refused("a lambda of more than six dimensions");
  const auto at = held_at(form);
  if (!at)
    return refused(
        "a Fragment has every element in one value of a thread, as often as all others: here a thread "
        "holds copies, or not all elements are held");
  OffsetNotation python = python_notation(form.shape.size());
  const auto text_of = [&](const ArrayShape& shape, std::vector<std::int64_t> places) {
    const std::vector<std::string> texts = offset_texts(shared_form(shape, {}, std::move(places)), python);
    return texts.empty() ? "" : fmt::format("lambda {}: {}", fmt::join(python.names, ", "), texts[0]);
  };
  const std::string value = text_of(form.shape, at->value);
  if (at->copies > 1) python.names.emplace_back("rep");
  const std::string thread = text_of(with_copies(form.shape, at->copies), at->thread);
  std::string text =
      fmt::format("T.Fragment([{}], forward_thread_fn={}, forward_index_fn={}{})", fmt::join(form.shape, ", "), thread,
                  value, at->copies > 1 ? fmt::format(", replicate={}", at->copies) : "");
  if (value.empty() || thread.empty() || !is_fragment_of(text, form))
    return refused("thread and value are neither sums of strides nor XORs of the coordinates");
  return {std::move(text)};
}

}  // namespace swz
