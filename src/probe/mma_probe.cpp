// SPDX-License-Identifier: Apache-2.0
#include "probe/mma_probe.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/operand_probe.hpp"

namespace swz {

namespace {

constexpr int mma_n = 8;  // of every mma.sync

bool is_floating(const MmaInstruction& row) { return require_dtype(row.types[0]).is_floating; }

// A and B usually come from one row. kind::f8f6f4 also takes fp8 on one side and fp6 or fp4 on the other.
bool may_mix(const MmaInstruction& a, const MmaInstruction& b) {
  if (&a == &b) return true;
  return a.m == b.m && a.k == b.k && a.bits == 8 && b.bits == 8 && is_floating(a) && is_floating(b);
}

bool is_narrow(std::string_view dtype) { return require_dtype(dtype).value_bits < 8; }

// The text between .col and the types. For block-scaled instructions every scale is 1, so that they multiply like
// others.
std::string kind_of(const MmaSyncInstruction& i) {
  if (i.a_row->bits == 4 && is_floating(*i.a_row)) return ".kind::mxf4.block_scale.scale_vec::2X";
  const bool is_f8f6f4 = is_floating(*i.a_row) && (is_narrow(i.a_type) || is_narrow(i.b_type));
  return is_f8f6f4 ? ".kind::f8f6f4" : "";
}

bool is_block_scaled(const MmaSyncInstruction& i) { return kind_of(i).starts_with(".kind::mx"); }

std::string qualifiers(const MmaSyncInstruction& i) {
  std::string out = fmt::format("m{}n{}k{}.{}.{}{}.{}.{}.{}.{}", i.a_row->m, mma_n, i.a_row->k, to_string(i.orders.a),
                                to_string(i.orders.b), kind_of(i), i.d_type, i.a_type, i.b_type, i.c_type);
  if (i.a_type == "b1") out += i.counts_xor ? ".xor.popc" : ".and.popc";
  if (is_block_scaled(i)) out += ".ue8m0";
  return out;
}

// Adds the variants for given types of A and B.
void append_variants(MmaSyncInstruction i, std::vector<MmaSyncInstruction>& out) {
  const MmaInstruction& row = *i.a_row;
  for (const std::string_view d : row.accumulators)
    for (const std::string_view c : row.accumulators) {
      // Only m8n8k4 adds C of f16 to D of f32.
      const bool is_legal = c == d || (row.is_quad_pair() && d == "f32");
      if (d.empty() || c.empty() || !is_legal) continue;
      i.d_type = d;
      i.c_type = c;
      for (const OperandOrder a : {OperandOrder::row, OperandOrder::col})
        for (const OperandOrder b : {OperandOrder::row, OperandOrder::col})
          for (const bool counts_xor : {false, true}) {
            i.orders = {a, b};
            i.counts_xor = counts_xor;
            const bool has_orders = row.is_quad_pair() || i.orders == OperandOrders{};
            if (has_orders && (!counts_xor || row.bits == 1)) out.push_back(i);
          }
    }
}

int words(const Fragment& f) { return f.registers() * f.register_bits() / 32; }

// Registers of 64 bits are joined from two words before the instruction, and split after it.
std::string join_words(std::string_view name, int count, int first_operand) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += fmt::format("      \"mov.b64 {}{}, {{%{}, %{}}};\\n\"\n", name, i, first_operand + 2 * i,
                       first_operand + 2 * i + 1);
  return out;
}

std::string names(std::string_view name, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}{}{}", i == 0 ? "" : ", ", name, i);
  return out;
}

// The text between asm volatile( and the constraints.
std::string assembly(const MmaSyncInstruction& i, int d, int a, int b, int c) {
  const std::string mma = "mma.sync.aligned." + qualifiers(i);
  if (i.a_type != "f64") {
    // Two scales of 32 elements for every row: ue8m0 127 is 1.
    const std::string scales = is_block_scaled(i) ? ", scales, {0, 0}, scales, {0, 0}" : "";
    const std::string call =
        fmt::format("{} {{{}}}, {{{}}}, {{{}}}, {{{}}}{};", mma, placeholders(0, d), placeholders(d, a),
                    placeholders(d + a, b), placeholders(d + a + b, c), scales);
    if (scales.empty()) return fmt::format("\"{}\"\n", call);
    return fmt::format("\"{{ .reg .b32 scales; mov.b32 scales, 0x7f7f7f7f;\\n\"\n      \"{} }}\"\n", call);
  }
  std::string out = fmt::format("\"{{ .reg .f64 d<{}>, a<{}>, b<{}>, c<{}>;\\n\"\n", d / 2, a / 2, b / 2, c / 2);
  out += join_words("a", a / 2, d) + join_words("b", b / 2, d + a) + join_words("c", c / 2, d + a + b);
  out += fmt::format("      \"{} {{{}}}, {{{}}}, {{{}}}, {{{}}};\\n\"\n", mma, names("d", d / 2), names("a", a / 2),
                     names("b", b / 2), names("c", c / 2));
  for (int r = 0; r < d / 2; ++r)
    out += fmt::format("      \"mov.b64 {{%{}, %{}}}, d{};{}\"\n", 2 * r, 2 * r + 1, r, 2 * r + 2 < d ? "\\n" : " }");
  return out;
}

}  // namespace

