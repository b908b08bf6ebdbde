// SPDX-License-Identifier: Apache-2.0
#include "tma/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace swz {

namespace {

using Field = TensorMapField;

// A stride is stored in units of a chunk, in two fields.
constexpr int stride_low_bits = 32;
constexpr int stride_unit_bits = 4;

const TensorMapDataTypeRow& require_row(TensorMapDataType value) {
  if (const TensorMapDataTypeRow* row = find_row(value)) return *row;
  throw Error(fmt::format("{} is not a CUtensorMapDataType", static_cast<int>(value)), "they are 0 to 15");
}

const TensorMapSwizzleRow& require_row(TensorMapSwizzle value) {
  if (const TensorMapSwizzleRow* row = find_row(value)) return *row;
  throw Error(fmt::format("{} is not a CUtensorMapSwizzle", static_cast<int>(value)), "they are 0 to 6");
}

std::uint64_t require_code(const std::optional<int>& code, std::string_view name) {
  if (code) return static_cast<std::uint64_t>(*code);
  throw Error(fmt::format("the code of {} inside a tensor map is not known", name),
              "drivers refuse it on sm_90, where the 128 bytes were measured");
}

// The number for the field, before its width is checked.
std::uint64_t raw_value(const TensorMap& map, const TensorMapFieldRow& row) {
  const auto i = static_cast<std::size_t>(row.index);
  switch (row.id) {
    case Field::global_address: return map.global_address;
    case Field::rank: return static_cast<std::uint64_t>(map.rank) - 1;
    case Field::data_type: return require_code(require_row(map.data_type).code, require_row(map.data_type).name);
    case Field::interleave: return static_cast<std::uint64_t>(map.interleave);
    case Field::swizzle: return require_code(require_row(map.swizzle).code, require_row(map.swizzle).name);
    case Field::oob_fill: return static_cast<std::uint64_t>(map.oob_fill);
    case Field::tf32_rounding: return require_row(map.data_type).rounds_to_tf32 ? 1 : 0;
    case Field::l2_promotion: return static_cast<std::uint64_t>(map.l2_promotion);
    case Field::stride_low: return (map.strides[i] >> stride_unit_bits) & ((1ULL << stride_low_bits) - 1);
    case Field::stride_high: return map.strides[i] >> (stride_unit_bits + stride_low_bits);
    case Field::dim: return map.dims[i] - 1;
    case Field::element_stride: return map.element_strides[i] - 1;
    case Field::box: return map.box[i] - 1;
    case Field::box_bytes: return static_cast<std::uint64_t>(counted_box_bytes(map).count);
    case Field::swizzle_pattern: return static_cast<std::uint64_t>(require_row(map.swizzle).pattern().count);
  }
  return 0;
}

// Whether the rank has the entry to which the field belongs.
bool is_used(const TensorMapFieldRow& row, const TensorMap& map) {
  return row.count == 1 || row.index < (row.count == tensor_map_max_rank ? map.dim_count() : map.stride_count());
}

void require_encodable(const TensorMap& map) {
  if (map.rank < 1 || map.rank > tensor_map_max_rank)
    throw Error(fmt::format("a tensor map of rank {} cannot be encoded", map.rank), "the rank is 1 to 5");
  for (int i = 0; i < map.stride_count(); ++i) {
    const std::uint64_t stride = map.strides[static_cast<std::size_t>(i)];
    if (stride % static_cast<std::uint64_t>(chunk.count) != 0)
      throw Error(fmt::format("strides[{}] = {} cannot be encoded: a tensor map counts strides in 16 bytes", i, stride),
                  "take a multiple of 16");
  }
}

// Stores a field, except those that decode() handles itself: rank and data type, and those that the driver computes.
void store(TensorMap& map, const TensorMapFieldRow& row, std::uint64_t raw) {
  const auto i = static_cast<std::size_t>(row.index);
  switch (row.id) {
    case Field::global_address: map.global_address = raw; break;
    case Field::interleave: map.interleave = TensorMapInterleave{static_cast<int>(raw)}; break;
    case Field::swizzle: map.swizzle = TensorMapSwizzle{static_cast<int>(raw)}; break;
    case Field::oob_fill: map.oob_fill = TensorMapOobFill{static_cast<int>(raw)}; break;
    case Field::l2_promotion: map.l2_promotion = TensorMapL2Promotion{static_cast<int>(raw)}; break;
    case Field::stride_low: map.strides[i] |= raw << stride_unit_bits; break;
    case Field::stride_high: map.strides[i] |= raw << (stride_unit_bits + stride_low_bits); break;
    case Field::dim: map.dims[i] = raw + 1; break;
    case Field::element_stride: map.element_strides[i] = raw + 1; break;
    case Field::box: map.box[i] = raw + 1; break;
    default: break;
  }
}

std::uint64_t read(const EncodedTensorMap& encoded, const TensorMapFieldRow& row) {
  return row.bits.read(encoded.words[static_cast<std::size_t>(row.word)]);
}

void find_reserved(const EncodedTensorMap& encoded, std::vector<TensorMapProblem>& problems) {
  for (const TensorMapReservedRow& row : tensor_map_reserved()) {
    const std::uint64_t raw = row.bits.read(encoded.words[static_cast<std::size_t>(row.word)]);
    if (raw == 0) continue;
    problems.push_back({row.word, row.bits,
                        fmt::format("bits {}-{} of word {} hold {:#x}; the driver writes 0{}{}", row.bits.low,
                                    row.bits.high(), row.word, raw, row.if_set.empty() ? "" : " there: ", row.if_set)});
  }
}

// Compares unused entries and computed fields with what the driver would have written.
void find_differences(const EncodedTensorMap& encoded, const TensorMap& map, std::vector<TensorMapProblem>& problems) {
  const EncodedTensorMap expected = encode(map);
  for (const TensorMapFieldRow& row : tensor_map_fields()) {
    const std::uint64_t found = read(encoded, row), right = read(expected, row);
    if (found == right) continue;
    const std::string_view why =
        is_used(row, map) ? "which follows from the other fields" : "since the rank ends before it";
    problems.push_back(
        {row.word, row.bits, fmt::format("{} is {}; the driver writes {}, {}", field_name(row), found, right, why)});
  }
}

}  // namespace

