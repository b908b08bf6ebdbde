// SPDX-License-Identifier: Apache-2.0
#include "simulated.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/checked.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "probe/access_probe.hpp"
#include "probe/operand_probe.hpp"
#include "smem/access.hpp"

namespace swz {

// --- numbers

namespace {

// x * 2^exponent.
double scaled(double x, int exponent) {
  constexpr int step = 1000;
  for (; exponent > step; exponent -= step) x *= 0x1p1000;
  for (; exponent < -step; exponent += step) x *= 0x1p-1000;
  return x * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// magnitude is in [2^exponent, 2^(exponent + 1)); below the normal numbers -1023.
int exponent_of(double magnitude) { return static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023; }

}  // namespace

double number_of(std::uint64_t bits, const ElementFormat& f) {
  if (!f.is_floating()) {
    const std::uint64_t pattern = f.width == 64 ? bits : bits & ((1ULL << f.width) - 1);
    const bool is_negative = f.is_signed && ((pattern >> (f.width - 1)) & 1U) != 0;
    return static_cast<double>(pattern) - (is_negative ? scaled(1.0, f.width) : 0.0);
  }
  const int mantissa_width = f.mantissa_bits();
  const int bias = f.bias();
  // An MMA reads a tf32 without its low 13 bits.
  const std::uint64_t read = f.name == "tf32" ? bits & ~0x1fffULL : bits;
  const auto mantissa = static_cast<double>(read & ((1ULL << mantissa_width) - 1));
  const auto exponent = static_cast<int>((read >> mantissa_width) & ((1ULL << f.exponent_bits) - 1));
  const double sign = ((read >> (f.width - 1)) & 1U) != 0 ? -1.0 : 1.0;
  if (exponent == 0) return sign * scaled(mantissa, 1 - bias - mantissa_width);
  return sign * scaled(1.0 + scaled(mantissa, -mantissa_width), exponent - bias);
}

std::uint64_t bits_of(double value, const ElementFormat& f) {
  const std::uint64_t width_mask = f.width == 64 ? ~0ULL : (1ULL << f.width) - 1;
  if (!f.is_floating()) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & width_mask;
  if (value == 0.0) return 0;
  const int mantissa_width = f.mantissa_bits();
  const int bias = f.bias();
  const double magnitude = std::fabs(value);
  const int exponent = exponent_of(magnitude);
  const std::uint64_t sign = value < 0 ? 1ULL << (f.width - 1) : 0;
  const int biased = exponent + bias;
  if (biased < 1)  // subnormal
    return sign | static_cast<std::uint64_t>(scaled(magnitude, bias - 1 + mantissa_width));
  const auto mantissa = static_cast<std::uint64_t>(scaled(scaled(magnitude, -exponent) - 1.0, mantissa_width));
  return sign | (static_cast<std::uint64_t>(biased) << mantissa_width) | mantissa;
}

// --- operands

namespace {

ByteBuffer shared_memory(const Launch& launch, std::uint32_t image, std::uint32_t overlay) {
  const auto size = static_cast<std::size_t>(launch.scalars[1]);
  const auto overlay_size = static_cast<std::size_t>(launch.scalars[2]);
  const auto from = launch.inputs[1].begin() + static_cast<std::ptrdiff_t>(image * size);
  ByteBuffer smem(from, from + static_cast<std::ptrdiff_t>(size));
  const auto top = launch.inputs[2].begin() + static_cast<std::ptrdiff_t>(overlay * overlay_size);
  std::copy_n(top, overlay_size, smem.begin() + static_cast<std::ptrdiff_t>(launch.scalars[3]));
  return smem;
}

std::vector<double> operand_values(std::span<const std::uint8_t> smem, Bytes begin, const OperandMap& map,
                                   std::string_view dtype, Packing packing = Packing::packed) {
  const ElementFormat& format = element_format(dtype);
  const DType& type = require_dtype(dtype);
  const int width = value_bits(type, packing);
  const auto end = static_cast<std::int64_t>(smem.size()) * 8;
  std::vector<double> values;
  for (const std::int64_t place : map.places) {
    const std::int64_t bit = value_bit(place - begin.count * 8, type, packing);
    const bool is_there = bit >= 0 && bit + width <= end;
    values.push_back(is_there ? number_of(read_bits(smem, bit, width), format) : 0.0);
  }
  return values;
}

std::vector<double> product(std::span<const double> a, std::span<const double> b, std::int64_t k) {
  const auto depth = static_cast<std::size_t>(k);
  const std::size_t m = a.size() / depth, n = b.size() / depth;
  std::vector<double> d(m * n);
  // One of the two is the identity: only what is not zero is multiplied.
  const bool is_a_identity = std::ranges::count(a, 0.0) * static_cast<std::ptrdiff_t>(b.size()) >
                             std::ranges::count(b, 0.0) * static_cast<std::ptrdiff_t>(a.size());
  const std::span<const double> few = is_a_identity ? a : b;
  const std::span<const double> many = is_a_identity ? b : a;
  for (std::size_t i = 0; i < few.size(); ++i) {
    if (few[i] == 0.0) continue;
    const std::size_t row = i / depth;
    for (std::size_t other = 0; other < many.size() / depth; ++other)
      d[is_a_identity ? row * n + other : other * n + row] += few[i] * many[other * depth + i % depth];
  }
  return d;
}

// Of B of a sparse wgmma, the k that the compressed A meets.
std::vector<double> kept(std::span<const double> b, TileExtents extents, int element_bits, std::uint32_t metadata) {
  const int word = metadata == metadata_words[1] ? 1 : 0;
  std::vector<double> out;
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t i = 0; i < extents.k / 2; ++i)
      out.push_back(b[static_cast<std::size_t>(row * extents.k + kept_k(element_bits, {word, i}))]);
  return out;
}

// The elements of an operand in registers, by index.
std::vector<double> register_values(const RegisterTable& table, std::span<const std::uint8_t> image) {
  const ElementFormat& format = element_format(table.fragment().dtype);
  const int shift = container_shift(table.fragment());
  std::vector<double> out;
  for (int index = 0; index < table.elements(); ++index)
    out.push_back(number_of(table.element(image, index) >> shift, format));
  return out;
}

// D of M x N, row by row, as the registers of one block.
void append_d(ByteBuffer& out, const WgmmaInstruction& instruction, const std::vector<double>& d) {
  const ElementFormat& format = element_format(instruction.d_type);
  append_bytes(out, register_image(fragment_of(instruction, Operand::d), [&](Coordinate at) {
                 return bits_of(d[static_cast<std::size_t>(at.row * instruction.n + at.column)], format);
               }));
}

struct WgmmaBlock {
  std::uint64_t a, b;
  std::uint32_t image, overlay, registers, transposed, metadata, unused;
};

}  // namespace

ByteBuffer simulate(std::span<const WgmmaPlan> plans, const Launch& launch) {
  const WgmmaInstruction& instruction = plans.front().instruction;
  const MmaInstruction& row = row_of(instruction);
  const TileExtents b_extents{instruction.n, depth_of(instruction)};
  std::optional<RegisterTable> table;
  if (instruction.a_in_registers) table.emplace(fragment_of(instruction, Operand::a));
  ByteBuffer output;
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<WgmmaBlock>(launch.inputs[0], i * sizeof(WgmmaBlock));
    const ByteBuffer smem = shared_memory(launch, block.image, block.overlay);
    const auto operand = [&](std::uint64_t word, TileExtents extents, bool is_mn, const std::string& dtype) {
      const OperandMap map =
          operand_map(SmemDescriptor(word, sm_90a()), extents, row.bits, is_mn ? Major::MN : Major::K);
      return operand_values(smem, wgmma_memory().begin, map, dtype);
    };
    std::vector<double> a;
    if (table) a = register_values(*table, std::span(launch.inputs[3]).subspan(block.registers * table->image_bytes()));
    else a = operand(block.a, {64, row.k}, (block.transposed & 1U) != 0, instruction.a_type);
    std::vector<double> b = operand(block.b, b_extents, (block.transposed & 2U) != 0, instruction.b_type);
    if (instruction.sparse) b = kept(b, b_extents, row.bits, block.metadata);
    append_d(output, instruction, product(a, b, row.k));
  }
  return output;
}

