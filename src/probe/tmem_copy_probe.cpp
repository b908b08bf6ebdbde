// SPDX-License-Identifier: Apache-2.0
#include "probe/tmem_copy_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

namespace {

constexpr std::int64_t in_tmem = 0x200000, in_second_cta = 0x400000;
constexpr int address_passes = 21;  // of a bit address in shared or tensor memory
constexpr int window_columns = 16, columns_before = 4;
constexpr std::size_t window_bytes = std::size_t{window_columns} * tmem_lanes * 4;
constexpr std::size_t block_bytes = 16 + window_bytes;  // per CTA
// The barrier and the TMEM address; the rest is unused.
constexpr Bytes control{128};

// The layout that kernels/tmem_copy.cu reads.
struct Block {
  std::uint64_t word = 0;
  std::array<std::uint32_t, 2> images = {}, contents = {};
  std::uint32_t address = 0, first_column = 0;
};

// The bytes from the end of the reserved ones to the control area.
OperandMemory source_memory() {
  const Target& target = sm_100a();
  const std::int64_t size = target.max_smem_per_cta.count - control.count;
  return {target.reserved_smem, Bytes{size}, Bytes{target.reserved_smem.count + size}};
}

int passes_of(const TmemCopyPlan& plan) { return address_passes + plan.cta_group; }

int first_column(const TmemCopyPlan& plan) { return plan.column - columns_before; }

// Bit `pass` of 32 consecutive numbers, the first of which is a multiple of 32.
std::uint32_t code_of(std::int64_t first, int pass) {
  constexpr std::array<std::uint32_t, 5> low{0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};
  if (pass < std::ssize(low)) return low[static_cast<std::size_t>(pass)];
  return (first >> pass & 1) != 0 ? 0xffffffff : 0;
}

// The number of bit 0 of a byte of tensor memory.
std::int64_t tmem_bit(int lane, int column, int byte) {
  return in_tmem + (std::int64_t{lane} * tmem_columns + column) * 32 + byte * 8;
}

// The index of a byte of the window in an observation.
std::size_t index_of(const TmemCopyPlan& plan, int rank, int lane, int column, int byte) {
  const auto in_window = static_cast<std::size_t>(((column - first_column(plan)) * tmem_lanes + lane) * 4 + byte);
  return static_cast<std::size_t>(rank) * window_bytes + in_window;
}

TileExtents source_bytes(const TmemCopy& copy) { return {copy.rows, copy.bits / 8}; }

// The value for the numbers of 8 bits.
std::int64_t piece_of(const std::array<std::int64_t, 8>& numbers) {
  int first = 0, last = 8;
  while (first < 8 && numbers[static_cast<std::size_t>(first)] == 0) ++first;
  if (first == 8) return cleared_byte;
  while (numbers[static_cast<std::size_t>(last - 1)] == 0) --last;
  const std::int64_t source = numbers[static_cast<std::size_t>(first)];
  for (int bit = first; bit < last; ++bit)
    if (numbers[static_cast<std::size_t>(bit)] != source + bit - first) return unreadable;
  return SourcePiece{source, first, last - first}.value();
}

// What one byte of a row becomes.
SourcePiece copied(const TmemCopyPlan& plan, const OperandMap& map, int row, int byte, Hypothesis hypothesis) {
  if (plan.narrow == nullptr) return {map.place(row, byte)};
  const bool exchanges = hypothesis == Hypothesis::nibbles_exchanged && plan.narrow->bits == 4;
  const int unit = byte / 16 * 16, element = byte % 16 ^ (exchanges ? 1 : 0);
  const int first =
      hypothesis == Hypothesis::container_elsewhere ? other_first_bit(plan.narrow->bits) : plan.narrow->tmem_first_bit;
  return {map.place(row, unit) + element * plan.narrow->bits, first, plan.narrow->bits};
}

// The shape whose lanes the destination has.
const TmemCopy& lanes_under(Hypothesis hypothesis, const TmemCopy& copy) {
  if (hypothesis != Hypothesis::multicast_exchanged || !copy.multicast.starts_with("warpx2")) return copy;
  const bool is_02 = copy.multicast.ends_with("02_13");
  return require_tmem_copy(fmt::format("{}.warpx2::{}", copy.name, is_02 ? "01_23" : "02_13"));
}

// The first form with this name in tcgen05.cp.
const NarrowForm& form_named(std::string_view ptx) { return *std::ranges::find(narrow_forms(), ptx, &NarrowForm::ptx); }
constexpr std::array<std::string_view, 2> decompressed{"b4x16_p64", "b6x16_p32"};

std::vector<std::string_view> modes() {
  std::vector<std::string_view> out;
  for (const SwizzleMode& mode : swizzle_modes())
    if (is_legal({&sm_100a(), &require_dtype("u8"), Packing::packed, Major::K, &mode})) out.push_back(mode.name);
  return out;
}

void require_fine(const TmemCopyPlan& plan) {
  const int lanes = plan.copy->rows == 4 ? tmem_quarter : 1;
  if (plan.lane < 0 || plan.lane >= lanes)
    throw Error(fmt::format("tcgen05.cp.{} has no lane {}", copy_name(plan), plan.lane),
                lanes == 1 ? "it begins at lane 0" : "0 to 31");
  if (plan.column < columns_before || plan.column > tmem_columns - window_columns + columns_before)
    throw Error(fmt::format("column {} is too near to an end of tensor memory", plan.column),
                fmt::format("{} to {} are probed", columns_before, tmem_columns - window_columns + columns_before));
  if (plan.cta_group != 1 && plan.cta_group != 2)
    throw Error(fmt::format("there is no cta_group::{}", plan.cta_group), "1 or 2");
  const OperandMemory memory = source_memory();
  const OperandMap map = operand_map(SmemDescriptor(plan.word, sm_100a()), source_bytes(*plan.copy), 8, Major::K);
  const auto [lowest, highest] = std::ranges::minmax(map.bytes());
  if (lowest < memory.begin.count || highest >= memory.identity.count)
    throw Error(fmt::format("the word reads from {:#x} to {:#x}", lowest, highest),
                fmt::format("the probe has {:#x} to {:#x}", memory.begin.count, memory.identity.count - 1));
}

}  // namespace

