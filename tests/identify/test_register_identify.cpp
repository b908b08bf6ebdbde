// SPDX-License-Identifier: Apache-2.0
// identify_registers: every fragment of the tables is found again, planted mistakes are named, random registers are random.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <random>

#include "arch/mistake.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/all_fragments.hpp"
#include "fragment/block_scaled.hpp"
#include "fragment/sparse.hpp"
#include "fragment/tmem_access.hpp"
#include "identify/register_identify.hpp"
#include "sweep.hpp"
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
  return registers_of(tile, f.threads(), f.values(), f.bits,
                      [&](int thread, int value) { return f.at(thread, value); });
}

// Any type of this width: a fragment of bytes may hold e2m1.
LogicalTile codes_of(const Fragment& f) {
  static const std::map<int, std::string_view> types{{1, "b1"},   {4, "u4"},   {8, "u8"},
                                                     {16, "u16"}, {32, "u32"}, {64, "u64"}};
  return code_tile(register_element(require_dtype(types.at(f.bits))), {f.rows, f.columns});
}

// "swz frag mma.m16n8k16 --operand a --dtype bf16"
FragmentRequest request_of(const std::string& command) {
  const std::vector<std::string> words = split(command, ' ');
  FragmentRequest request{words[2]};
  for (std::size_t i = 3; i + 1 < words.size(); i += 2) {
    if (words[i] == "--dtype") request.dtype = words[i + 1];
    if (words[i] == "--accumulator") request.accumulator = words[i + 1];
    for (const Operand operand : {Operand::a, Operand::b, Operand::d})
      if (words[i] == "--operand" && words[i + 1] == to_string(operand)) request.operand = operand;
  }
  return request;
}

bool has_name(const RegisterMap& map, const Fragment& f) {
  const std::string operand(to_string(f.operand == Operand::c ? Operand::d : f.operand));
  return std::ranges::any_of(map.names, [&](const RegisterName& name) {
    return name.name == f.name && (name.operand == operand || name.operand.empty());
  });
}

// A fragment that a kernel holds.
struct Sample {
  FragmentRequest request;
  std::string_view dtype;
};

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
  Sweep every{24, 2};
  int ambiguous = 0;
  for (const auto& entry : fragments) {
    if (!every.takes()) continue;
    const Fragment& f = entry.second;
    CAPTURE(entry.first);
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
    // Every command shows this function, of B perhaps the transposed one.
    for (const RegisterName& name : found.map->names) {
      CAPTURE(name.command);
      const Fragment shown = find_fragment(request_of(name.command));
      for (int thread = 0; thread < f.threads(); ++thread)
        for (int value = 0; value < f.values(); ++value) {
          const Coordinate at = shown.at(thread, value);
          const Coordinate turned = name.title.ends_with("N x K") ? Coordinate{at.column, at.row} : at;
          if (turned != f.at(thread, value)) FAIL("the command shows another function");
        }
    }
  }
  CHECK(ambiguous == 0);
}

// One register of a warp that holds scale factors as the ids say, and random bytes where no MMA reads.
RegisterDump scale_register(const LogicalTile& tile, const Fragment& f, std::mt19937& random, bool is_exchanged) {
  RegisterDump dump{"lines", 0, 32, 1, tile.passes, {}};
  for (int thread = 0; thread < 32; ++thread) {
    std::uint32_t word = static_cast<std::uint32_t>(random());
    for (int value = 0; value < f.values() && f.is_read(thread); ++value) {
      const Coordinate at = f.at(thread, value);
      const auto byte =
          tile.value(is_exchanged ? TileCoordinate{at.column, at.row} : TileCoordinate{at.row, at.column});
      const int bit = f.first_bit + 8 * value;
      word = (word & ~(0xffU << bit)) | static_cast<std::uint32_t>(byte) << bit;
    }
    dump.words.push_back(word);
  }
  return dump;
}

