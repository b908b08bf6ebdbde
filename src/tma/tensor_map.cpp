#include "tma/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

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

// The number that stands in the field, before its width is asked.
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

bool is_used(const TensorMapFieldRow& row, int dim_count) {
  switch (row.id) {
    case Field::stride_low:
    case Field::stride_high: return row.index + 1 < dim_count;
    case Field::dim:
    case Field::element_stride:
    case Field::box: return row.index < dim_count;
    default: return true;
  }
}

void require_encodable(const TensorMap& map) {
  if (map.rank < 1 || map.rank > tensor_map_max_rank)
    throw Error(fmt::format("a tensor map of rank {} cannot be encoded", map.rank), "the rank is 1 to 5");
  for (int i = 0; i < map.stride_count(); ++i) {
    const std::uint64_t stride = map.strides[static_cast<std::size_t>(i)];
    if (stride % static_cast<std::uint64_t>(chunk.count) != 0)
      throw Error(
          fmt::format("strides[{}] = {} cannot be encoded: a tensor map counts strides in 16 bytes", i, stride),
          "take a multiple of 16");
  }
}

[[noreturn]] void throw_too_wide(const TensorMapFieldRow& row) {
  throw Error(
      fmt::format("{} does not fit into the {} bits that a tensor map has for it", field_name(row), row.bits.width),
      "the driver refuses such a map; `swz tma check` says why");
}

// The data type whose code and TF32 bit these are.
const TensorMapDataTypeRow* data_type_of(std::uint64_t code, bool rounds_to_tf32) {
  for (const TensorMapDataTypeRow& row : tensor_map_data_types())
    if (row.code && static_cast<std::uint64_t>(*row.code) == code && row.rounds_to_tf32 == rounds_to_tf32)
      return &row;
  return nullptr;
}

struct Codes {
  std::uint64_t rank = 0, data_type = 0, tf32 = 0;
};

void store(TensorMap& map, Codes& codes, const TensorMapFieldRow& row, std::uint64_t raw) {
  const auto i = static_cast<std::size_t>(row.index);
  switch (row.id) {
    case Field::global_address: map.global_address = raw; break;
    case Field::rank: codes.rank = raw; break;
    case Field::data_type: codes.data_type = raw; break;
    case Field::interleave: map.interleave = TensorMapInterleave{static_cast<int>(raw)}; break;
    case Field::swizzle: map.swizzle = TensorMapSwizzle{static_cast<int>(raw)}; break;
    case Field::oob_fill: map.oob_fill = TensorMapOobFill{static_cast<int>(raw)}; break;
    case Field::tf32_rounding: codes.tf32 = raw; break;
    case Field::l2_promotion: map.l2_promotion = TensorMapL2Promotion{static_cast<int>(raw)}; break;
    case Field::stride_low: map.strides[i] |= raw << stride_unit_bits; break;
    case Field::stride_high: map.strides[i] |= raw << (stride_unit_bits + stride_low_bits); break;
    case Field::dim: map.dims[i] = raw + 1; break;
    case Field::element_stride: map.element_strides[i] = raw + 1; break;
    case Field::box: map.box[i] = raw + 1; break;
    case Field::box_bytes:
    case Field::swizzle_pattern: break;  // computed by the driver: compared at the end
  }
}

const TensorMapFieldRow& row_of(Field id) {
  for (const TensorMapFieldRow& row : tensor_map_fields)
    if (row.id == id) return row;
  throw Error("no such field of a tensor map");  // unreachable: the table has all of them (tested)
}

void find_reserved(const EncodedTensorMap& encoded, std::vector<TensorMapProblem>& problems) {
  for (const TensorMapReservedRow& row : tensor_map_reserved) {
    const std::uint64_t raw = row.bits.read(encoded.words[static_cast<std::size_t>(row.word)]);
    if (raw == 0) continue;
    problems.push_back(
        {row.word, row.bits,
         fmt::format("bits {}-{} of word {} hold {:#x}; the driver writes 0{}{}", row.bits.low, row.bits.high(),
                     row.word, raw, row.if_set.empty() ? "" : " there: ", row.if_set)});
  }
}

// Unused entries and what the driver computes, against what it would have written.
void find_differences(const EncodedTensorMap& encoded, const TensorMap& map,
                      std::vector<TensorMapProblem>& problems) {
  const EncodedTensorMap expected = encode(map);
  for (const TensorMapFieldRow& row : tensor_map_fields) {
    const auto word = static_cast<std::size_t>(row.word);
    const std::uint64_t found = row.bits.read(encoded.words[word]);
    const std::uint64_t right = row.bits.read(expected.words[word]);
    if (found == right) continue;
    const std::string_view why =
        is_used(row, map.dim_count()) ? "which follows from the other fields" : "since the rank ends before it";
    problems.push_back({row.word, row.bits,
                        fmt::format("{} is {}; the driver writes {}, {}", field_name(row), found, right, why)});
  }
}

constexpr std::size_t longest_descriptor = 40;
constexpr std::size_t map_bytes = 128;

bool is_separator(char c) { return std::string_view(" \t\r\n,;{}()[]|").find(c) != std::string_view::npos; }

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string_view without_address(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  return colon == std::string_view::npos ? line : line.substr(colon + 1);
}

