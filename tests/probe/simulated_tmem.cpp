// SPDX-License-Identifier: Apache-2.0
// Tensor memory as the documents say that tcgen05.ld, st, cp and shift treat it: the formulas of PTX ISA 9.1 once more,
// without swz's tables. Under a hypothesis it does what that says.
#include <algorithm>

#include "simulated.hpp"

namespace swz {

namespace {

using enum Hypothesis;

constexpr int lanes = 128, columns = 512, pair = 2;

// Columns of 128 lanes, as the kernels fill and read them.
class Cells {
 public:
  Cells(std::span<const std::uint8_t> bytes, int first_column) : words_(bytes.size() / 4), first_(first_column) {
    std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::uint8_t*>(words_.data()));
  }
  std::uint32_t& at(int lane, int column) {
    return words_.at(static_cast<std::size_t>((column - first_) * lanes + lane));
  }
  void append_to(ByteBuffer& out) const {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(words_.data());
    out.insert(out.end(), bytes, bytes + words_.size() * 4);
  }

 private:
  std::vector<std::uint32_t> words_;
  int first_;
};

std::span<const std::uint8_t> piece(const ByteBuffer& bytes, std::size_t index, std::size_t size) {
  return std::span(bytes).subspan(index * size, size);
}

struct Cell {
  int lane = 0, column = 0;
};

// Register i of thread t, before packing: tables of 9.7.16.8.
Cell cell_of(const TmemAccessPlan& plan, int t, int i) {
  const std::string_view shape = plan.form.shape->name;
  const int g = t / 4, q = t % 4;
  if (shape == "16x64b") return {g + 8 * (t & 1), 2 * i + (t >> 1 & 1)};
  if (shape == "16x128b") return {g + 8 * (i & 1), q + 4 * (i >> 1)};
  if (shape == "16x256b") return {g + 8 * (i >> 1 & 1), 2 * q + (i & 1) + 8 * (i >> 2)};
  return {shape == "32x32b" ? t : t % 16, i};
}

struct AccessBlock {
  std::uint32_t contents, registers, warps;
  std::array<std::uint32_t, 4> addresses;
  std::uint32_t unused;
};

}  // namespace

ByteBuffer simulate(std::span<const TmemAccessPlan> plans, const Launch& launch, Hypothesis is) {
  const TmemForm& form = plans.front().form;
  const int count = form.registers();
  const bool packs = form.packs && is != pack_ignored;
  ByteBuffer output;
  for (std::size_t b = 0; b < static_cast<std::size_t>(launch.grid); ++b) {
    const auto block = read_at<AccessBlock>(launch.inputs[0], b * sizeof(AccessBlock));
    Cells cells(piece(launch.inputs[1], block.contents, lanes * columns * 4), 0);
    std::vector<std::uint32_t> registers(static_cast<std::size_t>((count + (form.reduction ? 1 : 0)) * 128));
    for (int thread = 0; thread < 128; ++thread)
      for (int i = 0; i < count; ++i) {
        const int warp = thread / 32;
        if ((block.warps >> warp & 1) == 0) continue;
        const auto at = static_cast<std::size_t>(i * 128 + thread);
        const std::uint32_t address = block.addresses[static_cast<std::size_t>(warp)];
        const Cell cell = cell_of(plans.front(), thread % 32, i);
        // The bits of the warp are those of the warp that executes.
        const int own = is == lane_bits_obeyed ? static_cast<int>(address >> 16 & 0x60) : 32 * warp;
        int lane = own + static_cast<int>(address >> 16 & 0x1f) + cell.lane;
        if (is == lanes_off_by_16) lane ^= 16;
        int further = form.has_split() && thread % 32 >= 16 ? plans.front().split() : 0;
        if (is == split_in_registers && packs) further *= 2;
        const auto column = [&](int c) { return (static_cast<int>(address & 0x1ff) + further + c) % columns; };
        if (form.stores)
          registers[at] = read_at<std::uint32_t>(launch.inputs[2], (block.registers * registers.size() + at) * 4);
        if (!packs) {
          if (form.stores) cells.at(lane, column(cell.column)) = registers[at];
          else registers[at] = cells.at(lane, column(cell.column));
          continue;
        }
        for (int half = 0; half < 2; ++half) {
          const int shift = 16 * (is == packed_halves_exchanged ? 1 - half : half);
          std::uint32_t& in_tmem = cells.at(lane, column(2 * cell.column + half));
          if (form.stores)
            in_tmem = (is == upper_cleared ? 0 : in_tmem & 0xffff0000) | (registers[at] >> shift & 0xffff);
          else registers[at] |= (in_tmem & 0xffff) << shift;
        }
      }
    // Of each thread, or of the two that share a lane.
    for (int thread = 0; form.reduction && thread < 128; ++thread) {
      const auto word = [&](int t, int i) -> std::uint32_t& {
        return registers[static_cast<std::size_t>(i * 128 + t)];
      };
      const int other = is == reduced_over_both_halves && form.has_split() ? thread ^ 16 : thread;
      std::uint32_t& redval = word(thread, count) = word(thread, 0);
      for (const int t : {thread, other})
        for (int i = 0; i < count; ++i)
          redval = form.reduction->is_max ? std::max(redval, word(t, i)) : std::min(redval, word(t, i));
    }
    if (form.stores) cells.append_to(output);
    else
      for (const std::uint32_t word : registers) append(output, word);
  }
  return output;
}