std::vector<MmaSyncInstruction> mma_sync_instructions() {
  std::vector<MmaSyncInstruction> out;
  for (const MmaInstruction& a_row : mma_instructions())
    for (const MmaInstruction& b_row : mma_instructions()) {
      if (a_row.family != InstructionFamily::mma || b_row.family != InstructionFamily::mma) continue;
      if (!may_mix(a_row, b_row)) continue;
      for (const std::string_view a : a_row.types)
        for (const std::string_view b : b_row.types)
          if (!a.empty() && !b.empty()) append_variants({&a_row, &b_row, "", std::string(a), std::string(b), ""}, out);
    }
  return out;
}

MmaSyncInstruction mma_sync_instruction(std::string_view name) {
  std::vector<std::string> known;
  for (const MmaSyncInstruction& i : mma_sync_instructions()) {
    known.push_back(to_string(i));
    if (known.back() == name) return i;
  }
  throw Error(fmt::format("there is no mma.sync {}", quoted(name)), did_you_mean(name, known));
}

bool runs_on(const MmaSyncInstruction& i, const Target& target) {
  // Turing has only .xor.
  constexpr Availability has_and{80, {}};
  if (i.a_type == "b1" && !i.counts_xor && !runs_on(has_and, target)) return false;
  return runs_on(i.a_row->availability, target) && runs_on(i.b_row->availability, target);
}

std::string to_string(const MmaSyncInstruction& instruction) { return "mma." + qualifiers(instruction); }

Fragment fragment_of(const MmaSyncInstruction& i, Operand operand) {
  const std::string* const types[] = {&i.a_type, &i.b_type, &i.c_type, &i.d_type};
  return mma_fragment(operand == Operand::b ? *i.b_row : *i.a_row, mma_n, operand,
                      require_dtype(*types[static_cast<std::size_t>(operand)]), i.orders);
}

std::string mma_statement(const MmaSyncInstruction& i) {
  const int a = words(fragment_of(i, Operand::a)), b = words(fragment_of(i, Operand::b));
  const int c = words(fragment_of(i, Operand::c)), d = words(fragment_of(i, Operand::d));
  std::string out =
      fmt::format("#define A_WORDS {}\n#define B_WORDS {}\n#define C_WORDS {}\n#define D_WORDS {}\n", a, b, c, d);
  out += fmt::format("__device__ void mma(unsigned (&d)[{}], const unsigned (&a)[{}], const unsigned (&b)[{}],\n", d, a,
                     b);
  out += fmt::format("                    const unsigned (&c)[{}]) {{\n  asm volatile(\n      {}", c,
                     assembly(i, d, a, b, c));
  out += fmt::format("      : {}\n      : {}, {}, {});\n}}\n", operands("=r", "d", d), operands("r", "a", a),
                     operands("r", "b", b), operands("r", "c", c));
  return out;
}

namespace {

bool is_xor(const MmaPlan& plan) { return plan.instruction.counts_xor; }

// Blocks that belong together: each pass of the codes in one operand with each partner; the pass is the inner loop.
struct Series {
  Operand coded = Operand::a;
  int passes = 1, partners = 1;