// Appends the bytes of one number in memory order.
void append(std::vector<std::uint8_t>& bytes, std::string_view token) {
  const bool is_word = token.starts_with("0x") || token.starts_with("0X");
  const std::string_view digits = is_word ? token.substr(2) : token;
  std::vector<std::uint8_t> own;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit_value(digits[i]), low = i + 1 < digits.size() ? digit_value(digits[i + 1]) : -1;
    if (high < 0 || (i + 1 < digits.size() && low < 0))
      throw Error(fmt::format("{} is not a hexadecimal number", quoted(token)),
                  "256 digits, or the lines of x/16gx, x/32wx or x/128bx as cuda-gdb prints them");
    if (low < 0)
      throw Error(fmt::format("{} has an odd number of digits", quoted(token)), "two digits are one byte");
    own.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  if (is_word) std::reverse(own.begin(), own.end());
  bytes.insert(bytes.end(), own.begin(), own.end());
}

}  // namespace

TensorMap without_unused_entries(const TensorMap& map) {
  TensorMap out = map;
  const TensorMap fresh;
  for (auto i = static_cast<std::size_t>(map.dim_count()); i < out.dims.size(); ++i) {
    out.dims[i] = fresh.dims[i];
    out.box[i] = fresh.box[i];
    out.element_strides[i] = fresh.element_strides[i];
  }
  for (auto i = static_cast<std::size_t>(map.stride_count()); i < out.strides.size(); ++i)
    out.strides[i] = fresh.strides[i];
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

EncodedTensorMap from_bytes(const std::array<std::uint8_t, 128>& bytes) {
  EncodedTensorMap encoded;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    encoded.words[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (i % 8 * 8);
  return encoded;
}

std::string to_hex(const EncodedTensorMap& encoded) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : to_bytes(encoded)) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

EncodedTensorMap encode(const TensorMap& map) {
  require_encodable(map);
  EncodedTensorMap encoded;
  for (const TensorMapFieldRow& row : tensor_map_fields) {
    if (!is_used(row, map.dim_count())) continue;
    const std::uint64_t raw = raw_value(map, row);
    if (raw > row.bits.max()) throw_too_wide(row);
    std::uint64_t& word = encoded.words[static_cast<std::size_t>(row.word)];
    word = row.bits.write(word, raw);
  }
  return encoded;
}

DecodedTensorMap decode(const EncodedTensorMap& encoded) {
  DecodedTensorMap out;
  find_reserved(encoded, out.problems);
  TensorMap map;
  Codes codes;
  for (const TensorMapFieldRow& row : tensor_map_fields)
    store(map, codes, row, row.bits.read(encoded.words[static_cast<std::size_t>(row.word)]));

  map.rank = static_cast<int>(codes.rank) + 1;
  const TensorMapDataTypeRow* type = data_type_of(codes.data_type, codes.tf32 != 0);
  const auto refuse = [&](Field id, std::string message) {
    const TensorMapFieldRow& row = row_of(id);
    out.problems.push_back({row.word, row.bits, std::move(message)});
  };
  if (map.rank > tensor_map_max_rank) refuse(Field::rank, fmt::format("the rank is {}; it is at most 5", map.rank));
  if (type == nullptr)
    refuse(Field::data_type, fmt::format("data type code {}{} was never seen in a tensor map", codes.data_type,
                                         codes.tf32 != 0 ? " with the TF32 bit" : ""));
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

std::string field_name(const TensorMapFieldRow& row) {
  switch (row.id) {
    case Field::global_address: return "globalAddress";
    case Field::rank: return "tensorRank";
    case Field::data_type: return "tensorDataType";
    case Field::interleave: return "interleave";
    case Field::swizzle: return "swizzle";
    case Field::oob_fill: return "oobFill";
    case Field::tf32_rounding: return "the TF32 bit";
    case Field::l2_promotion: return "l2Promotion";
    case Field::stride_low: return fmt::format("globalStrides[{}] (low part)", row.index);
    case Field::stride_high: return fmt::format("globalStrides[{}] (high part)", row.index);
    case Field::dim: return fmt::format("globalDim[{}]", row.index);
    case Field::element_stride: return fmt::format("elementStrides[{}]", row.index);
    case Field::box: return fmt::format("boxDim[{}]", row.index);
    case Field::box_bytes: return "bytes of a box (word 8)";
    case Field::swizzle_pattern: return "period of the swizzle (word 9)";
  }
  return "";
}

bool looks_like_tensor_map(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) digits += digit_value(c) >= 0 ? 1 : 0;
  return digits > longest_descriptor;
}

bool holds_tensor_map(std::string_view text) {
  try {
    parse_tensor_map(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

EncodedTensorMap parse_tensor_map(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = without_address(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && bytes.size() <= map_bytes) {
      const auto stop = std::find_if(line.begin(), line.end(), is_separator);
      const auto length = static_cast<std::size_t>(stop - line.begin());
      if (length > 0) append(bytes, line.substr(0, length));
      line.remove_prefix(std::min(length + 1, line.size()));
    }
  }
  if (bytes.size() != map_bytes)
    throw Error(fmt::format("{} bytes; a tensor map has 128",
                            bytes.size() > map_bytes ? "more than 128" : fmt::to_string(bytes.size())),
                "256 hexadecimal digits, or x/16gx of its address in cuda-gdb");
  std::array<std::uint8_t, map_bytes> all{};
  std::copy(bytes.begin(), bytes.end(), all.begin());
  return from_bytes(all);
}

}  // namespace swz
