// SPDX-License-Identifier: Apache-2.0
// Syntax errors of PTX: what ptxas takes has none, and a text from which a character was lost is never read as if it were
// whole.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ptx/kernel_report.hpp"
#include "ptx/module.hpp"
#include "ptx/random_program.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

constexpr const char* head = ".version 8.5\n.target sm_90a\n.address_size 64\n";

std::string kernel_with(const std::string& statement) {
  return head +
         std::string(
             ".visible .entry f(.param .u64 p) .reqntid 32 {\n.reg .b32 %r<9>; .reg .b64 %rd<9>; "
             ".reg .pred %p<4>; .reg .v2 .b32 v; .shared .align 1024 .b8 s[4096];\n") +
         statement + "\nret;\n}\n";
}

// The first syntax error, "line 6: …", or why the text is refused; empty: it has none.
std::string error_of(const std::string& text) {
  try {
    const PtxModule module = read_ptx(text);
    if (module.syntax_errors.empty()) return "";
    return fmt::format("line {}: {}", module.syntax_errors.front().line, module.syntax_errors.front().message);
  } catch (const Error& e) {
    return e.message();
  }
}

std::string file_text(const std::string& name) {
  std::ifstream file(std::string(SWZ_SOURCE_DIR) + "/" + name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("what ptxas takes has no syntax error, and what it refuses for its syntax has one") {
  std::istringstream lines(file_text("tests/data/ptxas_syntax.txt"));
  std::string line;
  int taken = 0, refused = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string verdict, kind, text;
    words >> verdict >> kind;
    std::getline(words >> std::ws, text);
    // The values of variables are not read, and no name with a blank in it; a sum of a symbol is read anywhere.
    const auto has = [&](const char* part) { return text.find(part) != text.npos; };
    if (has("{1 2}") || has("%tid .x") || has("mov .u32")) continue;
    if (has(", s-16;") || has("16+s") || has("(s+4)") || has("s+2}")) continue;
    CAPTURE(line);
    const std::string error = error_of(kind == "body" ? kernel_with(text) : head + text + "\n");
    CAPTURE(error);
    CHECK(error.empty() == (verdict == "taken"));
    ++(verdict == "taken" ? taken : refused);
  }
  CHECK(taken > 50);
  CHECK(refused > 250);
}

TEST_CASE("a syntax error names its line and what is missing there") {
  CHECK(error_of(kernel_with("mov.u32 %r1, %tid.x\nadd.s32 %r2, %r1, 4;")) ==
        "line 7: ',' or ';' is missing before 'add.s32'");
  CHECK(error_of(kernel_with("add.s32 %r1 %r2, 4;")) == "line 6: ',' or ';' is missing before '%r2'");
  CHECK(error_of(kernel_with("add.s32 %r1, %r2,;")) == "line 6: an operand is missing before ';'");
  CHECK(error_of(kernel_with("st.shared.u32 [%r1, %r2;")) == "line 6: ',' or ']' is missing before ';'");
  CHECK(error_of(kernel_with("st.shared.u32 %r1], %r2;")) == "line 6: ',' or ';' is missing before ']'");
  CHECK(error_of(kernel_with("mov.b64 %rd1, {%r1, %r2;")) == "line 6: ',' or '}' is missing before ';'");
  CHECK(error_of(kernel_with("} }")) == "line 6: '}' is in no kernel");
  CHECK(error_of(kernel_with("exit")) == "line 7: ';' is missing before 'ret'");
  CHECK(error_of(kernel_with(".reg .b32 %q<4;")) == "line 6: '>' is missing before ';'");
  CHECK(error_of(head + std::string(".visible .entry f .param .u64 p)\n{ ret; }\n")) ==
        "line 4: '{' or ';' is missing before 'p'");
  CHECK(error_of(kernel_with("")).empty());
}

TEST_CASE("each kernel of a text with a syntax error has a lint, and a text without a kernel is refused") {
  const PtxModule module = read_ptx(kernel_with("mov.u32 %r1 4;"));
  const std::vector<KernelReport> reports = kernel_reports(module, {});
  REQUIRE(reports.size() == 1);
  REQUIRE(reports[0].findings.size() == 1);
  const Finding& finding = reports[0].findings[0];
  CHECK(finding.severity == Severity::lint);
  CHECK(finding.rule == "syntax");
  CHECK(finding.message == "line 6: ',' or ';' is missing before '4'; what follows may be misread");
  CHECK(finding.hint == "ptxas refuses such a text: give it whole, as the compiler wrote it");
  const PtxModule lost = read_ptx(head + std::string(".visible .entry f .param .u64 p)\n{ ret; }\n"));
  CHECK_THROWS_WITH_AS(kernel_reports(lost, {}),
                       doctest::Contains("line 4: '{' or ';' is missing before 'p'; what follows may be misread"),
                       Error);
}

TEST_CASE("the list of syntax errors has a limit") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "mov.u32 %r1 4;\n";
  CHECK(read_ptx(kernel_with(text)).syntax_errors.size() == 100);
}

