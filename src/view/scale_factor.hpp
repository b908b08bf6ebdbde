// View of what stands beside the operands of an MMA of Blackwell: scale factors, narrow elements, metadata, CTA pairs.
#pragma once

#include <optional>

#include "arch/dtype.hpp"
#include "fragment/fragment.hpp"
#include "tmem/metadata.hpp"
#include "tmem/scale_factor.hpp"
#include "view/document.hpp"
#include "view/tmem.hpp"

namespace swz {

// `swz sf place`: of one element (row, k) its factor, of none the layout.
struct ScaleLayoutView {
  ScaleLayoutName name = ScaleLayoutName::tile_128x4;
  ScaleMemory memory = ScaleMemory::gmem;
  int vec = 32;
  std::int64_t rows = 0, k = 0;
  std::optional<ScaleCoordinate> at = {};  // row and k, of an element
  std::optional<Bytes> offset = {};        // or which factor lies there
  bool has_map = false;
};
// Throws Error for what does not exist, and for a map beyond limits::listed_factors.
Document view_scale_layout(const ScaleLayoutView& view);

// `swz sf tmem`.
struct ScalePlaceView {
  ScalePlacement placement;
  int column = 0;
  std::optional<ScaleCoordinate> at = {};
  std::optional<TmemPoint> cell = {};  // or which factor lies there
  bool has_map = false;                // of the factors of one MMA, at least of one word
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

// `swz sparse`: the metadata of an element, which chunk a bit is about, or what a word of it says.
struct MetadataView {
  MmaKind kind = MmaKind::f16;
  const DataPath* path = nullptr;
  std::int64_t rows = 128;  // of the whole A, in global memory
  int mma = 0, selector = 0;
  std::optional<ScaleCoordinate> at = {};  // row, logical k of the MMA
  std::optional<TmemPoint> cell = {};
  bool has_map = false;  // of 128 rows of one MMA
};
Document view_metadata(const MetadataView& view);
Document view_metadata_word(MmaKind kind, std::uint32_t word);

// `swz pair`: what one CTA of two holds.
struct PairView {
  int m = 256, n = 256, cta = 0;
  bool sparse = false;
  std::optional<Coordinate> at = {};  // or which CTA holds what this element of D needs
};
Document view_pair(const PairView& view);

}  // namespace swz
