// SPDX-License-Identifier: Apache-2.0
#include "arch/tma_form.hpp"

#include <algorithm>
#include <iterator>

namespace swz {
namespace {

using available::rubin, available::sm_90, available::tensor_memory, available::ultra;
// What ldmatrix and stmatrix of bytes have, too.
constexpr Availability since_blackwell = available::byte_matrices;

// sm_120 lacks it.
constexpr Availability relaxed_to_cluster{
    0, {"sm_90a", "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f"}};

constexpr Source ptx{"PTX ISA 9.4; ptxas 13.5.37 for the targets"};
constexpr Source scatter_reduces{
    "ptxas 13.5.37 alone: no document has it, and its machine code is that of the store, UTMASTG.2D.SCATTER4"};

constexpr TmaForm forms[] = {
    {"tile load", sm_90},
    {"im2col load", sm_90},
    {"multicast load to shared::cluster", sm_90},
    {"tile store", sm_90},
    {"im2col_no_offs store", sm_90},
    {"tile reduce", sm_90},
    {"im2col_no_offs reduce", sm_90},
    {"tile prefetch", sm_90},
    {"im2col prefetch", sm_90},
    {"tile::gather4 load to shared::cta", since_blackwell},
    {"tile::gather4 load to shared::cluster", tensor_memory},
    {"tile::gather4 prefetch", tensor_memory},
    {"tile::scatter4 store", tensor_memory},
    {"tile::scatter4 reduce", tensor_memory, scatter_reduces},
    {"im2col::w load to shared::cta", since_blackwell},
    {"im2col::w load to shared::cluster", tensor_memory},
    {"im2col::w::128 load to shared::cta", tensor_memory},
    {"im2col::w::128 load to shared::cluster", tensor_memory},
    {"im2col::w prefetch", tensor_memory},
    {"im2col::w::128 prefetch", tensor_memory},
    {"cta_group load to shared::cta", tensor_memory},
    {"cta_group load to shared::cluster", tensor_memory},
    {"multicast::cluster::32b load to shared::cluster", rubin},
    {"mbarrier::report load", rubin},
    {"im2col_no_offs::w store", rubin},
    {"im2col_no_offs::w reduce", rubin},
    {"bulk load to shared::cta", sm_90, ptx},
    {"bulk load to shared::cluster", sm_90, ptx},
    {"bulk multicast load to shared::cluster", sm_90, ptx},
    {"bulk multicast::cluster::32b load to shared::cluster", rubin, ptx},
    {"bulk ignore_oob load to shared::cta", sm_90, ptx},
    {"bulk relaxed load to shared::cta", sm_90, ptx},
    {"bulk relaxed load to shared::cluster", relaxed_to_cluster, ptx},
    {"bulk copy to shared::cluster", sm_90, ptx},
    {"bulk store", sm_90, ptx},
    {"bulk cp_mask store", since_blackwell, ptx},
    {"bulk relaxed store", sm_90, ptx},
    {"bulk reduce", sm_90, ptx},
    {"bulk reduce to shared::cluster", sm_90, ptx},
    {"bulk prefetch", sm_90, ptx},
    {"multimem bulk store", sm_90, ptx},
    {"multimem bulk cp_mask store", since_blackwell, ptx},
    {"multimem bulk reduce", sm_90, ptx},
    {"mapa", sm_90, ptx},
    {"st.async to shared::cluster", sm_90, ptx},
    {"red.async to shared::cluster", sm_90, ptx},
    {"try_cancel", since_blackwell, ptx},
    {"try_cancel multicast::cluster::all", since_blackwell, ptx},
    {"override::global_address load", rubin},
    {"override::global_address store", rubin},
    {"override::global_address reduce", rubin},
    {"override::global_address prefetch", rubin},
    {"override::global_dim load", rubin},
    {"override::global_dim store", rubin},
    {"override::global_dim reduce", rubin},
    {"override::global_dim prefetch", rubin},
    {"tensormap.replace", sm_90},
    {"tensormap.replace elemtype 0 to 12", sm_90},
    {"tensormap.replace elemtype 13 to 15", since_blackwell},
    {"tensormap.replace swizzle_mode 0 to 3", sm_90},
    {"tensormap.replace swizzle_mode 4, 96B", ultra},
    {"tensormap.replace swizzle_atomicity", since_blackwell},
};

}  // namespace

std::span<const TmaForm> tma_forms() { return forms; }

const TmaForm* find_tma_form(std::string_view name) {
  const auto form = std::ranges::find(forms, name, &TmaForm::name);
  return form == std::end(forms) ? nullptr : &*form;
}

}  // namespace swz
