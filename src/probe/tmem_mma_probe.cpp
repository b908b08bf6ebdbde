// SPDX-License-Identifier: Apache-2.0
#include "probe/tmem_mma_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "probe/tmem_mma_image.hpp"

namespace swz {

namespace {

using enum TmemMmaAsk;

// NaN as f32 and, in its low half, as f16; as s32 far from any code.
constexpr std::uint32_t not_written = 0x7fffffff;
// The barrier and the TMEM address; more than half of what an SM has, so that no other CTA fits on it.
constexpr Bytes shared_memory{120 * 1024};

// The layout that kernels/tmem_mma.cu reads.
struct Block {
  std::uint64_t a = 0, b = 0;
  std::uint32_t smem_image = 0, tmem_image = 0, idesc = 0, metadata = 0, scale_a = 0, scale_b = 0;
  std::uint32_t columns = 0, first_column = 0;
};

// Stores each image once; `each` is the bytes of one CTA's image.
class Images {
 public:
  Images(ByteBuffer& all, std::size_t each) : all_(all), each_(each) {}
  std::uint32_t index(const ByteBuffer& images) {
    const auto [made, is_new] =
        known_.try_emplace(std::string(images.begin(), images.end()), word32(std::ssize(all_)) / word32(each_));
    if (is_new) append_bytes(all_, images);
    return made->second;
  }

 private:
  ByteBuffer& all_;
  std::int64_t each_;
  std::map<std::string, std::uint32_t> known_;
};

std::uint32_t idesc_of(const TmemMmaPlan& plan) {
  const TmemMmaInstruction& i = plan.instruction;
  const auto id = static_cast<std::uint64_t>(plan.id);
  std::vector<FieldSetting> fields{{FieldId::a_type, i.dtype},
                                   {FieldId::b_type, i.dtype},
                                   {FieldId::m, fmt::to_string(i.m)},
                                   {FieldId::n, fmt::to_string(i.n)}};
  if (i.vec == 0) fields.push_back({FieldId::d_type, i.d_type});
  else fields.push_back({FieldId::scale_type, i.scale_type});
  if (i.sparse) fields.push_back({FieldId::sparse, "1"});
  if (i.k96) fields.push_back({FieldId::k_size, "", 1});
  if (plan.ask == mn_major) fields.push_back({FieldId::transpose_a, "1"});
  if (plan.ask == scale_a) fields.push_back({FieldId::scale_a_id, "", id});
  if (plan.ask == scale_b) fields.push_back({FieldId::scale_b_id, "", id});
  if (plan.ask == metadata && id != 0) fields.push_back({FieldId::sparsity_selector, "", id});
  // The word is the same on every target.
  return static_cast<std::uint32_t>(encode_idesc(fields, i.kind, sm_100a()).word());
}

SmemDescriptor operand_descriptor(const TmemMmaInstruction& i, bool is_a, Bytes begin) {
  const Identity operand{{8, is_a ? i.stored_k() : i.k()}, i.dtype, i.packing()};
  return operand.descriptor(begin, sm_100a());
}

Block block_of(const TmemMmaPlan& plan) {
  const TmemMmaInstruction& i = plan.instruction;
  const Bytes begin = sm_100a().reserved_smem;
  Block block;
  block.a = operand_descriptor(i, true, begin).word();
  if (plan.ask == mn_major) block.a = mn_major_descriptor(begin).word();
  if (plan.has_a_in_tmem()) block.a = tmem_a_column;
  block.b = operand_descriptor(i, false, Bytes{begin.count + tmem_mma_operand.count}).word();
  block.idesc = idesc_of(plan);
  block.metadata = word32(tmem_metadata_column + (plan.ask == metadata ? plan.column : 0));
  block.scale_a = word32(tmem_scale_a_column + (plan.ask == scale_a ? plan.column : 0));
  block.scale_b = word32(tmem_scale_b_column + (plan.ask == scale_b ? plan.column : 0));
  block.columns = word32(i.n);
  return block;
}

std::string statement_of(const TmemMmaPlan& plan) {
  const TmemMmaInstruction& i = plan.instruction;
  const bool in_tmem = plan.has_a_in_tmem();
  std::string name = fmt::format("tcgen05.mma{}{}.cta_group::{}.kind::{}", i.ws ? ".ws" : "", i.sparse ? ".sp" : "",
                                 i.cta_group, i.kind_row().name);
  if (i.vec != 0) name += fmt::format(".block_scale.block{}", i.vec);
  return fmt::format(
      "#define CTA_GROUP \"cta_group::{}\"\n"
      "constexpr unsigned ctas = {};\n"
      "{}"
      "__device__ inline void mma(unsigned d, unsigned long long a, unsigned long long b, unsigned idesc,\n"
      "                           unsigned metadata, unsigned scale_a, unsigned scale_b) {{\n"
      "  asm volatile(\"{{ .reg .pred p; setp.ne.u32 p, 0, 0;\\n\"\n"
      "      \"{} [%0], {}, %2, {}%3, {}p; }}\"\n"
      "      : : \"r\"(d), {}, \"l\"(b), \"r\"(idesc), \"r\"(metadata), \"r\"(scale_a), \"r\"(scale_b) : "
      "\"memory\");\n"
      "}}\n",
      i.cta_group, i.cta_group, plan.is_risky() ? fmt::format("// Alone: {}\n", subject(plan)) : "", name,
      in_tmem ? "[%1]" : "%1", i.sparse ? "[%4], " : "", i.vec != 0 ? "[%5], [%6], " : "",
      in_tmem ? "\"r\"(d + static_cast<unsigned>(a))" : "\"l\"(a)");
}

// D of the blocks of a plan, in any data path.
class SeenD {
 public:
  SeenD(const TmemMmaPlan& plan, std::span<const std::uint8_t> output)
      : i_(plan.instruction), output_(output), d_(path_seen(), i_.n) {}