std::vector<TmemCopyPlan> tmem_copies_to_probe() {
  std::vector<TmemCopyPlan> out;
  for (const int cta_group : {1, 2})
    for (const TmemCopy& copy : tmem_copies()) {
      out.push_back({&copy, nullptr, cta_group});
      for (const std::string_view ptx : decompressed) out.push_back({&copy, &form_named(ptx), cta_group});
    }
  return out;
}

TmemCopyPlan draw_tmem_copy(const TmemCopyPlan& form, Random& random) {
  TmemCopyPlan plan = form;
  plan.word = draw_word(source_memory(), source_bytes(*plan.copy), 8, Major::K, modes(), sm_100a(), random);
  if (plan.copy->rows == 4) plan.lane = random.one_in(2) ? 31 : static_cast<int>(random.below(tmem_quarter));
  plan.column = static_cast<int>(4 + 4 * random.below((tmem_columns - window_columns) / 4 + 1));
  return plan;
}

std::string copy_name(const TmemCopyPlan& plan) {
  return full_name(*plan.copy) + (plan.narrow == nullptr ? "" : fmt::format(".b8x16.{}", plan.narrow->ptx));
}

std::string tmem_copy_statement(const TmemCopyPlan& plan) {
  const std::string group = fmt::format("cta_group::{}", plan.cta_group);
  const bool is_pair = plan.cta_group == 2;
  return fmt::format(
      "#define CTA_GROUP \"{}\"\n#define CTAS {}\n"
      "__device__ inline void move(unsigned address, unsigned long long word) {{\n"
      "  asm volatile(\"tcgen05.cp.{}.{} [%0], %1;\" : : \"r\"(address), \"l\"(word) : \"memory\");\n"
      "}}\n"
      "__device__ inline void commit(unsigned barrier) {{\n"
      "  asm volatile(\"tcgen05.commit.{}.mbarrier::arrive::one.shared::cluster{}.b64 [%0]{};\"\n"
      "               : : \"r\"(barrier){} : \"memory\");\n"
      "}}\n",
      group, plan.cta_group, group, copy_name(plan), group, is_pair ? ".multicast::cluster" : "", is_pair ? ", %1" : "",
      is_pair ? ", \"h\"((unsigned short)3)" : "");
}

