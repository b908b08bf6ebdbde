// swz frag NAME: which element of the matrix each thread holds in which register.
#include <map>
#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "fragment/find.hpp"
#include "view/fragment.hpp"

namespace swz {
namespace {

struct Request {
  std::string name, dtype, operand, accumulator;
  std::string colors = "thread";
  std::string highlight;
  bool list = false, whole_tables = false;
};

FragmentColors colors_named(const std::string& name) {
  const std::map<std::string, FragmentColors> names{{"thread", FragmentColors::thread},
                                                    {"value", FragmentColors::value},
                                                    {"register", FragmentColors::reg},
                                                    {"column", FragmentColors::column}};
  return names.at(name);
}

FragmentDrawing::Extent extent_for(const Request& request, const Common& common) {
  if (common.format == "json") return FragmentDrawing::Extent::none;
  return common.format == "text" && !request.whole_tables ? FragmentDrawing::Extent::corner
                                                          : FragmentDrawing::Extent::whole;
}

Outcome answer(const Request& request, const Common& common) {
  if (request.list) return Outcome{view_fragment_list(request.name)};
  if (request.name.empty())
    throw Error("which instruction?", "for example ldmatrix.x4.trans or mma.m16n8k16; --list shows all names", {},
                ErrorKind::usage);
  FragmentRequest wanted{request.name, request.dtype, std::nullopt, request.accumulator};
  if (!request.operand.empty()) wanted.operand = require_operand(request.operand);
  const std::vector<Fragment> fragments = find_fragments(wanted);
  const Target* target = common.arch.empty() ? nullptr : &require_target(common.arch);
  const FragmentDrawing drawing{colors_named(request.colors),
                                parse_highlight(request.highlight, highlight_kinds(fragments)),
                                extent_for(request, common)};
  return Outcome{view_fragments(fragments, target, drawing), 0, lacks(target, fragments.front())};
}

}  // namespace

Action define_frag(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("NAME", request->name, "instruction: mma.m16n8k16, ldmatrix.x4.trans, or all of PTX's name");
  app.add_option("--dtype", request->dtype, "element type of A and B")->type_name("TYPE");
  app.add_option("--operand", request->operand, "a, b, c or d (default: all that lie in registers)")
      ->check(CLI::IsMember(std::vector<std::string>{"a", "b", "c", "d"}, CLI::ignore_case));
  app.add_option("--accumulator", request->accumulator, "element type of C and D (default: the widest)")
      ->type_name("TYPE");
  app.add_option("--color-by", request->colors, "what a colour means (default: thread)")
      ->check(CLI::IsMember(std::vector<std::string>{"thread", "value", "register", "column"}));
  app.add_option("--highlight", request->highlight,
                 "mark elements: 'lanes 0-3; rows 0-7; values 0,1' (also columns, threads, registers)")
      ->type_name("WHAT");
  app.add_flag("--table", request->whole_tables, "draw large matrices whole in text too");
  app.add_flag("--list", request->list, "all names, or those of the family NAME");
  return [request, &common] { return answer(*request, common); };
}

}  // namespace swz
