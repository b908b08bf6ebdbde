#include "view/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "layout/algebra.hpp"
#include "layout/recast.hpp"
#include "view/figure.hpp"

namespace swz {
namespace {

// A table of at most this many cells is drawn whole; of a larger one a corner.
constexpr std::int64_t whole_table_cells = 64 * 64;
constexpr std::int64_t corner_rows = 16;
constexpr std::int64_t corner_columns = 16;

void require_limit(std::int64_t size, const LayoutViewOptions& options, const char* what) {
  if (size > options.map_limit)
    throw Error(fmt::format("{} of {} coordinates is beyond the limit of {}", what, size, options.map_limit),
                size > limits::most_coordinates.most || options.map_limit == drawable_squares
                    ? "take a part of it"
                    : fmt::format("take a part of it, or raise the limit: --limit {}", size));
}

// The same function in the other unit: bytes for elements and the other way round.
void add_other_form(Document& d, const ComposedLayout& l) {
  if (l.swizzle().is_identity()) return;
  if (l.has_pointer()) d.add(Field{"element_form", "on elements", to_string(l.plain())});
}

Field collision_field(const ComposedLayout& l, const std::optional<Collision>& c) {
  if (!c) return Field{"collision", "", nullptr};
  const IntTuple& shape = l.layout().shape();
  const std::string first = to_string(idx2crd(c->first, shape));
  const std::string second = to_string(idx2crd(c->second, shape));
  return Field{"collision", "collision", Json{{"first", c->first}, {"second", c->second}, {"offset", c->offset}},
               fmt::format("{} and {} share offset {}", first, second, c->offset), Tone::bad};
}

// A property that a layout too large to try value by value may leave open.
template <class T>
Field maybe(const char* key, const std::optional<T>& value) {
  return value ? Field{key, key, *value}
               : Field{key, key, nullptr,
                       "unknown: the strides do not decide it, and there are "
                       "too many values to try"};
}

void add_properties(Document& d, const ComposedLayout& l) {
  const LayoutAnalysis a = analyse(l);
  d.add(Field{"layout", "layout", to_string(l), {}, Tone::strong});
  add_other_form(d, l);
  d.add(Field{"size", "size", a.size});
  d.add(maybe("cosize", a.cosize));
  d.add(Field{"rank", "rank", rank(l.layout())});
  d.add(Field{"depth", "depth", depth(l.layout())});
  d.add(Field{"coalesced", "coalesced", to_string(l.with(coalesce(l.layout())))});
  d.add(maybe("injective", a.injective));
  d.add(maybe("contiguous", a.contiguous));
  d.add(maybe("bijective", a.bijective));
  d.add(collision_field(l, a.collision));
}

void add_notes(Document& d, const ComposedLayout& l, const std::vector<std::string>& evaluation_notes) {
  Notes notes{"notes"};
  for (const std::string& text : evaluation_notes) notes.add(note("slice-offset", text));
  if (!l.swizzle().is_identity() && l.size() <= limits::known_values.most) {
    const std::int64_t cute = cosize(l.layout());
    if (const std::int64_t ours = analyse(l).cosize.value_or(cute); ours != cute)
      notes.add(
          note("swizzled-cosize",
               fmt::format("CuTe's cosize() does not count what the swizzle and the offset add and says {}", cute),
               fmt::format("allocate {}", ours)));
  }
  d.add(std::move(notes));
}

// Rows are mode 0, columns all other modes; a rank-1 layout is one row.
struct TableShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  int row_group = 0, column_group = 0;  // the first extent of a nested mode: an atom of a tiled layout
  IntTuple column_shape;
  bool one_row = false;
};

int first_extent(const IntTuple& shape) {
  if (shape.is_int() || shape.children().size() < 2) return 0;
  const std::int64_t extent = product(shape.children().front());
  return extent > 1 && extent < drawable_squares ? static_cast<int>(extent) : 0;
}

TableShape table_shape(const Layout& l) {
  TableShape t;
  t.one_row = rank(l) == 1;
  t.rows = t.one_row ? 1 : size(mode(l, 0));
  t.columns = l.size() / t.rows;
  if (!t.one_row && rank(l) == 2) {
    t.column_shape = IntTuple(t.columns);
    t.row_group = first_extent(mode(l, 0).shape());
    t.column_group = first_extent(mode(l, 1).shape());
  }
  if (rank(l) > 2) {
    std::vector<IntTuple> rest(l.shape().children().begin() + 1, l.shape().children().end());
    for (IntTuple& extent : rest) extent = product(extent);
    t.column_shape = rest;
  }
  return t;
}

// whole: all of it, else a corner of what is large.
Document table_of(const ComposedLayout& l, bool whole) {
  Document d;
  const TableShape shape = table_shape(l.layout());
  whole = whole || l.size() <= whole_table_cells;
  const std::int64_t rows = whole ? shape.rows : std::min(shape.rows, corner_rows);
  const std::int64_t columns = whole ? shape.columns : std::min(shape.columns, corner_columns);

  Grid grid;
  grid.row_group = shape.row_group;
  grid.column_group = shape.column_group;
  grid.corner = shape.one_row ? "index" : "mode 0";
  for (std::int64_t c = 0; c < columns; ++c)
    grid.column_labels.push_back(rank(l.layout()) > 2 ? to_string(idx2crd(c, shape.column_shape))
                                                      : std::to_string(c));
  const int moved_whole = l.element_swizzle().base();  // blocks of 2^base keep together: one colour each
  for (std::int64_t r = 0; r < rows; ++r) {
    grid.row_labels.push_back(shape.one_row ? "offset" : std::to_string(r));
    std::vector<Grid::Square> squares;
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t offset = l(r + c * shape.rows);
      const int hue = l.swizzle().is_identity() ? -1 : static_cast<int>((offset >> moved_whole) & 7);
      squares.push_back({std::to_string(offset), {hue}});
    }
    grid.squares.push_back(std::move(squares));
  }
  d.add(std::move(grid));
  if (!whole)
    d.add(Paragraph{fmt::format("{} of {} rows and {} of {} columns; --table draws all, --map lists all", rows,
                                shape.rows, columns, shape.columns),
                    Tone::faint});
  return d;
}