  int blocks() const { return passes * partners; }
};

Operand other(Operand coded) { return coded == Operand::a ? Operand::b : Operand::a; }

Identity identity_of(const MmaPlan& plan, Operand partner) {
  const Fragment f = fragment_of(plan.instruction, partner);
  const bool is_a = partner == Operand::a;
  return {{is_a ? f.rows : f.columns, is_a ? f.columns : f.rows}, f.dtype};
}

std::vector<Series> series_of(const MmaPlan& plan) {
  const Fragment f = fragment_of(plan.instruction, plan.operand);
  const int zeros = is_xor(plan) ? 1 : 0;
  if (plan.operand == Operand::d) {
    std::vector<Series> out;
    for (const Operand coded : {Operand::a, Operand::b}) {
      const int lines = f.tiles * (coded == Operand::a ? f.rows : f.columns);
      out.push_back({coded, PositionCode(fragment_of(plan.instruction, coded).dtype).passes(lines + 1), 1 + zeros});
    }
    return out;
  }
  const int passes = register_passes(f, PositionCode(f.dtype));
  if (plan.operand == Operand::c) return {{Operand::c, passes, 1}};
  return {{plan.operand, passes, identity_of(plan, other(plan.operand)).selections() + zeros}};
}

int blocks_of(const MmaPlan& plan) {
  int blocks = 0;
  for (const Series& series : series_of(plan)) blocks += series.blocks();
  return blocks;
}

// The registers of the coded operand. Codes count from 1, so that no element looks like a zero.
ByteBuffer codes(const MmaPlan& plan, Operand coded, int pass) {
  const RegisterTable table(fragment_of(plan.instruction, coded));
  const Fragment& f = table.fragment();
  const PositionCode code(f.dtype);
  if (plan.operand != Operand::d) return register_codes(f, code, pass);
  const bool is_a = coded == Operand::a;
  return register_image(f, [&](Holder holder) -> std::uint64_t {
    const auto [tile, at] = table.coordinate(holder);
    if ((is_a ? at.column : at.row) != 0) return 0;
    const int line = is_a ? tile * f.rows + at.row : tile * f.columns + at.column;
    return code.element(1 + line, pass) << container_shift(f);
  });
}

// The registers of the opposite operand: the identity; for D ones in row (column) 0, then zeros; for C zeros.
ByteBuffer partner(const MmaPlan& plan, Operand coded, int number, Hypothesis hypothesis) {
  const Operand operand = other(coded);
  const Fragment f = fragment_of(plan.instruction, operand);
  const Identity identity = identity_of(plan, operand);
  const bool is_a = operand == Operand::a;
  return register_image(f, [&](Coordinate at) -> std::uint64_t {
    const int line = is_a ? at.row : at.column, k = is_a ? at.column : at.row;
    if (plan.operand == Operand::d)
      return number == 0 && k == 0 ? PositionCode(f.dtype).one() << container_shift(f) : 0;
    if (coded == Operand::c || number == identity.selections()) return 0;
    return identity.element(number, line, k, hypothesis) << container_shift(f);
  });
}

void append_series(const MmaPlan& plan, const Series& series, Hypothesis hypothesis, Launch& out) {
  for (int number = 0; number < series.partners; ++number) {
    const ByteBuffer opposite = partner(plan, series.coded, number, hypothesis);
    for (int pass = 0; pass < series.passes; ++pass)
      for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
        const auto size = static_cast<std::size_t>(image_bytes(fragment_of(plan.instruction, operand)));
        append_bytes(out.inputs[static_cast<std::size_t>(operand)], operand == series.coded ? codes(plan, operand, pass)
                                                                    : operand == other(series.coded)
                                                                        ? opposite
                                                                        : ByteBuffer(size));
      }
  }
}

// What one series shows in an element of D, given by its index, against one partner.
class SeriesReader {
 public:
  SeriesReader(const MmaPlan& plan, const Series& series, const RegisterTable& d, std::span<const std::uint8_t> blocks)
      : series_(series),
        d_(d),
        blocks_(blocks),
        code_(fragment_of(plan.instruction, series.coded).dtype),
        is_xor_(is_xor(plan) && series.coded != Operand::c) {}

  // The position, counted from 1.
  std::int64_t position(int partner, int index) const {
    std::vector<std::optional<std::int64_t>> digits;
    for (int pass = 0; pass < series_.passes; ++pass) digits.push_back(digit(partner, pass, index));
    return code_.position(digits);
  }

 private:
  std::uint64_t seen(int partner, int pass, int index) const {
    const std::size_t block = static_cast<std::size_t>(partner * series_.passes + pass);
    return d_.element(blocks_.subspan(block * d_.image_bytes()), index);
  }
  std::optional<std::int64_t> digit(int partner, int pass, int index) const {
    const std::uint64_t bits = seen(partner, pass, index);
    if (!is_xor_) return code_.digit(bits, d_.fragment().dtype);
    // |coded| was observed against zeros, as an s32; the partner has a single one.
    const auto twice = static_cast<std::int32_t>(seen(series_.partners - 1, pass, index) + 1 - bits);
    if (twice % 2 != 0) return std::nullopt;
    return code_.digit(word32(twice / 2), d_.fragment().dtype);
  }

  Series series_;
  const RegisterTable& d_;
  std::span<const std::uint8_t> blocks_;
  PositionCode code_;
  bool is_xor_;
};

