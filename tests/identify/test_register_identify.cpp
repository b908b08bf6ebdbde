// identify_registers: every fragment of the tables is found again, planted mistakes are named, random registers are random.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <random>

#include "base/error.hpp"
#include "fragment/all_fragments.hpp"
#include "fragment/tmem_access.hpp"
#include "identify/register_identify.hpp"
#include "tmem/accumulator_access.hpp"

namespace swz {
namespace {

// The registers of threads that hold a tile as `at(thread, value)` says; each value has `slot_bits` of them.
template <class At>
RegisterDump registers_of(const LogicalTile& tile, int threads, int values, int slot_bits, const At& at) {
  RegisterDump dump{"lines", 0, threads, values * slot_bits / 32, tile.passes, {}};
  dump.words.resize(static_cast<std::size_t>(dump.passes * threads * dump.registers));
  const int bits = tile.type.slot_bits();
  for (int pass = 0; pass < tile.passes; ++pass)
    for (int thread = 0; thread < threads; ++thread)
      for (int value = 0; value < values; ++value) {
        const Coordinate c = at(thread, value);
        std::uint64_t element = tile.value({c.row, c.column}) >> pass * bits % 64;
        if (bits < 64) element &= (std::uint64_t{1} << bits) - 1;
        const auto word = static_cast<std::size_t>((pass * threads + thread) * dump.registers + value * slot_bits / 32);
        dump.words[word] |= static_cast<std::uint32_t>(element) << value * slot_bits % 32;
        if (bits == 64) dump.words[word + 1] = static_cast<std::uint32_t>(element >> 32);
      }
  return dump;
}

RegisterDump registers_of(const LogicalTile& tile, const Fragment& f) {
  return registers_of(tile, f.threads(), f.values(), f.bits, [&](int thread, int value) { return f.at(thread, value); });
}

// Any type of this width: a fragment of bytes may hold e2m1.
LogicalTile codes_of(const Fragment& f) {
  static const std::map<int, std::string_view> types{{1, "b1"}, {4, "u4"}, {8, "u8"}, {16, "u16"}, {32, "u32"}, {64, "u64"}};
  return code_tile(register_element(require_dtype(types.at(f.bits))), {f.rows, f.columns});
}

bool has_name(const RegisterMap& map, const Fragment& f) {
  const std::string operand(to_string(f.operand == Operand::c ? Operand::d : f.operand));
  return std::ranges::any_of(map.names, [&](const RegisterName& name) {
    return name.name == f.name && (name.operand == operand || name.operand.empty());
  });
}

TEST_CASE("identify: the registers of every fragment are that fragment") {
  // One of each map: element types of one width are one.
  std::map<std::string, Fragment> fragments;
  const auto add = [&](Fragment f) {
    std::string key = fmt::format("{} {} {} {}", f.name, to_string(f.operand), f.bits, to_string(tv_layout(f)));
    fragments.emplace(std::move(key), std::move(f));
  };
  for (const FragmentRequest& request : all_requests()) add(find_fragment(request));
  for (const TmemForm& form : tmem_forms()) add(tmem_fragment(form));
  CHECK(fragments.size() > 500);
  int ambiguous = 0;
  for (const auto& [key, f] : fragments) {
    CAPTURE(key);
    const LogicalTile tile = codes_of(f);
    const RegisterIdentification found = identify_registers(registers_of(tile, f), tile, {});
    REQUIRE(found.is_exact);
    ambiguous += found.candidates.empty() ? 0 : 1;
    CHECK(!found.mistake);
    CHECK(found.matching == found.elements);
    // A of wgmma does not depend on N: it has one name.
    if (!(f.name.starts_with("wgmma") && f.operand == Operand::a)) CHECK(has_name(*found.map, f));
    for (int thread = 0; thread < f.threads(); ++thread)
      for (int value = 0; value < f.values(); ++value)
        if (found.map->at(thread, value) != f.at(thread, value)) FAIL("another function");
  }
  CHECK(ambiguous == 0);
}

// A fragment that a kernel holds, some of them repeated.
struct Sample {
  FragmentRequest request;
  std::string_view dtype;
};
const std::vector<Sample> samples{
    {{"mma.m16n8k16", "bf16", Operand::a}, "bf16"},  {{"mma.m16n8k16", "bf16", Operand::b}, "bf16"}, {{"mma.m16n8k16", "", Operand::d, "f32"}, "f32"},
    {{"mma.m16n8k32", "e4m3", Operand::a}, "e4m3"},  {{"mma.m16n8k8", "tf32", Operand::a}, "tf32"},  {{"wgmma.m64n64k16", "", Operand::d, "f32"}, "f32"},
    {{"wgmma.m64n8k16", "bf16", Operand::a}, "bf16"}, {{"ldmatrix.x4"}, "u16"},                       {{"ldmatrix.x4.trans"}, "u16"},
};

TEST_CASE("identify: planted mistakes are named, and explain every register") {
  std::mt19937 random(16);
  const auto below = [&](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
  const char* const kinds[] = {"transposed", "register-order", "element-order", "warp-order", "wrong-lane", "wrong-lane", "wrong-warp", "stale", "other-fragment"};
  std::map<std::string, int> named;
  int planted = 0;
  while (planted < 2000) {
    const Sample& sample = samples[static_cast<std::size_t>(below(static_cast<int>(std::size(samples))))];
    const Fragment f = find_fragment(sample.request);
    const LogicalTile tile = code_tile(register_element(require_dtype(sample.dtype)), {f.rows, f.columns});
    if (tile.passes > 1) continue;
    RegisterDump dump = registers_of(tile, f);
    const RegisterDump right = dump;
    const RegisterMeaning meant{false, f.name, f.operand == Operand::memory ? "" : std::string(to_string(f.operand))};
    const auto word = [&](int thread, int reg) -> std::uint32_t& { return dump.words[static_cast<std::size_t>(thread * dump.registers + reg)]; };
    const auto original = [&](int thread, int reg) { return right.words[static_cast<std::size_t>(thread * dump.registers + reg)]; };
    const int kind = below(static_cast<int>(std::size(kinds)));
    const int warps = dump.threads / 32;
    std::string place;  // that the text names
    if (kind == 0) {
      if (f.bits != 16 || f.rows % 8 != 0 || f.columns % 8 != 0) continue;
      dump = registers_of(tile, f.threads(), f.values(), f.bits, [&](int thread, int value) {
        const Coordinate at = f.at(thread, value);
        return Coordinate{at.row / 8 * 8 + at.column % 8, at.column / 8 * 8 + at.row % 8};
      });
      place = "each matrix";
    } else if (kind == 1) {
      const int a = below(dump.registers), b = below(dump.registers);
      for (int thread = 0; thread < dump.threads; ++thread) std::swap(word(thread, a), word(thread, b));
      place = fmt::format("registers {} and {} are exchanged", std::min(a, b), std::max(a, b));
    } else if (kind == 2) {
      if (f.bits != 16) continue;
      for (std::uint32_t& w : dump.words) w = w << 16 | w >> 16;
      place = "2 elements";
    } else if (kind == 3) {
      if (warps < 2) continue;
      const int a = below(warps), b = below(warps);
      for (int lane = 0; lane < 32; ++lane)
        for (int reg = 0; reg < dump.registers; ++reg) std::swap(word(32 * a + lane, reg), word(32 * b + lane, reg));
      place = fmt::format("warps {} and {} are exchanged", std::min(a, b), std::max(a, b));
    } else if (kind == 4) {
      const int a = below(dump.threads), b = below(dump.threads);
      for (int reg = 0; reg < dump.registers; ++reg) word(a, reg) = original(b, reg);
      place = fmt::format("in thread {}, which holds what thread {} should", a, b);
    } else if (kind == 5) {
      const int a = below(dump.threads);
      word(a, below(dump.registers)) ^= 1U << below(32);
      place = fmt::format("in thread {}, which holds what no thread should", a);
    } else if (kind == 6) {
      if (warps < 2) continue;
      const int a = below(warps), b = below(warps);
      for (int lane = 0; lane < 32; ++lane)
        for (int reg = 0; reg < dump.registers; ++reg) word(32 * a + lane, reg) = original(32 * b + lane, reg);
      place = fmt::format("in warp {}, which holds what warp {} should", a, b);
    } else if (kind == 7) {
      if (dump.registers < 2) continue;
      const int a = below(dump.registers);
      for (int thread = 0; thread < dump.threads; ++thread) word(thread, a) = 0xcdcdcdcd;
      place = fmt::format("in register {},", a);
    } else {
      if (f.name != "mma.m16n8k16" || f.operand != Operand::b) continue;
      dump = registers_of(tile, find_fragment({"mma.m16n8k8", "bf16", Operand::a}));  // 16 x 8 as well
      place = "A of mma.m16n8k8";
    }
    if (dump.words == right.words) continue;
    ++planted;
    CAPTURE(f.name);
    CAPTURE(to_string(f.operand));
    CAPTURE(kinds[kind]);
    const RegisterIdentification found = identify_registers(dump, tile, meant);
    REQUIRE(!found.is_exact);
    REQUIRE(found.mistake);
    CAPTURE(found.mistake->text);
    // A of m16n8k8 is B of m16n8k16 with its matrices turned: both are said.
    CHECK(found.mistake->name == (kind == 8 ? "transposed" : kinds[kind]));
    CHECK(found.mistake->text.find(place) != std::string::npos);
    ++named[kinds[kind]];
  }
  CHECK(named.size() == 8);
  for (const auto& [name, count] : named) CHECK(count >= 20);
}

TEST_CASE("identify: random registers hold no fragment") {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i) % samples.size()];
    const Fragment f = find_fragment(sample.request);
    const LogicalTile tile = iota_tile(register_element(require_dtype(sample.dtype)), {f.rows, f.columns});
    RegisterDump dump = registers_of(tile, f);
    for (std::uint32_t& w : dump.words) w = static_cast<std::uint32_t>(random());
    const RegisterIdentification found = identify_registers(dump, tile, {});
    CHECK(!found.is_exact);
    CHECK(!found.mistake);
    CHECK(!found.map);
    CHECK(!found.held);
  }
}