// --- tcgen05.cp and shift

namespace {

struct CopyBlock {
  std::uint64_t word;
  std::array<std::uint32_t, pair> images, contents;
  std::uint32_t address, first_column;
};

// The byte of shared memory where unit u of 16 bytes of row r lies: the K-major operand of 9.7.16.4.
std::int64_t unit_address(std::uint64_t word, int r, int u, Hypothesis is) {
  const auto field = [&](int bit) { return static_cast<std::int64_t>(word >> bit & 0x3fff) << 4; };
  const std::int64_t start = field(0), base_offset = static_cast<std::int64_t>(word >> 49 & 7);
  const std::int64_t lbo = is == strides_swapped ? field(32) : field(16);
  const std::int64_t sbo = is == strides_swapped ? field(16) : field(32);
  const auto code = static_cast<int>(word >> 61);
  const int width = code == 0 ? 16 : code == 6 ? 32 : code == 4 ? 64 : 128;
  const std::int64_t linear = start + r % 8 * width + r / 8 * sbo + (code == 0 ? u * lbo : u * 16);
  const std::int64_t line =
      ((is == relative_xor ? linear - start : linear) >> 7) + (is == base_offset_added ? base_offset : -base_offset);
  std::int64_t mask = width / 16 - 1;
  if (is == mask_off_by_one && mask > 0) --mask;
  return linear ^ (line & mask) << 4;
}

// Where row r goes, and its copies: 9.7.16.9.2.
std::vector<int> lanes_of(std::string_view shape, int base, int r, Hypothesis is) {
  std::vector<int> out;
  const bool exchanges = is == multicast_exchanged;
  if (shape.starts_with("4x256b")) out = {base + 32 * r};
  else if (shape.starts_with("64x128b"))
    out = shape.ends_with("02_13") != exchanges ? std::vector<int>{r, r + 64}
                                                : std::vector<int>{64 * (r / 32) + r % 32, 64 * (r / 32) + r % 32 + 32};
  else if (shape.starts_with("32x128b")) out = {r, r + 32, r + 64, r + 96};
  else out = {r};
  if (is == lanes_off_by_16)
    for (int& lane : out) lane ^= 16;
  return out;
}

// 16 bytes of a unit, decompressed or as they are.
std::array<std::uint8_t, 16> unit_of(const std::uint8_t* from, int bits, Hypothesis is) {
  std::array<std::uint8_t, 16> out = {};
  for (int e = 0; e < 16; ++e)
    for (int i = 0; i < bits; ++i) {
      const int bit = (is == nibbles_exchanged && bits == 4 ? e ^ 1 : e) * bits + i;
      const int usual = bits == 4 ? 2 : 0, other = bits == 6 ? 1 : 0;
      const int to = i + (is == container_elsewhere ? other : usual);
      out[static_cast<std::size_t>(e)] |= static_cast<std::uint8_t>((from[bit / 8] >> bit % 8 & 1) << to);
    }
  return out;
}

void append_window(ByteBuffer& output, const Cells& cells) {
  output.push_back(1);
  output.resize(output.size() + 15);
  cells.append_to(output);
}

}  // namespace