// --- tcgen05

namespace {

struct Tcgen05Block {
  std::uint64_t a, b;
  std::uint32_t image, overlay, idesc, columns, first_column, unused;
};

}  // namespace

ByteBuffer simulate(std::span<const Tcgen05Plan> plans, const Launch& launch) {
  constexpr std::size_t lanes = 128;
  const Target& sm_100a = require_target("sm_100a");
  const MmaKind kind = plans.front().instruction.kind;  // the kernel's; all else is in the launch
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<Tcgen05Block>(launch.inputs[0], i * sizeof(Tcgen05Block));
    const InstructionDescriptor idesc(block.idesc, kind, sm_100a);
    const ByteBuffer smem = shared_memory(launch, block.image, block.overlay);
    const auto operand = [&](std::uint64_t word, int rows, FieldId type, FieldId transposed) {
      const std::string_view dtype = idesc.type(type)->dtype;
      const Major major = idesc.flag(transposed) ? Major::MN : Major::K;
      const OperandMap map = operand_map(SmemDescriptor(word, sm_100a), {rows, idesc.k()},
                                         element_bits(require_dtype(dtype), packing_of(dtype)), major);
      return operand_values(smem, tcgen05_memory().begin, map, dtype, packing_of(dtype));
    };
    const std::vector<double> d =
        product(operand(block.a, idesc.m(), FieldId::a_type, FieldId::transpose_a),
                operand(block.b, idesc.n(), FieldId::b_type, FieldId::transpose_b), idesc.k());

    const auto out = std::span(output).subspan(std::size_t{block.first_column} * lanes * 4);
    const auto write = [&](std::size_t at, std::uint32_t bits) {
      __builtin_memcpy(out.data() + at, &bits, sizeof bits);
    };
    for (std::size_t word = 0; word < std::size_t{block.columns} * lanes; ++word) write(word * 4, launch.scalars[5]);
    for (int m = 0; m < idesc.m(); ++m)
      for (int n = 0; n < idesc.n(); ++n)
        write((static_cast<std::size_t>(n) * lanes + static_cast<std::size_t>(tmem_lane(idesc.m(), m))) * 4,
              static_cast<std::uint32_t>(
                  bits_of(d[static_cast<std::size_t>(m * idesc.n() + n)], idesc.type(FieldId::d_type)->dtype)));
  }
  return output;
}

