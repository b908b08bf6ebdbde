// SPDX-License-Identifier: Apache-2.0
#include "view/fragment/register_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/dialect/translate.hpp"
#include "view/fragment/fragment.hpp"

namespace swz {
namespace {

constexpr std::size_t most_named = 4;

// "D of mma.m16n8k4, mma.m16n8k8 and 9 more; 8 times: 2 over threads, 4 over values"
std::string match_text(const std::vector<FragmentMatch>& matches, Operand operand, bool has_type) {
  std::vector<std::string> names;
  const FragmentMatch* first = nullptr;
  for (const FragmentMatch& m : matches) {
    if (m.fragment.operand != operand) continue;
    if (first == nullptr) first = &m;
    names.push_back(m.fragment.name);
  }
  if (first == nullptr) return "";
  if (names.size() > most_named) {
    const std::size_t more = names.size() - most_named;
    names.resize(most_named);
    names.push_back(fmt::format("{} more", more));
  }
  std::string text = fmt::format("{} of {}", operand_title(first->fragment).substr(0, 1), join_and(names));
  if (operand != Operand::d && !has_type) text += fmt::format(" of {}-bit elements", first->fragment.bits);
  const std::int64_t threads = first->thread_blocks, values = first->value_blocks;
  if (threads * values > 1)
    text += fmt::format("; {} times: {} over threads, {} over values", threads * values, threads, values);
  return text;
}

}  // namespace

Document view_register_layout(const Dialect& from, const RegisterForm& form, std::vector<Finding> notes) {
  Document d(fmt::format("{}: {}", from.title, form_text(form)));
  const std::vector<FragmentMatch> matches = matching_fragments(form);
  d.json("from", from.name).json("shape", form.shape);
  d.json("dtype", form.element.dtype != nullptr ? Json(form.element.dtype->name) : Json());
  d.field("threads", "threads", thread_count(form));
  d.field("values", "values", value_count(form), fmt::format("{} of each thread", value_count(form)));
  d.field("layout", "TV layout", to_string(form.layout), {}, Tone::strong);
  const auto match_json = [](const FragmentMatch& m) -> Json {
    return {{"name", m.fragment.name},
            {"operand", to_string(m.fragment.operand)},
            {"threads", m.fragment.threads()},
            {"values", m.fragment.values()}};
  };
  d.field("fragments", matches.empty() ? "fragment" : "", json_list(matches, match_json),
          "not that of any mma or wgmma");
  for (const Operand operand : {Operand::d, Operand::a, Operand::b})
    if (const std::string text = match_text(matches, operand, form.element.bits != 0); !text.empty())
      d.line("fragment", text);
  if (!matches.empty())
    d.line("see",
           fmt::format("swz frag {} --operand {}", matches[0].fragment.name, to_string(matches[0].fragment.operand)));
  d.answers = {"layout"};
  d.add(Notes{"notes", std::move(notes)});
  // A large array fills a page, but is too large for a terminal.
  constexpr std::int64_t on_terminal = 256;
  return d.add(Drawing{[form, title = d.title](Medium medium) {
    const bool is_shown = medium == Medium::page || element_count(form.shape) <= on_terminal;
    return is_shown ? Document().add(form_figure(form, title)) : Document();
  }});
}

}  // namespace swz
