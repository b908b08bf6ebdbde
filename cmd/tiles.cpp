// swz tiles: how a CTA tile is cut into MMAs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "tile_options.hpp"
#include "view/mma_tiling.hpp"

namespace swz {
namespace {

struct Request {
  std::string tile, mma, dtype = "f16", highlight;
};

std::string where_it_exists(const std::vector<MmaForm>& forms) {
  std::string text;
  for (const MmaForm& form : forms) {
    std::vector<std::string> names;
    for (const Target* target : form.targets) names.emplace_back(target->name);
    text += fmt::format("{}{} has it on {}", text.empty() ? "" : ", ", form.instruction, join_and(names));
  }
  return forms.empty() ? text : fmt::format("{}: --arch {}; ", text, forms.front().targets.front()->name);
}

// Those of the target; throws Error with the targets that have the shape and the nearest one of this target.
std::vector<MmaForm> forms_on(const Target& target, const MmaExtents& mma, const DType& dtype) {
  const std::vector<MmaForm> all = mma_forms(mma, dtype);
  std::vector<MmaForm> here = all;
  std::erase_if(here, [&](const MmaForm& form) { return !form.runs_on(target); });
  if (!here.empty()) return here;
  const std::optional<MmaExtents> nearest = nearest_mma(mma, dtype, target);
  const std::string rest = nearest ? fmt::format("the nearest of {} is {} ({})", target.name, to_string(*nearest),
                                                 forms_on(target, *nearest, dtype).front().instruction)
                                   : fmt::format("{} multiplies no {}", target.name, dtype.name);
  throw Error(fmt::format("{} has no MMA of the shape {} for {}", target.name, to_string(mma), dtype.name),
              where_it_exists(all) + rest);
}

Outcome answer(const Request& request, const Common& common) {
  const DType& dtype = require_dtype(request.dtype);
  const Target& target = target_of(common);
  const MmaExtents mma = parse_mnk(request.mma, "an MMA shape"), tile = parse_mnk(request.tile, "a tile");
  std::vector<MmaForm> forms = forms_on(target, mma, dtype);
  const MmaTilingReport report{MmaTiling(tile, mma), &dtype, &target, std::move(forms)};
  const Highlight highlight = parse_highlight(request.highlight, highlight_kinds(report.tiling));
  return Outcome{view_mma_tiling(report, highlight, common.format != "json")};
}

}  // namespace

Action define_tiles(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("--tile", request->tile, "of the CTA, in elements: 256x256x64")->required()->type_name("MxNxK");
  app.add_option("--mma", request->mma, "shape of one MMA: m128n256k16 or 128x256x16")
      ->required()
      ->type_name("SHAPE");
  app.add_option("--dtype", request->dtype, "element type of A and B (default: f16)")->type_name("TYPE");
  app.add_option("--highlight", request->highlight, "mark MMA tiles: 'm-block 0; n-blocks 0,1; k-steps 0-2'")
      ->type_name("WHAT");
  return [request, &common] { return answer(*request, common); };
}

}  // namespace swz