// --- mma

ByteBuffer simulate(std::span<const MmaPlan> plans, const Launch& launch) {
  const MmaSyncInstruction& i = plans.front().instruction;
  const RegisterTable a(fragment_of(i, Operand::a)), b(fragment_of(i, Operand::b));
  const RegisterTable c(fragment_of(i, Operand::c)), d(fragment_of(i, Operand::d));
  const auto values = [&](const RegisterTable& table, std::size_t input, std::size_t block) {
    return register_values(table, std::span(launch.inputs[input]).subspan(block * table.image_bytes()));
  };
  ByteBuffer output;
  for (std::size_t block = 0; block < static_cast<std::size_t>(launch.grid); ++block) {
    const std::vector<double> as = values(a, 0, block);
    const std::vector<double> bs = values(b, 1, block);
    const std::vector<double> cs = values(c, 2, block);
    append_bytes(output, register_image(d.fragment(), [&](Holder holder) {
                   const auto [tile, at] = d.coordinate(holder);
                   double sum = cs[static_cast<std::size_t>(c.index({tile, at}))];
                   for (int k = 0; k < i.a_row->k; ++k) {
                     const double x = as[static_cast<std::size_t>(a.index({tile, {at.row, k}}))];
                     const double y = bs[static_cast<std::size_t>(b.index({tile, {k, at.column}}))];
                     sum += i.counts_xor ? std::fabs(x - y) : x * y;
                   }
                   return bits_of(sum, i.d_type);
                 }));
  }
  return output;
}

// --- ldmatrix, stmatrix, movmatrix

