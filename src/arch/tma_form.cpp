// SPDX-License-Identifier: Apache-2.0
#include "arch/tma_form.hpp"

namespace swz {
namespace {

using available::rubin, available::sm_90, available::tensor_memory, available::ultra;
// What ldmatrix and stmatrix of bytes have, too.
constexpr Availability since_blackwell = available::byte_matrices;

constexpr TmaForm forms[] = {
    {"tile load", sm_90},
    {"im2col load", sm_90},
    {"multicast load to shared::cluster", sm_90},
    {"tile store", sm_90},
    {"im2col_no_offs store", sm_90},
    {"tile reduce", sm_90},
    {"tile prefetch", sm_90},
    {"tile::gather4 load to shared::cta", since_blackwell},
    {"tile::gather4 load to shared::cluster", tensor_memory},
    {"tile::scatter4 store", tensor_memory},
    {"im2col::w load to shared::cta", since_blackwell},
    {"im2col::w load to shared::cluster", tensor_memory},
    {"im2col::w::128 load to shared::cta", tensor_memory},
    {"im2col::w::128 load to shared::cluster", tensor_memory},
    {"cta_group load to shared::cta", tensor_memory},
    {"cta_group load to shared::cluster", tensor_memory},
    {"multicast::cluster::32b load to shared::cluster", rubin},
    {"mbarrier::report load", rubin},
    {"im2col_no_offs::w store", rubin},
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

}  // namespace swz
