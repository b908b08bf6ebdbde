// SPDX-License-Identifier: Apache-2.0
#include "probe/access_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "probe/matrix_probe.hpp"
#include "probe/wavefront_probe.hpp"

namespace swz {

namespace {

constexpr int passes = 3;
constexpr std::int64_t margin = 128;
constexpr std::int64_t found_twice = unreadable - 1;

// The layout that kernels/access.cu reads.
struct Block {
  std::uint32_t image = 0, first_step = 0, steps = 0, registers = 0, window = 0, window_bytes = 0;
  std::uint64_t out = 0;
};

std::uint8_t digit(std::int64_t number, int pass) { return static_cast<std::uint8_t>(number >> (8 * pass)); }

// The bytes of one lane's registers; for cp.async, those of its source.
std::int64_t lane_bytes(const AccessInstruction& i) {
  return i.op == AccessOp::cp_async ? i.bytes : 4 * registers_of(i);
}

// A byte of a lane's piece.
struct PieceByte {
  int lane = 0, byte = 0;
};

// Indexed by lane * lane_bytes + byte of its registers. For an 8- or 16-bit access the upper bytes of a register have
// no byte of a piece.
std::vector<PieceByte> register_bytes(const AccessInstruction& i) {
  const auto each = static_cast<std::size_t>(lane_bytes(i));
  std::vector<PieceByte> out(warp_lanes * each, PieceByte{-1, 0});
  if (!i.is_matrix()) {
    for (int lane = 0; lane < warp_lanes; ++lane)
      for (int byte = 0; byte < i.bytes; ++byte)
        out[static_cast<std::size_t>(lane) * each + static_cast<std::size_t>(byte)] = {lane, byte};
    return out;
  }
  const Fragment f = fragment_of(require_matrix_form(i.name), Operand::memory);
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

// An operand and the walk over it. Its bytes are numbered in the order of global memory, in the direction of its
// pieces: along K row by row, or along the rows.
struct OperandWalk {
  const Placement& placement;
  const Target& target;
  std::vector<WalkStep> steps;
  const AccessInstruction& instruction;
  Major along;

  explicit OperandWalk(const AccessPlan& plan)
      : placement(*plan.placement),
        target(*plan.target),
        steps(walk(placement, plan.access).steps),
        instruction(*plan.access.instruction),
        along(plan.access.order == WalkOrder::matrices ? placement.major()
                                                       : require_pieces(placement, instruction).along) {}

  std::int64_t bytes() const {
    const TileExtents extents = placement.extents();
    return ceil_div(extents.mn * extents.k * placement.element_bits(), 8);
  }
  // The first bit of an element.
  std::int64_t bit(std::int64_t row, std::int64_t k) const {
    const TileExtents extents = placement.extents();
    return (along == Major::K ? row * extents.k + k : k * extents.mn + row) * placement.element_bits();
  }
  std::int64_t byte(const WalkStep& step, PieceByte at) const {
    const TileCoordinate element = coordinate(step, at.lane, placement);
    return bit(element.row, element.k) / 8 + at.byte;
  }
  // The bytes that go to the output after an access that writes, in whole 16 bytes.
  Window window() const {
    const std::int64_t begin = std::max((placement.begin().count - margin) / 16 * 16, target.reserved_smem.count);
    const std::int64_t end = std::min(ceil_div(placement.end().count + margin, 16) * 16, target.smem_window().count);
    return {begin, end - begin};
  }
  std::int64_t output_bytes() const {
    return is_load(instruction) ? std::ssize(steps) * warp_lanes * lane_bytes(instruction) : window().size;
  }
};

// The lanes of a pattern. Lanes without an address get one that does not matter. For matrices all lanes execute.
LaneAddresses lanes_of(const AccessPattern& pattern) {
  const AccessInstruction& i = *pattern.instruction;
  LaneAddresses out{i.is_matrix() ? ~std::uint32_t{0} : pattern.active, pattern.address};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    if ((pattern.lanes() >> lane & 1) == 0) out.address[lane] = pattern.address[0];
  return out;
}

// The registers of all steps, byte by byte: the byte of the operand that each has, or -1.
std::vector<std::int64_t> bytes_in_registers(const OperandWalk& w) {
  const std::vector<PieceByte> pieces = register_bytes(w.instruction);
  std::vector<std::int64_t> out;
  for (const WalkStep& step : w.steps)
    for (const PieceByte& piece : pieces) {
      const bool is_used = piece.lane >= 0 && (step.pattern.lanes() >> piece.lane & 1) != 0;
      out.push_back(is_used ? w.byte(step, piece) : -1);
    }
  return out;
}

using Passes = std::array<std::span<const std::uint8_t>, passes>;

// Where each byte of the operand was read or found.
Observation found_bytes(const OperandWalk& w, const Passes& seen) {
  Observation found(static_cast<std::size_t>(w.bytes()), unreadable);
  const auto number_at = [&](std::size_t i) { return seen[0][i] | seen[1][i] << 8 | seen[2][i] << 16; };
  if (is_load(w.instruction)) {
    const std::vector<std::int64_t> bytes = bytes_in_registers(w);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] >= 0) found[static_cast<std::size_t>(bytes[i])] = number_at(i);
    return found;
  }
  std::int64_t address = w.window().begin;
  for (std::size_t i = 0; i < seen[0].size(); ++i, ++address) {
    const auto number = static_cast<std::size_t>(number_at(i));
    if (number > found.size()) found[0] = found_twice;  // a byte that was never written spoils the first
    else if (number > 0) note_found(found[number - 1], address);
  }
  return found;
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
  return !is_of_bytes && i.op != AccessOp::atomic && (!i.name.ends_with(".trans") || element_bits == 16);
}

void note_found(std::int64_t& byte, std::int64_t address) { byte = byte == unreadable ? address : found_twice; }

Observation places_of_elements(const Placement& placement, const Observation& bytes,
                               const std::function<std::int64_t(std::int64_t row, std::int64_t k)>& first_bit) {
  Observation out;
  for (std::int64_t row = 0; row < placement.extents().mn; ++row)
    for (std::int64_t k = 0; k < placement.extents().k; ++k) {
      const std::int64_t bit = first_bit(row, k);
      const auto first = static_cast<std::size_t>(bit / 8);
      bool is_whole = bytes[first] >= 0;
      for (std::size_t b = 1; b < static_cast<std::size_t>(placement.element_bits() / 8); ++b)
        is_whole = is_whole && bytes[first + b] == bytes[first] + static_cast<std::int64_t>(b);
      out.push_back(is_whole ? bytes[first] * 8 + bit % 8 : unreadable);
    }
  return out;
}

Kernel kernel_of(const AccessPlan& plan) {
  const AccessInstruction& i = *plan.access.instruction;
  return {"access", i.op == AccessOp::cp_async ? copy_statement(i) : wavefront_statement(i)};
}

Launch launch_of(std::span<const AccessPlan> plans, Hypothesis) {
  const Target& target = *plans.front().target;
  const bool reads = is_load(*plans.front().access.instruction);
  Launch out;
  out.grid = static_cast<int>(plans.size()) * passes;
  out.dynamic_smem = target.max_smem_per_cta;
  out.scalars = {word32(target.reserved_smem.count), word32(target.max_smem_per_cta.count)};
  if (reads)
    for (int pass = 0; pass < passes; ++pass)
      for (std::int64_t byte = target.reserved_smem.count; byte < target.smem_window().count; ++byte)
        out.inputs[1].push_back(digit(byte, pass));
  else out.inputs[1].resize(static_cast<std::size_t>(target.max_smem_per_cta.count));
  for (const AccessPlan& plan : plans) {
    const OperandWalk w(plan);
    const Window window = w.window();
    const std::vector<std::int64_t> registers = bytes_in_registers(w);
    for (int pass = 0; pass < passes; ++pass) {
      append(out.inputs[0],
             Block{.image = word32(reads ? pass : 0),
                   .first_step = static_cast<std::uint32_t>(out.inputs[2].size() / sizeof(LaneAddresses)),
                   .steps = static_cast<std::uint32_t>(w.steps.size()),
                   .registers = static_cast<std::uint32_t>(out.inputs[3].size()),
                   .window = word32(window.begin - target.reserved_smem.count),
                   .window_bytes = word32(window.size),
                   .out = static_cast<std::uint64_t>(out.output_bytes)});
      out.output_bytes += w.output_bytes();
      if (!reads)
        for (const std::int64_t byte : registers)
          out.inputs[3].push_back(byte < 0 ? std::uint8_t{0} : digit(1 + byte, pass));
    }
    for (const WalkStep& step : w.steps) append(out.inputs[2], lanes_of(step.pattern));
  }
  return out;
}

Observations decode(std::span<const AccessPlan> plans, const ByteBuffer& output, Hypothesis) {
  std::span<const std::uint8_t> rest = output;
  Observations out;
  for (const AccessPlan& plan : plans) {
    const OperandWalk w(plan);
    const auto size = static_cast<std::size_t>(w.output_bytes());
    const Passes seen{rest.first(size), rest.subspan(size, size), rest.subspan(2 * size, size)};
    rest = rest.subspan(passes * size);
    out.push_back(places_of_elements(*plan.placement, found_bytes(w, seen),
                                     [&](std::int64_t row, std::int64_t k) { return w.bit(row, k); }));
  }
  return out;
}

}  // namespace swz
