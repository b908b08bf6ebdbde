// SPDX-License-Identifier: Apache-2.0
#include "arch/mma_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "arch/tcgen05.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr int every_m[] = {32, 64, 128, 256};
constexpr int largest_n = 256;

constexpr Source t39{"PTX ISA 9.1, tables 39 and 52"}, t57{"PTX ISA 9.1, tables 56 and 57"};

std::string kinds_text(unsigned kinds) {
  std::vector<std::string> kinds_named;
  for (const MmaKindRow& row : mma_kinds())
    if (contains(kinds, row.kind)) kinds_named.emplace_back(row.name);
  return fmt::format("{} {}", kinds_named.size() == 1 ? "kind" : "kinds", join_and(kinds_named));
}

bool has_shape(const MmaChoice& choice, int m, int n) {
  return std::ranges::any_of(mma_kinds(), [&](const MmaKindRow& kind) {
    if (!contains(choice.kinds, kind.kind)) return false;
    const MmaShapeQuery query{kind.kind,     m,        n,
                              choice.sparse, choice.k, choice.transposed_8bit_b && kind.has_8bit_slots};
    return std::ranges::any_of(mma_shapes(), [&](const MmaShape& shape) {
      return shape.group == group_of(choice) && fits(shape, query) &&
             (choice.target == nullptr || runs_on(shape.on, *choice.target));
    });
  });
}

bool has_m(const MmaChoice& choice, int m) {
  for (int n = largest_n; n > 0; --n)
    if (has_shape(choice, m, n)) return true;
  return false;
}

std::vector<int> legal_m(const MmaChoice& choice) {
  std::vector<int> legal;
  for (const int m : every_m)
    if (has_m(choice, m)) legal.push_back(m);
  return legal;
}

std::string list(const std::vector<int>& values) {
  std::vector<std::string> numbers;
  for (const int value : values) numbers.push_back(std::to_string(value));
  return join_and(numbers);
}

// Writes {8, 16, 24, 32, 48, 64, … 256} as "8..32 step 8, 48..256 step 16".
std::string ranges_text(const std::vector<int>& values) {
  if (values.size() <= 4) return list(values);
  std::string text;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t last = std::min(i + 1, values.size() - 1);
    const int step = values[last] - values[i];
    while (last + 1 < values.size() && values[last + 1] - values[last] == step) ++last;
    text += text.empty() ? "" : ", ";
    text += last == i ? std::to_string(values[i]) : fmt::format("{}..{} step {}", values[i], values[last], step);
    i = last + 1;
  }
  return text;
}

// The legal values that are nearest, "96 and 104" if two are equally near.
std::string nearest_of(const std::vector<int>& legal, int wanted) {
  const auto distance = [&](int value) { return std::abs(value - wanted); };
  const int least = distance(*std::ranges::min_element(legal, {}, distance));
  std::vector<int> near;
  for (const int value : legal)
    if (distance(value) == least) near.push_back(value);
  return list(near);
}

// The other forms that have it: "; M 64 exists with cta_group::1 and .ws".
std::string elsewhere(const MmaChoice& choice, std::string_view what) {
  std::vector<std::string> forms;
  const auto consider = [&](int cta_group, bool ws, bool sparse, std::string_view name) {
    MmaChoice other = choice;
    other.cta_group = cta_group, other.ws = ws, other.sparse = sparse;
    if (choice.n > 0 ? has_shape(other, choice.m, choice.n) : has_m(other, choice.m)) forms.emplace_back(name);
  };
  consider(1, false, choice.sparse, "cta_group::1");
  consider(2, false, choice.sparse, "cta_group::2");
  consider(1, true, choice.sparse, ".ws");
  if (choice.sparse) consider(choice.cta_group, choice.ws, false, "a dense A");
  return forms.empty() ? "" : fmt::format("; {} exists with {}", what, join_and(forms));
}

