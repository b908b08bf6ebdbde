#include "probe/operand_model.hpp"

#include <algorithm>
#include <utility>

#include "arch/dtype.hpp"
#include "base/checked.hpp"
#include "probe/position_code.hpp"
#include "probe/sparse.hpp"

namespace swz {

std::uint64_t with_strides_swapped(const SmemDescriptor& descriptor) {
  const DescriptorFormat& format = descriptor.format();
  const std::uint64_t leading = descriptor.raw(FieldId::leading_byte_offset);
  const std::uint64_t stride = descriptor.raw(FieldId::stride_byte_offset);
  const std::uint64_t word = with_field(descriptor.word(), format, FieldId::leading_byte_offset, stride);
  return with_field(word, format, FieldId::stride_byte_offset, leading);
}

OperandMap operand_map_under(Hypothesis hypothesis, const SmemDescriptor& descriptor, TileExtents extents,
                             int element_bits, Major major) {
  const DescriptorFormat& format = descriptor.format();
  const Target& target = descriptor.target();
  if (hypothesis == Hypothesis::strides_swapped) {
    return operand_map(SmemDescriptor(with_strides_swapped(descriptor), target), extents, element_bits, major);
  }
  if (hypothesis == Hypothesis::base_offset_added) {
    // Lines count modulo 8, so that adding b is subtracting 8 - b.
    const auto negated = static_cast<std::uint64_t>((8 - descriptor.base_offset()) % 8);
    const std::uint64_t word = with_field(descriptor.word(), format, FieldId::base_offset, negated);
    return operand_map(SmemDescriptor(word, target), extents, element_bits, major);
  }
  OperandMap map = operand_map(descriptor, extents, element_bits, major);
  const SwizzleMode& mode = require_swizzle(descriptor);
  const std::int64_t mask = mode.line_mask();
  if (hypothesis == Hypothesis::mask_off_by_one || hypothesis == Hypothesis::relative_xor) {
    const bool is_relative = hypothesis == Hypothesis::relative_xor;
    for (std::int64_t& byte : map.bytes) {
      const std::int64_t linear = mode.byte(byte, descriptor.base_offset());
      const std::int64_t from = is_relative ? descriptor.start_address().count : 0;
      const std::int64_t line = ((linear - from) >> 7) - descriptor.base_offset();
      byte = linear ^ ((line & (is_relative || mask == 0 ? mask : mask - 1)) << mode.base);
    }
  }
  return map;
}

Fragment fragment_under(Hypothesis hypothesis, Fragment fragment) {
  if (hypothesis != Hypothesis::wrong_fragment) return fragment;
  std::vector<Step>& steps = fragment.value_steps.size() > 1 ? fragment.value_steps : fragment.thread_steps;
  std::swap(steps[0], steps[1]);
  return fragment;
}

namespace {

// K-major without a swizzle, one core matrix (8 rows x 16 B) behind the other along K, then along the rows.
constexpr Bytes core_matrix{128};

std::int64_t identity_bit(const Identity& identity, int element_bits, std::int64_t row, std::int64_t k) {
  const std::int64_t chunks = identity.extents.k * element_bits / 128;
  const std::int64_t in_row = k * element_bits;
  const std::int64_t core = row / 8 * chunks + in_row / 128;
  return core * core_matrix.count * 8 + row % 8 * 128 + in_row % 128;
}

}  // namespace

int value_bits(std::string_view dtype, Packing packing) {
  const DType& type = require_dtype(dtype);
  return packing == Packing::slots ? type.value_bits : type.memory_bits;
}

std::int64_t value_bit(std::int64_t place, std::string_view dtype, Packing packing) {
  const std::int64_t slot = element_bits(require_dtype(dtype), packing);
  const std::int64_t chunk_bits = chunk.count * 8;
  return place / chunk_bits * chunk_bits + place % chunk_bits / slot * value_bits(dtype, packing);
}

Bytes Identity::size() const {
  const std::int64_t row_bytes = extents.k * element_bits(require_dtype(dtype), packing) / 8;
  return Bytes{ceil_div(extents.mn, 8) * 8 * row_bytes};
}

int Identity::selections() const {
  return static_cast<int>(ceil_div(is_sparse_b ? extents.k / 2 : extents.k, extents.mn));
}

std::int64_t Identity::k_of(int selection, std::int64_t row) const {
  const std::int64_t column = selection * extents.mn + row;
  return is_sparse_b ? kept_k(require_dtype(dtype).memory_bits, {0, column}) : column;
}

bool Identity::is_one(int selection, std::int64_t row, std::int64_t k, Hypothesis hypothesis) const {
  // Row 1 shows the sum of two elements.
  const bool is_wrong = hypothesis == Hypothesis::wrong_identity && row == 1 && k == k_of(selection, 0);
  return k == k_of(selection, row) || is_wrong;
}

std::uint64_t Identity::element(int selection, std::int64_t row, std::int64_t k, Hypothesis hypothesis) const {
  return is_one(selection, row, k, hypothesis) ? PositionCode(dtype).one() : 0;
}

ByteBuffer Identity::bytes(int selection, Hypothesis hypothesis) const {
  const int bits = element_bits(require_dtype(dtype), packing);
  const int width = value_bits(dtype, packing);
  const std::uint64_t one = PositionCode(dtype).one();
  ByteBuffer out(static_cast<std::size_t>(size().count));
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (const std::int64_t k : {k_of(selection, 0), k_of(selection, row)})
      if (k < extents.k && is_one(selection, row, k, hypothesis))
        write_bits(out, value_bit(identity_bit(*this, bits, row, k), dtype, packing), width, one);
  return out;
}

SmemDescriptor Identity::descriptor(Bytes at, const Target& target) const {
  const std::int64_t chunks = extents.k * element_bits(require_dtype(dtype), packing) / 128;
  return SmemDescriptor::encode({.start_address = at,
                                 .leading_byte_offset = core_matrix,
                                 .stride_byte_offset = Bytes{core_matrix.count * chunks}},
                                target);
}

void write_bits(ByteBuffer& image, std::int64_t bit, int width, std::uint64_t value) {
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

std::vector<std::uint32_t> register_image(const Fragment& fragment,
                                          const std::function<std::uint64_t(Coordinate)>& bits) {
  return register_image(fragment, [&](Holder at) { return bits(fragment.at(at.thread, at.value)); });
}

std::vector<std::uint32_t> register_image(const Fragment& fragment,
                                          const std::function<std::uint64_t(Holder)>& bits) {
  const int words = fragment.register_bits() / 32;
  std::vector<std::uint32_t> image(static_cast<std::size_t>(fragment.registers() * words * fragment.threads()));
  for (int thread = 0; thread < fragment.threads(); ++thread)
    for (int value = 0; value < fragment.values(); ++value) {
      const RegisterSlot slot = fragment.slot(value);
      const std::uint64_t element = bits(Holder{thread, value}) << slot.first_bit;
      for (int word = 0; word < words; ++word)
        image[static_cast<std::size_t>((slot.index * words + word) * fragment.threads() + thread)] |=
            static_cast<std::uint32_t>(element >> (32 * word));
    }
  return image;
}

std::uint64_t register_element(const Fragment& fragment, std::span<const std::uint32_t> image, Holder at) {
  const RegisterSlot slot = fragment.slot(at.value);
  const int words = fragment.register_bits() / 32;
  std::uint64_t element = 0;
  for (int word = 0; word < words; ++word) {
    const auto index = static_cast<std::size_t>((slot.index * words + word) * fragment.threads() + at.thread);
    element |= static_cast<std::uint64_t>(image[index]) << (32 * word);
  }
  element >>= slot.first_bit;
  return fragment.bits == 64 ? element : element & ((std::uint64_t{1} << fragment.bits) - 1);
}

namespace {

// Elements of 8, 16, 32 or 64 bits, `first` at the beginning.
template <class Element>
void fill_whole(std::span<std::uint8_t> image, const PositionCode& code, std::int64_t first, int pass) {
  const auto count = static_cast<std::int64_t>(image.size() / sizeof(Element));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto element = static_cast<Element>(code.element(first + i, pass));
    __builtin_memcpy(image.data() + static_cast<std::size_t>(i) * sizeof(Element), &element, sizeof(Element));
  }
}

// Elements smaller than a byte: in the higher passes all of many bytes are the same.
void fill_packed(std::span<std::uint8_t> image, const PositionCode& code, int bits, std::int64_t first, int pass) {
  const std::int64_t per_byte = 8 / bits;
  const auto size = static_cast<std::int64_t>(image.size());
  for (std::int64_t byte = 0; byte < size;) {
    const std::int64_t position = first + byte * per_byte;
    unsigned value = 0;
    for (std::int64_t i = 0; i < per_byte; ++i)
      value |= static_cast<unsigned>(code.element(position + i, pass)) << (i * bits);
    const std::int64_t run = std::max<std::int64_t>(1, (code.run(pass) - position % code.run(pass)) / per_byte);
    const std::int64_t end = std::min(size, byte + run);
    std::fill(image.begin() + byte, image.begin() + end, static_cast<std::uint8_t>(value));
    byte = end;
  }
}

}  // namespace

ByteBuffer address_image(std::string_view dtype, Bytes begin, Bytes size, int pass, Packing packing) {
  const PositionCode code(dtype);
  const int bits = element_bits(require_dtype(dtype), packing);
  const int width = value_bits(dtype, packing);
  ByteBuffer image(static_cast<std::size_t>(size.count));
  const std::int64_t first = begin.count * 8 / bits;
  if (width != bits) {  // values at the front of their chunk
    const std::int64_t per_chunk = chunk.count * 8 / bits;
    for (std::int64_t i = 0; i < size.count * 8 / bits; ++i) {
      const std::int64_t place = i / per_chunk * chunk.count * 8 + i % per_chunk * width;
      write_bits(image, place, width, code.element(first + i, pass));
    }
    return image;
  }
  switch (bits) {
    case 8: fill_whole<std::uint8_t>(image, code, first, pass); break;
    case 16: fill_whole<std::uint16_t>(image, code, first, pass); break;
    case 32: fill_whole<std::uint32_t>(image, code, first, pass); break;
    case 64: fill_whole<std::uint64_t>(image, code, first, pass); break;
    default: fill_packed(image, code, bits, first, pass); break;
  }
  return image;
}

}  // namespace swz
