// SPDX-License-Identifier: Apache-2.0
// The probes and the mistakes that they catch: `swz verify --only list`.
#include <fmt/format.h>

#include "view/verify/verify.hpp"

namespace swz {
namespace {

// The names of the probes, targets or mistakes for which `is_named` is true.
template <class Rows, class Predicate>
std::vector<std::string_view> names_of(const Rows& rows, Predicate is_named) {
  std::vector<std::string_view> names;
  for (const auto& row : rows)
    if (is_named(row)) names.push_back(row.name);
  return names;
}

}  // namespace

Document view_probes() {
  using Mistake = HypothesisRow;
  const auto targets_of = [](const ProbeRow& row) { return Json(names_of(targets(), row.runs_on)); };
  const auto mistakes_of = [](const ProbeRow& row) {
    return Json(names_of(hypotheses(), [&](const Mistake& mistake) { return row.catches(mistake.hypothesis); }));
  };
  const auto probes_of = [](const Mistake& mistake) {
    const auto by = names_of(probes(), [&](const ProbeRow& row) { return row.catches(mistake.hypothesis); });
    return Cell(by, fmt::format("{}", fmt::join(by, ", ")));
  };
  return Document()
      .add(table_of<ProbeRow>("probes", "", probes(),
                              {{"probe", "probe", &ProbeRow::name},
                               {"asks", "asks", &ProbeRow::asks},
                               {"targets", "", targets_of},
                               {"mistakes", "", mistakes_of}}))
      .add(table_of<Mistake>("mistakes", "", hypotheses(),
                             {{"name", "--planted", &Mistake::name},
                              {"what", "a model in which", &Mistake::what},
                              {"probes", "caught by", probes_of}}));
}

}  // namespace swz