  // nullopt if the MMA did not write there.
  std::optional<std::uint32_t> cell(int block, const TmemCell& at) const {
    const std::uint32_t mask = i_.d_type == "f16" ? 0xffff : 0xffffffff;
    const std::size_t column = static_cast<std::size_t>((block * i_.cta_group + at.cta) * i_.n + at.column);
    const auto bits =
        read_at<std::uint32_t>(output_, (column * tmem_lanes + static_cast<std::size_t>(at.lane)) * 4) & mask;
    return bits == (not_written & mask) ? std::nullopt : std::optional(bits);
  }
  // An element; not_written if there is none.
  std::uint32_t element(int block, int m, int n) const { return cell(block, d_.place({m, n})).value_or(not_written); }

 private:
  // Layout C leaves lanes 16-31 out. If they are written it is layout B.
  const DataPath& path_seen() const {
    const DataPath& path = i_.path();
    if (path.name != "C" || !cell(0, {0, 16, 0})) return path;
    return require_data_path({i_.m, i_.cta_group});
  }

  const TmemMmaInstruction& i_;
  std::span<const std::uint8_t> output_;
  Accumulator d_;
};

using Digits = std::vector<std::optional<std::int64_t>>;

std::int64_t joined(const Digits& digits, int bits) {
  std::int64_t number = 0;
  for (std::size_t pass = digits.size(); pass-- > 0;) {
    if (!digits[pass]) return unreadable;
    number = number << bits | *digits[pass];
  }
  return number;
}

Observation seen_cells(const TmemMmaPlan& plan, const SeenD& d) {
  const TmemMmaInstruction& i = plan.instruction;
  const PositionCode code(i.dtype);
  const ElementFormat& accumulator = element_format(i.d_type);
  const int passes = passes_of(plan), of_rows = row_passes(plan);
  Observation out;
  for (int cta = 0; cta < i.cta_group; ++cta)
    for (int lane = 0; lane < tmem_lanes; ++lane)
      for (int column = 0; column < i.n; ++column) {
        Digits rows, columns;
        bool is_untouched = true;
        for (int pass = 0; pass < passes; ++pass) {
          const std::optional<std::uint32_t> bits = d.cell(pass, {cta, lane, column});
          is_untouched = is_untouched && !bits;
          (pass < of_rows ? rows : columns).push_back(bits ? code.digit(*bits, accumulator) : std::nullopt);
        }
        const std::int64_t row = code.position(rows), n = code.position(columns);
        out.push_back(is_untouched                           ? untouched_cell
                      : row == unreadable || n == unreadable ? unreadable
                                                             : row * i.cta_group * i.n + n);
      }
  return out;
}

// Elements seen through an identity: A[m][k] of each part of N.
Observation seen_elements(const TmemMmaPlan& plan, const SeenD& d, int parts) {
  const TmemMmaInstruction& i = plan.instruction;
  const PositionCode code(i.dtype);
  const ElementFormat& accumulator = element_format(i.d_type);
  Digits digits(static_cast<std::size_t>(passes_of(plan)));
  Observation out;
  const int begin = identity_begin(plan);
  for (int part = 0; part < parts; ++part)
    for (int m = 0; m < i.m; ++m)
      for (int k = 0; k < i.stored_k(); ++k) {
        const int n = part * (i.n / parts) + begin + logical_k(i, k);
        for (int pass = 0; pass < std::ssize(digits); ++pass)
          digits[static_cast<std::size_t>(pass)] = code.digit(d.element(pass, m, n), accumulator);
        out.push_back(code.position(digits));
      }
  return out;
}

Observation seen_values(const TmemMmaPlan& plan, const SeenD& d) {
  Observation out;
  for (int pattern = 0; pattern < 256; ++pattern) {
    const std::uint32_t bits = d.element(0, pattern / plan.instruction.k(), pattern % plan.instruction.k());
    out.push_back(bits == 0x80000000 ? 0 : std::int64_t{bits});  // a sum of zeros of either sign
  }
  return out;
}

Observation seen_scales(const TmemMmaPlan& plan, const SeenD& d) {
  const int passes = passes_of(plan), bits = plan.instruction.scale_type == "ue8m0" ? 7 : 6;
  Digits digits(static_cast<std::size_t>(passes));
  Observation out;
  for (int selection = 0; selection < std::ssize(selected_k(plan)); ++selection)
    for (const Coordinate at : scale_readers(plan)) {
      for (int pass = 0; pass < passes; ++pass)
        digits[static_cast<std::size_t>(pass)] =
            scale_digit(plan, d.element(selection * passes + pass, at.row, at.column));
      out.push_back(joined(digits, bits));
    }
  return out;
}

Observation seen_nibbles(const TmemMmaPlan& plan, const SeenD& d) {
  const TmemMmaInstruction& i = plan.instruction;
  const SparseForm& form = require_sparse_form(i.kind);
  const ElementFormat& accumulator = element_format(i.d_type);
  const std::uint64_t one = accumulator.one();
  const std::uint64_t two = accumulator.is_floating() ? one + (1ULL << accumulator.mantissa_bits()) : 2;
  const std::span<const std::uint8_t> codes = nibble_codes(form);
  // The digit whose nibble keeps the 1 as the first and the 2 as the second element of the chunk.
  const auto digit = [&](int pass, int m, int n) -> std::optional<std::int64_t> {
    for (std::size_t c = 0; c < codes.size(); ++c) {
      const Kept kept = *kept_by(form, codes[c]);
      std::vector<std::uint64_t> want(static_cast<std::size_t>(form.chunk));
      for (int e = 0; e < kept.count; ++e)
        want[static_cast<std::size_t>(kept.elements[static_cast<std::size_t>(e)])] =
            e < (kept.count + 1) / 2 ? one : two;
      bool is_it = true;
      for (int e = 0; e < form.chunk; ++e)
        is_it = is_it && d.element(pass, m, n + e) == want[static_cast<std::size_t>(e)];
      if (is_it) return static_cast<std::int64_t>(c);
    }
    return std::nullopt;
  };
  Digits digits(static_cast<std::size_t>(passes_of(plan)));
  Observation out;
  const int parts = i.path().parts;
  for (int part = 0; part < parts; ++part)
    for (int m = 0; m < i.m; ++m)
      for (int k = 0; k < i.k(); k += form.chunk) {
        for (int pass = 0; pass < std::ssize(digits); ++pass)
          digits[static_cast<std::size_t>(pass)] = digit(pass, m, part * (i.n / parts) + k);
        out.push_back(joined(digits, form.chunk == 2 ? 1 : 2));
      }
  return out;
}

Observation all_seen(const TmemMmaPlan& plan, const SeenD& d) {
  switch (plan.ask) {
    case TmemMmaAsk::d: return seen_cells(plan, d);
    case a: return seen_elements(plan, d, plan.instruction.path().parts);
    case mn_major: return seen_elements(plan, d, 1);
    case container: return seen_values(plan, d);
    case scale_a:
    case scale_b: return seen_scales(plan, d);
    case metadata: return seen_nibbles(plan, d);
  }
  return {};
}

// A number that no unit has was combined from digits of several units.
Observation seen(const TmemMmaPlan& plan, const SeenD& d) {
  Observation out = all_seen(plan, d);
  const std::int64_t size = region_of(plan).size(plan.instruction.cta_group);
  if (size == 0 || plan.ask == container) return out;
  for (std::int64_t& value : out)
    if (value >= size) value = unreadable;
  return out;
}

}  // namespace

bool TmemMmaPlan::is_risky() const {
  const bool is_doubtful_k96 = instruction.k96 && (id % 2 != 0 || instruction.cta_group == 1);
  return ask == mn_major || column % 4 != 0 || (ask == metadata && id > 1) || is_doubtful_k96 || has_small_n_step();
}

Kernel kernel_of(const TmemMmaPlan& plan) { return {"tmem_mma", statement_of(plan)}; }

Launch launch_of(std::span<const TmemMmaPlan> plans, Hypothesis hypothesis) {
  constexpr std::int64_t smem_bytes = 2 * tmem_mma_operand.count;
  Launch launch;
  launch.cluster = plans.front().instruction.cta_group;
  launch.dynamic_smem = shared_memory;
  launch.scalars = {word32(sm_100a().reserved_smem.count), word32(smem_bytes), word32(tmem_image_column),
                    word32(tmem_image_columns), not_written};
  Images smem(launch.inputs[1], smem_bytes), tmem(launch.inputs[2], tmem_image_columns * tmem_lanes * 4);
  for (const TmemMmaPlan& plan : plans) {
    Block block = block_of(plan);
    const bool has_codes = plan.ask == TmemMmaAsk::d || plan.ask == mn_major;  // in shared memory
    std::vector<std::uint32_t> tmem_images;
    for (int pass = 0; pass < passes_of(plan); ++pass)
      tmem_images.push_back(has_codes && pass > 0 ? tmem_images[0] : tmem.index(tmem_image(plan, pass)));
    for (int selection = 0; selection < std::ssize(selected_k(plan)); ++selection)
      for (int pass = 0; pass < std::ssize(tmem_images); ++pass, launch.grid += launch.cluster) {
        if (has_codes || pass == 0) block.smem_image = smem.index(smem_image(plan, selection, pass, hypothesis));
        block.tmem_image = tmem_images[static_cast<std::size_t>(pass)];
        block.first_column = word32(launch.output_bytes / (tmem_lanes * 4));
        launch.output_bytes += std::int64_t{launch.cluster} * block.columns * tmem_lanes * 4;
        append(launch.inputs[0], block);
      }
  }
  return launch;
}

Observations decode(std::span<const TmemMmaPlan> plans, const ByteBuffer& output, Hypothesis) {
  std::span<const std::uint8_t> rest = output;
  Observations out;
  for (const TmemMmaPlan& plan : plans) {
    const TmemMmaInstruction& i = plan.instruction;
    const std::span<const std::uint8_t> own =
        rest.first(static_cast<std::size_t>(blocks_of(plan) * i.cta_group * i.n * tmem_lanes * 4));
    rest = rest.subspan(own.size());
    out.push_back(seen(plan, SeenD(plan, own)));
  }
  return out;
}

}  // namespace swz