namespace {

struct MatrixBlock {
  std::uint32_t of_input;
  std::array<std::uint32_t, 32> addresses;
};

void simulate_store(const MatrixPlan& plan, const MatrixBlock& block, const Launch& launch, ByteBuffer& output) {
  const Fragment f = plan.fragment(Operand::memory);
  const MatrixMemory memory = plan.memory();
  const RegisterTable table(f);
  const auto registers = std::span(launch.inputs[2]).subspan(block.of_input * table.image_bytes());
  const ByteBuffer& image = launch.inputs[1];
  ByteBuffer smem = image;
  const std::int64_t begin = memory.begin.count;
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      const std::int64_t address = block.addresses[static_cast<std::size_t>(at.row)];
      write_bits(smem, memory.bit(address - begin, at.column), memory.element.width,
                 table.element(registers, table.index({0, at})));
    }
  for (const std::uint32_t address : block.addresses) {
    const auto line = smem.begin() + (address - begin);
    output.insert(output.end(), line, line + line_bytes);
  }
  ByteBuffer changed(static_cast<std::size_t>(ceil_div(memory.lines(), 128) * 16));
  for (std::int64_t line = 0; line < memory.lines(); ++line) {
    const std::int64_t at = line * line_bytes;
    const bool is_same = std::equal(smem.begin() + at, smem.begin() + at + line_bytes, image.begin() + at);
    write_bits(changed, line, 1, is_same ? 0 : 1);
  }
  output.insert(output.end(), changed.begin(), changed.end());
}

void simulate_load(const MatrixPlan& plan, const MatrixBlock& block, const Launch& launch, ByteBuffer& output) {
  const Fragment f = plan.fragment(Operand::memory);
  const MatrixMemory memory = plan.memory();
  const auto size = static_cast<std::size_t>(memory.size.count);
  const auto image = std::span(launch.inputs[1]).subspan(block.of_input * size, size);
  append_bytes(output, register_image(f, [&](Coordinate at) {
                 const std::int64_t address = block.addresses[static_cast<std::size_t>(at.row)];
                 return read_bits(image, memory.bit(address - memory.begin.count, at.column), memory.element.width);
               }));
}

void simulate_move(const MatrixPlan& plan, std::size_t block, const Launch& launch, ByteBuffer& output) {
  const Fragment from = plan.fragment(Operand::a), to = plan.fragment(Operand::d);
  const RegisterTable table(from);
  const auto registers = std::span(launch.inputs[0]).subspan(block * table.image_bytes());
  append_bytes(output, register_image(to, [&](Coordinate at) {
                 return table.element(registers, table.index({0, at}));
               }));
}

}  // namespace

ByteBuffer simulate(std::span<const MatrixPlan> plans, const Launch& launch) {
  const MatrixPlan& plan = plans.front();
  ByteBuffer output;
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    if (plan.is(InstructionFamily::movmatrix)) {
      simulate_move(plan, i, launch, output);
      continue;
    }
    const auto block = read_at<MatrixBlock>(launch.inputs[0], i * sizeof(MatrixBlock));
    if (plan.is(InstructionFamily::stmatrix)) simulate_store(plan, block, launch, output);
    else simulate_load(plan, block, launch, output);
  }
  return output;
}

// --- TMA

namespace {

// What shared memory holds before the load of each pass.
constexpr std::array<std::uint8_t, 4> before{0x11, 0x22, 0x33, 0x44};
constexpr std::size_t tensor_bytes = 1 << 20;

// The byte of shared memory that a pass shows where byte `from` of the map's tensor lies, or its other meaning.
std::uint8_t loaded(std::int64_t from, const TensorMap& map, std::size_t pass, const Launch& launch) {
  if (from == untouched_byte) return before[pass];
  if (from == filled_byte) return 0;
  if (from < 0) return static_cast<std::uint8_t>(nan_byte - from);
  return launch.inputs[2][pass * tensor_bytes + static_cast<std::size_t>(from) + map.global_address];
}

}  // namespace

ByteBuffer simulate(std::span<const TmaPlan> plans, const Launch& launch) {
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  const auto stride = static_cast<std::size_t>(16 + launch.scalars[2]);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Observation image = expected(plans[i]);
    for (std::size_t pass = 0; pass < before.size(); ++pass) {
      const std::size_t block = (i * before.size() + pass) * stride;
      output[block] = 1;
      for (std::size_t byte = 0; byte < image.size(); ++byte)
        output[block + 16 + byte] = loaded(image[byte], plans[i].map, pass, launch);
    }
  }
  return output;
}

