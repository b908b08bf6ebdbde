// SPDX-License-Identifier: Apache-2.0
// CUTLASS's canonical atoms of wgmma, by element width.
#include <cute/atom/mma_traits_sm90_gmma.hpp>

#include "answer.hpp"
#include "atoms.hpp"

namespace {

template <class T>
void add(std::vector<swz::CuteAtom>& out, const char* type) {
  using namespace cute::GMMA;
  const auto atom = [&](const char* name, auto layout) { out.push_back({name, type, swz::answer_of(layout)}); };
  atom("K_INTER", Layout_K_INTER_Atom<T>{});
  atom("K_SW32", Layout_K_SW32_Atom<T>{});
  atom("K_SW64", Layout_K_SW64_Atom<T>{});
  atom("K_SW128", Layout_K_SW128_Atom<T>{});
  atom("MN_INTER", Layout_MN_INTER_Atom<T>{});
  atom("MN_SW32", Layout_MN_SW32_Atom<T>{});
  atom("MN_SW64", Layout_MN_SW64_Atom<T>{});
  atom("MN_SW128", Layout_MN_SW128_Atom<T>{});
}

}  // namespace

std::vector<swz::CuteAtom> swz::cute_atoms() {
  std::vector<CuteAtom> atoms;
  add<cute::float_e2m1_t>(atoms, "e2m1");
  add<cute::float_e4m3_t>(atoms, "e4m3");
  add<cute::half_t>(atoms, "f16");
  add<cute::bfloat16_t>(atoms, "bf16");
  add<cute::tfloat32_t>(atoms, "tf32");
  add<double>(atoms, "f64");
  return atoms;
}
