#include "probe/mma_probe.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/mma_registers.hpp"

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
      out.push_back({coded, RegisterCode(fragment_of(plan.instruction, coded)).passes(lines + 1), 1 + zeros});
    }
    return out;
  }
  const int passes = RegisterCode(f).passes(f.threads() * f.values() + 1);
  if (plan.operand == Operand::c) return {{Operand::c, passes, 1}};
  return {{plan.operand, passes, identity_of(plan, other(plan.operand)).selections() + zeros}};
}

int blocks_of(const MmaPlan& plan) {
  int blocks = 0;
  for (const Series& series : series_of(plan)) blocks += series.blocks();
  return blocks;
}

// The registers of the coded operand. Codes count from 1, so that no element looks like a zero.
RegisterWords codes(const MmaPlan& plan, Operand coded, int pass) {
  const RegisterTable table(fragment_of(plan.instruction, coded));
  const RegisterCode code(table.fragment());
  const bool is_a = coded == Operand::a;
  return register_image(table.fragment(), [&](Holder holder) -> std::uint64_t {
    if (plan.operand != Operand::d) return code.element(1 + table.number(holder), pass);
    const auto [tile, at] = table.coordinate(holder);
    if ((is_a ? at.column : at.row) != 0) return 0;
    const int line = is_a ? tile * table.fragment().rows + at.row : tile * table.fragment().columns + at.column;
    return code.element(1 + line, pass);
  });
}

// The registers of what stands opposite: the identity, of D ones in row (column) 0, then zeros.
RegisterWords partner(const MmaPlan& plan, Operand coded, int number, Hypothesis hypothesis) {
  const Operand operand = other(coded);
  const Fragment f = fragment_of(plan.instruction, operand);
  const RegisterCode code(f);
  const Identity identity = identity_of(plan, operand);
  const bool is_a = operand == Operand::a;
  return register_image(f, [&](Coordinate at) -> std::uint64_t {
    const int line = is_a ? at.row : at.column, k = is_a ? at.column : at.row;
    if (plan.operand == Operand::d) return number == 0 && k == 0 ? code.one() : 0;
    if (number == identity.selections()) return 0;
    return code.in_register(identity.element(number, line, k, hypothesis));
  });
}

void append_words(ByteBuffer& out, const RegisterWords& words) {
  for (const std::uint32_t word : words) append(out, word);
}

RegisterWords words_at(std::span<const std::uint8_t> bytes, std::size_t block, std::size_t count) {
  RegisterWords words(count);
  __builtin_memcpy(words.data(), bytes.data() + block * count * 4, count * 4);
  return words;
}

std::size_t input_of(Operand operand) { return operand == Operand::a ? 0 : operand == Operand::b ? 1 : 2; }

void append_series(const MmaPlan& plan, const Series& series, Hypothesis hypothesis, Launch& out) {
  std::vector<RegisterWords> coded;
  for (int pass = 0; pass < series.passes; ++pass) coded.push_back(codes(plan, series.coded, pass));
  for (int number = 0; number < series.partners; ++number) {
    std::optional<RegisterWords> opposite;
    if (series.coded != Operand::c) opposite = partner(plan, series.coded, number, hypothesis);
    for (const RegisterWords& words : coded)
      for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
        ByteBuffer& input = out.inputs[input_of(operand)];
        const bool is_opposite = opposite && operand == other(series.coded);
        if (operand == series.coded) append_words(input, words);
        else if (is_opposite) append_words(input, *opposite);
        else append_words(input, RegisterWords(RegisterTable(fragment_of(plan.instruction, operand)).words()));
      }
  }
}

// What one series shows in an element of D, seen against one partner.
class SeriesReader {
 public:
  SeriesReader(const MmaPlan& plan, const Series& series, std::span<const RegisterWords> blocks)
      : series_(series),
        blocks_(blocks),
        d_(fragment_of(plan.instruction, Operand::d)),
        code_(fragment_of(plan.instruction, series.coded).dtype),
        is_xor_(is_xor(plan) && series.coded != Operand::c) {}

  // As counted from 1.
  std::int64_t position(int partner, Holder holder) const {
    std::vector<std::optional<std::int64_t>> digits;
    for (int pass = 0; pass < series_.passes; ++pass) digits.push_back(digit(partner, pass, holder));
    return code_.position(digits);
  }

 private:
  std::uint64_t seen(int partner, int pass, Holder holder) const {
    return register_element(d_, blocks_[static_cast<std::size_t>(partner * series_.passes + pass)], holder);
  }
  std::optional<std::int64_t> digit(int partner, int pass, Holder holder) const {
    const std::uint64_t bits = seen(partner, pass, holder);
    if (!is_xor_) return code_.digit(bits, d_.dtype);
    // |coded| was seen against zeros; the partner has a single one.
    const double coded = number_of(seen(series_.partners - 1, pass, holder), d_.dtype);
    const double both = (coded + 1 - number_of(bits, d_.dtype)) / 2;
    if (both != std::floor(both)) return std::nullopt;
    return code_.digit(bits_of(both, d_.dtype), d_.dtype);
  }

