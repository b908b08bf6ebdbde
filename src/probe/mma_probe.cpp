#include "probe/mma_probe.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/operand_probe.hpp"

namespace swz {

namespace {

bool is_xor(const MmaPlan& plan) { return plan.instruction.counts_xor; }

// Blocks that go together: each pass of the codes in one operand with each partner, the pass running fastest.
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
  const int passes = PositionCode(f.dtype).passes(f.threads() * f.values() + 1);
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
  const bool is_a = coded == Operand::a;
  return register_image(f, [&](Holder holder) -> std::uint64_t {
    if (plan.operand != Operand::d) return code.element(1 + table.number(holder), pass) << container_shift(f);
    const auto [tile, at] = table.coordinate(holder);
    if ((is_a ? at.column : at.row) != 0) return 0;
    const int line = is_a ? tile * f.rows + at.row : tile * f.columns + at.column;
    return code.element(1 + line, pass) << container_shift(f);
  });
}

// The registers of what stands opposite: the identity, of D ones in row (column) 0, then zeros.
ByteBuffer partner(const MmaPlan& plan, Operand coded, int number, Hypothesis hypothesis) {
  const Operand operand = other(coded);
  const Fragment f = fragment_of(plan.instruction, operand);
  const Identity identity = identity_of(plan, operand);
  const bool is_a = operand == Operand::a;
  return register_image(f, [&](Coordinate at) -> std::uint64_t {
    const int line = is_a ? at.row : at.column, k = is_a ? at.column : at.row;
    if (plan.operand == Operand::d)
      return number == 0 && k == 0 ? PositionCode(f.dtype).one() << container_shift(f) : 0;
    if (number == identity.selections()) return 0;
    return identity.element(number, line, k, hypothesis) << container_shift(f);
  });
}

void append_series(const MmaPlan& plan, const Series& series, Hypothesis hypothesis, Launch& out) {
  std::vector<ByteBuffer> coded;
  for (int pass = 0; pass < series.passes; ++pass) coded.push_back(codes(plan, series.coded, pass));
  for (int number = 0; number < series.partners; ++number) {
    ByteBuffer opposite;
    if (series.coded != Operand::c) opposite = partner(plan, series.coded, number, hypothesis);
    for (const ByteBuffer& of_pass : coded)
      for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
        ByteBuffer& input = out.inputs[static_cast<std::size_t>(operand)];
        const bool is_opposite = series.coded != Operand::c && operand == other(series.coded);
        if (operand == series.coded) append_bytes(input, of_pass);
        else if (is_opposite) append_bytes(input, opposite);
        else input.resize(input.size() + RegisterTable(fragment_of(plan.instruction, operand)).image_bytes());
      }
  }
}

// What one series shows in an element of D, by its index, seen against one partner.
class SeriesReader {
 public:
  SeriesReader(const MmaPlan& plan, const Series& series, const RegisterTable& d,
               std::span<const std::uint8_t> blocks)
      : series_(series),
        d_(d),
        blocks_(blocks),
        code_(fragment_of(plan.instruction, series.coded).dtype),
        is_xor_(is_xor(plan) && series.coded != Operand::c) {}

  // As counted from 1.
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
    // |coded| was seen against zeros, as an s32; the partner has a single one.
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

// Each register of D names its row and its column, and through A and B the MMA it belongs to.
Observation decode_d(const RegisterTable& d, const SeriesReader& rows, const SeriesReader& columns) {
  const Fragment& f = d.fragment();
  Observation out{std::vector<std::int64_t>(static_cast<std::size_t>(d.elements()), unreadable)};
  for (int index = 0; index < d.elements(); ++index) {
    const auto row = static_cast<int>(rows.position(0, index)) - 1;
    const auto column = static_cast<int>(columns.position(0, index)) - 1;
    if (row < 0 || column < 0 || row / f.rows != column / f.columns || row >= f.tiles * f.rows) continue;
    const TiledCoordinate at{row / f.rows, {row % f.rows, column % f.columns}};
    out.values[static_cast<std::size_t>(d.index(at))] = d.number(d.holder(index));
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
    out.values.push_back(position == unreadable ? unreadable : position - 1);
  }
  return out;
}

}  // namespace

std::vector<MmaPlan> mma_plans(const MmaSyncInstruction& instruction) {
  std::vector<MmaPlan> out;
  for (const Operand operand : {Operand::a, Operand::b, Operand::c, Operand::d})
    out.push_back({instruction, operand});
  return out;
}

Kernel kernel_of(const MmaPlan& plan) { return {"mma", mma_statement(plan.instruction)}; }

Launch launch_of(std::span<const MmaPlan> plans, Hypothesis hypothesis) {
  Launch out;
  out.kernel = kernel_of(plans.front());
  out.grid = 0;
  out.threads = 32;
  for (const MmaPlan& plan : plans) {
    for (const Series& series : series_of(plan)) append_series(plan, series, hypothesis, out);
    out.grid += blocks_of(plan);
  }
  const RegisterTable d(fragment_of(plans.front().instruction, Operand::d));
  out.output_bytes = std::int64_t{out.grid} * static_cast<std::int64_t>(d.image_bytes());
  return out;
}

std::vector<Observation> decode(std::span<const MmaPlan> plans, const ByteBuffer& output, Hypothesis) {
  const RegisterTable d(fragment_of(plans.front().instruction, Operand::d));
  std::span<const std::uint8_t> rest = output;
  std::vector<Observation> out;
  for (const MmaPlan& plan : plans) {
    out.push_back(decode_plan(plan, d, rest));
    rest = rest.subspan(static_cast<std::size_t>(blocks_of(plan)) * d.image_bytes());
  }
  return out;
}

Observation expected(const MmaPlan& plan, Hypothesis hypothesis) {
  return {RegisterTable(fragment_under(hypothesis, fragment_of(plan.instruction, plan.operand))).numbers()};
}

std::string subject(const MmaPlan& plan) {
  return fmt::format("{}, {}", to_string(plan.instruction),
                     static_cast<char>(to_string(plan.operand)[0] - 'a' + 'A'));
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
