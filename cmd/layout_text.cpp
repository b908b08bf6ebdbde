// SPDX-License-Identifier: Apache-2.0
#include "layout_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "descriptor/readable_mode.hpp"
#include "view/dialect/operand_verdict.hpp"
#include "view/dialect/translate.hpp"

namespace swz {
namespace {

// "triton: #ttg…" names its dialect; "cute::Layout<…>" is C++.
const Dialect* named_dialect(std::string_view& text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\n"), text.size());
  std::size_t end = first;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end == first || end == text.size() || text[end] != ':' || text.substr(end).starts_with("::")) return nullptr;
  const Dialect* dialect = find_dialect(text.substr(first, end - first));
  if (dialect != nullptr) text.remove_prefix(std::min(text.find_first_not_of(" \t\n", end + 1), text.size()));
  return dialect;
}

// CuTe reads what no other dialect recognises.
const Dialect* dialect_beside_cute(std::string_view text) {
  const auto is_other = [&](const Dialect& d) { return d.name != "cute" && d.recognises(text); };
  return std::ranges::any_of(dialects(), is_other) ? &recognised_dialect(text) : nullptr;
}

// The text after "var sA = ", "a_smem_layout: gl.constexpr = " or "A_shared: "; empty if it begins with no such label.
std::string_view without_label(std::string_view text) {
  std::size_t end = 0;
  const auto is_of_label = [](char c) { return is_word(c) || c == ' ' || c == '.' || c == ':' || c == '\t'; };
  while (end < text.size() && is_of_label(text[end])) ++end;
  const bool is_assigned = end > 0 && end + 1 < text.size() && text[end] == '=' && text[end + 1] != '=';
  if (is_assigned) return trimmed(text.substr(end + 1));
  const std::size_t colon = text.find(':');
  const bool is_named =
      colon != std::string_view::npos && colon > 0 && colon < end && !text.substr(colon).starts_with("::");
  return is_named ? trimmed(text.substr(colon + 1)) : std::string_view();
}

// The text without its label, if what follows is a call or a type of a project. CuTe's reader knows labels itself, and
// in a C expression and in the arguments of a tensor map the name is a part of the meaning.
std::string_view labelled_text(std::string_view text) {
  const std::string_view rest = without_label(text);
  if (rest.empty()) return text;
  constexpr std::string_view meant[] = {"triton",         "gluon", "tilelang", "mosaic",
                                        "thunderkittens", "mojo",  "tilus",    "nvfuser"};
  const bool is_read = std::ranges::any_of(dialects(), [&](const Dialect& d) {
    return std::ranges::find(meant, d.name) != std::end(meant) && d.recognises(rest);
  });
  return is_read ? rest : text;
}

}  // namespace

DialectText dialect_text(const std::string& text, const Dialect* from) {
  std::string_view rest = text;
  const Dialect* dialect = named_dialect(rest);
  rest = labelled_text(rest);
  if (dialect == nullptr) dialect = from != nullptr ? from : dialect_beside_cute(rest);
  return {dialect, std::string(rest)};
}

Finding reading_note(const Dialect& from, const LayoutForm& form) {
  return note("dialect", fmt::format("read as {}: {}", from.title, form_text(form)));
}

ComposedLayout require_composed(const LayoutForm& form) {
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr)
    throw usage_error(fmt::format("the layout lies in {}, not in shared memory", place_of(form)),
                      std::holds_alternative<RegisterForm>(form) ? "swz frag shows which thread holds which element"
                                                                 : "swz layout shows it");
  if (auto layout = as_composed(*shared)) return *std::move(layout);
  throw usage_error("the layout is not one swizzle after a layout: " + why_not_composed(*shared),
                    "swz translate writes it in other notations, swz diff compares it");
}

void read_value(const std::string& text, LayoutText& to) {
  to = {text, nullptr};
  DialectText of = dialect_text(text);
  if (!of.is_cute()) {
    to = {std::move(of.text), of.from};
    return;
  }
  PlacedLayout placed = parse_placed_layout(of.text);
  to.layout = std::move(placed.layout);
  to.smem_address = placed.smem_address;
}