// A picture of a corner would not say that it is one.
void add_table(Document& d, const ComposedLayout& l, const LayoutViewOptions& options) {
  if (options.whole_table) require_limit(l.size(), options, "a table");
  d.add(Drawing{[l, options](Medium medium) {
    if (medium == Medium::page) require_limit(l.size(), options, "a table");
    return table_of(l, options.whole_table || medium == Medium::page);
  }});
}

void add_map(Document& d, const ComposedLayout& l, const LayoutViewOptions& options) {
  require_limit(l.size(), options, "a map");
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(l.size()));
  tabulate(l, offsets);
  d.add(Field{"map", "", offsets});
  // As text of its own: the cells of a table would take ten times the memory.
  d.add(Drawing{[l, offsets = std::move(offsets)](Medium) {
    std::vector<std::string> coordinates;
    std::size_t widest = std::string_view("coordinate").size();
    for (std::int64_t i = 0; i < l.size(); ++i) {
      coordinates.push_back(to_string(idx2crd(i, l.layout().shape())));
      widest = std::max(widest, coordinates.back().size());
    }
    const auto [low, high] = std::ranges::minmax(offsets);
    const std::size_t index_width = std::max<std::size_t>(5, fmt::formatted_size("{}", l.size() - 1));
    const std::size_t offset_width =
        std::max({std::size_t{6}, fmt::formatted_size("{}", low), fmt::formatted_size("{}", high)});
    std::string text;
    const auto line = [&](const auto& index, const auto& coordinate, const auto& offset) {
      fmt::format_to(std::back_inserter(text), "{:>{}}  {:<{}}  {:>{}}\n", index, index_width, coordinate, widest,
                     offset, offset_width);
    };
    line("index", "coordinate", "offset");
    for (std::size_t i = 0; i < offsets.size(); ++i) line(i, coordinates[i], offsets[i]);
    text.pop_back();
    return Document().add(Paragraph{std::move(text), Tone::plain, true});
  }});
}

Document view_other_value(const Evaluation& e) {
  Document d;
  if (const auto* t = std::get_if<IntTuple>(&e.value)) {
    d.add(Field{"type", "", t->is_int() ? "integer" : "tuple"});
    d.add(t->is_int() ? Field{"value", "value", t->value()} : Field{"value", "value", to_string(*t)});
  } else {
    d.add(Field{"type", "", std::holds_alternative<Swizzle>(e.value) ? "swizzle" : "tiler"});
    d.add(Field{"value", "value", to_string(e.value)});
  }
  if (const auto* t = std::get_if<IntTuple>(&e.value); t && t->is_tuple()) {
    try {
      d.add(Field{"", "as a layout", to_string(as_composed(e.value))});
    } catch (const Error&) {
      // A stride or a coordinate, which is no shape.
    }
  }
  return d;
}

const Field* labelled(const Document& d, const std::string& label) {
  for (const Block& block : d.blocks)
    if (const auto* f = std::get_if<Field>(&block); f && f->label == label) return f;
  return nullptr;
}

