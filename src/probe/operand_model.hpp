// Where an MMA reads an operand under a hypothesis, and the operand that makes it visible: the identity.
//
//   D = A * I shows A: D[m][n] = A[m][n] where I is N x K with ones at n == k. An I of N < K rows shows N of the K
//   columns at a time; `selection` s has its ones at k == s * N + n.
//
//   f16, N 8, K 16: two selections; D of selection 1 shows columns 8 ... 15 of A.
//
// Of a sparse MMA the compressed A meets every second k or two of four (sparse.hpp): there B has its ones, under
// the first metadata word.
//
// The identity lies K-major without a swizzle, where no field can be mistaken: core matrices of 8 rows x 16 B, one
// behind the other along K.
//
// What a product cannot show is the number k itself: were k exchanged in A and B alike, D would be the same. k is a
// name that both operands share.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "descriptor/operand_map.hpp"
#include "fragment/fragment.hpp"
#include "probe/hypothesis.hpp"
#include "probe/launch.hpp"

namespace swz {

// The word with its LBO in the place of SBO, and the other way round.
std::uint64_t with_strides_swapped(const SmemDescriptor& descriptor);
OperandMap operand_map_under(Hypothesis hypothesis, const SmemDescriptor& descriptor, TileExtents extents,
                             int element_bits, Major major);

// Under wrong_fragment its first two steps of values are exchanged; of threads, where it has no two of values.
Fragment fragment_under(Hypothesis hypothesis, Fragment fragment);

// What is written for an element, and where: `place` is the bit address of the element. Of the 16 elements of a
// chunk of 8-bit slots, 6- and 4-bit values lie packed at its front (PTX ISA 9.1, 9.7.16.10.4 and 5.5.1.1.1).
//   e2m3 in slots: the third slot of the chunk at bit 1024 is place 1040, its 6 bits are bits 1036 ... 1041
int value_bits(std::string_view dtype, Packing packing);
std::int64_t value_bit(std::int64_t place, std::string_view dtype, Packing packing);

// The identity operand.
struct Identity {
  TileExtents extents;  // rows (N of B, M of A) x k
  std::string dtype;
  Packing packing = Packing::packed;
  bool is_sparse_b = false;  // shows a compressed A; k is twice as long

  Bytes size() const;
  int selections() const;
  // The k of its own column of A: where a row has its one.
  std::int64_t k_of(int selection, std::int64_t row) const;
  bool is_one(int selection, std::int64_t row, std::int64_t k, Hypothesis hypothesis) const;
  // The element (row, k), 1 or 0, in elements of the type.
  std::uint64_t element(int selection, std::int64_t row, std::int64_t k, Hypothesis hypothesis) const;
  ByteBuffer bytes(int selection, Hypothesis hypothesis) const;
  // The word for an identity that begins at `at`.
  SmemDescriptor descriptor(Bytes at, const Target& target) const;
};

// Writes an element, of 1 to 64 bits, at a bit address.
void write_bits(ByteBuffer& image, std::int64_t bit, int width, std::uint64_t value);
std::uint64_t read_bits(std::span<const std::uint8_t> image, std::int64_t bit, int width);

// The registers of a fragment as words, [register][thread], each element as `bits` of its place says. Registers of
// 64 bits are two words, the low one first.
std::vector<std::uint32_t> register_image(const Fragment& fragment,
                                          const std::function<std::uint64_t(Holder)>& bits);
std::vector<std::uint32_t> register_image(const Fragment& fragment,
                                          const std::function<std::uint64_t(Coordinate)>& bits);
// Of a register image, the element at a coordinate.
std::uint64_t register_element(const Fragment& fragment, std::span<const std::uint32_t> image, Holder at);

// Shared memory from `begin` on, `size` bytes, each element of the type holding its own position: its address in
// elements, counted from address 0.
ByteBuffer address_image(std::string_view dtype, Bytes begin, Bytes size, int pass,
                         Packing packing = Packing::packed);

}  // namespace swz
