#include "view/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"
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

Field collision_field(const ComposedLayout& l, const std::optional<Collision>& c) {
  if (!c) return {"collision", "", nullptr};
  const IntTuple& shape = l.layout().shape();
  return {"collision",
          "collision",
          {{"first", c->first}, {"second", c->second}, {"offset", c->offset}},
          fmt::format("{} and {} share offset {}", to_string(idx2crd(c->first, shape)),
                      to_string(idx2crd(c->second, shape)), c->offset),
          Tone::bad};
}

void add_properties(Document& d, const ComposedLayout& l) {
  const LayoutAnalysis a = analyse(l);
  // A property that a layout too large to try value by value may leave open.
  const auto add_maybe = [&](const char* key, const auto& value) {
    d.field(key, key, value,
            value ? "" : "unknown: the strides do not decide it, and there are too many values to try");
  };
  d.field("layout", "layout", to_string(l), {}, Tone::strong);
  // The same function on elements, of a swizzle of bytes.
  if (!l.swizzle().is_identity() && l.has_pointer()) d.field("element_form", "on elements", to_string(l.plain()));
  d.field("size", "size", a.size);
  add_maybe("cosize", a.cosize);
  d.field("rank", "rank", rank(l.layout())).field("depth", "depth", depth(l.layout()));
  d.field("coalesced", "coalesced", to_string(l.with(coalesce(l.layout()))));
  add_maybe("injective", a.injective);
  add_maybe("contiguous", a.contiguous);
  add_maybe("bijective", a.bijective);
  d.add(collision_field(l, a.collision));
}

void add_notes(Document& d, const ComposedLayout& l, const std::vector<std::string>& evaluation_notes) {
  Notes notes{"notes"};
  for (const std::string& text : evaluation_notes) notes.note("slice-offset", text);
  if (!l.swizzle().is_identity() && l.size() <= limits::known_values.most) {
    const std::int64_t cute = cosize(l.layout());
    if (const std::int64_t ours = analyse(l).cosize.value_or(cute); ours != cute)
      notes.note(
          "swizzled-cosize",
          fmt::format("CuTe's cosize() does not count what the swizzle and the offset add and says {}", cute),
          fmt::format("allocate {}", ours));
  }
  d.add(std::move(notes));
}

// The first extent of a nested mode, an atom of a tiled layout; 0: none.
int first_extent(const IntTuple& shape) {
  if (shape.is_int() || shape.children().size() < 2) return 0;
  const std::int64_t extent = product(shape.children().front());
  return extent > 1 && extent < drawable_squares ? static_cast<int>(extent) : 0;
}

// Rows are mode 0, columns all other modes; a rank-1 layout is one row. whole: all of it, else a corner of what is
// large.
Document offset_table(const ComposedLayout& l, Medium medium, bool whole) {
  const Layout& layout = l.layout();
  const bool is_one_row = rank(layout) == 1;
  const std::int64_t all_rows = is_one_row ? 1 : size(mode(layout, 0)), all_columns = l.size() / all_rows;
  whole = whole || l.size() <= whole_table_cells;
  const std::int64_t rows = whole ? all_rows : std::min(all_rows, corner_rows);
  const std::int64_t columns = whole ? all_columns : std::min(all_columns, corner_columns);

  std::vector<std::string> column_labels = number_labels(columns);
  if (rank(layout) > 2) {
    std::vector<IntTuple> rest(layout.shape().children().begin() + 1, layout.shape().children().end());
    for (IntTuple& extent : rest) extent = product(extent);
    column_labels = labels_of(columns, 1, [&](std::int64_t c) { return to_string(idx2crd(c, IntTuple(rest))); });
  }
  const int moved_whole = l.element_swizzle().base();  // blocks of 2^base keep together: one colour each
  Grid grid = grid_of(
      "", is_one_row ? "index" : "mode 0", is_one_row ? std::vector<std::string>{"offset"} : number_labels(rows),
      std::move(column_labels), [&](std::int64_t r, std::int64_t c) {
        const std::int64_t offset = l(r + c * all_rows);
        const int hue = l.swizzle().is_identity() ? -1 : static_cast<int>((offset >> moved_whole) & 7);
        return Grid::Square{std::to_string(offset), {hue}};
      });
  if (rank(layout) == 2) {
    grid.row_group = first_extent(mode(layout, 0).shape());
    grid.column_group = first_extent(mode(layout, 1).shape());
  }
  Document d;
  if (medium == Medium::page) {
    if (!is_one_row) grid.corner = "mode 0\\mode 1";
    if (rank(layout) > 2) grid.corner = "mode 0\\other modes";
    Figure figure;
    figure.title = to_string(l);
    figure.caption = "A cell shows the offset of its coordinate.";
    if (!l.swizzle().is_identity())
      figure.caption += fmt::format(" The swizzle moves blocks of {}: one colour is one block, counted modulo 8.",
                                    std::int64_t{1} << moved_whole);
    figure.panels.push_back({std::move(grid)});
    return d.add(std::move(figure));
  }
  d.add(std::move(grid));
  if (!whole)
    d.add(Paragraph{fmt::format("{} of {} rows and {} of {} columns; --table draws all, --map lists all", rows,
                                all_rows, columns, all_columns),
                    Tone::faint});
  return d;
}