TEST_CASE("identify: D of every data path, as every tcgen05.ld gives it to the threads") {
  int count = 0;
  for (const DataPath& path : data_paths())
    for (const TmemForm& form : tmem_forms()) {
      if (form.stores || form.reduction) continue;
      const int n = form.columns() * path.parts;
      if (n > 256 || n < 8 || (path.is_scattered && form.shape->lanes == 32 && form.number > 16)) continue;
      const Accumulator d(path, n);
      const ElementType type{form.packs ? "f16" : "f32"};
      const LogicalTile tile = iota_tile(type, {path.m, n});
      const Fragment window = tmem_fragment(form);
      const int halves = path.is_scattered || form.shape->lanes == 32 ? 1 : 2;
      RegisterDump dump{"lines", 0, 128, form.registers() * halves, 1, {}};
      dump.words.resize(static_cast<std::size_t>(dump.threads * dump.registers));
      for (int thread = 0; thread < 128; ++thread)
        for (int half = 0; half < halves; ++half) {
          const AccumulatorAccess access(d, {.warp = thread / 32, .lane = 16 * half});
          for (int value = 0; value < window.values(); ++value) {
            const auto at = access.element(window.at(thread % 32, value));
            const auto element = at ? tile.value({at->row, at->column}) : 0xeeee;
            const RegisterSlot slot = window.slot(value);
            dump.words[static_cast<std::size_t>(thread * dump.registers + half * form.registers() + slot.index)] |=
                static_cast<std::uint32_t>(element << slot.first_bit);
          }
        }
      const RegisterIdentification found = identify_registers(dump, tile, {true, "", ""});
      CAPTURE(form.name());
      CAPTURE(path.name);
      REQUIRE(found.is_exact);
      // 16 bits repeat in a tile of more than 65,536 elements only.
      CHECK(found.candidates.empty());
      CHECK(std::ranges::any_of(found.map->names, [&](const RegisterName& name) {
        return name.title.find(fmt::format("data path {}", path.name)) != std::string::npos;
      }));
      ++count;
    }
  CHECK(count > 200);
}

}  // namespace
}  // namespace swz
