// SPDX-License-Identifier: Apache-2.0
#include "tma/im2col_bits.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr BitField im2col_bit{0, 1}, channels_bits{56, 8}, pixels_bits{32, 10};
constexpr int flag_word = 1, channels_word = 6, corner_word = 7, bytes_word = 8;

constexpr int corner_bits(int rank) { return rank == 3 ? 16 : rank == 4 ? 8 : 5; }
// Entry i of the lower corner, or of the upper one.
constexpr BitField corner_field(int rank, bool is_upper, int i) {
  return {(is_upper ? 16 : 0) + corner_bits(rank) * i, corner_bits(rank)};
}

std::uint64_t& word_of(EncodedTensorMap& map, int word) { return map.words[static_cast<std::size_t>(word)]; }
std::uint64_t read(const EncodedTensorMap& map, int word, const BitField& bits) {
  return bits.read(map.words[static_cast<std::size_t>(word)]);
}

std::int64_t signed_value(std::uint64_t raw, int width) {
  return static_cast<std::int64_t>(raw << (64 - width)) >> (64 - width);
}

std::uint64_t copy_bytes(const Im2colMap& map) {
  const auto size = static_cast<std::uint64_t>(find_row(map.tensor.data_type)->smem_bits / 8);
  return size * map.channels_per_pixel * map.pixels_per_column;
}

// The same words with the box of a tile instead: what decode() reads.
EncodedTensorMap as_tiled(const EncodedTensorMap& encoded) {
  EncodedTensorMap tiled = encoded;
  word_of(tiled, flag_word) = im2col_bit.write(word_of(tiled, flag_word), 0);
  word_of(tiled, corner_word) = 0;
  return tiled;
}

// Bits of word 7 that no field has.
void find_unused(const EncodedTensorMap& encoded, const std::vector<Im2colField>& fields,
                 std::vector<TensorMapProblem>& problems) {
  std::uint64_t used = 0;
  for (const Im2colField& field : fields)
    if (field.word == corner_word) used |= field.bits.max() << field.bits.low;
  const std::uint64_t found = encoded.words[corner_word] & ~used;
  if (found != 0)
    problems.push_back(
        {corner_word,
         {0, 64},
         fmt::format("word 7 has {:#x} in bits of no field of this rank; the driver writes 0 there", found)});
}

}  // namespace

std::vector<Im2colField> im2col_fields(int rank) {
  std::vector<Im2colField> fields = {{"im2col", flag_word, im2col_bit},
                                     {"channelsPerPixel", channels_word, channels_bits}};
  for (const bool is_upper : {false, true})
    for (int i = 0; i < rank - 2; ++i)
      fields.push_back({fmt::format("pixelBox{}Corner[{}]", is_upper ? "Upper" : "Lower", i), corner_word,
                        corner_field(rank, is_upper, i)});
  fields.push_back({"pixelsPerColumn", corner_word, pixels_bits});
  return fields;
}

EncodedTensorMap encode_im2col(const Im2colMap& map) {
  if (map.wide)
    throw Error("the 128 bytes of cuTensorMapEncodeIm2colWide are not known",
                "it needs Blackwell and was not measured; without --wide the map is that of cuTensorMapEncodeIm2col, "
                "and swz tma check judges the arguments of both");
  TensorMap tiled = map.tensor;
  tiled.box = {map.channels_per_pixel, 1, 1, 1, 1};
  EncodedTensorMap out = encode(tiled);
  word_of(out, flag_word) = im2col_bit.write(word_of(out, flag_word), 1);
  std::uint64_t corners = pixels_bits.write(0, map.pixels_per_column - 1);
  for (int i = 0; i < map.corner_count(); ++i) {
    const auto entry = static_cast<std::size_t>(i);
    for (const bool is_upper : {false, true}) {
      const BitField bits = corner_field(map.tensor.rank, is_upper, i);
      const std::int64_t value = (is_upper ? map.upper_corner : map.lower_corner)[entry];
      corners = bits.write(corners, static_cast<std::uint64_t>(value) & bits.max());
    }
  }
  word_of(out, corner_word) = corners;
  word_of(out, bytes_word) = copy_bytes(map);
  return out;
}

bool is_im2col(const EncodedTensorMap& encoded) { return read(encoded, flag_word, im2col_bit) != 0; }

DecodedIm2colMap decode_im2col(const EncodedTensorMap& encoded) {
  DecodedIm2colMap out;
  const DecodedTensorMap tiled = decode(as_tiled(encoded));
  // The bytes of a copy and the entries of the box are other ones: they are compared below.
  for (const TensorMapProblem& problem : tiled.problems)
    if (problem.word != bytes_word) out.problems.push_back(problem);
  if (!tiled.map) return out;
  Im2colMap map{.tensor = *tiled.map};
  if (map.tensor.rank < 3) {
    out.problems.push_back(
        {flag_word, im2col_bit,
         fmt::format("bit 0 of word 1 says im2col, and the rank is {}; im2col has rank 3 to 5", map.tensor.rank)});
    return out;
  }
  map.channels_per_pixel = read(encoded, channels_word, channels_bits) + 1;
  map.pixels_per_column = read(encoded, corner_word, pixels_bits) + 1;
  for (int i = 0; i < map.corner_count(); ++i) {
    const auto entry = static_cast<std::size_t>(i);
    const BitField lower = corner_field(map.tensor.rank, false, i), upper = corner_field(map.tensor.rank, true, i);
    map.lower_corner[entry] = signed_value(read(encoded, corner_word, lower), lower.width);
    map.upper_corner[entry] = signed_value(read(encoded, corner_word, upper), upper.width);
  }
  map.tensor.box = TensorMap{}.box;
  find_unused(encoded, im2col_fields(map.tensor.rank), out.problems);
  if (const std::uint64_t bytes = copy_bytes(map), found = encoded.words[bytes_word]; found != bytes)
    out.problems.push_back({bytes_word,
                            {0, 64},
                            fmt::format("the bytes of a copy (word 8) are {}; the driver writes {}, which follows from "
                                        "the other fields",
                                        found, bytes)});
  out.map = map;
  return out;
}

}  // namespace swz
