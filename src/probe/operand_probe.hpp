// SPDX-License-Identifier: Apache-2.0
// The parts that the probes of operands in shared memory share (wgmma, tcgen05, tiles): the images of a launch, the
// identity that makes an operand visible, random descriptors, D read back, and where an MMA reads an operand under a
// hypothesis.
//
//   D = A * I shows A: D[m][n] = A[m][n] if I is N x K with ones at n == k. An I of N < K rows shows N of the K columns
//   at a time; `selection` s has its ones at k == s * N + n.
//   f16, N 8, K 16: two selections; D of selection 1 shows columns 8 ... 15 of A.
//
//   memory of wgmma   0x400 ... 0x37000 codes, 0x37000 ... 0x39000 the identity (8192 B, the largest)
//   inputs[1]         images, one per pass: all of that memory filled with position codes of one type
//   inputs[2]         overlays, one per selection: the identity, which the kernel copies over the end of an image
//
// A block of the grid shows what one selection of the identity shows of one pass. The blocks of a plan follow each
// other, passes inside selections.
//
// For a sparse MMA the compressed A meets every second k, or two of four: B has its ones there, for the first metadata
// word.
//
//   metadata          16- and 8-bit types, two of four k stored     tf32, one of two
//   0x44444444        k % 4 in {0, 1}                               even k
//   0xeeeeeeee        k % 4 in {2, 3}                               odd k
//   f16, 0xeeeeeeee: stored element 5, of the third group of four, is k 4 * 2 + 2 + 1 = 11.
//
// With the two words every k of B is met once, whichever thread supplies the metadata.
//
// A product cannot show the number k itself: if k were exchanged in A and B alike, D would be the same.
// Source of the metadata: PTX ISA 9.1, 9.7.15.6.1; measured on H200.
#pragma once

#include <map>

#include "descriptor/operand_map.hpp"
#include "probe/registers.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

struct OperandMemory {
  Bytes begin;     // of dynamic shared memory
  Bytes size;      // of an image, which begins there
  Bytes identity;  // its address; it reaches to the end of the image

  Bytes overlay() const { return Bytes{begin.count + size.count - identity.count}; }
};

// The largest identity: N 256, K of 32 bytes.
inline constexpr Bytes largest_identity{256 * 32};

// --- the model

// The word with its LBO and SBO exchanged.
std::uint64_t with_strides_swapped(const SmemDescriptor& descriptor);
OperandMap operand_map_under(Hypothesis hypothesis, const SmemDescriptor& descriptor, TileExtents extents,
                             int element_bits, Major major);

inline constexpr std::array<std::uint32_t, 2> metadata_words{0x44444444, 0xeeeeeeee};

// Where a k of B is stored in the compressed A: for which of the two words, and as which element of its row.
struct StoredAt {
  int word = 0;
  std::int64_t element = 0;
};
std::int64_t kept_k(int element_bits, StoredAt at);
StoredAt stored_at(int element_bits, std::int64_t k);

// --- what is written

// The bits that are written for an element, and their place; `place` is the bit address of the element. Of the 16
// elements of a chunk of 8-bit slots, 6- and 4-bit values are packed at its front (PTX ISA 9.1, 9.7.16.10.4 and
// 5.5.1.1.1).
//   e2m3 in slots: the third slot of the chunk at bit 1024 is place 1040, its 6 bits are bits 1036 ... 1041
int value_bits(const DType& type, Packing packing);
std::int64_t value_bit(std::int64_t place, const DType& type, Packing packing);

// Writes an element, of 1 to 64 bits, at a bit address.
void write_bits(std::span<std::uint8_t> image, std::int64_t bit, int width, std::uint64_t value);
std::uint64_t read_bits(std::span<const std::uint8_t> image, std::int64_t bit, int width);

// Shared memory from `begin` on, `size` bytes. Each element of the type is its own position: its address in elements,
// counted from address 0.
ByteBuffer address_image(std::string_view dtype, Bytes begin, Bytes size, int pass, Packing packing = Packing::packed);
// The number of passes that distinguishes all elements of the memory.
int passes_of(const OperandMemory& memory, std::string_view dtype, Packing packing = Packing::packed);