void read_given(LayoutText& layout, const Given& given) {
  if (layout.from == nullptr) return;
  Reading reading = read_layout(layout.text, given, layout.from);
  layout.layout = require_composed(reading.form);
  layout.element = element_of(reading.form);
  layout.buffers = reading.buffers;
  layout.notes = std::move(reading.notes);
  layout.notes.insert(layout.notes.begin(), reading_note(*layout.from, reading.form));
}

void cut_stages(LayoutText& layout, const DType& dtype) {
  const ComposedLayout& l = layout.layout;
  layout.stage_bits = l.has_pointer() ? l.element_bits() : dtype.memory_bits;
  const DType* type = l.has_pointer() ? readable_dtype(l.element_bits()) : &dtype;
  StagedLayout staged = layout.buffers > 1 ? repeated_layout(l, layout.buffers) : staged_layout(l, type);
  if (!staged.is_cut && staged.stage_count() < 2) return;
  layout.layout = staged.tile;
  layout.notes.push_back(stages_note(staged, layout.stage_bits));
  const std::int64_t period = l.plain().swizzle().period();
  if (std::ranges::any_of(staged.starts, [&](std::int64_t start) { return start % period != 0; }))
    layout.notes.push_back(note("stages-off-pattern",
                                fmt::format("a stage does not begin at a multiple of the {} elements after which {} "
                                            "repeats: it lies differently from the first one",
                                            period, to_string(l.plain().swizzle())),
                                "make the stride of the stages a multiple of it"));
  layout.staged = std::move(staged);
}

Document with_stages(Document d, const LayoutText& layout) {
  if (layout.staged) d.json("stages", stages_json(*layout.staged, layout.stage_bits));
  return d;
}

Reading without_partition(Reading reading, const Given& given) {
  const auto* shared = std::get_if<SharedForm>(&reading.form);
  const auto* layout = shared != nullptr ? std::get_if<ComposedLayout>(&shared->map) : nullptr;
  if (layout == nullptr || !given.shape.empty() || !shared->padding.empty()) return reading;
  const ElementWidth element = shared->element;
  try {
    const StagedLayout staged =
        staged_layout(*layout, element.dtype != nullptr ? element.dtype : readable_dtype(element.bits));
    if (!staged.is_partitioned) return reading;
    ArrayShape shape;
    for (std::size_t m = 0; m < rank(staged.whole.layout()); ++m) shape.push_back(size(mode(staged.whole.layout(), m)));
    reading.notes.push_back(
        note("cut-into-mmas", fmt::format("{} of {}: the array of {} is translated, which MMAs cut in this way",
                                          staged.form, to_string(layout->layout()), shape_text(shape))));
    reading.form = shared_form(std::move(shape), element, staged.whole);
  } catch (const Error&) {
    return reading;  // the verdict contains it
  }
  return reading;
}

LayoutText layout_text(const std::string& text, const Given& given) {
  LayoutText layout;
  read_value(text, layout);
  read_given(layout, given);
  if (given.dtype != nullptr) cut_stages(layout, *given.dtype);
  return layout;
}

Evaluation evaluate_given(const std::string& text, const GivenRequest& given) {
  const DialectText of = dialect_text(text, given.from);
  if (of.is_cute()) return evaluate(of.text);
  Reading reading = read_layout(of.text, given.given(), of.from);
  Evaluation evaluation{IntTuple(0), std::move(reading.notes)};
  evaluation.notes.insert(evaluation.notes.begin(), reading_note(*of.from, reading.form));
  if (const auto* registers = std::get_if<RegisterForm>(&reading.form))
    evaluation.value = ComposedLayout(registers->layout);
  else if (const auto* tensor = std::get_if<TensorForm>(&reading.form))
    evaluation.value = ComposedLayout(tensor->layout);
  else evaluation.value = require_composed(reading.form);
  return evaluation;
}

Document with_notes(Document d, std::vector<Finding> notes) {
  if (notes.empty()) return d;
  for (Block& block : d.blocks)
    if (auto* found = std::get_if<Notes>(&block); found != nullptr && found->key == "notes") {
      found->findings.insert(found->findings.end(), notes.begin(), notes.end());
      return d;
    }
  return d.add(Notes{"notes", std::move(notes)});
}

}  // namespace swz