  Series series_;
  std::span<const RegisterWords> blocks_;
  Fragment d_;
  PositionCode code_;
  bool is_xor_;
};

// Each register of D names its row and its column, and through A and B the MMA it belongs to.
Observation decode_d(const MmaPlan& plan, const SeriesReader& rows, const SeriesReader& columns) {
  const RegisterTable d(fragment_of(plan.instruction, Operand::d));
  const Fragment& f = d.fragment();
  Observation out{std::vector<std::int64_t>(static_cast<std::size_t>(d.elements()), unreadable)};
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Holder holder{thread, value};
      const auto row = static_cast<int>(rows.position(0, holder)) - 1;
      const auto column = static_cast<int>(columns.position(0, holder)) - 1;
      if (row < 0 || column < 0 || row / f.rows != column / f.columns || row >= f.tiles * f.rows) continue;
      const TiledCoordinate at{row / f.rows, {row % f.rows, column % f.columns}};
      out.values[static_cast<std::size_t>(d.index(at))] = d.number(holder);
    }
  return out;
}

Observation decode_plan(const MmaPlan& plan, std::span<const RegisterWords> blocks) {
  const std::vector<Series> series = series_of(plan);
  const SeriesReader first(plan, series[0], blocks);
  if (plan.operand == Operand::d)
    return decode_d(plan, first,
                    SeriesReader(plan, series[1], blocks.subspan(static_cast<std::size_t>(series[0].blocks()))));
  const RegisterTable d(fragment_of(plan.instruction, Operand::d));
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
    const std::int64_t position = first.position(selection, d.holder(TiledCoordinate{tile, at}));
    out.values.push_back(position == unreadable ? unreadable : position - 1);
  }
  return out;
}

// The elements of an operand as numbers, by index.
std::vector<double> numbers(const RegisterTable& table, const RegisterCode& code, const RegisterWords& words) {
  std::vector<double> out;
  for (int index = 0; index < table.elements(); ++index)
    out.push_back(code.value(register_element(table.fragment(), words, table.holder(index))));
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
  out.output_bytes = std::int64_t{out.grid} * static_cast<std::int64_t>(d.words()) * 4;
  return out;
}

std::vector<Observation> decode(std::span<const MmaPlan> plans, const ByteBuffer& output, Hypothesis) {
  const std::size_t words = RegisterTable(fragment_of(plans.front().instruction, Operand::d)).words();
  std::vector<Observation> out;
  std::size_t block = 0;
  for (const MmaPlan& plan : plans) {
    std::vector<RegisterWords> blocks;
    for (int i = 0; i < blocks_of(plan); ++i) blocks.push_back(words_at(output, block++, words));
    out.push_back(decode_plan(plan, blocks));
  }
  return out;
}

Observation expected(const MmaPlan& plan, Hypothesis hypothesis) {
  const RegisterTable table(fragment_under(hypothesis, fragment_of(plan.instruction, plan.operand)));
  Observation out;
  for (int index = 0; index < table.elements(); ++index) out.values.push_back(table.number(table.holder(index)));
  return out;
}

ByteBuffer simulate(std::span<const MmaPlan> plans, const Launch& launch) {
  const MmaSyncInstruction& i = plans.front().instruction;
  const RegisterTable a(fragment_of(i, Operand::a)), b(fragment_of(i, Operand::b));
  const RegisterTable c(fragment_of(i, Operand::c)), d(fragment_of(i, Operand::d));
  const RegisterCode a_code(a.fragment()), b_code(b.fragment()), c_code(c.fragment());
  ByteBuffer output;
  for (std::size_t block = 0; block < static_cast<std::size_t>(launch.grid); ++block) {
    const std::vector<double> as = numbers(a, a_code, words_at(launch.inputs[0], block, a.words()));
    const std::vector<double> bs = numbers(b, b_code, words_at(launch.inputs[1], block, b.words()));
    const std::vector<double> cs = numbers(c, c_code, words_at(launch.inputs[2], block, c.words()));
    append_words(output, register_image(d.fragment(), [&](Holder holder) {
                   const auto [tile, at] = d.coordinate(holder);
                   double sum = cs[static_cast<std::size_t>(c.index({tile, at}))];
                   for (int k = 0; k < i.k; ++k) {
                     const double x = as[static_cast<std::size_t>(a.index({tile, {at.row, k}}))];
                     const double y = bs[static_cast<std::size_t>(b.index({tile, {k, at.column}}))];
                     sum += i.counts_xor ? std::fabs(x - y) : x * y;
                   }
                   return bits_of(sum, i.d_type);
                 }));
  }
  return output;
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
  if (value == unreadable) return "no element";
  const int values = fragment_of(plan.instruction, plan.operand).values();
  return fmt::format("thread {} value {}", value / values, value % values);
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
