// SPDX-License-Identifier: Apache-2.0
#include "view/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"

namespace swz {
namespace {

void require_limit(std::int64_t size, const LayoutViewOptions& options, const char* what) {
  if (size > options.map_limit)
    throw Error(fmt::format("{} of {} coordinates is beyond the limit of {}", what, size, options.map_limit),
                size > limits::most_coordinates.most || options.map_limit == drawable_squares
                    ? "take a part of it"
                    : fmt::format("take a part of it, or raise the limit: --limit {}", size));
}

Json collision_json(const std::optional<Collision>& c) {
  if (!c) return nullptr;
  return {{"first", c->first}, {"second", c->second}, {"offset", c->offset}};
}

// "bijective: offsets 0 to 511, each once". For a layout that is too large to try value by value it may be open.
Field nature_of(const ComposedLayout& l, const LayoutAnalysis& a) {
  const IntTuple& shape = l.layout().shape();
  const auto is = [](std::string text, Tone tone = Tone::plain) {
    return Field{"", "is", nullptr, std::move(text), tone};
  };
  if (a.collision)
    return is(fmt::format("not injective: {} and {} share offset {}", to_string(idx2crd(a.collision->first, shape)),
                          to_string(idx2crd(a.collision->second, shape)), a.collision->offset),
              Tone::bad);
  if (a.injective == false) return is("not injective", Tone::bad);
  if (a.bijective == true) return is(fmt::format("bijective: {} offsets without a gap, each once", a.size), Tone::good);
  if (a.injective == true && a.contiguous == false)
    return is(a.cosize ? fmt::format("injective, with gaps: {} of {} offsets", a.size, *a.cosize)
                       : "injective, with gaps");
  return is(fmt::format("{}unknown: the strides do not decide it, and there are too many values to try",
                        a.injective == true ? "injective; contiguous " : ""));
}

// "Sw<3,4,3> permutes 512 offsets and leaves no gap", "every element has an offset of its own; 56 of 120 offsets are
// gaps"; of another layout without a swizzle what it is.
std::string sentence_of(const ComposedLayout& l, const LayoutAnalysis& a, const std::string& nature) {
  if (l.swizzle().is_identity() && a.injective == true && a.contiguous == false && a.cosize && *a.cosize > a.size)
    return fmt::format("every element has an offset of its own; {} of {} offsets are gaps", *a.cosize - a.size,
                       *a.cosize);
  if (l.swizzle().is_identity() || a.injective != true) return nature;
  if (a.bijective == true)
    return fmt::format("{} permutes {} offsets and leaves no gap", to_string(l.swizzle()), a.size);
  return a.cosize ? fmt::format("{} puts {} elements in {} offsets", to_string(l.swizzle()), a.size, *a.cosize)
                  : nature;
}

// ", 24 of the 70 offsets are used": how the tiles of an operation lie.
std::string use_of_offsets(const ComposedLayout& l, const std::string& nature) {
  const LayoutAnalysis a = analyse(l);
  if (a.bijective == true) return ", every offset is used once";
  if (a.injective == true && a.cosize) return fmt::format(", {} of the {} offsets are used", a.size, *a.cosize);
  return ", " + nature;
}

void add_properties(Document& d, const ComposedLayout& l) {
  const LayoutAnalysis a = analyse(l);
  const std::string layout = to_string(l), coalesced = to_string(l.with(coalesce(l.layout())));
  d.field("layout", "layout", layout, {}, Tone::strong);
  // The same function on elements, for a swizzle of bytes.
  if (!l.swizzle().is_identity() && l.has_pointer()) d.field("element_form", "on elements", to_string(l.plain()));
  d.field("size", "size", a.size,
          fmt::format("{}, cosize {}, rank {}, depth {}", a.size, a.cosize ? std::to_string(*a.cosize) : "unknown",
                      rank(l.layout()), depth(l.layout())));
  d.json("cosize", a.cosize).json("rank", rank(l.layout())).json("depth", depth(l.layout()));
  const Field nature = nature_of(l, a);
  d.headline = sentence_of(l, a, nature.text);
  d.add(nature);
  d.field("coalesced", coalesced == layout ? "" : "coalesced", coalesced);
  d.json("injective", a.injective).json("contiguous", a.contiguous).json("bijective", a.bijective);
  d.json("collision", collision_json(a.collision));
}

void add_notes(Document& d, const ComposedLayout& l, const std::vector<Finding>& evaluation_notes) {
  Notes notes{"notes", evaluation_notes};
  if (!l.swizzle().is_identity() && l.size() <= limits::known_values.most) {
    const std::int64_t cute = cosize(l.layout());
    if (const std::int64_t ours = analyse(l).cosize.value_or(cute); ours != cute)
      notes.note("swizzled-cosize",
                 fmt::format("CuTe's cosize() does not count what the swizzle and the offset add and gives {}", cute),
                 fmt::format("allocate {}", ours));
  }
  d.add(std::move(notes));
}

// A picture of a corner would not show that it is one.
Drawing table_drawing(const ComposedLayout& l, const LayoutViewOptions& options) {
  if (options.whole_table) require_limit(l.size(), options, "a table");
  return {[l, options](Medium medium) {
    if (medium == Medium::page || !options.highlight.empty()) require_limit(l.size(), options, "a table");
    return layout_table(l, options, medium);
  }};
}

void add_map(Document& d, const ComposedLayout& l, const LayoutViewOptions& options) {
  require_limit(l.size(), options, "a map");
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(l.size()));
  tabulate(l, offsets);
  d.json("map", offsets);
  // As text of its own: the cells of a table would need ten times the memory.
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

Document view_other_value(const Value& value, const std::vector<Finding>& notes) {
  const auto* t = std::get_if<IntTuple>(&value);
  Document d;
  d.headline = short_sentence(to_string(value));
  d.answers = {"value"};
  if (t != nullptr && t->is_int()) {
    d.json("type", "integer").field("value", "value", t->value());
    if (!notes.empty()) d.add(Notes{"notes", notes});
    return d;
  }
  d.json("type", t != nullptr                                 ? "tuple"
                 : std::holds_alternative<BasisLayout>(value) ? "coordinates"
                 : std::holds_alternative<Swizzle>(value)     ? "swizzle"
                                                              : "tiler");
  d.field("value", "value", to_string(value));
  if (t == nullptr || has_basis(*t)) {
    if (!notes.empty()) d.add(Notes{"notes", notes});
    return d;
  }
  try {
    d.line("as a layout", to_string(as_composed(value)));
  } catch (const Error&) {
    // A stride or a coordinate, which is not a shape.
  }
  return d;
}

// Adds the fields of each document, those of the first with "[1]" and so on.
void add_sections(Document& d, const std::vector<Document>& documents) {
  for (std::size_t i = 0; i < documents.size(); ++i) {
    bool is_first = true;
    for (const Block& block : documents[i].blocks) {
      const auto* field = std::get_if<Field>(&block);
      if (field == nullptr || field->label.empty()) continue;
      d.add(Field{"", is_first ? fmt::format("[{}] {}", i + 1, field->label) : "    " + field->label, field->value,
                  field->text, field->tone});
      is_first = false;
    }
  }
}

// Where the coordinates that were asked for are, in each of the layouts.
Document view_points(const std::vector<Evaluation>& evaluations, const LayoutViewOptions& options) {
  Document d;
  std::vector<Point> points;
  std::vector<Finding> notes;
  Drawing picture;
  for (const Evaluation& e : evaluations) {
    const auto* l = std::get_if<ComposedLayout>(&e.value);
    if (std::holds_alternative<BasisLayout>(e.value))
      throw Error(fmt::format("{} has no offsets", describe(e.value)), "write its coordinate after it: L(7,25)");
    if (l == nullptr) throw Error(fmt::format("{} has no coordinates", describe(e.value)), "give a layout");
    const Asked<std::int64_t> asked = asked_indices(*l, options);
    notes.insert(notes.end(), asked.notes.begin(), asked.notes.end());
    for (const std::int64_t index : asked.elements) {
      points.push_back(point_of(*l, index));
      if (evaluations.size() > 1) points.back().of = to_string(*l);
    }
    if (evaluations.size() > 1) continue;
    d.title = to_string(*l);
    picture = table_drawing(*l, options);
  }
  return view_points(std::move(d), points, picture, notes);
}

std::string at_index(const char* name, const ComposedLayout& l, std::int64_t index, std::int64_t offset) {
  return fmt::format("{}{} = {}", name, to_string(idx2crd(index, l.layout().shape())), offset);
}

Field difference_field(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& d) {
  if (!d.index) return {"first_difference", "", nullptr};
  return {"first_difference",
          "first at",
          {{"index", *d.index},
           {"coordinate_a", to_string(idx2crd(*d.index, a.layout().shape()))},
           {"coordinate_b", to_string(idx2crd(*d.index, b.layout().shape()))},
           {"a", d.a},
           {"b", d.b}},
          fmt::format("index {}: {}, {}", *d.index, at_index("A", a, *d.index, d.a), at_index("B", b, *d.index, d.b))};
}

// Where a layout first differs from the first one, in words; none if they are the same function.
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
  if (!options.query.empty()) return view_points({evaluation}, options);
  const auto* l = std::get_if<ComposedLayout>(&evaluation.value);
  if (l == nullptr) return view_other_value(evaluation.value, evaluation.notes);
  Document d;
  d.answers = {"layout", "size", "cosize"};
  add_properties(d, *l);
  if (const std::int64_t tile = tile_size(*l, options); tile > 0)
    d.headline = fmt::format("{} of {}{}", plural(l->size() / tile, "tile"), plural(tile, "element"),
                             use_of_offsets(*l, d.headline));
  d.headline = short_sentence(d.headline);
  add_notes(d, *l, evaluation.notes);
  if (options.map) add_map(d, *l, options);
  else d.add(table_drawing(*l, options));
  return d;
}

Document view_layouts(const std::vector<Evaluation>& evaluations, const LayoutViewOptions& options) {
  if (!options.query.empty()) return view_points(evaluations, options);
  Group members{"layouts", {}, false};
  for (const Evaluation& e : evaluations) members.members.push_back(view_layout(e, options));

  Document d;
  add_sections(d, members.members);
  std::optional<std::string> parts;
  for (std::size_t i = 1; i < evaluations.size() && !parts; ++i)
    parts = first_part(evaluations[0].value, evaluations[i].value);
  d.headline =
      parts ? short_sentence("they differ " + *parts) : fmt::format("{} layouts, one function", evaluations.size());
  d.field("same", "same function", !parts, parts ? "no: " + *parts : "yes", parts ? Tone::bad : Tone::good);
  if (options.map)
    for (const Document& member : members.members)
      for (const Block& block : member.blocks)
        if (const auto* map = std::get_if<Drawing>(&block)) d.add(*map);
  d.add(std::move(members));
  d.answers = {"same"};
  return d;
}

Document view_difference(const ComposedLayout& a, const ComposedLayout& b, const LayoutDifference& difference,
                         const ComparedNames& names) {
  Document d;
  d.field("a", "A", to_string(a)).field("b", "B", to_string(b));
  const std::optional<std::int64_t> differing = difference.same ? 0 : differing_coordinates(a, b);
  const std::int64_t all = std::max(a.size(), b.size());
  d.field("same", "same function", difference.same,
          difference.same ? "yes"
          : differing     ? fmt::format("no: {} of {} coordinates differ", *differing, all)
                          : "no",
          difference.same ? Tone::good : Tone::bad);
  d.headline = difference.same ? "A and B are the same function"
               : differing     ? fmt::format("A and B differ at {} of {}", *differing, all)
                               : "A and B differ";
  if (difference.index)
    d.headline += fmt::format(", first at {}: {} and {}", to_string(idx2crd(*difference.index, a.layout().shape())),
                              difference.a, difference.b);
  d.headline = short_sentence(d.headline);
  d.json("differing", differing ? Json(*differing) : Json());
  d.add(difference_field(a, b, difference));
  d.answers = {"same"};
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
      // A cannot be counted in B's elements, so there is no note.
    }
  }
  d.add(std::move(notes));
  return d.add(Drawing{[a, b, difference, names](Medium medium) {
    return medium == Medium::page ? Document().add(difference_figure(a, b, difference, names)) : Document();
  }});
}

}  // namespace swz
