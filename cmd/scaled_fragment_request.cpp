// SPDX-License-Identifier: Apache-2.0
#include "scaled_fragment_request.hpp"

#include <string>

#include "base/text.hpp"

namespace swz {
namespace {

// "2,1" or "{2, 1}". Which ids are legal depends on the instruction.
ScaleIds read_ids(const std::string& text) {
  constexpr int most = 31;  // PTX takes small numbers; more is a mistake of the shell
  const Words words = entries_of(text, ",{} ");
  if (words.size() != 2)
    throw usage_error(fmt::format("cannot read {} as byte-id and thread-id", swz::quoted(text)), "for example 2,1");
  return {static_cast<int>(read_number(words[0], 0, most)), static_cast<int>(read_number(words[1], 0, most))};
}

Option kinds_option(const MmaKindRow*& kind) {
  std::vector<std::pair<std::string, const MmaKindRow*>> kinds;
  for (const MmaKind one : {MmaKind::f8f6f4, MmaKind::mxf8f6f4, MmaKind::mxf4, MmaKind::mxf4nvf4})
    kinds.emplace_back(row_of(one).name, &row_of(one));
  return one_of<const MmaKindRow*>("--kind", "KIND", kind, std::move(kinds), "kind of mma.sync");
}

template <class T>
void take_if_none(std::optional<T>& to, const std::optional<T>& from) {
  if (!to) to = from;
}

}  // namespace

void ScaledFragmentRequest::take(const ScaleOperands& pasted) {
  take_if_none(sfa_ids, pasted.sfa_ids);
  take_if_none(sfb_ids, pasted.sfb_ids);
  take_if_none(selector, pasted.selector);
}

void ScaledFragmentRequest::give_to(FragmentRequest& request) const {
  if (kind != nullptr) request.kind = kind->name;
  if (scale_type != nullptr) request.scale_type = scale_type->name;
  request.scale_vec = scale_vec;
  request.sfa_ids = sfa_ids;
  request.sfb_ids = sfb_ids;
  request.selector = selector;
}

Options scaled_fragment_options(ScaledFragmentRequest& r) {
  return {kinds_option(r.kind).by_default_note("that of the name"),
          one_of<int>("--scale-vec", "VECTOR", r.scale_vec, {{"1X", 1}, {"2X", 2}, {"4X", 4}},
                      "scale factors of each row of A and column of B")
              .by_default_note("1X of mxf8f6f4, 2X of mxf4"),
          option("--scale-type", "TYPE", r.scale_type, "type of the scale factors")
              .offering({"ue8m0", "ue4m3"})
              .by_default_note("ue4m3 of 4X, otherwise ue8m0"),
          option("--sfa-ids", "BYTE,THREAD", r.sfa_ids, "byte-id and thread-id of the scale factors of A", read_ids)
              .by_default_note("0,0"),
          option("--sfb-ids", "BYTE,THREAD", r.sfb_ids, "byte-id and thread-id of the scale factors of B", read_ids)
              .by_default_note("0,0"),
          number("--selector", "N", r.selector, 0, 3, "sparsity selector of mma.sp and wgmma.sp").by_default_note("0")};
}

}  // namespace swz