// --- im2col and interleaved loads, stores and reductions

namespace {

template <class Plan>
ByteBuffer simulate_copies(std::span<const Plan> plans, const Launch& launch) {
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  const auto stride = static_cast<std::size_t>(16 + launch.scalars[2]);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Observation image = expected(plans[i]);
    for (std::size_t pass = 0; pass < before.size(); ++pass) {
      const std::size_t block = (i * before.size() + pass) * stride;
      const auto counted = static_cast<std::uint32_t>(image[0]);
      __builtin_memcpy(output.data() + block, &counted, sizeof counted);
      for (std::size_t byte = 0; byte + 1 < image.size(); ++byte)
        output[block + 16 + byte] = loaded(image[byte + 1], plans[i].map.tensor, pass, launch);
    }
  }
  return output;
}

// As kernels/reduce.cu reads it.
struct ReduceBlock {
  std::uint32_t map, rank, op, times;
  std::array<std::int32_t, 5> start;
  std::uint32_t to, image, image_bytes, box;
};

// The operation on one element of integers, or of numbers that every floating type holds.
std::uint64_t result_of(ReduceOp op, std::uint64_t old, std::uint64_t code, const TensorMapDataTypeRow& type) {
  const auto name = type.short_name;
  const bool is_floating = type.is_floating;
  const auto number = [&](std::uint64_t bits) {
    return is_floating ? number_of(bits, name) : static_cast<double>(bits);
  };
  switch (op) {
    case ReduceOp::store: return code;
    case ReduceOp::add: return is_floating ? bits_of(number(old) + number(code), name) : old + code;
    case ReduceOp::min: return number(old) < number(code) ? old : code;
    case ReduceOp::max: return number(old) > number(code) ? old : code;
    case ReduceOp::band: return old & code;
    case ReduceOp::bor: return old | code;
    case ReduceOp::bxor: return old ^ code;
    case ReduceOp::inc: return old >= code ? 0 : old + 1;
    case ReduceOp::dec: return old == 0 || old > code ? code : old - 1;
  }
  return old;
}

}  // namespace

ByteBuffer simulate(std::span<const Im2colPlan> plans, const Launch& launch) { return simulate_copies(plans, launch); }
ByteBuffer simulate(std::span<const InterleavePlan> plans, const Launch& launch) {
  return simulate_copies(plans, launch);
}

// Every slot of the image goes where expected() says that its number is.
ByteBuffer simulate(std::span<const ReducePlan> plans, const Launch& launch) {
  ByteBuffer output = launch.inputs[2];
  const std::size_t room = launch.scalars[2];
  std::size_t at_block = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const TensorMapDataTypeRow& type = *find_row(plans[i].map.data_type);
    const auto size = static_cast<std::size_t>(type.smem_bits / 8);
    const Observation slots = expected(plans[i]);
    const std::size_t end = at_block + (plans[i].op == ReduceOp::inc ? 21 : 3);
    for (; at_block < end; ++at_block) {
      const auto block = read_at<ReduceBlock>(launch.inputs[0], at_block * sizeof(ReduceBlock));
      for (std::size_t at = 0; at < slots.size(); ++at) {
        if (slots[at] < 0) continue;
        std::uint64_t old = 0, code = 0;
        std::uint8_t* const to = output.data() + at_block * room + at * size;
        __builtin_memcpy(&old, to, size);
        __builtin_memcpy(&code, launch.inputs[3].data() + block.image + static_cast<std::size_t>(slots[at]) * size,
                         size);
        for (std::uint32_t time = 0; time < block.times; ++time)
          old = result_of(static_cast<ReduceOp>(block.op), old, code, type);
        __builtin_memcpy(to, &old, size);
      }
    }
  }
  return output;
}

// --- tiles