ByteBuffer simulate(std::span<const TmemCopyPlan> plans, const Launch& launch, Hypothesis is) {
  const std::string name = copy_name(plans.front());
  const bool is_256 = name.find("x256b") != std::string::npos;
  const int bits = name.ends_with("b4x16_p64") ? 4 : name.ends_with("b6x16_p32") ? 6 : 8;
  const std::string shape = name.substr(0, name.find(".b8x16"));
  const int rows = shape.starts_with("128x") ? 128 : shape.starts_with("64x") ? 64 : shape.starts_with("32x") ? 32 : 4;
  const std::size_t image_bytes = launch.scalars[1], window_bytes = launch.scalars[3] * lanes * 4;
  ByteBuffer output;
  for (int b = 0; b < launch.grid; ++b) {
    const auto block =
        read_at<CopyBlock>(launch.inputs[0], static_cast<std::size_t>(b / launch.cluster) * sizeof(CopyBlock));
    const auto rank = static_cast<std::size_t>(b % launch.cluster), from = is == copied_from_issuer ? 0 : rank;
    const auto smem = piece(launch.inputs[1], block.images[from], image_bytes);
    Cells cells(piece(launch.inputs[2], block.contents[rank], window_bytes), static_cast<int>(block.first_column));
    for (int r = 0; r < rows; ++r)
      for (int u = 0; u < (is_256 ? 2 : 1); ++u) {
        const std::int64_t at = unit_address(block.word, r, u, is) - launch.scalars[0];
        // Beyond what the probe has, hardware that makes a mistake reads zeros.
        constexpr std::array<std::uint8_t, 16> zeros = {};
        const bool is_there = at >= 0 && at + 16 <= std::ssize(smem);
        const auto unit = unit_of(is_there ? smem.data() + at : zeros.data(), bits, is);
        for (const int lane : lanes_of(shape, static_cast<int>(block.address >> 16), r, is))
          for (int word = 0; word < 4; ++word)
            cells.at(lane, static_cast<int>(block.address & 0x1ff) + 4 * u + word) =
                read_at<std::uint32_t>(unit, static_cast<std::size_t>(4 * word));
      }
    append_window(output, cells);
  }
  return output;
}

ByteBuffer simulate(std::span<const TmemShiftPlan>, const Launch& launch, Hypothesis is) {
  const std::size_t window_bytes = launch.scalars[3] * lanes * 4;
  ByteBuffer output;
  for (std::size_t b = 0; b < static_cast<std::size_t>(launch.grid); ++b) {
    const auto block = read_at<CopyBlock>(launch.inputs[0], b * sizeof(CopyBlock));
    const Cells before(piece(launch.inputs[2], block.contents[0], window_bytes), static_cast<int>(block.first_column));
    Cells was = before, cells = before;
    const int quarter = static_cast<int>(block.address >> 16) / 32;
    int first = static_cast<int>(block.address & 0x1ff);
    if (is == shift_of_aligned_columns) first -= first % 8;
    for (int column = first; column < first + 8; ++column)
      for (int lane = 0; lane < lanes - 1; ++lane) {
        if (is == shift_of_one_quarter && lane / 32 != quarter) continue;
        if (lane % 32 == 31 && is != shift_across_quarters) continue;
        if (is == shift_upwards) cells.at(lane + 1, column) = was.at(lane, column);
        else cells.at(lane, column) = was.at(lane + 1, column);
      }
    append_window(output, cells);
  }
  return output;
}

// --- the bytes of a load

namespace {

// Of cuda.h; of PTX 9.7.9.27.1.1 under that hypothesis.
bool driver_takes(const TxBytesPlan& plan, Hypothesis is) {
  switch (plan.swizzle) {
    case TensorMapSwizzle::none:
    case TensorMapSwizzle::b128:
    case TensorMapSwizzle::b128_atom_32: return true;
    case TensorMapSwizzle::b128_atom_64: return plan.type == TensorMapDataType::u6_align16 || is == ptx_swizzles;
    default: return false;
  }
}

}  // namespace

ByteBuffer simulate(std::span<const TxBytesPlan> plans, const Launch& launch, Hypothesis is) {
  struct Block {
    std::uint32_t map, rank, to, expect;
  };
  ByteBuffer output;
  for (std::size_t b = 0; b < static_cast<std::size_t>(launch.grid); ++b) {
    const auto block = read_at<Block>(launch.inputs[0], b * sizeof(Block));
    const TxBytesPlan& plan = plans[block.map];
    // 128 elements of a row are 64 or 96 bytes of the tensor, 128 in shared memory.
    const int row = is == padding_counted ? 128 : plan.type == TensorMapDataType::u4_align16 ? 64 : 96;
    const int rows = plan.rows - (is == outside_not_counted ? plan.outside : 0);
    if (block.rank == 0) output.push_back(static_cast<std::uint8_t>(block.expect));
    else if (!driver_takes(plan, is)) output.push_back(2);
    else output.push_back(block.expect == static_cast<std::uint32_t>(rows * row) ? 1 : 0);
    output.resize(output.size() + 15);
  }
  return output;
}

}  // namespace swz
