// SPDX-License-Identifier: Apache-2.0
#include "mma_on_target.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

std::string where_it_exists(const std::vector<MmaForm>& forms) {
  std::string text;
  for (const MmaForm& form : forms) {
    std::vector<std::string> names;
    for (const Target* target : form.targets) names.emplace_back(target->name);
    text += fmt::format("{}{} has it on {}", text.empty() ? "" : ", ", form.instruction, join_and(names));
  }
  return forms.empty() ? text : fmt::format("{}: --arch {}; ", text, forms.front().targets.front()->name);
}

}  // namespace

std::vector<MmaForm> mma_forms_on(const Target& target, const MmaExtents& mma, const DType& dtype) {
  const std::vector<MmaForm> all = mma_forms(mma, dtype);
  std::vector<MmaForm> here = all;
  std::erase_if(here, [&](const MmaForm& form) { return !form.runs_on(target); });
  if (!here.empty()) return here;
  const std::optional<MmaExtents> nearest = nearest_mma(mma, dtype, target);
  const std::string rest = nearest ? fmt::format("the nearest on {} is {} ({})", target.name, to_string(*nearest),
                                                 mma_forms_on(target, *nearest, dtype).front().instruction)
                                   : fmt::format("{} has no MMA for {}", target.name, dtype.name);
  throw Error(fmt::format("{} has no MMA of the shape {} for {}", target.name, to_string(mma), dtype.name),
              where_it_exists(all) + rest);
}

}  // namespace swz
