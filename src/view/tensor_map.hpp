// Views of a tensor map: what `swz tma check` and `swz tma encode` say, and `swz decode` of 128 bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/target.hpp"
#include "tma/failure_text.hpp"
#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/document.hpp"

namespace swz {

template <class Map>
struct MapVerdict {
  Map map;
  const Target* target = nullptr;
  std::vector<TensorMapViolation> violations, remarks;
  std::optional<PastedMap> pasted = {};     // where the arguments were printed by a program
  std::optional<EncodeResult> result = {};  // what the call returned
};
using TensorMapVerdict = MapVerdict<TensorMap>;
using Im2colVerdict = MapVerdict<Im2colMap>;

// JSON: accepted, arch, dtype, rank, address, dims, strides, box, element_strides, interleave, swizzle, l2, oob,
// violations [{rule, argument, value, bound, documented, observed, message, fix, source}], remarks (the same),
// code {value, name, message, hint} and paste {program, blocks, notes}, or null for each.
Document view_verdict(const TensorMapVerdict& verdict);

// JSON: as above with lower, upper, channels and pixels in the place of box; kind "im2col", "im2col_w" or
// "im2col_w128"; measured: false of the wide call.
Document view_verdict(const Im2colVerdict& verdict);

// JSON: tensor_map (256 digits) and words, or null for each where the codes are not known, and the arguments as
// above; source where there is one.
Document view_encoded(const TensorMap& map, const std::optional<EncodedTensorMap>& encoded,
                      const std::string& source);

// JSON: the arguments as above, or null for each; problems [{word, bits, message}]. JSON of the map's own verdict
// is left to swz tma check.
Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedTensorMap& decoded);

}  // namespace swz