// A picture of a corner would not say that it is one.
void add_table(Document& d, const ComposedLayout& l, const LayoutViewOptions& options) {
  if (options.whole_table) require_limit(l.size(), options, "a table");
  d.add(Drawing{[l, options](Medium medium) {
    if (medium == Medium::page) require_limit(l.size(), options, "a table");
    return offset_table(l, medium, options.whole_table || medium == Medium::page);
  }});
}

void add_map(Document& d, const ComposedLayout& l, const LayoutViewOptions& options) {
  require_limit(l.size(), options, "a map");
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(l.size()));
  tabulate(l, offsets);
  d.json("map", offsets);
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

Document view_other_value(const Value& value) {
  const auto* t = std::get_if<IntTuple>(&value);
  if (t != nullptr && t->is_int()) return Document().json("type", "integer").field("value", "value", t->value());
  Document d;
  d.json("type", t != nullptr ? "tuple" : std::holds_alternative<Swizzle>(value) ? "swizzle" : "tiler");
  d.field("value", "value", to_string(value));
  if (t == nullptr) return d;
  try {
    d.line("as a layout", to_string(as_composed(value)));
  } catch (const Error&) {
    // A stride or a coordinate, which is not a shape.
  }
  return d;
}

// One row per label in the order they first appear, one column per document; a dash where a document has none.
Table side_by_side(const std::vector<Document>& documents) {
  Table table{"", "", {{"", " "}}, {}};
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    table.columns.push_back({"", fmt::format("[{}]", i + 1)});
    for (std::vector<Cell>& row : table.rows) row.push_back(nullptr);
    for (const Block& block : documents[i].blocks) {
      const auto* field = std::get_if<Field>(&block);
      if (field == nullptr || field->label.empty()) continue;
      const auto row = static_cast<std::size_t>(std::ranges::find(labels, field->label) - labels.begin());
      if (row == labels.size()) {
        labels.push_back(field->label);
        table.rows.emplace_back(i + 2, Cell(nullptr)).front() = Cell(field->label);
      }
      table.rows[row].back() = Cell(field->value, field->text, field->tone);
    }
  }
  return table;
}

std::string at_index(const char* name, const ComposedLayout& l, std::int64_t index, std::int64_t offset) {
  return fmt::format("{}{} = {}", name, to_string(idx2crd(index, l.layout().shape())), offset);
}

Field difference_field(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& d) {
  if (!d.index) return {"first_difference", "", nullptr};
  return {
      "first_difference",
      "first at",
      {{"index", *d.index},
       {"coordinate_a", to_string(idx2crd(*d.index, a.layout().shape()))},
       {"coordinate_b", to_string(idx2crd(*d.index, b.layout().shape()))},
       {"a", d.a},
       {"b", d.b}},
      fmt::format("index {}: {}, {}", *d.index, at_index("A", a, *d.index, d.a), at_index("B", b, *d.index, d.b))};
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
  if (l == nullptr) return view_other_value(evaluation.value);
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
  d.field("same", "same function", !parts, parts ? "no: " + *parts : "yes", parts ? Tone::bad : Tone::good);
  if (options.map)
    for (const Document& member : members.members)
      for (const Block& block : member.blocks)
        if (const auto* map = std::get_if<Drawing>(&block)) d.add(*map);
  d.add(std::move(members));
  return d;
}

Document view_difference(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& difference) {
  Document d;
  d.field("a", "A", to_string(a)).field("b", "B", to_string(b));
  const std::optional<std::int64_t> differing = difference.same ? 0 : differing_coordinates(a, b);
  const std::int64_t all = std::max(a.size(), b.size());
  d.field("same", "same function", difference.same,
          difference.same ? "yes"
          : differing     ? fmt::format("no: {} of {} coordinates differ", *differing, all)
                          : "no",
          difference.same ? Tone::good : Tone::bad);
  d.json("differing", differing ? Json(*differing) : Json());
  d.add(difference_field(a, b, difference));
  Notes notes{"notes"};
  if (!difference.same_size)
    notes.note("size", fmt::format("A has {} coordinates, B has {}{}", a.size(), b.size(),
                                   difference.index ? "" : "; they agree as far as both go"));
  if (difference.same && !congruent(a.layout().shape(), b.layout().shape()))
    notes.note("shape", fmt::format("equal by linear index; the shapes differ: {} and {}",
                                    to_string(a.layout().shape()), to_string(b.layout().shape())));
  if (difference.same && a.swizzle() != b.swizzle())
    notes.note("unit", fmt::format("{} and {} are the same swizzle in different units: on elements both are {}",
                                   to_string(a.swizzle()), to_string(b.swizzle()), to_string(a.element_swizzle())));
  if (!difference.same && a.has_pointer() && b.has_pointer() && a.element_bits() != b.element_bits()) {
    try {
      const ComposedLayout in_b = recast(a, a.element_bits(), b.element_bits());
      if (swz::difference(in_b, b).same)
        notes.note("recast", fmt::format("they describe the same bytes: recast(A, {}, {}) is B", a.element_bits(),
                                         b.element_bits()));
    } catch (const Error&) {
      // A cannot be counted in B's elements, so there is nothing to say.
    }
  }
  d.add(std::move(notes));
  return d.add(Drawing{[a, b, difference](Medium medium) {
    return medium == Medium::page ? Document().add(difference_figure(a, b, difference)) : Document();
  }});
}

}  // namespace swz
