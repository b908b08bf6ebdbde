// SPDX-License-Identifier: Apache-2.0
// Definitions of names in C source code.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "tma/source_definition.hpp"

namespace swz {
namespace {

std::string value(const std::string& text, const std::string& name = "n") {
  try {
    const std::string code = code_alone(text);
    return std::string(SourceDefinitions(code).find(name).value);
  } catch (const Error& e) {
    return e.message();
  }
}

TEST_CASE("a definition is what the name is at the end") {
  CHECK(value("int n = 2 * K; int m = n;") == "2 * K");
  CHECK(value("#define n 2048+2048 // twice\n") == "2048+2048");
  CHECK(value("auto n{4096};") == "{4096}");
  CHECK(value("enum { m = 1, n = 64 };") == "64");
  CHECK(value("namespace a { struct B { static constexpr int n = 64; }; }") == "64");
  CHECK(value("int n = 64; { int n = 64; }") == "64");
  CHECK(value("void f() { int n = 64; if (n == 3) { ") == "64");
  CHECK(value("void f() { int n = 64; n *= 2; } void g() { int n = 32; ") == "32");
  CHECK(value("int n = 64; x.n = 3; y->n = 4; z::n = 5; f(n); m = n * 2; if (n <= 3 || n != 2 || n >= 1) {}") == "64");
  CHECK(value("int n = 64; printf(\"n = {100}; // \\\" n = 3;\"); /* n = 2; */ // n = 1;") == "64");
  CHECK(value("#if 0\n#if A\n#endif\nint n = 1;\n#else\nint n = 2;\n#endif\n") == "2");
  CHECK(value("#ifdef A\nint n = 1;\n#endif\n") == "1");
  CHECK(value("args.K = 4096; cfg.K = 64;", "args.K") == "4096");
  CHECK(value("args.K = 4096; cfg.K = 64;", "K").empty());
  CHECK(value("n *= 2;").empty());
}

TEST_CASE("two values are refused") {
  for (const std::string text :
       {"int n = 4096;\nn = 64;", "int n = 4096;\n{ int n = 64; }", "int n = 4096;\nif (large) n = 64;",
        "#ifdef A int n = 4096;\n#else int n = 64;", "int n = 4096;\nfor (int n = 64; ; ) { }",
        "#define n 4096\n#define n 64", "int n = 4096; void init()\n{ n = 64; } void f() {"})
    CHECK(value(text) == "n has more than one value: '4096' in line 1 and '64' in line 2");
}

TEST_CASE("a name that changes is refused") {
  for (const std::string change : {"n *= 2", "n += 2", "n++", "n <<= 1", "n >>= 1", "n--", "n |= 1", "n %= 7"})
    CHECK(value("int n = 2048;\n" + change + ";") == "n changes after its definition: '" + change + "' in line 2");
  CHECK(value("int n = 2048; --n;") == "n changes after its definition: 'n' in line 1");
  CHECK(value("int n = 2048; read(f, &n);") == "n changes after its definition: 'n)' in line 1");
  CHECK(value("int n = 2048; std::swap(m, n);") == "n changes after its definition: 'n)' in line 1");
}

TEST_CASE("a definition that may not hold is refused") {
  for (const std::string text :
       {"if (large) n = 64;", "int n; if (large) { n = 64; }", "for (int n = 64; n > 0;) {", "{ int n = 64; }",
        "void init() { n = 64; } void f() {", "int n; if (a) {} else n = 64;"})
    CHECK(value(text) == "n = '64' in line 1 is under a condition or in a block that has ended");
}

}  // namespace
}  // namespace swz
