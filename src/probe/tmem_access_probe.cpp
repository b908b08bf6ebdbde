// SPDX-License-Identifier: Apache-2.0
#include "probe/tmem_access_probe.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr int threads = 128, passes = 2, digit_bits = 16;
constexpr std::int64_t cell_halves = std::int64_t{tmem_lanes} * tmem_columns * 2;
constexpr std::int64_t first_cell = 0x40000, first_register = 0x80000;
// For a register half that st wrote to two places.
constexpr std::int64_t several = -2;
// A count among places. The function is its own inverse.
constexpr std::int64_t counted(std::int64_t count) { return -3 - count; }
// Enough that no other CTA has room on the SM.
constexpr Bytes half_of_smem{128 * 1024};

// The layout that kernels/tmem_access.cu reads.
struct Block {
  std::uint32_t contents = 0, registers = 0, warps = 0xf;
  std::array<std::uint32_t, 4> addresses = {};
  std::uint32_t unused = 0;
};

std::int64_t cell_half(int lane, int column, int half) {
  return (std::int64_t{lane} * tmem_columns + column) * 2 + half;
}

std::uint32_t digit(std::int64_t number, int pass) {
  return static_cast<std::uint32_t>(number >> (pass * digit_bits)) & 0xffff;
}

// The two halves of a word.
std::uint32_t word_of(std::int64_t low_number, int pass) {
  return digit(low_number, pass) | digit(low_number + 1, pass) << digit_bits;
}

std::size_t output_words(const TmemAccessPlan& plan) {
  return static_cast<std::size_t>(plan.form.stores ? tmem_lanes * tmem_columns : threads * plan.words());
}

// The number that the passes give for half `half` of word `index`.
using Passes = std::array<std::span<const std::uint8_t>, passes>;
std::int64_t number_at(const Passes& output, std::size_t index, int half) {
  std::int64_t number = 0;
  for (std::size_t pass = 0; pass < passes; ++pass)
    number |= std::int64_t{read_at<std::uint32_t>(output[pass], index * 4) >> (half * digit_bits) & 0xffff}
              << (pass * digit_bits);
  return number;
}

Observation decode_load(const TmemAccessPlan& plan, const Passes& output) {
  Observation seen;
  for (int thread = 0; thread < threads; ++thread)
    for (int i = 0; i < plan.words(); ++i)
      for (int half = 0; half < 2; ++half) {
        const std::int64_t cell = number_at(output, static_cast<std::size_t>(i * threads + thread), half) - first_cell;
        seen.push_back(cell >= 0 && cell < cell_halves ? cell : unreadable);
      }
  return seen;
}

Observation decode_store(const TmemAccessPlan& plan, const Passes& output) {
  Observation seen(static_cast<std::size_t>(plan.halves()), unreadable);
  std::int64_t cleared = 0, strange = 0;
  for (int lane = 0; lane < tmem_lanes; ++lane)
    for (int column = 0; column < tmem_columns; ++column)
      for (int half = 0; half < 2; ++half) {
        const std::int64_t number = number_at(output, static_cast<std::size_t>(column * tmem_lanes + lane), half);
        const std::int64_t cell = cell_half(lane, column, half), from = number - first_register;
        if (from >= 0 && from < plan.halves()) {
          std::int64_t& found = seen[static_cast<std::size_t>(from)];
          found = found == unreadable ? cell : several;
        } else if (number == 0) ++cleared;
        else if (number != first_cell + cell) ++strange;
      }
  seen.push_back(counted(cleared));
  seen.push_back(counted(strange));
  return seen;
}

// The form under a hypothesis.
TmemForm form_under(Hypothesis hypothesis, const TmemAccessPlan& plan) {
  TmemForm form = plan.form;
  if (form.has_split()) form.split_offset = plan.split();
  if (hypothesis == Hypothesis::pack_ignored) form.packs = false;
  // Twice the split of x128 would leave the tensor memory.
  if (hypothesis == Hypothesis::split_in_registers && form.packs && form.has_split() &&
      2 * form.split() + form.columns() / 2 <= tmem_columns)
    *form.split_offset *= 2;
  return form;
}

int lane_under(Hypothesis hypothesis, const TmemAccessPlan& plan, int warp, int row) {
  const bool obeys = hypothesis == Hypothesis::lane_bits_obeyed && plan.only_warp;
  const int lane = tmem_quarter * (obeys ? 0 : warp) + plan.lane + row;
  return hypothesis == Hypothesis::lanes_off_by_16 ? lane ^ 16 : lane;
}

// The cell whose value is redval: the first or last column of the thread, whose run is that of its half of the lane.
Coordinate reduced_cell(Hypothesis hypothesis, const TmemForm& form, const Fragment& fragment, int thread) {
  const bool is_max = form.reduction->is_max;
  const bool is_of_both = hypothesis == Hypothesis::reduced_over_both_halves && form.has_split();
  return fragment.at(is_of_both ? thread % 16 + (is_max ? 16 : 0) : thread, is_max ? form.registers() - 1 : 0);
}

}  // namespace

