// SPDX-License-Identifier: Apache-2.0
#include "page_answer.hpp"

#include "answer.hpp"
#include "base/version.hpp"
#include "delivery.hpp"
#include "help.hpp"
#include "next.hpp"
#include "render/picture.hpp"
#include "terminal.hpp"

namespace swz {
namespace {

// What is too large to be drawn is not drawn: then the text says so.
std::optional<Scene> drawn(const Document& document, const Common& common) {
  if (common.prints_caption || common.brief || !document.source.empty()) return std::nullopt;
  try {
    Scene scene = picture_of(document, common.picture);
    return scene.is_of_text ? std::nullopt : std::optional(std::move(scene));
  } catch (const Error&) {
    return std::nullopt;
  }
}

Json answer_json(const Answer& answer, const Line& line, const Environment& environment) {
  Document document = answer.document;
  std::erase_if(document.blocks, is_go_on);  // the page has links for them
  TextStyle style = style_of(environment, line.common.color, false);
  style.part = line.common.picture.part;
  const std::optional<Scene> scene = drawn(document, line.common);
  style.has_figures = !scene;
  if (line.common.prints_caption)
    return {{"text", caption_of(document, line.common.picture) + "\n"}, {"picture", nullptr}};
  const std::string text = line.common.brief ? render_brief(document, style) : render_text(document, style);
  return {{"text", text}, {"picture", scene ? Json(html_text(*scene)) : Json()}};
}

Json next_json(const std::vector<NextLine>& lines) {
  Json list = Json::array();
  for (const NextLine& next : lines) list.push_back(Json{{"asks", next.asks}, {"line", shell_line(next.words)}});
  return {{"next", list}};
}

}  // namespace

PageAsk take_page_ask(Words& words) {
  if (words.empty()) return PageAsk::nothing;
  const PageAsk ask = words[0] == "--page"        ? PageAsk::answer
                      : words[0] == "--page-next" ? PageAsk::next
                                                  : PageAsk::nothing;
  if (ask != PageAsk::nothing) words.erase(words.begin());
  return ask;
}

std::string page_start(const Commands& table) {
  Json elsewhere = Json::array();
  for (const Command& command : table) {
    if (command.needs_system) elsewhere.push_back(command.name);
    for (const Example& example : command.examples)
      if (example.needs_system) elsewhere.push_back(example.line);
  }
  return Json{{"version", program_version},
              {"help", to_json(help_of_program(table))},
              {"questions", json_list(cards(),
                                      [](const Card& card) {
                                        return Json{{"asks", card.asks}, {"line", card.line}};
                                      })},
              {"elsewhere", elsewhere}}
             .dump() +
         "\n";
}

int deliver_to_page(PageAsk ask, const Answer& answer, const Line& line, const Environment& environment) {
  const Json json = ask == PageAsk::next ? next_json(next_lines(line, answer, *environment.table))
                                         : answer_json(answer, line, environment);
  write_text(json.dump() + "\n", environment);
  return exit_code_of(answer, line);
}

}  // namespace swz
