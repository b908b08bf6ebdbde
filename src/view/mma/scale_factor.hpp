// SPDX-License-Identifier: Apache-2.0
// View of what accompanies the operands of an MMA of Blackwell: scale factors, narrow elements, metadata, CTA pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arch/dtype.hpp"
#include "fragment/fragment.hpp"
#include "tmem/metadata.hpp"
#include "tmem/plan.hpp"
#include "tmem/scale_factor.hpp"
#include "view/document/document.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {

// "7:4"; for an element that crosses a byte, the bits count on from its first byte: "11:6".
std::string bits_text(std::int64_t first, int count);
// {"byte": 34, "bits": "7:4"}, and "byte 34, bits 7:4"
Json place_json(Bits first, int bits);
std::string place_text(Bits first, int bits);

// "4 quarters of the lanes hold the same"; ", sparse, K 192" of an MMA that is not the usual one.
std::string copies_text(const ScalePlacement& placement);
std::string k_text(const ScalePlacement& placement);

// `swz sf tmem`.
struct ScalePlaceView {
  ScalePlacement placement;
  int column = 0;
  std::optional<ScaleCoordinate> at = {};  // row of the whole operand, of both CTAs
  std::optional<TmemPoint> cell = {};      // or which factor is there
  int cta = 0;                             // of the cell, if the CTAs hold other rows
  bool has_map = false;                    // of the factors of one MMA, at least of one word
};
Document view_scale_place(const ScalePlaceView& view);

// `swz narrow`: element k of a row, or the elements of a byte or column.
struct NarrowView {
  MmaKind kind = MmaKind::mxf8f6f4;
  const DType* dtype = nullptr;
  std::int64_t k = 0;
  std::optional<std::int64_t> gmem = {}, smem = {};  // a byte
  std::optional<int> tmem = {};                      // a column, from the row's first
  bool has_map = false;                              // of 128 elements
};
Document view_narrow(const NarrowView& view);

// `swz sparse`: the metadata of an element, the chunk that a bit describes, or the meaning of a word of metadata.
struct MetadataView {
  MmaKind kind = MmaKind::f16;
  int version = 0;
  const DataPath* path = nullptr;
  std::int64_t rows = 128;  // of the whole A, in global memory; M of them are a tile
  int mma = 0, selector = 0;
  std::optional<ScaleCoordinate> at = {};  // row, logical k of the MMA
  std::optional<TmemPoint> cell = {};
  int cta = 0;           // of the cell
  bool has_map = false;  // of the rows of one CTA and MMA
};
Document view_metadata(const MetadataView& view);

// A word as a kernel holds it: E of CUTLASS has 8 or 16 bits, a register 32.
struct MetadataWord {
  std::uint32_t value = 0;
  int bits = 32;

  std::string text() const;  // "0x9e4d", with all digits
};
Document view_metadata_word(MmaKind kind, int version, const MetadataWord& word);

// `swz pair`: what one CTA of two holds.
struct PairView {
  int m = 256, n = 256, cta = 0;
  bool sparse = false;
  std::optional<TmemRequest> stage = {};  // whose bytes are shown
  std::string_view dtype_b = {};          // of the stage; empty: the type of A
  std::optional<Coordinate> at = {};      // or which CTA holds what this element of D needs
};
Document view_pair(const PairView& view);

}  // namespace swz