TEST_CASE("identify: a register of scale factors, for every form, byte-id and thread-id") {
  std::mt19937 random(30);
  int dumps = 0;
  for (const BlockScaledMma& form : block_scaled_mmas())
    for (const Operand operand : {Operand::sfa, Operand::sfb})
      for (const int byte : legal_byte_ids(form.scale_vec))
        for (const int thread : legal_thread_ids(operand == Operand::sfa ? ScaleOperand::a : ScaleOperand::b))
          for (const bool is_exchanged : {false, true}) {
            if (is_exchanged && operand == Operand::sfa) continue;  // then it is B's
            const Fragment f = scale_fragment(form, operand, {byte, thread});
            const TileExtents extents = is_exchanged ? TileExtents{f.columns, f.rows} : TileExtents{f.rows, f.columns};
            const LogicalTile tile = code_tile(register_element(require_dtype("u8")), extents);
            const RegisterDump dump = scale_register(tile, f, random, is_exchanged);
            const std::string name = block_scaled_name(form);
            const RegisterIdentification found =
                identify_registers(dump, tile, {false, name, std::string(to_string(operand))});
            CAPTURE(name);
            REQUIRE(found.is_exact);
            CHECK(found.candidates.empty());
            const std::string ids = fmt::format("byte-id {} and thread-id {}", byte, thread);
            CHECK(std::ranges::any_of(found.map->names, [&](const RegisterName& of) {
              return of.name == name && of.title.find(ids) != std::string::npos;
            }));
            ++dumps;
          }
  CHECK(dumps > 100);
}

TEST_CASE("identify: scale factors where the MMA does not read them are not that register") {
  std::mt19937 random(31);
  const BlockScaledMma& form = *find_block_scaled({MmaKind::mxf4nvf4, false, 4, "ue4m3"}).at(0);
  const LogicalTile tile = code_tile(register_element(require_dtype("u8")), {16, 4});
  RegisterDump dump = scale_register(tile, scale_fragment(form, Operand::sfa, {0, 0}), random, false);
  std::swap(dump.words[0], dump.words[1]);  // rows 0 and 8
  const RegisterIdentification found = identify_registers(dump, tile, {});
  CHECK_FALSE(found.is_exact);
  REQUIRE(found.mistake);
  CHECK(found.mistake->name == "wrong-lane");
}

TEST_CASE("identify: A, B and D of a sparse MMA that is meant") {
  int fragments = 0;
  for (const SparseMma& row : sparse_mmas())
    for (const Operand operand : {Operand::a, Operand::b, Operand::d}) {
      const bool is_wgmma = row.mma.family == InstructionFamily::wgmma;
      if (is_wgmma && operand == Operand::b) continue;
      const std::string_view type = operand == Operand::d ? row.mma.accumulators[0] : row.mma.types[0];
      const Fragment f = sparse_fragment(row, 8, operand, require_dtype(type));
      const LogicalTile tile = codes_of(f);
      const std::string name = sparse_name(row, 8, row.is_ordered_only);
      CAPTURE(name);
      const RegisterIdentification found =
          identify_registers(registers_of(tile, f), tile, {false, name, std::string(to_string(operand))});
      REQUIRE(found.is_exact);
      CHECK(std::ranges::any_of(found.map->names, [&](const RegisterName& of) { return of.name == name; }));
      ++fragments;
    }
  CHECK(fragments == 13 * 3 + 5 * 2);
}

TEST_CASE("identify: a fragment that is repeated over the warps and registers of a tile, in every way") {
  struct Way {
    int warps_down, warps_right, same, values_down, values_right;
  };
  const Way ways[] = {{1, 1, 1, 2, 4}, {4, 1, 1, 1, 4}, {2, 2, 1, 2, 2}, {1, 4, 1, 4, 2},
                      {2, 1, 2, 2, 4}, {1, 2, 2, 1, 3}, {2, 2, 2, 3, 2}};
  const std::vector<Sample> repeated{{{"mma.m16n8k16", "", Operand::d, "f32"}, "f32"},
                                     {{"mma.m16n8k16", "bf16", Operand::a}, "bf16"},
                                     {{"mma.m16n8k16", "bf16", Operand::b}, "bf16"},
                                     {{"mma.m16n8k32", "e4m3", Operand::a}, "e4m3"}};
  Sweep every{27, 2};
  for (const Sample& sample : repeated)
    for (const Way& way : ways)
      for (int choice = 0; choice < 16; ++choice) {
        if (!every.takes()) continue;
        const Fragment f = find_fragment(sample.request);
        const bool right_first = (choice & 1) != 0, values_right_first = (choice & 2) != 0,
                   far_rows = (choice & 4) != 0, far_columns = (choice & 8) != 0;
        const int rows = f.rows * way.warps_down * way.values_down,
                  columns = f.columns * way.warps_right * way.values_right;
        const LogicalTile tile = code_tile(register_element(require_dtype(sample.dtype)), {rows, columns});
        const auto at = [&](int thread, int value) {
          const int warp = thread / 32 % (way.warps_down * way.warps_right), block = value / f.values();
          const int down = right_first ? warp / way.warps_right : warp % way.warps_down,
                    right = right_first ? warp % way.warps_right : warp / way.warps_down;
          const int below = values_right_first ? block / way.values_right : block % way.values_down;
          const int beside = values_right_first ? block % way.values_right : block / way.values_down;
          const int block_row = far_rows ? down * way.values_down + below : below * way.warps_down + down;
          const int block_column = far_columns ? right * way.values_right + beside : beside * way.warps_right + right;
          const Coordinate inside = f.at(thread % 32, value % f.values());
          return Coordinate{inside.row + f.rows * block_row, inside.column + f.columns * block_column};
        };
        const int threads = 32 * way.warps_down * way.warps_right * way.same,
                  values = f.values() * way.values_down * way.values_right;
        const RegisterIdentification found =
            identify_registers(registers_of(tile, threads, values, f.bits, at), tile, {});
        CAPTURE(f.name);
        CAPTURE(choice);
        REQUIRE(found.is_exact);
        CHECK(found.candidates.empty());
        for (int thread = 0; thread < threads; ++thread)
          for (int value = 0; value < values; ++value)
            if (found.map->at(thread, value) != at(thread, value)) FAIL("another function");
      }
}

