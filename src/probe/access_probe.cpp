#include "probe/access_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "probe/matrix_probe.hpp"
#include "probe/observation.hpp"
#include "probe/wavefront_probe.hpp"
#include "smem/walk.hpp"

namespace swz {

namespace {

constexpr int passes = 3;
constexpr std::int64_t margin = 128;

// As kernels/access.cu reads them.
struct Block {
  std::uint32_t image = 0, first_step = 0, steps = 0, registers = 0, window = 0, window_bytes = 0;
  std::uint64_t out = 0;
};
struct Lanes {
  std::uint32_t active = 0;
  std::array<std::uint32_t, warp_lanes> address = {};
};

std::uint8_t digit(std::int64_t number, int pass) { return static_cast<std::uint8_t>(number >> (8 * pass)); }

// Bytes of one lane's registers; of cp.async, of its source.
std::int64_t lane_bytes(const AccessInstruction& i) {
  return i.op == AccessOp::cp_async ? i.bytes : 4 * registers_of(i);
}

// Which byte of which lane's piece.
struct PieceByte {
  int lane = 0, byte = 0;
};

// [lane * lane_bytes + byte of its registers]; of an 8- or 16-bit access the upper bytes of a register hold
// nothing.
std::vector<PieceByte> register_bytes(const AccessInstruction& i) {
  const auto each = static_cast<std::size_t>(lane_bytes(i));
  std::vector<PieceByte> out(warp_lanes * each, PieceByte{-1, 0});
  if (!i.is_matrix()) {
    for (int lane = 0; lane < warp_lanes; ++lane)
      for (int byte = 0; byte < i.bytes; ++byte)
        out[static_cast<std::size_t>(lane) * each + static_cast<std::size_t>(byte)] = {lane, byte};
    return out;
  }
  const Fragment f = fragment_of(matrix_sync_instruction(i.name), Operand::memory);
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      const RegisterSlot slot = f.slot(value);
      const std::size_t first =
          static_cast<std::size_t>(thread) * each + static_cast<std::size_t>(slot.index * 4 + slot.first_bit / 8);
      for (int byte = 0; byte < f.bits / 8; ++byte)
        out[first + static_cast<std::size_t>(byte)] = {at.row, at.column * f.bits / 8 + byte};
    }
  return out;
}

// The bytes of an operand in the order of global memory, as its pieces run: along K row by row, or along the rows.
class OperandBytes {
 public:
  explicit OperandBytes(const OperandWalk& w)
      : extents_(w.placement->extents()),
        bits_(w.placement->element_bits()),
        along_(w.walk.access.order == WalkOrder::matrices
                   ? w.placement->major()
                   : require_pieces(*w.placement, *w.walk.access.instruction).along) {}

  std::int64_t count() const { return ceil_div(extents_.mn * extents_.k * bits_, 8); }
  // The first bit of an element.
  std::int64_t bit(std::int64_t row, std::int64_t k) const {
    return (along_ == Major::K ? row * extents_.k + k : k * extents_.mn + row) * bits_;
  }
  std::int64_t byte(const WalkStep& step, PieceByte at) const {
    const std::int64_t element = step.element[static_cast<std::size_t>(at.lane)];
    return bit(element / extents_.k, element % extents_.k) / 8 + at.byte;
  }

 private:
  TileExtents extents_;
  int bits_;
  Major along_;
};

struct Window {
  std::int64_t begin = 0, size = 0;
};

// Whole 16 bytes.
Window window_of(const Placement& p, const Target& target) {
  const std::int64_t begin = std::max((p.begin().count - margin) / 16 * 16, target.reserved_smem.count);
  const std::int64_t end = std::min(ceil_div(p.end().count + margin, 16) * 16, target.smem_window().count);
  return {begin, end - begin};
}

std::int64_t output_bytes(const OperandWalk& w, const Target& target) {
  const AccessInstruction& i = *w.walk.access.instruction;
  return is_load(i) ? static_cast<std::int64_t>(w.walk.steps.size()) * warp_lanes * lane_bytes(i)
                    : window_of(*w.placement, target).size;
}

// Lanes without an address of their own have one that does not matter. Of matrices all lanes execute.
Lanes lanes_of(const AccessPattern& pattern) {
  const AccessInstruction& i = *pattern.instruction;
  Lanes out{i.is_matrix() ? ~std::uint32_t{0} : pattern.active, pattern.address};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    if ((pattern.lanes() >> lane & 1) == 0) out.address[lane] = pattern.address[0];
  return out;
}

// The registers of all steps: what the lanes store.
ByteBuffer source_bytes(const OperandWalk& w, int pass) {
  const AccessInstruction& i = *w.walk.access.instruction;
  const std::vector<PieceByte> pieces = register_bytes(i);
  const OperandBytes operand(w);
  ByteBuffer out;
  for (const WalkStep& step : w.walk.steps)
    for (const PieceByte& piece : pieces) {
      const bool is_used = piece.lane >= 0 && (step.pattern.lanes() >> piece.lane & 1) != 0;
      out.push_back(is_used ? digit(1 + operand.byte(step, piece), pass) : std::uint8_t{0});
    }
  return out;
}

using Passes = std::array<std::span<const std::uint8_t>, passes>;

std::int64_t number_at(const Passes& seen, std::size_t i) {
  return seen[0][i] | seen[1][i] << 8 | seen[2][i] << 16;
}

// Where each byte of the operand was read or found.
std::vector<std::int64_t> read_at_bytes(const OperandWalk& w, const Passes& seen) {
  const std::vector<PieceByte> pieces = register_bytes(*w.walk.access.instruction);
  const OperandBytes operand(w);
  std::vector<std::int64_t> found(static_cast<std::size_t>(operand.count()), unreadable);
  std::size_t at = 0;
  for (const WalkStep& step : w.walk.steps)
    for (const PieceByte& piece : pieces) {
      const std::size_t i = at++;
      if (piece.lane < 0 || (step.pattern.lanes() >> piece.lane & 1) == 0) continue;
      found[static_cast<std::size_t>(operand.byte(step, piece))] = number_at(seen, i);
    }
  return found;
}

std::vector<std::int64_t> found_at_bytes(const OperandWalk& w, const Window& window, const Passes& seen) {
  std::vector<std::int64_t> found(static_cast<std::size_t>(OperandBytes(w).count()), unreadable);
  std::vector<bool> is_twice(found.size());
  for (std::size_t i = 0; i < seen[0].size(); ++i) {
    const auto number = static_cast<std::size_t>(number_at(seen, i));
    if (number == 0) continue;
    const std::size_t byte = number <= found.size() ? number - 1 : 0;  // what was never written spoils the first
    is_twice[byte] = number > found.size() || found[byte] != unreadable || is_twice[byte];
    found[byte] = window.begin + static_cast<std::int64_t>(i);
  }
  for (std::size_t byte = 0; byte < found.size(); ++byte)
    if (is_twice[byte]) found[byte] = unreadable;
  return found;
}

std::vector<std::int64_t> element_bits_at(const OperandWalk& w, const std::vector<std::int64_t>& found) {
  const OperandBytes operand(w);
  const TileExtents extents = w.placement->extents();
  std::vector<std::int64_t> out;
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) {
      const std::int64_t first_bit = operand.bit(row, k);
      const auto first = static_cast<std::size_t>(first_bit / 8);
      bool is_whole = found[first] != unreadable;
      for (std::size_t b = 1; b < static_cast<std::size_t>(w.placement->element_bits() / 8); ++b)
        is_whole = is_whole && found[first + b] == found[first] + static_cast<std::int64_t>(b);
      out.push_back(is_whole ? found[first] * 8 + first_bit % 8 : unreadable);
    }
  return out;
}

