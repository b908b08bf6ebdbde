// swz tiles: how a CTA tile is cut into MMAs.
#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "operand_request.hpp"
#include "view/tile.hpp"

namespace swz {
namespace {

struct Request {
  MmaExtents tile, mma;
  const DType* dtype = nullptr;
  std::string highlight;  // what may be named depends on the tiling
};

Options options_of(Request& r) {
  return {option("--tile", "MxNxK", r.tile, "CTA tile in elements: 256x256x64").in("elements").required(),
          option("--mma", "SHAPE", r.mma, "shape of one MMA: m128n256k16 or 128x256x16").in("elements").required(),
          dtype_option(r.dtype, "element type of A and B").by_default("f16"),
          option("--highlight", "WHAT", r.highlight, "mark MMA tiles: 'm-block 0; n-blocks 0,1; k-steps 0-2'")};
}

std::string where_it_exists(const std::vector<MmaForm>& forms) {
  std::string text;
  for (const MmaForm& form : forms) {
    Words names;
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
  const std::string rest = nearest ? fmt::format("the nearest on {} is {} ({})", target.name, to_string(*nearest),
                                                 forms_on(target, *nearest, dtype).front().instruction)
                                   : fmt::format("{} has no MMA for {}", target.name, dtype.name);
  throw Error(fmt::format("{} has no MMA of the shape {} for {}", target.name, to_string(mma), dtype.name),
              where_it_exists(all) + rest);
}

Answer answer(const Request& r, const Context& context) {
  const Target& target = context.target();
  std::vector<MmaForm> forms = forms_on(target, r.mma, *r.dtype);
  const MmaTilingReport report{MmaTiling(r.tile, r.mma), r.dtype, &target, std::move(forms)};
  return {view_mma_tiling(report, parse_highlight(r.highlight, highlight_kinds(report.tiling)))};
}

}  // namespace

Command tiles_command() {
  return {.name = "tiles",
          .summary = "how a CTA tile is cut into MMAs",
          .details = R"(Cuts the tile M x N x K of a CTA into the MMA tiles that one MMA reads and
writes: how many MMAs there are, and a figure to scale of A, B and C. MMA tiles
of A and B with the same k-step have the same colour; an MMA adds one of A
times one of B to one of C.

The shape must be one that the target has for the element type (default
target: sm_90a): mma.sync, wgmma or tcgen05.mma.)",
          .examples = {{"swz tiles --tile 256x256x64 --mma m128n256k16 --arch sm_100a", "8 MMAs"},
                       {"swz tiles --tile 128x128x64 --mma m64n128k16 --highlight 'm-block 0; k-step 2'",
                        "the MMAs of one step"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