TEST_CASE("identify: what values leave open is listed") {
  // 8 bits repeat after 8 rows of 32: whether a warp holds neighbouring blocks of 16 rows is not known.
  const Fragment f = find_fragment({"mma.m16n8k32", "e4m3", Operand::a});
  const auto at = [&](int thread, int value) {
    const Coordinate inside = f.at(thread % 32, value % f.values());
    return Coordinate{inside.row + f.rows * (thread / 32 + 4 * (value / f.values())), inside.column};
  };
  const LogicalTile tile = iota_tile({"e4m3"}, {8 * f.rows, f.columns});
  const RegisterIdentification found =
      identify_registers(registers_of(tile, 128, 2 * f.values(), f.bits, at), tile, {});
  REQUIRE(found.is_exact);
  CHECK(found.candidates.size() > 1);
  CHECK(std::ranges::any_of(found.candidates, [&](const RegisterMap& map) {
    for (int thread = 0; thread < 128; ++thread)
      for (int value = 0; value < map.values(); ++value)
        if (map.at(thread, value) != at(thread, value)) return false;
    return true;
  }));
  const LogicalTile codes = code_tile({"e4m3"}, {8 * f.rows, f.columns});
  CHECK(identify_registers(registers_of(codes, 128, 2 * f.values(), f.bits, at), codes, {}).candidates.empty());
  // Constant registers are no fragment of different elements.
  const Fragment a = find_fragment({"mma.m16n8k16", "bf16", Operand::a});
  const LogicalTile numbers = iota_tile({"bf16"}, {a.rows, a.columns});
  RegisterDump constant = registers_of(numbers, a);
  std::ranges::fill(constant.words, 0U);
  const RegisterIdentification none = identify_registers(constant, numbers, {});
  CHECK(!none.is_exact);
  CHECK(none.is_constant);
  CHECK(!none.mistake);
}

const std::vector<Sample> samples{
    {{"mma.m16n8k16", "bf16", Operand::a}, "bf16"},
    {{"mma.m16n8k16", "bf16", Operand::b}, "bf16"},
    {{"mma.m16n8k16", "", Operand::d, "f32"}, "f32"},
    {{"mma.m16n8k32", "e4m3", Operand::a}, "e4m3"},
    {{"mma.m16n8k8", "tf32", Operand::a}, "tf32"},
    {{"wgmma.m64n64k16", "", Operand::d, "f32"}, "f32"},
    {{"wgmma.m64n8k16", "bf16", Operand::a}, "bf16"},
    {{"ldmatrix.x4"}, "u16"},
    {{"ldmatrix.x4.trans"}, "u16"},
};