TEST_CASE("kernels of compilers have no syntax error, and lose no bracket, comma or semicolon unseen") {
  for (const std::string name : {"docs/tutorial/gemm_right.ptx", "tests/ci/planted/transpose.ptx"}) {
    CAPTURE(name);
    const std::string whole = file_text(name);
    CHECK(error_of(whole).empty());
    const std::size_t end = std::min(whole.find(".file"), whole.find(".section"));
    Sweep every{10};
    for (std::size_t i = 0; i < end; ++i) {
      if (std::string_view("[](){}<>,;").find(whole[i]) == std::string_view::npos) continue;
      const std::size_t begin = whole.rfind('\n', i) + 1;
      const std::string line = whole.substr(begin, whole.find('\n', i) - begin);
      const bool is_comment = line.find("//") != line.npos && begin + line.find("//") <= i;
      if (is_comment || line.find(".loc") != line.npos || !every.takes()) continue;
      std::string less = whole;
      less.erase(i, 1);
      CAPTURE(line);
      CHECK_FALSE(error_of(less).empty());
    }
  }
}

TEST_CASE("a random program has no syntax error, and loses no bracket, comma or semicolon unseen") {
  std::mt19937_64 random(11);
  Sweep every{10};
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    if (!every.takes()) continue;
    const std::string whole = seed % 2 ? random_accesses(seed) : random_ptx(seed);
    CAPTURE(seed);
    CHECK(error_of(whole).empty());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const bool is_difference = whole[i] == ',' && is_word(whole[i - 1]) && whole.substr(i + 1, 2) == " -";  // "31 -1"
      if (!is_difference && std::string_view("[](){}<>,;").find(whole[i]) != std::string_view::npos)
        places.push_back(i);
    }
    std::string less = whole;
    const std::size_t at = places[random() % places.size()];
    less.erase(at, 1);
    CAPTURE(whole.substr(at < 40 ? 0 : at - 40, 80));
    CHECK_FALSE(error_of(less).empty());
  }
}

TEST_CASE("a constant that is written as an expression has its value or none") {
  std::mt19937_64 random(3);
  // The expression and its value, as C++ computes it with 64 bits.
  struct Written {
    std::string text;
    std::int64_t value = 0;
  };
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  const auto expression = [&](int depth, const auto& self) -> Written {
    const std::int64_t number = below(200);
    if (depth == 0 || below(4) == 0)
      return {below(2) ? fmt::format("{}", number) : fmt::format("{:#x}", number), number};
    const Written a = self(depth - 1, self), b = self(depth - 1, self);
    switch (below(7)) {
      case 0: return {fmt::format("({}) + ({})", a.text, b.text), a.value + b.value};
      case 1: return {fmt::format("({})-({})", a.text, b.text), a.value - b.value};
      case 2: return {fmt::format("({})*({})", a.text, b.text), a.value * b.value};
      case 3: return {fmt::format("-({})", a.text), -a.value};
      case 4: return {fmt::format("({}) << {}", a.text, 3), a.value << 3};
      case 5: return {fmt::format("({}) & ({})", a.text, b.text), a.value & b.value};
      default: return {fmt::format("({}) < ({})", a.text, b.text), a.value < b.value};
    }
  };
  int known = 0, asked = 0;
  for (int i = 0; i < 3000; ++i) {
    const Written written = expression(3, expression);
    const bool is_sum = below(2) != 0;  // of a symbol
    const PtxModule module =
        read_ptx(kernel_with(fmt::format("mov.u64 %rd1, {}{};", is_sum ? "s + " : "", written.text)));
    CAPTURE(written.text);
    CHECK(module.syntax_errors.empty());
    const auto operands = module.operands_of(module.kernels[0].instructions[0]);
    REQUIRE(operands.size() == 2);
    ++asked;
    if (operands[1].kind != (is_sum ? PtxOperandKind::symbol : PtxOperandKind::number)) {
      const bool is_unknown = operands[1].kind == PtxOperandKind::unknown ||
                              (operands[1].kind == PtxOperandKind::list && operands[1].parts == 1);  // "(1 < 2)"
      CHECK(is_unknown);
      continue;
    }
    ++known;
    // "s + a + b" and "s + a - b" are sums of the symbol.
    CHECK((operands[1].negated ? -operands[1].value : operands[1].value) == written.value);
  }
  CHECK(known > asked / 4);
}

}  // namespace swz
