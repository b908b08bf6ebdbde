// SPDX-License-Identifier: Apache-2.0
// View of the words of tensor memory that are not descriptors of operands: what `swz decode --as tmem` and
// `--as zero-mask` answer.
#pragma once

#include <vector>

#include "descriptor/zero_mask.hpp"
#include "tmem/address.hpp"
#include "view/document/document.hpp"

namespace swz {

// JSON: addresses [{word, lane, column, warp, element_bits}], lints. lane and column are null if there is no such cell.
Document view_tmem_addresses(const std::vector<TmemAddress>& addresses);
// JSON: masks [{word, fields [{name, bits, raw}], skip, use, shift, zero}], lints; zero: for each sub-mask the first
// and last column of the runs that count as zero, up to column 255.
Document view_zero_masks(const std::vector<ZeroColumnMask>& masks);

}  // namespace swz