std::vector<TmemForm> tmem_forms_to_probe(const Target& target) {
  std::vector<TmemForm> forms = tmem_forms();
  if (!runs_on(reducing_targets, target)) return forms;
  for (const TmemShape& shape : tmem_shapes())
    for (int number = least_reduced; shape.reduces && number <= shape.most; number *= 2)
      for (const bool is_max : {false, true})
        forms.push_back({&shape, number, false, false, {}, TmemReduction{.is_max = is_max, .type = "u32"}});
  return forms;
}

TmemAccessPlan draw_tmem_access(const TmemForm& form, Random& random) {
  TmemAccessPlan plan{form};
  // Another split is another kernel, so there is only one; overlapping runs would show nothing about st.
  const int run = form.columns() / 2;
  if (form.has_split() && run * 2 + 5 <= tmem_columns && random.one_in(2)) plan.form.split_offset = run + 5;
  if (form.shape->lanes == 16 && random.one_in(2)) plan.lane = 16;
  plan.column = static_cast<int>(random.below(tmem_columns - tmem_fragment(plan.form).columns + 1));
  if (random.one_in(4)) plan.only_warp = static_cast<int>(1 + random.below(3));
  return plan;
}

void require_fine(const TmemAccessPlan& plan) {
  if (plan.form.reduction && plan.form.reduction->type != "u32")
    throw Error(fmt::format("{} is not probed", plan.form.name()), "reductions: .min.u32, .max.u32");
  if (const auto split = plan.form.split_offset;
      split && (!plan.form.has_split() || *split < plan.form.columns() / 2 || *split > tmem_columns))
    throw Error(fmt::format("{} cannot be probed with the split {}", plan.form.name(), *split),
                "of 16x32bx2, from the columns of a run on");
  const int columns = tmem_fragment(plan.form).columns;
  if (plan.lane != 0 && (plan.lane != 16 || plan.form.shape->lanes != 16))
    throw Error(fmt::format("{} has no lane {}", plan.form.name(), plan.lane), "0, of a shape of 16 lanes also 16");
  if (plan.column < 0 || plan.column + columns > tmem_columns)
    throw Error(
        fmt::format("{} of {} columns at column {} leaves tensor memory", plan.form.name(), columns, plan.column),
        fmt::format("it has {} columns", tmem_columns));
  if (plan.only_warp && (*plan.only_warp < 1 || *plan.only_warp > 3))
    throw Error(fmt::format("warp {} cannot be asked alone", *plan.only_warp), "1, 2 or 3");
}

std::string tmem_access_statement(const TmemAccessPlan& plan) {
  const TmemForm& form = plan.form;
  const int words = plan.words();
  const std::string opcode = fmt::format("tcgen05.{}{}.sync.aligned.{}.x{}{}.{}", form.stores ? "st" : "ld",
                                         form.reduction ? ".red" : "", form.shape->name, form.number,
                                         !form.packs   ? ""
                                         : form.stores ? ".unpack::16b"
                                                       : ".pack::16b",
                                         form.reduction ? form.reduction->name() : "b32");
  const std::string redval = form.reduction ? fmt::format(", %{}", words - 1) : "";
  const std::string split = form.has_split() ? fmt::format(", {}", plan.split()) : "";
  std::string out = fmt::format(
      "#define WORDS {}\n#define STORES {}\n"
      "__device__ inline void access(unsigned (&r)[{}], unsigned address) {{\n",
      words, form.stores ? 1 : 0, words);
  // ld and its wait are one statement: the registers must not even be moved before it.
  if (form.stores)
    out += fmt::format(
        "  asm volatile(\"{} [%0]{}, {{{}}};\\n\"\n"
        "      \"tcgen05.wait::st.sync.aligned;\"\n      :\n      : \"r\"(address), {}\n",
        opcode, split, placeholders(1, words), operands("r", "r", words));
  else
    out += fmt::format(
        "  asm volatile(\"{} {{{}}}{}, [%{}]{};\\n\"\n"
        "      \"tcgen05.wait::ld.sync.aligned;\"\n      : {}\n      : \"r\"(address)\n",
        opcode, placeholders(0, form.registers()), redval, words, split, operands("=r", "r", words));
  return out + "      : \"memory\");\n}\n";
}

Kernel kernel_of(const TmemAccessPlan& plan) { return {"tmem_access", tmem_access_statement(plan)}; }

