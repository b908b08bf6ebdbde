#include "view/register_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/translate.hpp"

namespace swz {
namespace {

constexpr std::size_t most_named = 4;

// "D of mma.m16n8k8, mma.m16n8k16 and 9 more; 2 x 4 of them, over threads and values"
std::string match_text(const std::vector<FragmentMatch>& matches) {
  const Fragment& first = matches[0].fragment;
  std::vector<std::string> names;
  for (const FragmentMatch& m : matches)
    if (m.fragment.operand == first.operand && std::ranges::find(names, m.fragment.name) == names.end())
      names.push_back(m.fragment.name);
  if (names.size() > most_named) {
    const std::size_t more = names.size() - most_named;
    names.resize(most_named);
    names.push_back(fmt::format("{} more", more));
  }
  std::string text = fmt::format("{} of {}", first.operand == Operand::d ? "D" : first.operand == Operand::a ? "A" : "B",
                                 join_and(names));
  const std::int64_t warps = matches[0].warp_blocks, values = matches[0].value_blocks;
  if (warps * values > 1)
    text += fmt::format(", {} times: {} over threads, {} over values", warps * values, warps, values);
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
  d.line("fragment", matches.empty() ? "that of no mma or wgmma" : match_text(matches));
  if (!matches.empty())
    d.line("see", fmt::format("swz frag {} --operand {}", matches[0].fragment.name, to_string(matches[0].fragment.operand)));
  d.json("fragments", json_list(matches, [](const FragmentMatch& m) {
           return Json{{"name", m.fragment.name},
                       {"operand", to_string(m.fragment.operand)},
                       {"threads", m.fragment.threads()},
                       {"values", m.fragment.values()}};
         }));
  d.answers = {"layout"};
  d.add(Notes{"notes", std::move(notes)});
  // A large array fills a page, not a terminal.
  constexpr std::int64_t on_terminal = 256;
  return d.add(Drawing{[form, title = d.title](Medium medium) {
    const bool is_shown = medium == Medium::page || element_count(form.shape) <= on_terminal;
    return is_shown ? Document().add(form_figure(form, title)) : Document();
  }});
}

}  // namespace swz