// The identity operand. It is K-major without a swizzle, where no field can be mistaken: core matrices of 8 rows x 16
// B, one after another along K, then along the rows.
struct Identity {
  TileExtents extents;  // rows (N of B, M of A) x k
  std::string dtype;
  Packing packing = Packing::packed;
  bool is_sparse_b = false;  // shows a compressed A; k is twice as long

  Bytes size() const;
  int selections() const;
  // The k of its own column of A, where a row has its one.
  std::int64_t k_of(int selection, std::int64_t row) const;
  // The element (row, k), 1 or 0, in elements of the type.
  std::uint64_t element(int selection, std::int64_t row, std::int64_t k, Hypothesis hypothesis) const;
  ByteBuffer bytes(int selection, Hypothesis hypothesis) const;
  // The word for an identity that begins at `at`.
  SmemDescriptor descriptor(Bytes at, const Target& target) const;
};

// The shared memory, the scalars, and the inputs 1 and 2 of a launch. Each image and each overlay is made once,
// however many plans use it.
class OperandInputs {
 public:
  OperandInputs(const OperandMemory& memory, Launch& launch);

  // The index of the first pass.
  std::uint32_t images(std::string_view dtype, Packing packing = Packing::packed);
  // An image of zeros; or any image, for a plan that does not read it.
  std::uint32_t empty_image();
  std::uint32_t any_image() { return launch_.inputs[1].empty() ? empty_image() : 0; }
  std::uint32_t append_image(const ByteBuffer& image);
  // The index of the first selection.
  std::uint32_t overlays(const Identity& identity, Hypothesis hypothesis);

 private:
  OperandMemory memory_;
  Launch& launch_;
  std::map<std::pair<std::string, Packing>, std::uint32_t> images_;
  std::map<std::pair<std::pair<std::int64_t, std::int64_t>, std::string>, std::uint32_t> overlays_;
};

// A word whose operand is between begin and identity, with random mode, LBO, SBO, base offset and start.
std::uint64_t draw_word(const OperandMemory& memory, TileExtents extents, int element_bits, Major major,
                        std::span<const std::string_view> modes, const Target& target, Random& random);

// --- what is observed

// What D shows of an operand of `extents` that was multiplied by the identity: for each element, row by row,
// (position - first) * unit, for the position that its code names. `d` gives D[m][n] of a block of the plan.
struct ShownAt {
  std::int64_t selection = 0;
  int row = 0;  // of the identity
};
struct SeenThrough {
  OperandRole operand = OperandRole::a;
  TileExtents extents;
  std::vector<ShownAt> columns;  // for each k
  std::string_view dtype, d_type;
  int passes = 1;
  std::int64_t first = 0, unit = 1;

  std::size_t blocks() const;  // number of blocks of the grid that show it
};
// An identity shows its rows of k, one selection after another.
std::vector<ShownAt> columns_shown(const Identity& identity, std::int64_t k);
using ElementOfD = std::function<std::uint64_t(std::size_t block, int m, int n)>;
Observation positions(const SeenThrough& seen, const ElementOfD& d);
// For D in registers: takes the blocks of the plan from the front of `output`.
Observation positions(const SeenThrough& seen, const RegisterTable& d, std::span<const std::uint8_t>& output);

// "byte 2208", "bit 3 of byte 17"
std::string place_name(std::int64_t bit);
// "(9, 8)"
std::string coordinate_name(std::int64_t index, TileExtents extents);
// "A K-major, 0x4000004000010042"
std::string operand_name(OperandRole operand, Major major, std::uint64_t word);

// The operand of a plan in JSON: {"of": "a"}, and {"major": "K", "word": "0x4000004000010042"} if it has a word.
OperandRole role_of(const Json& json);
Major major_of(const Json& json);
void append_word(Json& json, Major major, std::uint64_t word);
std::pair<Major, std::uint64_t> word_of(const Json& json);

}  // namespace swz