std::string copy_statement(const AccessInstruction& i) {
  return fmt::format(
      "#define IS_STORE 1\n#define IS_COPY 1\n#define REGISTERS {}\n"
      "__device__ inline void access(unsigned address, const unsigned char* from, unsigned on) {{\n"
      "  asm volatile(\"{{ .reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], {}; }}\"\n"
      "               :\n               : \"r\"(address), \"l\"(from), \"r\"(on)\n               : "
      "\"memory\");\n}}\n",
      i.bytes / 4, i.bytes);
}

}  // namespace

bool may_ask(const AccessInstruction& i, int element_bits) {
  const bool is_of_bytes = i.is_matrix() && i.name.find(".m") != std::string_view::npos;
  return !is_of_bytes && (!i.name.ends_with(".trans") || element_bits == 16);
}

Kernel access_kernel(const AccessInstruction& i) {
  return {"access", i.op == AccessOp::cp_async ? copy_statement(i) : wavefront_statement(i)};
}

Launch access_launch(std::span<const OperandWalk> walks, const Target& target) {
  const AccessInstruction& instruction = *walks.front().walk.access.instruction;
  Launch out;
  out.kernel = access_kernel(instruction);
  out.grid = static_cast<int>(walks.size()) * passes;
  out.dynamic_smem = target.max_smem_per_cta;
  out.scalars = {word32(target.reserved_smem.count), word32(target.max_smem_per_cta.count)};
  if (is_load(instruction))
    for (int pass = 0; pass < passes; ++pass)
      for (std::int64_t byte = target.reserved_smem.count; byte < target.smem_window().count; ++byte)
        out.inputs[1].push_back(digit(byte, pass));
  else out.inputs[1].resize(static_cast<std::size_t>(target.max_smem_per_cta.count));
  std::uint32_t first_step = 0;
  for (const OperandWalk& w : walks) {
    const Window window = window_of(*w.placement, target);
    for (const WalkStep& step : w.walk.steps) append(out.inputs[2], lanes_of(step.pattern));
    for (int pass = 0; pass < passes; ++pass) {
      append(out.inputs[0], Block{.image = word32(is_load(instruction) ? pass : 0),
                                  .first_step = first_step,
                                  .steps = static_cast<std::uint32_t>(w.walk.steps.size()),
                                  .registers = static_cast<std::uint32_t>(out.inputs[3].size()),
                                  .window = word32(window.begin - target.reserved_smem.count),
                                  .window_bytes = word32(window.size),
                                  .out = static_cast<std::uint64_t>(out.output_bytes)});
      out.output_bytes += output_bytes(w, target);
      if (!is_load(instruction)) append_bytes(out.inputs[3], source_bytes(w, pass));
    }
    first_step += static_cast<std::uint32_t>(w.walk.steps.size());
  }
  return out;
}

std::vector<std::vector<std::int64_t>> accessed(std::span<const OperandWalk> walks, const Target& target,
                                                const ByteBuffer& output) {
  std::span<const std::uint8_t> rest = output;
  std::vector<std::vector<std::int64_t>> out;
  for (const OperandWalk& w : walks) {
    const auto size = static_cast<std::size_t>(output_bytes(w, target));
    const Passes seen{rest.first(size), rest.subspan(size, size), rest.subspan(2 * size, size)};
    rest = rest.subspan(passes * size);
    out.push_back(element_bits_at(w, is_load(*w.walk.access.instruction)
                                         ? read_at_bytes(w, seen)
                                         : found_at_bytes(w, window_of(*w.placement, target), seen)));
  }
  return out;
}

}  // namespace swz
