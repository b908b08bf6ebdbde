// What the probes of operands in shared memory have in common (wgmma, tcgen05): the images of a launch, descriptors
// at random, D read back, and what hardware would compute.
//
//   memory of wgmma   0x400 ... 0x37000 codes, 0x37000 ... 0x39000 the identity (8192 B, the largest)
//   inputs[1]         images, one a pass: all of that memory filled with position codes of one type
//   inputs[2]         overlays, one a selection: the identity, which the kernel copies over the end of an image
//
// A block of the grid shows what one selection of the identity shows of one pass; the blocks of a plan follow each
// other, passes inside selections.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/random.hpp"
#include "probe/launch.hpp"
#include "probe/observation.hpp"
#include "probe/operand_model.hpp"
#include "probe/position_code.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

struct OperandMemory {
  Bytes begin;     // of dynamic shared memory
  Bytes size;      // of an image, which begins there
  Bytes identity;  // address; it reaches to the end of the image

  Bytes overlay() const { return Bytes{begin.count + size.count - identity.count}; }
};

// The largest identity: N 256, K of 32 bytes.
inline constexpr Bytes largest_identity{256 * 32};

// Passes that tell all elements of the memory apart.
int passes_of(const OperandMemory& memory, std::string_view dtype, Packing packing = Packing::packed);

// Inputs 1 and 2 of a launch. Each image and each overlay is made once, however many plans show it.
class OperandInputs {
 public:
  OperandInputs(const OperandMemory& memory, Launch& launch);

  // The index of the first pass.
  std::uint32_t images(std::string_view dtype, Packing packing = Packing::packed);
  // An image for those who do not look at it.
  std::uint32_t any_image();
  // The index of the first selection.
  std::uint32_t overlays(const Identity& identity, Hypothesis hypothesis);

 private:
  OperandMemory memory_;
  Launch& launch_;
  std::map<std::pair<std::string, Packing>, std::uint32_t> images_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::uint32_t> overlays_;
};

// A word whose operand lies between begin and identity: random mode, LBO, SBO, base offset and start.
std::uint64_t draw_word(const OperandMemory& memory, TileExtents extents, int element_bits, Major major,
                        std::span<const std::string_view> modes, const Target& target, Random& random);

// What D says of an operand of `extents` that was multiplied by the identity: for each element, row by row, the
// position its code names. `d` gives D[m][n] of a block of the plan.
struct ShownAt {
  std::int64_t selection = 0;
  int row = 0;  // of the identity
};
struct SeenThrough {
  OperandRole operand = OperandRole::a;
  TileExtents extents;
  std::vector<ShownAt> columns;  // of each k
  std::string_view dtype, d_type;
  int passes = 1;
};
// An identity shows its rows of k, one selection after the other.
std::vector<ShownAt> columns_shown(const Identity& identity, std::int64_t k);
using Accumulator = std::function<std::uint64_t(std::size_t block, int m, int n)>;
std::vector<std::int64_t> positions(const SeenThrough& seen, const Accumulator& d);

// Simulated hardware: shared memory as the kernel fills it, an operand read from it, and A times B.
ByteBuffer shared_memory(const Launch& launch, std::uint32_t image, std::uint32_t overlay);
std::vector<double> operand_values(std::span<const std::uint8_t> smem, Bytes begin, const OperandMap& map,
                                   std::string_view dtype, Packing packing = Packing::packed);
// A is M x K, B is N x K, D is M x N, all row by row.
std::vector<double> product(std::span<const double> a, std::span<const double> b, std::int64_t k);

// "byte 2208", "bit 3 of byte 17"
std::string place_name(std::int64_t bit);
// "(9, 8)"
std::string coordinate_name(std::int64_t index, TileExtents extents);
// "A K-major, 0x4000004000010042"
std::string operand_name(OperandRole operand, Major major, std::uint64_t word);

// The operand of a plan in JSON: {"of": "a"}, and {"major": "K", "word": "0x4000004000010042"} when it has a word.
OperandRole role_of(const Json& json);
void append_word(Json& json, Major major, std::uint64_t word);
std::pair<Major, std::uint64_t> word_of(const Json& json);

}  // namespace swz