namespace {

struct TileBlock {
  std::uint64_t a, b;
  std::uint32_t image, overlay, transposed, map, rank, first_copy, copies, expect;
};
struct TileCopyBlock {
  std::array<std::int32_t, 5> start;
  std::uint32_t to;
};

// What the boxes of a block put into shared memory.
void simulate_copies(const Launch& launch, const TileBlock& block, ByteBuffer& smem) {
  std::array<std::uint8_t, 128> bytes = {};
  std::copy_n(launch.inputs[3].begin() + static_cast<std::ptrdiff_t>(block.map * 128), 128, bytes.begin());
  const TensorMap map = *decode(from_bytes(bytes)).map;
  for (std::uint32_t i = 0; i < block.copies; ++i) {
    const auto copy = read_at<TileCopyBlock>(launch.inputs[4], (block.first_copy + i) * sizeof(TileCopyBlock));
    TensorCoordinate start = {};
    std::copy(copy.start.begin(), copy.start.end(), start.begin());
    const std::vector<std::int64_t> image = box_image(BoxPlacement(map, Bytes{copy.to}), start);
    for (std::size_t at = 0; at < image.size(); ++at) {
      if (image[at] == untouched_byte) continue;
      const auto from = static_cast<std::size_t>(map.global_address) + static_cast<std::size_t>(image[at]);
      smem[copy.to - static_cast<std::size_t>(wgmma_memory().begin.count) + at] =
          image[at] == filled_byte ? std::uint8_t{0} : launch.inputs[5][from];
    }
  }
}

}  // namespace

ByteBuffer simulate(std::span<const TileProbePlan> plans, const Launch& launch) {
  const WgmmaInstruction instruction = instruction_of(plans.front());
  const int bits = require_dtype(instruction.a_type).memory_bits;
  const std::int64_t k = row_of(instruction).k;
  ByteBuffer output;
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<TileBlock>(launch.inputs[0], i * sizeof(TileBlock));
    ByteBuffer smem = shared_memory(launch, block.image, block.overlay);
    if (block.copies != 0) simulate_copies(launch, block, smem);
    const auto values = [&](std::uint64_t word, std::int64_t rows, Major major) {
      const OperandMap map = operand_map(SmemDescriptor(word, sm_90a()), {rows, k}, bits, major);
      return operand_values(smem, wgmma_memory().begin, map, instruction.a_type);
    };
    const std::vector<double> a = values(block.a, 64, Major::K);
    const std::vector<double> b = values(block.b, instruction.n, block.transposed == 0 ? Major::K : Major::MN);
    append_d(output, instruction, product(a, b, k));
  }
  return output;
}

// --- wavefronts

namespace {

struct WavefrontBlock {
  std::uint32_t active;
  std::array<std::uint32_t, warp_lanes> address;
};

// 8.05 + wavefronts cycles for a pair of the access and the ballast, more in the first round.
ByteBuffer simulate_timing(const AccessInstruction& instruction, const Launch& launch) {
  constexpr double ballast_cycles = 8, loop_cycles = 0.05;
  const auto warps = static_cast<std::uint64_t>(launch.threads / warp_lanes);
  const std::uint64_t rounds = launch.scalars[2];
  const auto accesses = static_cast<double>(launch.scalars[3] * timed_copies * warps);
  ByteBuffer output;
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<WavefrontBlock>(launch.inputs[0], i * sizeof(WavefrontBlock));
    const AccessPattern pattern{&instruction, block.active, block.address};
    const double cycles = ballast_cycles + count_wavefronts(pattern).wavefronts + loop_cycles;
    const auto round_cycles = static_cast<std::uint64_t>(cycles * accesses);
    std::uint64_t now = 1'000'000;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t late = round == 0 ? 4000 : 0;
      for (std::uint64_t warp = 0; warp < warps; ++warp)
        for (const std::uint64_t clock : {now + warp, now + late + round_cycles - (warps - 1 - warp)})
          append(output, clock);
      now += late + round_cycles + 100;
    }
  }
  return output;
}

}  // namespace

ByteBuffer simulate(std::span<const WavefrontPlan> plans, const Launch& launch) {
  return simulate_timing(*plans.front().pattern.instruction, launch);
}

// --- accesses and layouts