Launch launch_of(std::span<const TmemAccessPlan> plans, Hypothesis) {
  Launch out;
  out.dynamic_smem = half_of_smem;
  out.scalars[0] = word32(sm_100a().reserved_smem.count);
  const TmemForm& form = plans.front().form;
  for (int pass = 0; pass < passes; ++pass) {
    for (int column = 0; column < tmem_columns; ++column)
      for (int lane = 0; lane < tmem_lanes; ++lane)
        append(out.inputs[1], word_of(first_cell + cell_half(lane, column, 0), pass));
    for (int i = 0; form.stores && i < form.registers(); ++i)
      for (int thread = 0; thread < threads; ++thread)
        append(out.inputs[2], word_of(first_register + (thread * form.registers() + i) * 2, pass));
  }
  for (const TmemAccessPlan& plan : plans)
    for (int pass = 0; pass < passes; ++pass, ++out.grid) {
      Block block{.contents = word32(pass), .registers = word32(pass)};
      if (plan.only_warp) block.warps = 1U << *plan.only_warp;
      for (int warp = 0; warp < 4; ++warp)
        block.addresses[static_cast<std::size_t>(warp)] =
            tmem_address(plan.lane + (plan.only_warp ? 0 : warp * tmem_quarter), plan.column);
      append(out.inputs[0], block);
    }
  out.output_bytes = out.grid * static_cast<std::int64_t>(output_words(plans.front()) * 4);
  return out;
}

Observations decode(std::span<const TmemAccessPlan> plans, const ByteBuffer& output, Hypothesis) {
  std::span<const std::uint8_t> rest = output;
  Observations out;
  for (const TmemAccessPlan& plan : plans) {
    Passes of_plan;
    for (auto& pass : of_plan) {
      pass = rest.first(output_words(plan) * 4);
      rest = rest.subspan(pass.size());
    }
    out.push_back(plan.form.stores ? decode_store(plan, of_plan) : decode_load(plan, of_plan));
  }
  return out;
}

Observation expected(const TmemAccessPlan& plan, Hypothesis hypothesis) {
  const TmemForm form = form_under(hypothesis, plan);
  const Fragment fragment = fragment_under(hypothesis, tmem_fragment(form));
  const bool exchanges = hypothesis == Hypothesis::packed_halves_exchanged && form.packs;
  Observation out;
  for (int thread = 0; thread < threads; ++thread)
    for (int i = 0; i < plan.words(); ++i)
      for (int half = 0; half < 2; ++half) {
        const int warp = thread / 32, value = form.packs ? 2 * i + (exchanges ? 1 - half : half) : i;
        const Coordinate at = i == form.registers() ? reduced_cell(hypothesis, form, fragment, thread % 32)
                                                    : fragment.at(thread % 32, value);
        const bool executes = !plan.only_warp || *plan.only_warp == warp;
        out.push_back(executes ? cell_half(lane_under(hypothesis, plan, warp, at.row),
                                           (plan.column + at.column) % tmem_columns, form.packs ? 0 : half)
                               : unreadable);
      }
  if (!form.stores) return out;
  const std::int64_t cells = plan.halves() / (plan.only_warp ? 4 : 1);
  out.push_back(counted(hypothesis == Hypothesis::upper_cleared && form.packs ? cells : 0));
  out.push_back(counted(0));
  return out;
}

std::string subject(const TmemAccessPlan& plan) {
  std::string out = plan.form.name();
  if (plan.form.has_split()) out += fmt::format(" with split {}", plan.split());
  out += fmt::format(", lane {}, column {}", plan.lane, plan.column);
  if (plan.only_warp) out += fmt::format(", warp {} with the lane bits of warp 0", *plan.only_warp);
  return out;
}

std::string element_name(const TmemAccessPlan& plan, std::int64_t index) {
  if (index == plan.halves()) return "cleared halves of tensor memory";
  if (index > plan.halves()) return "halves of tensor memory that hold something else";
  const std::int64_t words = plan.words(), thread = index / 2 / words, i = index / 2 % words;
  return fmt::format("warp {}, thread {}, {}, {} half", thread / 32, thread % 32,
                     i == plan.form.registers() ? "redval" : fmt::format("register {}", i),
                     index % 2 == 0 ? "low" : "high");
}

std::string value_name(const TmemAccessPlan&, std::int64_t value) {
  if (value == unreadable) return "no cell";
  if (value == several) return "several cells";
  if (value < several) return fmt::format("{} halves", counted(value));
  return fmt::format("lane {}, column {}, {} half", value / 2 / tmem_columns, value / 2 % tmem_columns,
                     value % 2 == 0 ? "low" : "high");
}

Json to_json(const TmemAccessPlan& plan) {
  Json out{{"tmem_access", plan.form.name()}};
  if (plan.form.split_offset) out["split"] = *plan.form.split_offset;
  out["lane"] = plan.lane;
  out["column"] = plan.column;
  if (plan.only_warp) out["only_warp"] = *plan.only_warp;
  return out;
}

TmemAccessPlan tmem_access_plan(const Json& json) {
  TmemAccessPlan plan{find_tmem_form(json.at("tmem_access").get<std::string>())};
  if (json.contains("split")) plan.form.split_offset = json.at("split").get<int>();
  plan.lane = json.at("lane").get<int>();
  plan.column = json.at("column").get<int>();
  if (json.contains("only_warp")) plan.only_warp = json.at("only_warp").get<int>();
  require_fine(plan);
  return plan;
}

}  // namespace swz
