// SPDX-License-Identifier: Apache-2.0
// swz page: the web page (docs/page.md) that is installed beside the command.
#include "command.hpp"
#include "installed.hpp"

namespace swz {
namespace {

struct PageRequest {
  bool only_says_where = false;
};

Options options_of(PageRequest& r) {
  return {flag("--where", r.only_says_where, "print where the page is instead of opening it")};
}

Answer answer(const PageRequest& r, const Context& context) {
  const std::optional<std::string> path = installed_path("page/index.html");
  // A batch answers questions and does not open a browser.
  const bool is_opened = path && !r.only_says_where && context.input >= 0 && open_in_browser(*path);
  Document out;
  out.known("path", "page", or_null(path.value_or("")));
  out.json("opened", is_opened);
  out.answers = {"path"};
  if (!path) {
    out.add(
        Paragraph{"no page is installed beside this command\n"
                  "hint: the packages have it; in the sources 'sh scripts/page' builds build/page/index.html"});
  } else if (!is_opened && !r.only_says_where) {
    out.add(Paragraph{"no desktop here: open this file in a browser, or take its folder to a machine that has one"});
  }
  return {out, path ? 0 : 1};
}

}  // namespace

Commands page_commands() {
  return {{.name = "page",
           .summary = "open swz in a browser, without a server; exit 1 when it is not installed",
           .details = R"(The page is a folder of static files with this command compiled to
WebAssembly: answers as you type, pictures with hover, forms, links.
It works from the file and from any web server. Without a desktop, over ssh for
example, the answer is the file's path.)",
           .examples = {{"swz page --where", "the file that a browser opens"}},
           .prepare = [] { return prepare(options_of, answer); },
           .needs_system = true}};
}

}  // namespace swz
