// SPDX-License-Identifier: Apache-2.0
#include "probe/operand_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

// --- the model

std::uint64_t with_strides_swapped(const SmemDescriptor& descriptor) {
  const DescriptorFormat& format = descriptor.format();
  const std::uint64_t leading = descriptor.raw(FieldId::leading_byte_offset);
  const std::uint64_t stride = descriptor.raw(FieldId::stride_byte_offset);
  const std::uint64_t word = with_field(descriptor.word(), format, FieldId::leading_byte_offset, stride);
  return with_field(word, format, FieldId::stride_byte_offset, leading);
}

OperandMap operand_map_under(Hypothesis hypothesis, const SmemDescriptor& descriptor, TileExtents extents,
                             int element_bits, Major major) {
  std::uint64_t word = descriptor.word();
  if (hypothesis == Hypothesis::strides_swapped) word = with_strides_swapped(descriptor);
  // Lines count modulo 8, so adding b is the same as subtracting 8 - b.
  if (hypothesis == Hypothesis::base_offset_added)
    word = with_field(word, descriptor.format(), FieldId::base_offset,
                      static_cast<std::uint64_t>((8 - descriptor.base_offset()) % 8));
  OperandMap map = operand_map(SmemDescriptor(word, descriptor.target()), extents, element_bits, major);
  const bool is_relative = hypothesis == Hypothesis::relative_xor;
  if (!is_relative && hypothesis != Hypothesis::mask_off_by_one) return map;
  const SwizzleMode& mode = require_swizzle(descriptor);
  const std::int64_t mask = mode.line_mask();
  for (std::int64_t& place : map.places) {
    const std::int64_t linear = mode.byte(place >> 3, descriptor.base_offset());
    const std::int64_t from = is_relative ? descriptor.start_address().count : 0;
    const std::int64_t line = ((linear - from) >> 7) - descriptor.base_offset();
    const std::int64_t byte = linear ^ ((line & (is_relative || mask == 0 ? mask : mask - 1)) << mode.base);
    place = byte << 3 | (place & 7);
  }
  return map;
}

namespace {

// Number of elements that are stored together: one of two for 32 bits, otherwise two of four.
int stored_in_a_row(int element_bits) { return element_bits == 32 ? 1 : 2; }

}  // namespace

std::int64_t kept_k(int element_bits, StoredAt at) {
  const int run = stored_in_a_row(element_bits);
  return at.element / run * 2 * run + at.word * run + at.element % run;
}

StoredAt stored_at(int element_bits, std::int64_t k) {
  const int run = stored_in_a_row(element_bits);
  return {static_cast<int>(k / run % 2), k / (2 * run) * run + k % run};
}

// --- what is written

int value_bits(const DType& type, Packing packing) {
  return packing == Packing::slots ? type.value_bits : type.memory_bits;
}

std::int64_t value_bit(std::int64_t place, const DType& type, Packing packing) {
  const std::int64_t slot = element_bits(type, packing);
  const std::int64_t chunk_bits = chunk.count * 8;
  return place / chunk_bits * chunk_bits + place % chunk_bits / slot * value_bits(type, packing);
}

void write_bits(std::span<std::uint8_t> image, std::int64_t bit, int width, std::uint64_t value) {
  for (int done = 0; done < width;) {
    const auto first = static_cast<int>((bit + done) % 8);
    const int count = std::min(width - done, 8 - first);
    std::uint8_t& byte = image[static_cast<std::size_t>((bit + done) / 8)];
    const auto mask = static_cast<unsigned>(((1U << count) - 1) << first);
    byte = static_cast<std::uint8_t>((byte & ~mask) | (static_cast<unsigned>(value >> done) << first & mask));
    done += count;
  }
}

std::uint64_t read_bits(std::span<const std::uint8_t> image, std::int64_t bit, int width) {
  std::uint64_t value = 0;
  for (int done = 0; done < width;) {
    const auto first = static_cast<int>((bit + done) % 8);
    const int count = std::min(width - done, 8 - first);
    const unsigned byte = image[static_cast<std::size_t>((bit + done) / 8)];
    value |= static_cast<std::uint64_t>((byte >> first) & ((1U << count) - 1)) << done;
    done += count;
  }
  return value;
}

namespace {

// Writes 64 bits at a time; if elements are small, many words are the same in the higher passes.
void fill_packed(std::span<std::uint8_t> image, const PositionCode& code, int bits, std::int64_t first, int pass) {
  const std::int64_t per_word = 64 / bits, words = std::ssize(image) / 8;
  for (std::int64_t i = 0; i < words;) {
    const std::int64_t position = first + i * per_word;
    std::uint64_t word = 0;
    for (std::int64_t e = 0; e < per_word; ++e) word |= code.element(position + e, pass) << e * bits;
    const std::int64_t run = (code.run(pass) - position % code.run(pass)) / per_word;
    for (const std::int64_t end = std::min(words, i + std::max<std::int64_t>(run, 1)); i < end; ++i)
      __builtin_memcpy(image.data() + i * 8, &word, sizeof word);
  }
}

}  // namespace

