// SPDX-License-Identifier: Apache-2.0
#include "probe/tmem_mma_image.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/checked.hpp"
#include "tmem/operand_a.hpp"

namespace swz {

namespace {

using enum TmemMmaAsk;

// 2^digit / 2^63: a power of two whose byte is also the exponent of an f32.
constexpr std::uint64_t first_exponent = 64;
constexpr int exponent_digit_bits = 7;
constexpr std::uint64_t nan_scale = 0xff;
constexpr int metadata_columns = 8;                 // room
constexpr std::string_view unsigned_e4m3 = "e4m3";  // ue4m3 has the same patterns

bool is_exponent(const TmemMmaPlan& plan) { return plan.instruction.scale_type == "ue8m0"; }

// The number of passes that distinguishes `count` numbers, with `bits` of them in each pass.
int passes_for(std::int64_t count, int bits) {
  int passes = 1;
  for (std::int64_t seen = std::int64_t{1} << bits; seen < count; seen <<= bits) ++passes;
  return passes;
}

std::int64_t digit_of(std::int64_t number, int pass, int bits) {
  return number >> (pass * bits) & ((std::int64_t{1} << bits) - 1);
}

int nibble_digit_bits(const SparseForm& form) { return form.chunk == 2 ? 1 : 2; }

// Rows of A or B over all CTAs, each with all rows of the MMA, which is more than it should read.
std::int64_t rows_of(const TmemMmaPlan& plan, bool is_a) {
  const TmemMmaInstruction& i = plan.instruction;
  return std::int64_t{i.cta_group} * (is_a ? i.m : i.n);
}

// An operand of one CTA, K-major without a swizzle.
class OperandImage {
 public:
  OperandImage(const TmemMmaInstruction& i, int k, std::span<std::uint8_t> image)
      : type_(require_dtype(i.dtype)), packing_(i.packing()), k_(k), image_(image) {}

  void write(std::int64_t row, int k, std::uint64_t pattern) const {
    const int bits = element_bits(type_, packing_);
    const std::int64_t along = std::int64_t{k} * bits, chunks = std::int64_t{k_} * bits / 128;
    const std::int64_t place = (row / 8 * chunks + along / 128) * 1024 + row % 8 * 128 + along % 128;
    write_bits(image_, value_bit(place, type_, packing_), value_bits(type_, packing_), pattern);
  }
  void write_row(std::int64_t row, std::uint64_t pattern) const {
    for (int k = 0; k < k_; ++k) write(row, k, pattern);
  }
  // Every 8-bit slot of the image holds a digit of its own number.
  void write_slots(const PositionCode& code, int pass) const {
    for (std::int64_t slot = 0; slot < std::ssize(image_); ++slot)
      write_bits(image_, value_bit(slot * 8, type_, Packing::slots), value_bits(type_, Packing::slots),
                 code.element(slot, pass));
  }