TensorMap without_unused_entries(const TensorMap& map) {
  TensorMap out = map;
  const TensorMap fresh;
  const auto reset = [](auto& list, const auto& from, int count) {
    std::copy(from.begin() + count, from.end(), list.begin() + count);
  };
  reset(out.dims, fresh.dims, map.dim_count());
  reset(out.strides, fresh.strides, map.stride_count());
  reset(out.box, fresh.box, map.dim_count());
  reset(out.element_strides, fresh.element_strides, map.dim_count());
  return out;
}

Bytes inner_box_bytes(const TensorMap& map) {
  return Bytes{static_cast<std::int64_t>(map.box[0]) * require_row(map.data_type).smem_bits / 8};
}

Bytes counted_box_bytes(const TensorMap& map) {
  std::int64_t bits = require_row(map.data_type).smem_bits;
  for (std::size_t i = 0; i < static_cast<std::size_t>(map.dim_count()); ++i)
    bits *= static_cast<std::int64_t>(map.box[i] / map.element_strides[i]);
  return Bytes{bits / 8};
}

std::array<std::uint8_t, 128> to_bytes(const EncodedTensorMap& encoded) {
  std::array<std::uint8_t, 128> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(encoded.words[i / 8] >> (i % 8 * 8));
  return bytes;
}

EncodedTensorMap from_bytes(std::span<const std::uint8_t, 128> bytes) {
  EncodedTensorMap encoded;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    encoded.words[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (i % 8 * 8);
  return encoded;
}

std::string to_hex(const EncodedTensorMap& encoded) { return fmt::format("{:02x}", fmt::join(to_bytes(encoded), "")); }

EncodedTensorMap encode(const TensorMap& map) {
  require_encodable(map);
  EncodedTensorMap encoded;
  for (const TensorMapFieldRow& row : tensor_map_fields()) {
    if (!is_used(row, map)) continue;
    const std::uint64_t raw = raw_value(map, row);
    if (raw > row.bits.max())
      throw Error(
          fmt::format("{} does not fit into the {} bits that a tensor map has for it", field_name(row), row.bits.width),
          "the driver refuses such a map; `swz tma check` shows why");
    std::uint64_t& word = encoded.words[static_cast<std::size_t>(row.word)];
    word = row.bits.write(word, raw);
  }
  return encoded;
}

DecodedTensorMap decode(const EncodedTensorMap& encoded) {
  DecodedTensorMap out;
  find_reserved(encoded, out.problems);
  TensorMap map;
  const std::vector<TensorMapFieldRow> fields = tensor_map_fields();
  for (const TensorMapFieldRow& row : fields) store(map, row, read(encoded, row));

  const auto row_of = [&](Field id) { return *std::ranges::find(fields, id, &TensorMapFieldRow::id); };
  const auto refuse = [&](Field id, std::string message) {
    out.problems.push_back({row_of(id).word, row_of(id).bits, std::move(message)});
  };
  map.rank = static_cast<int>(read(encoded, row_of(Field::rank))) + 1;
  if (map.rank > tensor_map_max_rank) refuse(Field::rank, fmt::format("the rank is {}; it is at most 5", map.rank));
  const std::uint64_t code = read(encoded, row_of(Field::data_type));
  const bool is_tf32 = read(encoded, row_of(Field::tf32_rounding)) != 0;
  const TensorMapDataTypeRow* type = nullptr;
  for (const TensorMapDataTypeRow& row : tensor_map_data_types())
    if (row.code && static_cast<std::uint64_t>(*row.code) == code && row.rounds_to_tf32 == is_tf32) type = &row;
  if (type == nullptr)
    refuse(Field::data_type, fmt::format("data type code {}{} was never seen in a tensor map", code,
                                         is_tf32 ? " with the TF32 bit" : ""));
  if (find_row(map.interleave) == nullptr)
    refuse(Field::interleave,
           fmt::format("interleave code {} was never seen in a tensor map", static_cast<int>(map.interleave)));
  if (map.rank > tensor_map_max_rank || type == nullptr) return out;

  map.data_type = type->value;
  map = without_unused_entries(map);
  find_differences(encoded, map, out.problems);
  out.map = map;
  return out;
}

std::string field_name(const TensorMapFieldRow& row) { return fmt::format(fmt::runtime(row.name), row.index); }

}  // namespace swz