Kernel kernel_of(const TmemCopyPlan& plan) { return {"tmem_copy", tmem_copy_statement(plan)}; }

Launch launch_of(std::span<const TmemCopyPlan> plans, Hypothesis) {
  const OperandMemory memory = source_memory();
  Launch out;
  out.cluster = plans.front().cta_group;
  out.dynamic_smem = Bytes{memory.size.count + control.count};
  out.scalars = {word32(memory.begin.count), word32(memory.size.count), word32(memory.size.count), window_columns};
  // One image for each pass of an address; then zeros, then ones.
  for (int pass = 0; pass < address_passes; ++pass)
    for (std::int64_t byte = 0; byte < memory.size.count; byte += 4)
      append(out.inputs[1], code_of((memory.begin.count + byte) * 8, pass));
  for (const std::uint8_t bits : {std::uint8_t{0}, std::uint8_t{0xff}})
    out.inputs[1].insert(out.inputs[1].end(), static_cast<std::size_t>(memory.size.count), bits);
  for (const TmemCopyPlan& plan : plans)
    for (int pass = 0; pass < passes_of(plan); ++pass) {
      Block block{.word = plan.word,
                  .address = tmem_address(plan.lane, plan.column),
                  .first_column = word32(first_column(plan))};
      for (int rank = 0; rank < 2; ++rank) {
        const auto of_rank = static_cast<std::size_t>(rank);
        const std::int64_t more = rank * in_second_cta;
        block.images[of_rank] = word32(std::min(pass, address_passes) + (more >> pass & 1));
        if (rank == plan.cta_group) continue;
        block.contents[of_rank] = word32(std::ssize(out.inputs[2]) / std::int64_t{window_bytes});
        for (int column = 0; column < window_columns; ++column)
          for (int lane = 0; lane < tmem_lanes; ++lane)
            append(out.inputs[2], code_of(more + tmem_bit(lane, first_column(plan) + column, 0), pass));
      }
      append(out.inputs[0], block);
      out.grid += plan.cta_group;
    }
  out.output_bytes = out.grid * static_cast<std::int64_t>(block_bytes);
  return out;
}

Observations decode(std::span<const TmemCopyPlan> plans, const ByteBuffer& output, Hypothesis) {
  std::span<const std::uint8_t> rest = output;
  Observations out;
  for (const TmemCopyPlan& plan : plans) {
    const auto passes = static_cast<std::size_t>(passes_of(plan)), ranks = static_cast<std::size_t>(plan.cta_group);
    Observation seen;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (std::size_t byte = 0; byte < window_bytes; ++byte) {
        std::array<std::int64_t, 8> numbers = {};
        bool is_complete = true;
        for (std::size_t pass = 0; pass < passes; ++pass) {
          const std::size_t block = (pass * ranks + rank) * block_bytes;
          is_complete = is_complete && rest[block] == 1;
          const unsigned bits = rest[block + 16 + byte];
          for (std::size_t bit = 0; bit < 8; ++bit) numbers[bit] |= std::int64_t{bits >> bit & 1} << pass;
        }
        seen.push_back(is_complete ? piece_of(numbers) : unreadable);
      }
    rest = rest.subspan(passes * ranks * block_bytes);
    out.push_back(std::move(seen));
  }
  return out;
}