 private:
  const DType& type_;
  Packing packing_;
  int k_;
  std::span<std::uint8_t> image_;
};

std::uint64_t two_of(std::string_view dtype) {
  const ElementFormat& format = element_format(dtype);
  return format.is_floating() ? format.one() + (1ULL << format.mantissa_bits()) : 2;
}

// For d a CTA has all rows of A and of B, each with its own code; otherwise only those that it should read. A in tensor
// memory leaves shared memory unchanged.
void write_a(const TmemMmaPlan& plan, const OperandImage& image, int cta, int selection, int pass) {
  const TmemMmaInstruction& i = plan.instruction;
  const PositionCode code(i.dtype);
  if (plan.ask == mn_major) return image.write_slots(code, pass);
  if (plan.has_a_in_tmem()) return;
  const bool has_codes = plan.ask == d && pass < row_passes(plan);
  const int k = selected_k(plan)[static_cast<std::size_t>(selection)];
  const int kept = plan.ask == metadata ? require_sparse_form(i.kind).chunk / 2 : 0;
  for (int row = 0; row < i.m; ++row) {
    if (kept == 0) image.write(row, k, has_codes ? code.element(cta * i.m + row, pass) : code.one());
    // 1 for the first kept element of a chunk, or the first pair, 2 for the second.
    else
      for (int stored = 0; stored < i.stored_k(); ++stored)
        image.write(row, stored, stored % kept < (kept + 1) / 2 ? code.one() : two_of(i.dtype));
  }
}

void write_b(const TmemMmaPlan& plan, const OperandImage& image, int cta, int pass, Hypothesis hypothesis) {
  const TmemMmaInstruction& i = plan.instruction;
  const PositionCode code(i.dtype);
  const int digit = plan.ask == d ? pass - row_passes(plan) : 0, rows = i.n / i.cta_group;
  const int width = i.n / i.path().parts;  // part of N in which an identity shows all k
  for (int row = 0; row < (plan.ask == d ? i.n : rows); ++row) {
    const int n = cta * rows + row;
    if (plan.ask == d) image.write(row, 0, digit < 0 ? code.one() : code.element(cta * i.n + row, digit));
    else if (plan.is_scale()) image.write_row(row, code.one());
    else if (const int k = n % width - identity_begin(plan); k >= 0 && k < i.k()) {
      image.write(row, k, code.one());
      // Column 1 shows the sum of two elements.
      if (hypothesis == Hypothesis::wrong_identity && n == 1) image.write(row, 0, code.one());
    }
  }
}

// Writes a part of tensor memory, unit by unit.
template <class Pattern>
void write_region(std::span<std::uint8_t> image, const ProbedRegion& region, int width, int first_bit,
                  const Pattern& pattern) {
  for (int column = 0; column < region.columns; ++column)
    for (int lane = 0; lane < tmem_lanes; ++lane)
      for (int unit = 0; unit < region.units(); ++unit) {
        const std::int64_t cell = std::int64_t{region.first_column - tmem_image_column + column} * tmem_lanes + lane;
        write_bits(image, cell * 32 + unit * region.unit_bits + first_bit, width, pattern(lane, column, unit));
      }
}

// Lanes with the same contents have the same number.
int told_lane(const TmemMmaPlan& plan, int lane) {
  if (!plan.is_scale()) return lane;
  const bool is_split = plan.ask == scale_b && plan.instruction.path().name == "B";
  return lane % tmem_quarter + (is_split ? lane / 64 * 64 : 0);
}

std::uint64_t scale_pattern(const TmemMmaPlan& plan, std::int64_t number, int pass) {
  if (!is_exponent(plan)) return PositionCode(unsigned_e4m3).element(number, pass);
  return first_exponent + static_cast<std::uint64_t>(digit_of(number, pass, exponent_digit_bits));
}

}  // namespace

Packing TmemMmaInstruction::packing() const {
  return kind_row().has_8bit_slots && require_dtype(dtype).value_bits < 8 ? Packing::slots : Packing::packed;
}

std::span<const std::uint8_t> nibble_codes(const SparseForm& form) {
  static constexpr std::array<std::uint8_t, 2> one_of_two{0b0100, 0b1110};
  static constexpr std::array<std::uint8_t, 4> two_of_four{0b0100, 0b1000, 0b1100, 0b1001};
  return form.chunk == 2 ? std::span<const std::uint8_t>(one_of_two) : two_of_four;
}

std::optional<std::int64_t> scale_digit(const TmemMmaPlan& plan, std::uint32_t bits) {
  if (!is_exponent(plan)) return PositionCode(unsigned_e4m3).digit(bits, element_format("f32"));
  const std::int64_t digit = std::int64_t{bits >> 23} - static_cast<std::int64_t>(first_exponent);
  if ((bits & 0x7fffff) != 0 || digit < 0 || digit >> exponent_digit_bits != 0) return std::nullopt;
  return digit;
}

ProbedRegion region_of(const TmemMmaPlan& plan) {
  const TmemMmaInstruction& i = plan.instruction;
  switch (plan.ask) {
    case a: {
      const int bits = container_of(i.kind, i.dtype).bits;
      return {tmem_a_column, i.stored_k() * bits / 32, bits};
    }
    case container: return {tmem_a_column, i.k() * 8 / 32, 8};
    case scale_a: return {tmem_scale_a_column, 16, 8};
    case scale_b: return {tmem_scale_b_column, i.k96 ? 24 : 16, 8};
    case metadata: return {tmem_metadata_column, plan.column == 0 ? 4 : metadata_columns, 4};
    default: return {};
  }
}

std::vector<int> selected_k(const TmemMmaPlan& plan) {
  std::vector<int> out;
  if (!plan.is_scale()) return {0};
  for (int k = 0; k < plan.instruction.stored_k(); ++k)
    if (const int vec = plan.instruction.vec; k % vec == 0 || k % vec == vec - 1) out.push_back(k);
  return out;
}

int identity_begin(const TmemMmaPlan& plan) {
  const TmemMmaInstruction& i = plan.instruction;
  return plan.has_small_n_step() ? i.n / i.path().parts - i.k() : 0;
}

int logical_k(const TmemMmaInstruction& i, int stored) {
  if (!i.sparse) return stored;
  const int logical = require_sparse_form(i.kind).chunk, kept = logical / 2;
  return stored / kept * logical + stored % kept;
}

int row_passes(const TmemMmaPlan& plan) { return PositionCode(plan.instruction.dtype).passes(rows_of(plan, true)); }

int passes_of(const TmemMmaPlan& plan) {
  const PositionCode code(plan.instruction.dtype);
  const std::int64_t numbers = region_of(plan).size(plan.instruction.cta_group);
  switch (plan.ask) {
    case d: return row_passes(plan) + code.passes(rows_of(plan, false));
    case a: return code.passes(numbers);
    case container: return 1;
    case mn_major: return code.passes(tmem_mma_operand.count);
    case metadata: return passes_for(numbers, nibble_digit_bits(require_sparse_form(plan.instruction.kind)));
    default:
      return is_exponent(plan) ? passes_for(numbers, exponent_digit_bits) : PositionCode(unsigned_e4m3).passes(numbers);
  }
}

int blocks_of(const TmemMmaPlan& plan) { return static_cast<int>(selected_k(plan).size()) * passes_of(plan); }

ByteBuffer smem_image(const TmemMmaPlan& plan, int selection, int pass, Hypothesis hypothesis) {
  const TmemMmaInstruction& i = plan.instruction;
  const auto room = static_cast<std::size_t>(tmem_mma_operand.count);
  ByteBuffer images(static_cast<std::size_t>(i.cta_group) * 2 * room);
  for (int cta = 0; cta < i.cta_group; ++cta) {
    const auto image = std::span(images).subspan(static_cast<std::size_t>(cta) * 2 * room, 2 * room);
    write_a(plan, {i, i.stored_k(), image.first(room)}, cta, selection, pass);
    write_b(plan, {i, i.k(), image.subspan(room)}, cta, pass, hypothesis);
  }
  return images;
}

ByteBuffer tmem_image(const TmemMmaPlan& plan, int pass) {
  const TmemMmaInstruction& i = plan.instruction;
  const auto size = static_cast<std::size_t>(tmem_image_columns * tmem_lanes * 4);
  ByteBuffer images(static_cast<std::size_t>(i.cta_group) * size);
  const ProbedRegion region = region_of(plan);
  const std::uint64_t one_scale = i.scale_type == "ue4m3" ? 0x38 : 0x7f;
  for (int cta = 0; cta < i.cta_group; ++cta) {
    const auto image = std::span(images).subspan(static_cast<std::size_t>(cta) * size, size);
    const auto number = [&](int lane, int column, int unit) {
      return region.number({cta, told_lane(plan, lane), column}, unit);
    };
    const int scale_columns = tmem_metadata_column - tmem_scale_a_column;
    write_region(image, {tmem_scale_a_column, scale_columns, 8}, 8, 0, [&](int, int, int) { return one_scale; });
    write_region(image, {tmem_metadata_column, metadata_columns, 32}, 32, 0,
                 [](int, int, int) { return metadata_words[0]; });
    if (plan.ask == a) {
      const PositionCode code(i.dtype);
      const Container c = container_of(i.kind, i.dtype);
      write_region(image, region, c.value_bits, c.first_bit,
                   [&](int lane, int column, int unit) { return code.element(number(lane, column, unit), pass); });
    } else if (plan.ask == container) {
      write_region(image, region, 8, 0, [&](int lane, int column, int unit) {
        return static_cast<std::uint64_t>(number(lane, column, unit) % 256);
      });
    } else if (plan.is_scale()) {
      const Observation read = plan.has_nan ? expected(plan) : Observation{};
      const std::set<std::int64_t> bytes(read.begin(), read.end());
      write_region(image, region, 8, 0, [&](int lane, int column, int unit) {
        const std::int64_t byte = number(lane, column, unit);
        return plan.has_nan && !bytes.contains(byte) ? nan_scale : scale_pattern(plan, byte, pass);
      });
    } else if (plan.ask == metadata) {
      const SparseForm& form = require_sparse_form(i.kind);
      write_region(image, region, 4, 0, [&](int lane, int column, int unit) {
        const std::int64_t digit = digit_of(number(lane, column, unit), pass, nibble_digit_bits(form));
        return std::uint64_t{nibble_codes(form)[static_cast<std::size_t>(digit)]};
      });
    }
  }
  return images;
}

}  // namespace swz
