// SPDX-License-Identifier: Apache-2.0
// What a dialect writes reads back as the same function; what it does not write it refuses with a reason.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "random_forms.hpp"
#include "sweep.hpp"

using namespace swz;

TEST_CASE("20,000 random layouts each: read(write(x)) is x, or a reason") {
  // At least this many of 20,000 have a text.
  const std::map<std::string, int> least{{"thunderkittens", 800}, {"mojo", 3000}, {"tilus", 8000}, {"nvfuser", 500},
                                         {"deepgemm", 1000},      {"tma", 1000},  {"c", 19000},    {"bases", 9000}};
  for (const auto& row : least) {
    const std::string& name = row.first;
    const int most = row.second;
    const Dialect& dialect = require_dialect(name);
    RandomForms forms(7);
    int written = 0;
    for (long round = 0; round < rounds_of(20000, 20); ++round) {
      const SharedForm form = forms();
      const Written w = dialect.write(form);
      if (w.text.empty()) {
        if (w.why.empty()) FAIL(name << " refuses without a reason");
        continue;
      }
      ++written;
      const Reading back = dialect.read(w.text, {form.shape, form.element.dtype});
      const auto* shared = std::get_if<SharedForm>(&back.form);
      if (shared == nullptr || !is_same_map(*shared, form)) FAIL(name << " writes another function: " << w.text);
    }
    CAPTURE(name);
    CHECK(written >= at_least(most, 20));
  }
}

TEST_CASE("what they write is recognised as theirs, or the text is said to be of several") {
  RandomForms forms(8);
  for (int round = 0; round < 500; ++round) {
    const SharedForm form = forms();
    for (const char* name : {"thunderkittens", "mojo", "tilus", "nvfuser", "deepgemm", "tma", "c", "bases"}) {
      const Dialect& dialect = require_dialect(name);
      const Written w = dialect.write(form);
      if (w.text.empty()) continue;
      for (const Dialect& other : dialects()) {
        const bool is_mojo_or_tilus = w.text.starts_with("Swizzle(") && other.name == "tilus";
        const bool is_recognised = other.recognises(w.text), is_of_it = other.name == dialect.name || is_mojo_or_tilus;
        if (is_recognised != is_of_it) FAIL(other.name << " and " << w.text);
      }
    }
  }
}

TEST_CASE("a text that is not whole is answered with an example of its own dialect") {
  const auto hint = [](std::string_view dialect, std::string_view text) {
    try {
      (void)read_layout(text, {{64, 64}, &require_dtype("bf16")}, &require_dialect(dialect));
      return std::string("read");
    } catch (const Error& e) {
      return e.hint;
    }
  };
  for (const auto& row : {std::pair{"triton", "#ttg.swizzled_shared<{vec = }>"},
                          {"gluon", "BlockedLayout([1, ;])"},
                          {"tilelang", "make_swizzled_layout(A_shared) 8"},
                          {"mosaic", "plgpu.TilingTransform(=)"},
                          {"thunderkittens", "st<bf16, 64, >"},
                          {"mojo", "Layout.row_major(64, ;)"},
                          {"tilus", "Swizzle(base=3, bits=*)"}})
    CHECK(hint(row.first, row.second) == fmt::format("for example {}", require_dialect(row.first).example));
}

TEST_CASE("registers: bases come back, with copies") {
  const Dialect& bases = require_dialect("bases");
  std::mt19937_64 random(9);
  for (long round = 0; round < rounds_of(20000, 20); ++round) {
    const int row_bits = 3 + static_cast<int>(random() % 4), column_bits = 3 + static_cast<int>(random() % 4);
    std::vector<std::vector<std::int64_t>> moves;
    for (int i = 0; i < row_bits; ++i) moves.push_back({std::int64_t{1} << i, 0});
    for (int i = 0; i < column_bits; ++i) moves.push_back({0, std::int64_t{1} << i});
    moves.push_back({0, 0});
    std::shuffle(moves.begin(), moves.end(), random);
    const auto threads = static_cast<std::ptrdiff_t>(random() % 8);
    const RegisterForm form =
        register_form({std::int64_t{1} << row_bits, std::int64_t{1} << column_bits}, {},
                      {{moves.begin() + threads, moves.end()}, {moves.begin(), moves.begin() + threads}, {}});
    const Written w = bases.write(form);
    const Reading back = bases.read(w.text, {form.shape, nullptr});
    const auto* registers = std::get_if<RegisterForm>(&back.form);
    if (registers == nullptr || !is_same_function(*registers, form)) FAIL(w.text);
  }
}

TEST_CASE("a rotation, registers and several CTAs are refused by those that have none") {
  std::vector<std::int64_t> rotated;
  for (std::int64_t r = 0; r < 32; ++r)
    for (std::int64_t c = 0; c < 32; ++c) rotated.push_back(r * 32 + (c + r) % 32);
  const SharedForm rotation{{32, 32}, width_of(require_dtype("f32")), rotated};
  const RegisterForm registers =
      register_form({16, 8}, {}, {{{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}});
  SharedForm ctas = shared_form({8, 8}, {}, LinearMap({1, 2, 4, 8, 16, 0}));
  ctas.block = LinearMap({0, 0, 0, 0, 0, 1});
  for (const char* name : {"thunderkittens", "mojo", "tilus", "nvfuser", "deepgemm", "tma"}) {
    CAPTURE(name);
    const Dialect& d = require_dialect(name);
    CHECK(d.write(rotation).text == "");
    CHECK(d.write(registers).why == "it lies in registers: this notation has shared memory only");
    CHECK(d.write(ctas).why == "its elements lie in several CTAs: this notation has one");
  }
  CHECK(require_dialect("c").write(rotation).text == "row*32 + (col + row)%32");
  CHECK(require_dialect("bases").write(rotation).text == "");
  CHECK(require_dialect("bases").write(ctas).text ==
        "{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], block = [[4, 0]]}");
}