ByteBuffer address_image(std::string_view dtype, Bytes begin, Bytes size, int pass, Packing packing) {
  const PositionCode code(dtype);
  const DType& type = require_dtype(dtype);
  const int bits = element_bits(type, packing), width = value_bits(type, packing);
  ByteBuffer image(static_cast<std::size_t>(size.count));
  const std::int64_t first = begin.count * 8 / bits;
  if (width == bits) fill_packed(image, code, bits, first, pass);
  else
    for (std::int64_t i = 0; i < size.count * 8 / bits; ++i)
      write_bits(image, value_bit(i * bits, type, packing), width, code.element(first + i, pass));
  return image;
}

int passes_of(const OperandMemory& memory, std::string_view dtype, Packing packing) {
  const int bits = element_bits(require_dtype(dtype), packing);
  return PositionCode(dtype).passes((memory.begin.count + memory.size.count) * 8 / bits);
}

namespace {

constexpr Bytes core_matrix{128};

// Chunks of 16 B along K.
std::int64_t chunks_of(const Identity& i) {
  return i.extents.k * element_bits(require_dtype(i.dtype), i.packing) / 128;
}

}  // namespace

Bytes Identity::size() const { return Bytes{ceil_div(extents.mn, 8) * core_matrix.count * chunks_of(*this)}; }

int Identity::selections() const {
  return static_cast<int>(ceil_div(is_sparse_b ? extents.k / 2 : extents.k, extents.mn));
}

std::int64_t Identity::k_of(int selection, std::int64_t row) const {
  const std::int64_t column = selection * extents.mn + row;
  return is_sparse_b ? kept_k(require_dtype(dtype).memory_bits, {0, column}) : column;
}

std::uint64_t Identity::element(int selection, std::int64_t row, std::int64_t k, Hypothesis hypothesis) const {
  // Row 1 shows the sum of two elements.
  const bool is_wrong = hypothesis == Hypothesis::wrong_identity && row == 1 && k == k_of(selection, 0);
  return k == k_of(selection, row) || is_wrong ? PositionCode(dtype).one() : 0;
}

ByteBuffer Identity::bytes(int selection, Hypothesis hypothesis) const {
  const DType& type = require_dtype(dtype);
  const int bits = element_bits(type, packing), width = value_bits(type, packing);
  ByteBuffer out(static_cast<std::size_t>(size().count));
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (const std::int64_t k : {k_of(selection, 0), k_of(selection, row)}) {
      const std::uint64_t value = k < extents.k ? element(selection, row, k, hypothesis) : 0;
      if (value == 0) continue;
      const std::int64_t core = row / 8 * chunks_of(*this) + k * bits / 128;
      const std::int64_t place = core * core_matrix.count * 8 + row % 8 * 128 + k * bits % 128;
      write_bits(out, value_bit(place, type, packing), width, value);
    }
  return out;
}

SmemDescriptor Identity::descriptor(Bytes at, const Target& target) const {
  return SmemDescriptor::encode({.start_address = at,
                                 .leading_byte_offset = core_matrix,
                                 .stride_byte_offset = Bytes{core_matrix.count * chunks_of(*this)}},
                                target);
}

OperandInputs::OperandInputs(const OperandMemory& memory, Launch& launch) : memory_(memory), launch_(launch) {
  launch.dynamic_smem = memory.size;
  launch.scalars = {word32(memory.begin.count), word32(memory.size.count), word32(memory.overlay().count),
                    word32(memory.identity.count - memory.begin.count)};
}

std::uint32_t OperandInputs::append_image(const ByteBuffer& image) {
  const std::size_t index = launch_.inputs[1].size() / image.size();
  append_bytes(launch_.inputs[1], image);
  return static_cast<std::uint32_t>(index);
}

std::uint32_t OperandInputs::images(std::string_view dtype, Packing packing) {
  const auto [made, is_new] = images_.try_emplace({std::string(dtype), packing}, 0);
  for (int pass = 0; is_new && pass < passes_of(memory_, dtype, packing); ++pass) {
    const std::uint32_t index = append_image(address_image(dtype, memory_.begin, memory_.size, pass, packing));
    if (pass == 0) made->second = index;
  }
  return made->second;
}

std::uint32_t OperandInputs::empty_image() {
  const auto [made, is_new] = images_.try_emplace({"", Packing::packed}, 0);
  if (is_new) made->second = append_image(ByteBuffer(static_cast<std::size_t>(memory_.size.count)));
  return made->second;
}

std::uint32_t OperandInputs::overlays(const Identity& identity, Hypothesis hypothesis) {
  ByteBuffer& all = launch_.inputs[2];
  const auto size = static_cast<std::size_t>(memory_.overlay().count);
  const auto [made, is_new] = overlays_.try_emplace({{identity.extents.mn, identity.extents.k}, identity.dtype},
                                                    static_cast<std::uint32_t>(all.size() / size));
  for (int selection = 0; is_new && selection < identity.selections(); ++selection) {
    ByteBuffer bytes = identity.bytes(selection, hypothesis);
    bytes.resize(size);
    append_bytes(all, bytes);
  }
  return made->second;
}

