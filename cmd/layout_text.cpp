#include "layout_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "view/translate.hpp"

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

// CuTe takes what nobody else does.
const Dialect* dialect_beside_cute(std::string_view text) {
  const auto is_other = [&](const Dialect& d) { return d.name != "cute" && d.recognises(text); };
  return std::ranges::any_of(dialects(), is_other) ? &recognised_dialect(text) : nullptr;
}

}  // namespace

DialectText dialect_text(const std::string& text, const Dialect* from) {
  std::string_view rest = text;
  const Dialect* dialect = named_dialect(rest);
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
  if (of.is_cute()) to.layout = parse_layout(of.text);
  else to = {std::move(of.text), of.from};
}

void read_given(LayoutText& layout, const Given& given) {
  if (layout.from == nullptr) return;
  Reading reading = read_layout(layout.text, given, layout.from);
  layout.layout = require_composed(reading.form);
  layout.element = element_of(reading.form);
  layout.notes = std::move(reading.notes);
  layout.notes.insert(layout.notes.begin(), reading_note(*layout.from, reading.form));
}

LayoutText layout_text(const std::string& text, const Given& given) {
  LayoutText layout;
  read_value(text, layout);
  read_given(layout, given);
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
