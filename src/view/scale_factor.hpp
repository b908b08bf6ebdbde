// View of what stands beside the operands of an MMA of Blackwell: scale factors, narrow elements, metadata, CTA pairs.
#pragma once

#include <optional>

#include "arch/dtype.hpp"
#include "fragment/fragment.hpp"
#include "tmem/metadata.hpp"
#include "tmem/scale_factor.hpp"
#include "view/document.hpp"

namespace swz {

// `swz sf place`: of one element (row, k) its factor, of none the layout.
struct ScaleLayoutView {
  ScaleLayoutName name = ScaleLayoutName::tile_128x4;
  ScaleMemory memory = ScaleMemory::gmem;
  int vec = 32;
  std::int64_t rows = 0, k = 0;
  std::optional<ScaleCoordinate> at = {};  // row and k, of an element
  bool has_map = false;
};
// Throws Error for an element that does not exist, and for a map beyond limits::listed_offsets.
Document view_scale_layout(const ScaleLayoutView& view);

// `swz sf tmem`.
struct ScalePlaceView {
  ScalePlacement placement;
  int column = 0;
  std::optional<ScaleCoordinate> at = {};
};
Document view_scale_place(const ScalePlaceView& view);

// `swz narrow`: element k of a row.
Document view_narrow(MmaKind kind, const DType& dtype, std::int64_t k);

// `swz sparse`: the metadata of an element, or what a word of it says.
struct MetadataView {
  MmaKind kind = MmaKind::f16;
  Coordinate at;  // row, logical k of the MMA
  int mma = 0;
};
Document view_metadata(const MetadataView& view);
Document view_metadata_word(MmaKind kind, std::uint32_t word);

// `swz pair`: what one CTA of two holds.
struct PairView {
  int m = 256, n = 256, cta = 0;
  bool sparse = false;
};
Document view_pair(const PairView& view);

}  // namespace swz