std::uint64_t draw_word(const OperandMemory& memory, TileExtents extents, int element_bits, Major major,
                        std::span<const std::string_view> modes, const Target& target, Random& random) {
  // Short as often as long: 2^x chunks.
  const auto stride = [&] { return Bytes{16 * random.below(std::int64_t{1} << (1 + random.below(14)))}; };
  for (;;) {
    const Bytes leading = stride();
    const Bytes other = stride();
    const int base_offset = static_cast<int>(random.below(8));
    SmemDescriptorValues values{.start_address = {},
                                .leading_byte_offset = leading,
                                .stride_byte_offset = other,
                                .base_offset = base_offset,
                                .swizzle = random.of(modes),
                                .absolute_lbo = false};
    // How far the operand reaches. The XOR stays in its line of 128 bytes. compute-sanitizer treats an operand as
    // contiguous, so there is room for that too.
    const OperandMap at_0 = operand_map(SmemDescriptor::encode(values, target), extents, element_bits, major);
    const std::int64_t reach =
        std::max(std::ranges::max(at_0.places) / 1024 * 128 + 256, extents.mn * extents.k * element_bits / 8);
    const std::int64_t room = memory.identity.count - memory.begin.count - reach;
    if (room <= 0) continue;
    values.start_address = Bytes{memory.begin.count + 16 * random.below(room / 16)};
    return SmemDescriptor::encode(values, target).word();
  }
}

// --- what is observed

std::vector<ShownAt> columns_shown(const Identity& identity, std::int64_t k) {
  std::vector<ShownAt> out;
  for (std::int64_t i = 0; i < k; ++i)
    out.push_back({i / identity.extents.mn, static_cast<int>(i % identity.extents.mn)});
  return out;
}

std::size_t SeenThrough::blocks() const {
  return static_cast<std::size_t>((1 + std::ranges::max(columns, {}, &ShownAt::selection).selection) * passes);
}

Observation positions(const SeenThrough& seen, const ElementOfD& d) {
  const PositionCode code(seen.dtype);
  const ElementFormat& accumulator = element_format(seen.d_type);
  Observation out;
  std::vector<std::optional<std::int64_t>> digits(static_cast<std::size_t>(seen.passes));
  for (int row = 0; row < seen.extents.mn; ++row)
    for (const auto [selection, shown] : seen.columns) {
      for (int pass = 0; pass < seen.passes; ++pass) {
        const auto block = static_cast<std::size_t>(selection * seen.passes + pass);
        const std::uint64_t bits = seen.operand == OperandRole::a ? d(block, row, shown) : d(block, shown, row);
        digits[static_cast<std::size_t>(pass)] = code.digit(bits, accumulator);
      }
      const std::int64_t position = code.position(digits);
      out.push_back(position == unreadable ? unreadable : (position - seen.first) * seen.unit);
    }
  return out;
}

Observation positions(const SeenThrough& seen, const RegisterTable& d, std::span<const std::uint8_t>& output) {
  const std::size_t size = d.image_bytes();
  const std::span<const std::uint8_t> blocks = output.first(seen.blocks() * size);
  output = output.subspan(blocks.size());
  return positions(seen, [&](std::size_t block, int m, int n) {
    return d.element(blocks.subspan(block * size, size), d.index(m, n));
  });
}

std::string place_name(std::int64_t bit) {
  return bit % 8 == 0 ? fmt::format("byte {}", bit / 8) : fmt::format("bit {} of byte {}", bit % 8, bit / 8);
}

std::string coordinate_name(std::int64_t index, TileExtents extents) {
  return fmt::format("({}, {})", index / extents.k, index % extents.k);
}

std::string operand_name(OperandRole operand, Major major, std::uint64_t word) {
  return fmt::format("{} {}, {}", operand == OperandRole::a ? "A" : "B", to_string(major), hex64(word));
}

OperandRole role_of(const Json& json) {
  const auto name = json.at("of").get<std::string>();
  if (name == "a") return OperandRole::a;
  if (name == "b") return OperandRole::b;
  throw Error(fmt::format("\"of\" is {}", swz::quoted(name)), "it is the operand that is probed: a or b");
}

Major major_of(const Json& json) {
  const auto name = json.at("major").get<std::string>();
  if (name != "K" && name != "MN") throw Error(fmt::format("\"major\" is {}", swz::quoted(name)), "it is K or MN");
  return name == "K" ? Major::K : Major::MN;
}

void append_word(Json& json, Major major, std::uint64_t word) {
  json["major"] = direction_name(major);
  json["word"] = hex64(word);
}

std::pair<Major, std::uint64_t> word_of(const Json& json) {
  return {major_of(json), parse_unsigned(json.at("word").get<std::string>(), 64, {"a word is written 0x…", ""})};
}

}  // namespace swz