namespace {

struct AccessBlock {
  std::uint32_t image, first_step, steps, registers, window, window_bytes;
  std::uint64_t out;
};
struct AccessLanes {
  std::uint32_t active;
  std::array<std::uint32_t, warp_lanes> address;
};

// Which byte of which lane's piece a byte of the registers is, lane by lane; lane -1: none.
struct PieceByte {
  int lane = -1, byte = 0;
};
std::vector<PieceByte> register_bytes(const AccessInstruction& i) {
  if (!i.is_matrix()) {
    // What is smaller than a register has one; cp.async has its bytes in global memory.
    const int each = i.op == AccessOp::cp_async ? i.bytes : std::max(4, i.bytes);
    std::vector<PieceByte> out(static_cast<std::size_t>(warp_lanes * each));
    for (int lane = 0; lane < warp_lanes; ++lane)
      for (int byte = 0; byte < i.bytes; ++byte) out[static_cast<std::size_t>(lane * each + byte)] = {lane, byte};
    return out;
  }
  const Fragment f = fragment_of(require_matrix_form(i.name), Operand::memory);
  const int each = 4 * f.registers();
  std::vector<PieceByte> out(static_cast<std::size_t>(warp_lanes * each));
  for (int thread = 0; thread < warp_lanes; ++thread)
    for (int byte = 0; byte < each; ++byte) {
      const Coordinate at = f.at(thread, byte * 8 / f.bits);
      out[static_cast<std::size_t>(thread * each + byte)] = {at.row, at.column * f.bits / 8 + byte % (f.bits / 8)};
    }
  return out;
}

}  // namespace

ByteBuffer simulate(std::span<const AccessPlan> plans, const Launch& launch) {
  const AccessInstruction& instruction = *plans.front().access.instruction;
  const std::vector<PieceByte> pieces = register_bytes(instruction);
  const bool is_load = instruction.op == AccessOp::load || instruction.op == AccessOp::ldmatrix;
  const std::size_t size = launch.scalars[1];
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  for (std::size_t b = 0; b < static_cast<std::size_t>(launch.grid); ++b) {
    const auto block = read_at<AccessBlock>(launch.inputs[0], b * sizeof(AccessBlock));
    const auto image = launch.inputs[1].begin() + static_cast<std::ptrdiff_t>(block.image * size);
    ByteBuffer smem(image, image + static_cast<std::ptrdiff_t>(size));
    for (std::size_t step = 0; step < block.steps; ++step) {
      const auto lanes = read_at<AccessLanes>(launch.inputs[2], (block.first_step + step) * sizeof(AccessLanes));
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const PieceByte piece = pieces[i];
        if (piece.lane < 0 || (lanes.active >> piece.lane & 1) == 0) continue;
        std::uint8_t& byte = smem[lanes.address[static_cast<std::size_t>(piece.lane)] - launch.scalars[0] +
                                  static_cast<std::size_t>(piece.byte)];
        const std::size_t at = step * pieces.size() + i;
        if (is_load) output[block.out + at] = byte;
        else byte = launch.inputs[3][block.registers + at];
      }
    }
    if (!is_load)
      std::copy_n(smem.begin() + block.window, block.window_bytes,
                  output.begin() + static_cast<std::ptrdiff_t>(block.out));
  }
  return output;
}

ByteBuffer simulate(std::span<const LayoutProbePlan> plans, const Launch& launch) {
  return std::visit(
      [&]<class Part>(const std::vector<Part>&) {
        std::vector<Part> parts;
        for (const LayoutProbePlan& plan : plans)
          for (const Part& part : std::get<std::vector<Part>>(plan.parts)) parts.push_back(part);
        return simulate(parts, launch);
      },
      plans.front().parts);
}

// --- all of them

Observer simulated_observer(Hypothesis hypothesis) {
  return [hypothesis](std::span<const ProbePlan> plans) {
    return std::visit(
        [&]<class Plan>(const Plan&) {
          std::vector<Observed> out;
          std::vector<Plan> batch;
          for (const ProbePlan& plan : plans) batch.push_back(std::get<Plan>(plan));
          if constexpr (std::is_same_v<Plan, TensorMapPlan>) {
            for (const Plan& plan : batch) out.push_back(observed(expected(plan)));
          } else {
            const Launch launch = launch_of(batch, hypothesis);
            for (Observation& seen : decode(batch, simulate(batch, launch), hypothesis))
              out.push_back(observed(std::move(seen)));
          }
          return out;
        },
        plans.front());
  };
}

}  // namespace swz