// One row per label in the order they first appear, one column per document; who lacks a field shows a dash.
Table side_by_side(const std::vector<Document>& documents) {
  std::vector<std::string> labels;
  for (const Document& d : documents)
    for (const Block& block : d.blocks)
      if (const auto* f = std::get_if<Field>(&block);
          f && !f->label.empty() && std::ranges::find(labels, f->label) == labels.end())
        labels.push_back(f->label);
  Table table{"", "", {{"", " "}}, {}};
  for (std::size_t i = 0; i < documents.size(); ++i) table.columns.push_back({"", fmt::format("[{}]", i + 1)});
  for (const std::string& label : labels) {
    std::vector<Cell> row = {{label}};
    for (const Document& d : documents) {
      const Field* f = labelled(d, label);
      row.push_back(f ? Cell{f->value, f->text, f->tone} : Cell{nullptr});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string at_index(const char* name, const ComposedLayout& l, std::int64_t index, std::int64_t offset) {
  return fmt::format("{}{} = {}", name, to_string(idx2crd(index, l.layout().shape())), offset);
}

// Where a layout parts from the first one, in words; none when they are the same function.
std::optional<std::string> first_part(const Value& first, const Value& other) {
  const auto* a = std::get_if<ComposedLayout>(&first);
  const auto* b = std::get_if<ComposedLayout>(&other);
  if (!a || !b) {
    if (to_string(first) == to_string(other)) return std::nullopt;
    return fmt::format("{} and {}", to_string(first), to_string(other));
  }
  const LayoutDifference d = difference(*a, *b);
  if (d.same) return std::nullopt;
  if (!d.index) return fmt::format("{} and {} coordinates", a->size(), b->size());
  return fmt::format("at index {} {} and {}", *d.index, at_index("", *a, *d.index, d.a),
                     at_index("", *b, *d.index, d.b));
}

}  // namespace

Document view_layout(const Evaluation& evaluation, const LayoutViewOptions& options) {
  const auto* l = std::get_if<ComposedLayout>(&evaluation.value);
  if (l == nullptr) return view_other_value(evaluation);
  Document d;
  add_properties(d, *l);
  add_notes(d, *l, evaluation.notes);
  if (options.map) add_map(d, *l, options);
  else add_table(d, *l, options);
  return d;
}

Document view_layouts(const std::vector<Evaluation>& evaluations, const LayoutViewOptions& options) {
  Group members{"layouts", {}, false};
  for (const Evaluation& e : evaluations) members.members.push_back(view_layout(e, options));

  Document d;
  d.add(side_by_side(members.members));
  std::optional<std::string> parts;
  for (std::size_t i = 1; i < evaluations.size() && !parts; ++i)
    parts = first_part(evaluations[0].value, evaluations[i].value);
  d.add(Field{"same", "same function", !parts, parts ? "no: " + *parts : "yes", parts ? Tone::bad : Tone::good});
  if (options.map)
    for (const Document& member : members.members)
      for (const Block& block : member.blocks)
        if (const auto* map = std::get_if<Drawing>(&block)) d.add(*map);
  d.add(std::move(members));
  return d;
}

Document view_difference(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& difference) {
  Document d;
  d.add(Field{"a", "A", to_string(a)});
  d.add(Field{"b", "B", to_string(b)});
  d.add(Field{"same", "same function", difference.same, {}, difference.same ? Tone::good : Tone::bad});
  Notes notes{"notes"};
  if (difference.index) {
    const std::int64_t i = *difference.index;
    d.add(Field{
        "first_difference", "first at",
        Json{{"index", i},
             {"coordinate_a", to_string(idx2crd(i, a.layout().shape()))},
             {"coordinate_b", to_string(idx2crd(i, b.layout().shape()))},
             {"a", difference.a},
             {"b", difference.b}},
        fmt::format("index {}: {}, {}", i, at_index("A", a, i, difference.a), at_index("B", b, i, difference.b))});
  } else {
    d.add(Field{"first_difference", "", nullptr});
  }
  if (!difference.same_size)
    notes.add(note("size", fmt::format("A has {} coordinates, B has {}{}", a.size(), b.size(),
                                       difference.index ? "" : "; they agree as far as both go")));
  if (difference.same && !congruent(a.layout().shape(), b.layout().shape()))
    notes.add(note("shape", fmt::format("equal by linear index; the shapes differ: {} and {}",
                                        to_string(a.layout().shape()), to_string(b.layout().shape()))));
  if (difference.same && a.swizzle() != b.swizzle())
    notes.add(
        note("unit", fmt::format("{} and {} are the same swizzle in different units: on elements both are {}",
                                 to_string(a.swizzle()), to_string(b.swizzle()), to_string(a.element_swizzle()))));
  if (!difference.same && a.has_pointer() && b.has_pointer() && a.element_bits() != b.element_bits()) {
    try {
      const ComposedLayout in_b = recast(a, a.element_bits(), b.element_bits());
      if (swz::difference(in_b, b).same)
        notes.add(note("recast", fmt::format("they describe the same bytes: recast(A, {}, {}) is B",
                                             a.element_bits(), b.element_bits())));
    } catch (const Error&) {
      // A cannot be counted in B's elements, so there is nothing to say.
    }
  }
  d.add(std::move(notes));
  return d;
}

}  // namespace swz