TEST_CASE("identify: B may be N x K; the transposed tile of what is meant is a mistake") {
  const auto turned = [](const Fragment& f) {
    return [&f](int thread, int value) { return Coordinate{f.at(thread, value).column, f.at(thread, value).row}; };
  };
  const Fragment b = find_fragment({"mma.m16n8k16", "bf16", Operand::b});
  const LogicalTile n_by_k = iota_tile({"bf16"}, {b.columns, b.rows});
  const RegisterMeaning b_meant{false, b.name, "b"};
  const RegisterIdentification found =
      identify_registers(registers_of(n_by_k, b.threads(), b.values(), 16, turned(b)), n_by_k, b_meant);
  REQUIRE(found.is_exact);
  CHECK(found.map->names[0].title == "B of mma.m16n8k16, the tile being N x K");

  const Fragment a = find_fragment({"mma.m16n8k16", "bf16", Operand::a});
  const LogicalTile square = iota_tile({"bf16"}, {16, 16});
  const RegisterIdentification exchanged =
      identify_registers(registers_of(square, 32, 8, 16, turned(a)), square, {false, a.name, "a"});
  REQUIRE(!exchanged.is_exact);
  REQUIRE(exchanged.mistake);
  CHECK(exchanged.mistake->name == "transposed");
  CHECK(exchanged.mistake->text ==
        "rows and columns of the tile are exchanged: A of mma.m16n8k16 of the transposed tile; as they are now, they "
        "hold B "
        "of mma.m16n8k8, 4 times");
  CHECK(exchanged.matching == 16);  // the diagonal
}

TEST_CASE("identify: planted mistakes are named, and explain every register") {
  std::mt19937 random(16);
  const auto below = [&](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
  const char* const kinds[] = {"transposed", "register-order", "element-order", "warp-order",    "wrong-lane",
                               "wrong-lane", "wrong-warp",     "stale",         "other-fragment"};
  std::map<std::string, int> named;
  int planted = 0;
  while (planted < (is_sanitized ? 120 : 2000)) {
    const Sample& sample = samples[static_cast<std::size_t>(below(static_cast<int>(std::size(samples))))];
    const Fragment f = find_fragment(sample.request);
    const LogicalTile tile = code_tile(register_element(require_dtype(sample.dtype)), {f.rows, f.columns});
    RegisterDump dump = registers_of(tile, f);
    const RegisterDump right = dump;
    const RegisterMeaning meant{false, f.name, f.operand == Operand::memory ? "" : std::string(to_string(f.operand))};
    const auto word = [&](int thread, int reg) -> std::uint32_t& {
      return dump.words[static_cast<std::size_t>(thread * dump.registers + reg)];
    };
    const auto original = [&](int thread, int reg) {
      return right.words[static_cast<std::size_t>(thread * dump.registers + reg)];
    };
    const int kind = below(static_cast<int>(std::size(kinds)));
    if (tile.passes > 1 && kind != 0) continue;  // the others change the words of one pass
    const int warps = dump.threads / 32;
    std::string place;  // that the text names
    if (kind == 0) {
      // 8 rows of 8 units of 16 bits: two elements of 8 bits stay together.
      const int unit = 16 / f.bits;
      if (unit == 0 || f.rows % 8 != 0 || f.columns % (8 * unit) != 0) continue;
      dump = registers_of(tile, f.threads(), f.values(), f.bits, [&](int thread, int value) {
        const Coordinate at = f.at(thread, value);
        const int column = at.column / unit;
        return Coordinate{at.row / 8 * 8 + column % 8, (column / 8 * 8 + at.row % 8) * unit + at.column % unit};
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
    CHECK(std::ranges::count(mistakes(), found.mistake->name, &MistakeRow::name) == 1);
    CHECK(found.mistake->name == (kind == 8 ? "transposed" : kinds[kind]));
    CHECK(found.mistake->text.find(place) != std::string::npos);
    ++named[kinds[kind]];
  }
  CHECK(named.size() == 8);
  for (const auto& [name, count] : named) CHECK(count > at_least(19, 25));
}

TEST_CASE("identify: random registers hold no fragment") {
  std::mt19937 random(1);
  Sweep every{21, 2};
  for (int i = 0; i < 300; ++i) {
    if (!every.takes()) continue;
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
  Sweep every{21, 2};
  int count = 0;
  for (const DataPath& path : data_paths())
    for (const TmemForm& form : tmem_forms()) {
      if (form.stores || form.reduction) continue;
      const int n = form.columns() * path.parts;
      if (n > 256 || n < 8 || (path.is_scattered && form.shape->lanes == 32 && form.number > 16)) continue;
      if (!every.takes()) continue;
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
  CHECK(count > at_least(200, 21, 2));
}

}  // namespace
}  // namespace swz