Observation expected(const TmemCopyPlan& plan, Hypothesis hypothesis) {
  const TmemCopy& to = lanes_under(hypothesis, *plan.copy);
  const TileExtents bytes = source_bytes(*plan.copy);
  const OperandMap map = operand_map_under(hypothesis, SmemDescriptor(plan.word, sm_100a()), bytes, 8, Major::K);
  Observation out(window_bytes * static_cast<std::size_t>(plan.cta_group));
  for (int rank = 0; rank < plan.cta_group; ++rank) {
    for (int column = first_column(plan); column < first_column(plan) + window_columns; ++column)
      for (int lane = 0; lane < tmem_lanes; ++lane)
        for (int byte = 0; byte < 4; ++byte)
          out[index_of(plan, rank, lane, column, byte)] =
              SourcePiece{rank * in_second_cta + tmem_bit(lane, column, byte)}.value();
    const bool is_own = hypothesis != Hypothesis::copied_from_issuer;
    for (int row = 0; row < to.rows; ++row)
      for (int time = 0; time < to.times; ++time)
        for (int byte = 0; byte < static_cast<int>(bytes.k); ++byte) {
          SourcePiece piece = copied(plan, map, row, byte, hypothesis);
          if (is_own) piece.source += rank * in_second_cta;
          const int lane = (plan.lane + to.lane(row, time)) ^ (hypothesis == Hypothesis::lanes_off_by_16 ? 16 : 0);
          out[index_of(plan, rank, lane, plan.column + byte / 4, byte % 4)] = piece.value();
        }
  }
  return out;
}

std::string subject(const TmemCopyPlan& plan) {
  return fmt::format("tcgen05.cp.cta_group::{}.{}, {} to lane {}, column {}", plan.cta_group, copy_name(plan),
                     hex64(plan.word), plan.lane, plan.column);
}

std::string element_name(const TmemCopyPlan& plan, std::int64_t index) {
  const auto of_cta = static_cast<std::int64_t>(window_bytes);
  const std::int64_t in_window = index % of_cta, cell = in_window / 4;
  const std::string cta = plan.cta_group == 2 ? fmt::format("CTA {}, ", index / of_cta) : "";
  return fmt::format("{}lane {}, column {}, byte {}", cta, cell % tmem_lanes, first_column(plan) + cell / tmem_lanes,
                     in_window % 4);
}

std::string value_name(const TmemCopyPlan& plan, std::int64_t value) {
  if (value == unreadable) return "something else";
  if (value == cleared_byte) return "0";
  const SourcePiece piece = SourcePiece::of(value);
  const bool is_tmem = (piece.source & in_tmem) != 0;
  const std::int64_t bit = piece.source & (in_tmem - 1);
  std::string out = is_tmem ? fmt::format("lane {}, column {}, bit {} of before", bit / 32 / tmem_columns,
                                          bit / 32 % tmem_columns, bit % 32)
                            : place_name(bit);
  if (piece.width < 8)
    out = fmt::format("{} bits from {}, in bits {}-{}", piece.width, out, piece.first + piece.width - 1, piece.first);
  return plan.cta_group == 2 ? fmt::format("{} of CTA {}", out, piece.source / in_second_cta) : out;
}

Json to_json(const TmemCopyPlan& plan) {
  return {{"tmem_copy", copy_name(plan)},
          {"cta_group", plan.cta_group},
          {"word", hex64(plan.word)},
          {"lane", plan.lane},
          {"column", plan.column}};
}

TmemCopyPlan tmem_copy_plan(const Json& json) {
  TmemCopyPlan plan;
  auto name = json.at("tmem_copy").get<std::string>();
  for (const std::string_view ptx : decompressed)
    if (const std::string suffix = fmt::format(".b8x16.{}", ptx); name.ends_with(suffix)) {
      plan.narrow = &form_named(ptx);
      name.resize(name.size() - suffix.size());
    }
  plan.copy = &require_tmem_copy(name);
  plan.cta_group = json.at("cta_group").get<int>();
  plan.word = parse_unsigned(json.at("word").get<std::string>(), 64, {"a word is written 0x…", ""});
  plan.lane = json.at("lane").get<int>();
  plan.column = json.at("column").get<int>();
  require_fine(plan);
  return plan;
}

}  // namespace swz