// The M of the kinds in each form: "cta_group::2 has M 256".
std::string forms_with_m(MmaChoice choice) {
  std::vector<std::string> forms;
  for (const auto& [cta_group, ws, name] :
       {std::tuple{1, false, "cta_group::1"}, {2, false, "cta_group::2"}, {1, true, ".ws"}}) {
    choice.cta_group = cta_group, choice.ws = ws;
    if (const std::vector<int> extents = legal_m(choice); !extents.empty())
      forms.push_back(fmt::format("{} has M {}", name, list(extents)));
  }
  return forms.empty() ? "swz arch shapes lists the shapes" : join_and(forms);
}

// "96", "192" for a sparse A, "128" of fp4; "twice that of the kind" of several kinds
std::string k_text(const MmaChoice& choice) {
  if (choice.k == KSize::k96) return choice.sparse ? "192" : "96";
  if (choice.sparse) return "twice that of the kind";  // there is none
  int of_all = 0;
  for (const MmaKindRow& row : mma_kinds()) {
    const int k = contains(choice.kinds, row.kind) ? k_of(row.kind, choice.k) : 0;
    if (k != 0 && of_all != 0 && k != of_all) return "twice that of the kind";
    of_all = std::max(of_all, k);
  }
  return of_all == 0 ? "twice that of the kind" : std::to_string(of_all);
}

// "cta_group::1, .ws, sparse, K 96, kind mxf4"
std::string form_text(const MmaChoice& choice) {
  return fmt::format("cta_group::{}{}{}{}{}", choice.cta_group, choice.ws ? ", .ws" : "",
                     choice.sparse ? ", sparse" : "",
                     choice.k == KSize::usual ? "" : fmt::format(", K {}", k_text(choice)),
                     choice.kinds == every_kind ? "" : ", " + kinds_text(choice.kinds));
}

// The kinds that have this K.
unsigned kinds_with(KSize size, bool sparse) {
  unsigned kinds = 0;
  for (const MmaKindRow& row : mma_kinds())
    if (k_of(row.kind, size, sparse) > 0) kinds |= kind_set({row.kind});
  return kinds;
}

MmaRefusal refuse(std::string_view rule, std::string message, std::string hint, const Source& source = t39) {
  return {rule, {std::move(message), std::move(hint)}, source};
}

// The refusal of a K other than that of the kind, if no M and N would fix it.
std::optional<MmaRefusal> k_refusal(const MmaChoice& choice) {
  const unsigned with_k = kinds_with(choice.k, choice.sparse), dense = kinds_with(choice.k, false);
  if ((choice.kinds & with_k) == 0 && choice.sparse && (choice.kinds & dense) != 0)
    return refuse("k-sparse", fmt::format("K {} does not exist with a sparse A", k_text(choice)),
                  "it is dense; the sparse K is that of the kind");
  MmaKind first = MmaKind::mxf4;
  for (const MmaKindRow& row : mma_kinds())
    if (contains(with_k, row.kind)) first = row.kind;
  const Availability where = availability_of(first, choice.k, choice.sparse);
  if ((choice.kinds & with_k) == 0)
    return refuse("k-kind", fmt::format("K {} does not exist with {}", k_text(choice), kinds_text(choice.kinds)),
                  fmt::format("{} have it, on {}", kinds_text(with_k), to_string(where)));
  if (choice.target != nullptr && !runs_on(where, *choice.target))
    return refuse("k-target", fmt::format("K {} does not exist on {}", k_text(choice), choice.target->name),
                  fmt::format("{} have it", to_string(where)));
  return std::nullopt;
}

