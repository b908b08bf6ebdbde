// SPDX-License-Identifier: Apache-2.0
// View of tcgen05.cp: what `swz tmem cp` answers.
//
//   64x128b.warpx2::01_23, row 40                       lanes 72 and 104, columns 0-3
//   128x256b, word 0x0000400800800040, row 9            bytes 0x490-0x49f and 0xc90-0xc9f, to lane 9, columns 0-7
//
// The source is read as a K-major operand of bytes (descriptor/operand_map.hpp): LBO steps to the second 16 bytes of a
// row without a swizzle and is not used otherwise.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/narrow.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {

// The descriptor of what tcgen05.cp reads, compact from `start`: without a swizzle, core matrices of 8 rows x 16 bytes,
// those of a row first; otherwise 8 lines of the mode. 4x256b never uses SBO, and only 256 bits without a swizzle use
// LBO.
SmemDescriptor copy_descriptor(const TmemCopy& copy, Bytes start = {},
                               const SwizzleMode& mode = require_swizzle_mode("none"));

enum class Decompression { none, fp4, fp6 };
// The form of the elements; null for none. The copy does not distinguish e2m3 from e3m2.
const NarrowForm* narrow_form_of(Decompression format);

struct TmemCopyView {
  const TmemCopy* copy = nullptr;
  Decompression decompression = Decompression::none;
  int cta_group = 1;
  Bytes base = {};                         // of the source of the descriptors
  std::optional<std::uint64_t> word = {};  // the descriptor of the source, whose bytes are named
  std::optional<int> row = {}, element = {};
  std::optional<TmemPoint> cell = {};  // or which row and word of the source is there
  std::optional<Bytes> byte = {};      // or where this byte of shared memory goes, by `word`
  bool has_map = false;
};
// Throws Error for a row, an element, a cell or a byte that is not copied.
Document view_tmem_copy(const TmemCopyView& view);

}  // namespace swz