// Each register of D names its row and its column, and through A and B the MMA to which it belongs.
Observation decode_d(const RegisterTable& d, const SeriesReader& rows, const SeriesReader& columns) {
  const Fragment& f = d.fragment();
  Observation out(static_cast<std::size_t>(d.elements()), unreadable);
  for (int index = 0; index < d.elements(); ++index) {
    const auto row = static_cast<int>(rows.position(0, index)) - 1;
    const auto column = static_cast<int>(columns.position(0, index)) - 1;
    if (row < 0 || column < 0 || row / f.rows != column / f.columns || row >= f.tiles * f.rows) continue;
    const TiledCoordinate at{row / f.rows, {row % f.rows, column % f.columns}};
    out[static_cast<std::size_t>(d.index(at))] = d.number(d.holder(index));
  }
  return out;
}

Observation decode_plan(const MmaPlan& plan, const RegisterTable& d, std::span<const std::uint8_t> blocks) {
  const std::vector<Series> series = series_of(plan);
  const SeriesReader first(plan, series[0], d, blocks);
  if (plan.operand == Operand::d) {
    const std::size_t bytes = static_cast<std::size_t>(series[0].blocks()) * d.image_bytes();
    return decode_d(d, first, SeriesReader(plan, series[1], d, blocks.subspan(bytes)));
  }
  const RegisterTable table(fragment_of(plan.instruction, plan.operand));
  const int m = d.fragment().rows, n = d.fragment().columns;
  Observation out;
  for (int index = 0; index < table.elements(); ++index) {
    auto [tile, at] = table.coordinate(index);
    int selection = 0;
    if (plan.operand == Operand::a) {
      selection = at.column / n;
      at.column %= n;
    } else if (plan.operand == Operand::b) {
      selection = at.row / m;
      at.row %= m;
    }
    const std::int64_t position = first.position(selection, d.index({tile, at}));
    out.push_back(position == unreadable ? unreadable : position - 1);
  }
  return out;
}

}  // namespace

std::vector<MmaPlan> mma_plans(const MmaSyncInstruction& instruction) {
  std::vector<MmaPlan> out;
  for (const Operand operand : {Operand::a, Operand::b, Operand::c, Operand::d}) out.push_back({instruction, operand});
  return out;
}

Kernel kernel_of(const MmaPlan& plan) { return {"mma", mma_statement(plan.instruction)}; }

Launch launch_of(std::span<const MmaPlan> plans, Hypothesis hypothesis) {
  Launch out;
  out.threads = 32;
  for (const MmaPlan& plan : plans) {
    for (const Series& series : series_of(plan)) append_series(plan, series, hypothesis, out);
    out.grid += blocks_of(plan);
  }
  out.output_bytes = out.grid * image_bytes(fragment_of(plans.front().instruction, Operand::d));
  return out;
}

Observations decode(std::span<const MmaPlan> plans, const ByteBuffer& output, Hypothesis) {
  const RegisterTable d(fragment_of(plans.front().instruction, Operand::d));
  std::span<const std::uint8_t> rest = output;
  Observations out;
  for (const MmaPlan& plan : plans) {
    out.push_back(decode_plan(plan, d, rest));
    rest = rest.subspan(static_cast<std::size_t>(blocks_of(plan)) * d.image_bytes());
  }
  return out;
}

Observation expected(const MmaPlan& plan, Hypothesis hypothesis) {
  return RegisterTable(fragment_under(hypothesis, fragment_of(plan.instruction, plan.operand))).numbers();
}

std::string subject(const MmaPlan& plan) {
  return fmt::format("{}, {}", to_string(plan.instruction), static_cast<char>(to_string(plan.operand)[0] - 'a' + 'A'));
}

std::string element_name(const MmaPlan& plan, std::int64_t index) {
  const RegisterTable table(fragment_of(plan.instruction, plan.operand));
  const auto [tile, at] = table.coordinate(static_cast<int>(index));
  const std::string name = fmt::format("({}, {})", at.row, at.column);
  return table.fragment().tiles == 1 ? name : name + fmt::format(" of MMA {}", tile);
}

std::string value_name(const MmaPlan& plan, std::int64_t value) {
  return value == unreadable ? "no element" : holder_name(fragment_of(plan.instruction, plan.operand), value);
}

Json to_json(const MmaPlan& plan) {
  return {{"mma", to_string(plan.instruction).substr(4)}, {"of", to_string(plan.operand)}};
}

MmaPlan mma_plan(const Json& json) {
  const auto of = json.at("of").get<std::string>();
  for (const MmaPlan& plan : mma_plans(mma_sync_instruction("mma." + json.at("mma").get<std::string>())))
    if (to_string(plan.operand) == of) return plan;
  throw Error(fmt::format("an mma.sync has no operand {}", swz::quoted(of)), "its operands: a, b, c and d");
}

}  // namespace swz