// The refusal of a form that no M and N would fix, if it is one.
std::optional<MmaRefusal> form_refusal(const MmaChoice& choice) {
  if (choice.ws && choice.cta_group == 2)
    return refuse("ws-pair", ".ws does not exist with cta_group::2", "leave one of them out");
  if (choice.ws && (choice.kinds & plain_kinds) == 0)
    return refuse("ws-scaled", fmt::format(".ws does not exist with block scaling, {}", kinds_text(choice.kinds)),
                  fmt::format(".ws is for {}; without it M is {}", kinds_text(plain_kinds),
                              list(legal_m({.kinds = choice.kinds, .sparse = choice.sparse, .k = choice.k}))));
  if (choice.k != KSize::usual)
    if (auto refusal = k_refusal(choice)) return refusal;
  if (choice.vec == 0) return std::nullopt;
  std::set<int> sizes;
  for (const ScaleQualifier& row : scale_qualifiers())
    if ((row.kinds & choice.kinds) != 0) sizes.insert(row.vec);
  if (sizes.empty())
    return refuse("unscaled", fmt::format("{} has no scale factors", kinds_text(choice.kinds)),
                  "kinds mxf8f6f4, mxf4 and mxf4nvf4 have them", t57);
  if (!sizes.contains(choice.vec))
    return refuse("vec", fmt::format("{} has no scale vectors of {} elements", kinds_text(choice.kinds), choice.vec),
                  fmt::format("--vec is {}", list({sizes.begin(), sizes.end()})), t57);
  return std::nullopt;
}

}  // namespace

std::string_view group_of(const MmaChoice& choice) {
  return choice.ws ? ".ws" : choice.cta_group == 2 ? "cta_group::2" : "cta_group::1";
}

std::vector<int> legal_n(const MmaChoice& choice) {
  std::vector<int> legal;
  for (int n = 1; n <= largest_n; ++n)
    if (has_shape(choice, choice.m, n)) legal.push_back(n);
  return legal;
}

std::optional<MmaRefusal> refusal_of(const MmaChoice& choice) {
  if (auto refusal = form_refusal(choice)) return refusal;
  if (choice.n > 0 && has_shape(choice, choice.m, choice.n)) return std::nullopt;
  const std::vector<int> extents = legal_m(choice);
  if (extents.empty())
    return refuse("form", fmt::format("tcgen05.mma does not exist with {}", form_text(choice)), forms_with_m(choice));
  if (std::ranges::find(extents, choice.m) == extents.end())
    return refuse("m", fmt::format("tcgen05.mma has no M {} with {}", choice.m, form_text(choice)),
                  fmt::format("M is {}; nearest: {}{}", list(extents), nearest_of(extents, choice.m),
                              elsewhere(choice, fmt::format("M {}", choice.m))));
  if (choice.n == 0) return std::nullopt;
  const std::vector<int> columns = legal_n(choice);
  return refuse("n",
                fmt::format("tcgen05.mma has no N {} with M {}, {}{}", choice.n, choice.m, form_text(choice),
                            choice.transposed_8bit_b ? ", B N-major" : ""),
                fmt::format("N is {}; nearest: {}{}", ranges_text(columns), nearest_of(columns, choice.n),
                            elsewhere(choice, fmt::format("N {}", choice.n))));
}

void require_mma(const MmaChoice& choice) {
  if (const auto refusal = refusal_of(choice)) throw usage_error(refusal->advice.message, refusal->advice.hint);
}

unsigned kinds_with_d(const DType& dtype) {
  unsigned kinds = 0;
  std::vector<std::string> types;
  for (const TypeCode& code : type_codes()) {
    if (code.role != TypeRole::d) continue;
    types.emplace_back(code.dtype);
    if (code.dtype == dtype.name) kinds |= code.kinds;
  }
  // A block-scaled MMA has no field for the type of D: its D is f32.
  if (dtype.name == "f32") kinds |= every_kind & ~plain_kinds;
  if (kinds == 0) throw usage_error(fmt::format("tcgen05.mma has no D of {}", dtype.name), "D is " + join_and(types));
  return kinds;
}

std::optional<MmaSides> nearest_shape(const MmaShapeQuery& query) {
  std::optional<MmaSides> best;
  double least = 0;
  for (const int m : every_m)
    for (int n = 8; n <= largest_n; n += 8) {
      MmaShapeQuery near = query;
      near.m = m, near.n = n;
      const double apart = distance({m, n, 1}, {std::max(1, query.m), std::max(1, query.n), 1});
      if ((best && apart >= least) || fitting_groups(near).empty()) continue;
      best = MmaSides{m, n}, least = apart;
    }
  return best;
}

}  // namespace swz
