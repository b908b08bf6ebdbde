// SPDX-License-Identifier: Apache-2.0
// The reader of PTX: what is in a text comes out, each name means what it means at its place, and no text breaks it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <random>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "ptx/kernel_report.hpp"
#include "ptx/module.hpp"
#include "ptx/random_program.hpp"
#include "sweep.hpp"
#include "told.hpp"

namespace swz {
namespace {

using Kind = PtxOperandKind;

// A kernel `f` with registers of each kind around the statements.
PtxModule with_body(const std::string& body, const std::string& before = "") {
  return read_ptx(".version 8.5\n.target sm_90a\n.address_size 64\n" + before +
                  ".visible .entry f(.param .u64 p, .param .align 64 .b8 map[128])\n{\n"
                  ".reg .b16 %rs<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n" +
                  body + "\n}\n");
}

// An operand as text, with names: "%r1", "5", "[%rd1 + 8]", "{%r1, _}", "-> 3", "!%p1".
std::string text_of(const PtxModule& module, const PtxOperand& operand, std::size_t kernel = 0) {
  std::string out = operand.negated ? "!" : "";
  const auto parts = [&] {
    std::string all;
    for (const PtxOperand& part : module.parts_of(operand))
      all += (all.empty() ? "" : ", ") + text_of(module, part, kernel);
    return all;
  };
  switch (operand.kind) {
    case Kind::reg: return out + std::string(module.kernels[kernel].registers[operand.id].name);
    case Kind::number: return out + std::to_string(operand.value);
    case Kind::symbol:
      return out + std::string(module.symbols[operand.id].name) +
             (operand.value == 0 ? "" : fmt::format("{:+}", operand.value));
    case Kind::label: return out + fmt::format("-> {}", operand.id);
    case Kind::address:
      return out + fmt::format("[{}{}]", parts(), operand.value == 0 ? "" : fmt::format(" + {}", operand.value));
    case Kind::list: return out + "{" + parts() + "}";
    case Kind::sink: return out + "_";
    case Kind::unknown: return out + "?";
  }
  return out;
}

// One statement: "opcode a, b".
std::string statement(const PtxModule& module, std::size_t index, std::size_t kernel = 0) {
  const PtxInstruction& one = module.kernels[kernel].instructions.at(index);
  std::string out;
  if (one.guard != no_register)
    out += fmt::format("@{}{} ", one.guard_negated ? "!" : "", module.kernels[kernel].registers[one.guard].name);
  out += one.opcode;
  const char* separator = " ";
  for (const PtxOperand& operand : module.operands_of(one)) {
    out += separator + text_of(module, operand, kernel);
    separator = ", ";
  }
  return out;
}

std::string read_one(const std::string& text) { return statement(with_body(text), 0); }

TEST_CASE("operands") {
  CHECK(read_one("add.u32 %r1, %r2, %r3;") == "add.u32 %r1, %r2, %r3");
  CHECK(read_one("@%p1 add.u32 %r1,%r2,%r3;") == "@%p1 add.u32 %r1, %r2, %r3");
  CHECK(read_one("@!%p1\n  add.u32 %r1 , %r2 , -5 ;") == "@!%p1 add.u32 %r1, %r2, -5");
  CHECK(read_one("ld.shared.u32 %r1, [ %r78 + 0 ];") == "ld.shared.u32 %r1, [%r78]");
  CHECK(read_one("ld.shared.u32 %r1, [%r78+ -16];") == "ld.shared.u32 %r1, [%r78 + -16]");
  CHECK(read_one("ld.shared.u32 %r1, [%r78-16];") == "ld.shared.u32 %r1, [%r78 + -16]");
  CHECK(read_one("ld.param.u64 %rd1, [p+0x10];") == "ld.param.u64 %rd1, [p + 16]");
  CHECK(read_one("st.shared.v2.b32 [%r1], {%r2, %r3};") == "st.shared.v2.b32 [%r1], {%r2, %r3}");
  CHECK(read_one("mov.b64 {_, %r2}, %rd1;") == "mov.b64 {_, %r2}, %rd1");
  CHECK(read_one("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;") == "setp.lt.and.s32 {%p1, %p2}, %r1, %r2, !%p3");
  CHECK(read_one("elect.sync _|%p1, 0xffffffff;") == "elect.sync {_, %p1}, 4294967295");
  CHECK(read_one("mov.u32 %r1, %tid.x;") == "mov.u32 %r1, %tid.x");
  CHECK(read_one("mov.u32 %r1, %ctaid.z;") == "mov.u32 %r1, %ctaid.z");
  CHECK(
      read_one("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, 7}], "
               "[%r3 + 8];") ==
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, 7}], [%r3 + 8]");
  CHECK(read_one("call.uni (%r1), g, (%r2, 3);") == "call.uni {%r1}, ?, {%r2, 3}");
  CHECK(read_one("bar.sync 0;") == "bar.sync 0");
  CHECK(read_one("ret;") == "ret");
  CHECK(read_one("tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1 + 0], 0x1, 64;") ==
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 1, 64");
  CHECK(read_one("made.up.opcode %r1, [%r2], 5, q;") == "made.up.opcode %r1, [%r2], 5, ?");
}

TEST_CASE("an operand is not only its first word") {
  const auto value = [](const std::string& text) {
    return statement(with_body("add.s32 %r1, " + text + ", %r2;", ".shared .align 8 .b8 s[64];\n.global .b32 v[2];\n"),
                     0);
  };
  for (const auto& [text_of_row, is] : std::map<std::string, std::string>{{"s+16", "s+16"},
                                                                          {"s-16+4", "s-12"},
                                                                          {"s+16*2-4", "s+28"},
                                                                          {"s + (1+2)*4", "s+12"},
                                                                          {"1+2*3", "7"},
                                                                          {"-(5)", "-5"},
                                                                          {"--5", "5"},
                                                                          {"+7", "7"},
                                                                          {"7 % 4", "3"},
                                                                          // These have a value that is not read.
                                                                          {"1<<4", "?"},
                                                                          {"(1>2) ? 4 : 5", "?"},
                                                                          {"5 == 4", "?"},
                                                                          {"~7", "?"},
                                                                          {"!7", "?"},
                                                                          {"s+(1<<4)", "?"},
                                                                          {"(.s64)4", "?"},
                                                                          {"WARP_SZ-1", "?"},
                                                                          {"v.x", "?"},
                                                                          {"s[4]", "[?]"},
                                                                          {".5", "?"}}) {
    const std::string text = text_of_row;  // doctest captures, and clang captures no structured binding
    CAPTURE(text);
    CHECK(value(text) == "add.s32 %r1, " + is + ", %r2");
  }
  CHECK(read_one("st.shared.u32 [%r1+(1+1)*8], %r2;") == "st.shared.u32 [%r1 + 16], %r2");
  CHECK(read_one("st.shared.u32 [%r1+1<<4], %r2;") == "st.shared.u32 [? + 1], %r2");
  CHECK(read_one("st.shared.u32 [%r1+(1<<4)], %r2;") == "st.shared.u32 [?], %r2");
  CHECK(read_one("mov.b64 %rd1, {%r1, 1+2};") == "mov.b64 %rd1, {%r1, 3}");
}

TEST_CASE("literals in every radix") {
  const auto number = [](const std::string& text) { return read_one("mov.b64 %rd1, " + text + ";"); };
  for (const auto& literal :
       std::map<std::string, std::int64_t>{{"0", 0},
                                           {"10", 10},
                                           {"-1", -1},
                                           {"10U", 10},
                                           {"0x1F", 31},
                                           {"0X1fU", 31},
                                           {"-0x10", -16},
                                           {"017", 15},
                                           {"0b101", 5},
                                           {"0B11U", 3},
                                           {"0xffffffffffffffff", -1},
                                           {"18446744073709551615", -1},
                                           {"0f3F800000", 0x3f800000},
                                           {"0F3f800000", 0x3f800000},
                                           {"0d3FF0000000000000", 0x3ff0000000000000},
                                           {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()}}) {
    CAPTURE(literal.first);
    CHECK(number(literal.first) == fmt::format("mov.b64 %rd1, {}", literal.second));
  }
  // A decimal fraction is kept as an unknown operand.
  CHECK(number("1.5") == "mov.b64 %rd1, ?");
  CHECK(number("1.5E-3") == "mov.b64 %rd1, ?");
}

TEST_CASE("a name in braces means what the braces say, until they end") {
  const PtxModule module = with_body(
      "mov.u32 %r1, 1;\n"
      "{ .reg .b64 %r1; .reg .b32 t; mov.u64 %r1, 2; { .reg .b16 %r1; mov.u16 %r1, 3; } mov.u64 %r1, 4; mov.u32 t, 5; "
      "}\n"
      "mov.u32 %r1, 6;\n"
      "{ .reg .pred t; setp.eq.u32 t, %r1, 0; }");
  const auto& kernel = module.kernels.at(0);
  const auto bits = [&](std::size_t i) {
    return kernel.registers.at(module.operands_of(kernel.instructions.at(i))[0].id).bits;
  };
  const auto id = [&](std::size_t i) { return module.operands_of(kernel.instructions.at(i))[0].id; };
  REQUIRE(kernel.instructions.size() == 7);
  CHECK(bits(0) == 32);
  CHECK(bits(1) == 64);
  CHECK(bits(2) == 16);
  CHECK(bits(3) == 64);
  CHECK(bits(4) == 32);
  CHECK(bits(6) == 1);
  CHECK(id(1) == id(3));
  CHECK(id(0) == id(5));
  CHECK(id(4) != id(6));
}

TEST_CASE("a range declares the registers that are named, no more") {
  const PtxModule module = with_body(
      ".reg .b64 %big<4000000000>; mov.u64 %big3999999999, 1; mov.u64 %big4000000000, 2; mov.u32 %r99, 1; mov.u32 "
      "%r98, 1; mov.u32 %r098, 3;");
  CHECK(statement(module, 0) == "mov.u64 %big3999999999, 1");
  CHECK(module.kernels[0].registers.size() <= 4);
  // Beyond its end it is a special register that swz does not know.
  CHECK(module.operands_of(module.kernels[0].instructions[1])[0].kind == Kind::symbol);
  CHECK(module.operands_of(module.kernels[0].instructions[2])[0].kind == Kind::symbol);
  CHECK(module.operands_of(module.kernels[0].instructions[3])[0].kind == Kind::reg);
}

// The registers of both, one to one. Empty: the statements are the same.
std::string difference_of(const PtxModule& one, const PtxModule& other) {
  for (std::size_t k = 0; k < one.kernels.size(); ++k) {
    const PtxKernel &a = one.kernels[k], &b = other.kernels.at(k);
    if (a.instructions.size() != b.instructions.size())
      return fmt::format("{} and {} statements", a.instructions.size(), b.instructions.size());
    std::map<std::uint32_t, std::uint32_t> there, back;
    const auto is_same = [&](const PtxOperand& x, const PtxOperand& y, const auto& self) -> bool {
      if (x.kind != y.kind || x.negated != y.negated || x.value != y.value || x.parts != y.parts) return false;
      if (x.kind == Kind::reg &&
          (there.try_emplace(x.id, y.id).first->second != y.id || back.try_emplace(y.id, x.id).first->second != x.id))
        return false;
      if (x.kind == Kind::label && x.id != y.id) return false;
      for (std::size_t i = 0; i < x.parts; ++i)
        if (!self(one.parts_of(x)[i], other.parts_of(y)[i], self)) return false;
      return true;
    };
    for (std::size_t i = 0; i < a.instructions.size(); ++i) {
      const PtxInstruction &x = a.instructions[i], &y = b.instructions[i];
      bool same =
          x.opcode == y.opcode && x.operands == y.operands && (x.guard == no_register) == (y.guard == no_register);
      if (same && x.guard != no_register)
        same = is_same({.kind = Kind::reg, .id = x.guard}, {.kind = Kind::reg, .id = y.guard}, is_same);
      for (std::size_t j = 0; same && j < x.operands; ++j)
        same = is_same(one.operands_of(x)[j], other.operands_of(y)[j], is_same);
      if (!same)
        return fmt::format("line {}: {} is {} where all names are apart", x.line, statement(one, i, k),
                           statement(other, i, k));
    }
  }
  return "";
}

TEST_CASE("scopes that hide names, and the same program with all names apart") {
  Sweep every{20};
  long wrong = 0;
  std::string first;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    if (!every.takes()) continue;
    const PtxModule hiding = read_ptx(random_ptx(seed, {.names = ScopeNames::hiding})),
                    apart = read_ptx(random_ptx(seed, {.names = ScopeNames::apart}));
    const std::string difference = difference_of(hiding, apart);
    if (!difference.empty() && ++wrong == 1) first = difference + "\n" + random_ptx(seed);
  }
  INFO(first);
  CHECK(wrong == 0);
}

TEST_CASE("labels belong to their braces") {
  const PtxModule module = with_body(
      "bra L;\n"                      // 0: to the outer L
      "{ L: bra L; bra M;\n"          // 1: the L of these braces; 2: the outer M
      "  { bra L; } }\n"              // 3: of the braces around
      "{ bra.uni L; L: }\n"           // 4: of these, further on
      "M: L: add.u32 %r1, %r1, 1;\n"  // 5
      "bra END; END:");               // 6: past the last
  const auto target = [&](std::size_t i) {
    return text_of(module, module.operands_of(module.kernels[0].instructions.at(i))[0]);
  };
  CHECK(target(0) == "-> 5");
  CHECK(target(1) == "-> 1");
  CHECK(target(2) == "-> 5");
  CHECK(target(3) == "-> 1");
  CHECK(target(4) == "-> 5");
  CHECK(target(6) == "-> 7");
  // A label of one kernel is not a label of the next.
  const PtxModule two = read_ptx(".target sm_80\n.entry a() { L: ret; }\n.entry b() { bra L; }\n");
  CHECK(statement(two, 0, 1) == "bra ?");
}

TEST_CASE("places in the author's source") {
  const PtxModule module = with_body(
      ".file 7 \"dir/kernel.cu\", 1700000000, 99\nret;\n.loc 7 42 5\nadd.u32 %r1, %r1, 1;\n.loc 7 50 1, function_name "
      "$L__info, inlined_at 7 12 3\nret;");
  const auto& instructions = module.kernels[0].instructions;
  CHECK(instructions.at(0).source == SourcePlace{});
  CHECK(instructions.at(1).source == SourcePlace{7, 42});
  CHECK(instructions.at(2).source == SourcePlace{7, 50});
  CHECK(module.files.at(7) == "dir/kernel.cu");
  CHECK(instructions.at(0).line == 8);
  CHECK(instructions.at(1).line == 10);
  CHECK(instructions.at(2).line == 12);
}

TEST_CASE("declarations of shared memory") {
  const PtxModule module = with_body(
      ".shared .align 8 .b8 own[24]; .shared .b64 bar; .shared .v4 .f32 four[2][3]; .shared .align 2 .b32 low; ret;",
      ".shared .align 128 .b8 whole[4096];\n.extern .shared .align 1024 .b8 open[];\n.global .align 4 .b32 other[2];\n"
      ".shared .align 16 .b8 init[4] = {1, 2, 3, 4};\n");
  std::string all;
  for (const std::uint32_t id : module.kernels[0].shared) {
    const PtxSymbol& one = module.symbols[id];
    CHECK(one.space == PtxSpace::shared);
    all += fmt::format("{} {} {}{}; ", one.name, one.bytes ? std::to_string(one.bytes->count) : "open", one.alignment,
                       one.is_extern ? " extern" : "");
  }
  CHECK(all == "whole 4096 128; open open 1024 extern; init 4 16; own 24 8; bar 8 8; four 96 16; low 4 4; ");
  const auto other = std::find_if(module.symbols.begin(), module.symbols.end(),
                                  [](const PtxSymbol& one) { return one.name == "other"; });
  REQUIRE(other != module.symbols.end());
  CHECK(other->space == PtxSpace::global);
  CHECK(other->bytes == Bytes{8});
  // Sizes that no machine has do not overflow.
  CHECK(read_ptx(".target sm_80\n.shared .v4 .v4 .v4 .b128 s[1000000000][1000000000][1000000000];\n")
            .symbols.at(0)
            .bytes == Bytes{std::int64_t{1} << 46});
  CHECK(read_ptx(".target sm_80\n.shared .b32 s[0][4];\n").symbols.at(0).bytes == Bytes{0});
  // The variables of one kernel are not those of the next.
  const PtxModule two = read_ptx(".target sm_80\n.entry a() { .shared .b32 s; ret; }\n.entry b() { ret; }\n");
  CHECK(two.kernels.at(0).shared.size() == 1);
  CHECK(two.kernels.at(1).shared.empty());
}

TEST_CASE("parameters") {
  const PtxModule module = read_ptx(
      ".version 8.0\n.target sm_80\n.visible .entry k(\n\t.param .u64 .ptr .global .align 16 a,\n\t.param .align 64 "
      ".b8 b[128],\n\t.param .f32 c\n)\n{ ld.param.u64 %rd1, [b+8]; }\n");
  REQUIRE(module.symbols.size() >= 3);
  CHECK(module.symbols[0].name == "a");
  CHECK(module.symbols[0].bytes == Bytes{8});
  CHECK(module.symbols[1].name == "b");
  CHECK(module.symbols[1].bytes == Bytes{128});
  CHECK(module.symbols[1].alignment == 64);
  CHECK(module.symbols[2].name == "c");
  for (int i = 0; i < 3; ++i) CHECK(module.symbols[static_cast<std::size_t>(i)].space == PtxSpace::param);
}

TEST_CASE("the extents of the block") {
  const auto kernel = [](const std::string& directives) {
    return read_ptx(".target sm_90\n.entry k()\n" + directives + "\n{ ret; }").kernels.at(0);
  };
  using Extents = std::array<std::int64_t, 3>;
  CHECK(kernel("").threads == std::nullopt);
  CHECK(kernel(".reqntid 128").threads == Extents{128, 1, 1});
  CHECK(kernel(".reqntid 16, 8, 2").threads == Extents{16, 8, 2});
  CHECK_FALSE(kernel(".reqntid 16, 8, 2").threads_are_most);
  CHECK(kernel(".maxntid 256, 1, 1\n.minnctapersm 2").threads == Extents{256, 1, 1});
  CHECK(kernel(".maxntid 256, 1, 1").threads_are_most);
  CHECK(kernel(".maxnreg 64\n.maxntid 32\n.reqntid 16, 2\n.blocksareclusters").threads == Extents{16, 2, 1});
  CHECK_FALSE(kernel(".maxntid 32\n.reqntid 16, 2").threads_are_most);
  CHECK(kernel(".reqntid 16, 2\n.maxntid 32").threads == Extents{16, 2, 1});
  CHECK_FALSE(kernel(".reqntid 16, 2\n.maxntid 32").threads_are_most);
}

TEST_CASE("functions, declarations and words around the PTX") {
  const PtxModule module = read_ptx(
      "\nFatbin ptx code:\n================\narch = sm_90a\ncode version = [8,5]\nhost = linux\ncompile_size = "
      "64bit\nidentifier = a.cu\n\n\n\n"
      "//\n// Generated by NVIDIA NVVM Compiler\n//\n.version 8.5\n.target sm_90a, texmode_independent\n.address_size "
      "64\n\n"
      ".extern .func (.param .b32 result) vprintf(.param .b64 a, .param .b64 b)\n;\n"
      ".func (.reg .b32 out) helper(.reg .b32 in)\n{ ret; }\n"
      "/* .entry none() { */ .weak .entry k() // .entry none() {\n{ ret; /* } */ }\n"
      ".section .debug_str\n{\n.b8 116 // string\n}\n");
  REQUIRE(module.kernels.size() == 2);
  CHECK(module.kernels[0].name == "helper");
  CHECK_FALSE(module.kernels[0].is_entry);
  CHECK(module.kernels[1].name == "k");
  CHECK(module.kernels[1].is_entry);
  CHECK(module.kernels[1].target == "sm_90a");
  CHECK(module.kernels[1].instructions.size() == 1);
  // Two modules in sequence, as cuobjdump prints them: each has its target.
  const PtxModule two = read_ptx(
      ".version 8.0\n.target sm_80\n.entry a() { ret; }\n\nFatbin elf code:\n================\narch = "
      "sm_90\n\n.version 8.0\n.target sm_90\n.entry a() { ret; }\n");
  CHECK(two.kernels.at(0).target == "sm_80");
  CHECK(two.kernels.at(1).target == "sm_90");
}

TEST_CASE("the operands in registers of a function are not read: no kernel has them") {
  const PtxModule module =
      read_ptx(".target sm_80\n.func (.reg .b32 out) g(.reg .b32 in) { add.u32 out, in, 1; ret; }\n");
  CHECK(statement(module, 0) == "add.u32 ?, ?, 1");
}

// Every number in the module points into it; the other promises of module.hpp.
void check_module(const PtxModule& module) {
  for (const PtxKernel& kernel : module.kernels) {
    std::uint32_t line = 0;
    for (const PtxInstruction& one : kernel.instructions) {
      CHECK(one.line >= line);
      line = one.line;
      REQUIRE(std::size_t{one.operand} + one.operands <= module.operands.size());
      CHECK((one.guard == no_register || one.guard < kernel.registers.size()));
      REQUIRE(!one.opcode.empty());
      CHECK(one.opcode.data() >= module.text->data());
      CHECK(one.opcode.data() + one.opcode.size() <= module.text->data() + module.text->size());
      const auto check = [&](const PtxOperand& operand, const auto& self) -> void {
        if (operand.kind == Kind::reg) REQUIRE(operand.id < kernel.registers.size());
        if (operand.kind == Kind::symbol) REQUIRE(operand.id < module.symbols.size());
        if (operand.kind == Kind::label) REQUIRE(operand.id <= kernel.instructions.size());
        REQUIRE(std::size_t{operand.part} + operand.parts <= module.operands.size());
        for (const PtxOperand& part : module.parts_of(operand)) self(part, self);
      };
      for (const PtxOperand& operand : module.operands_of(one)) check(operand, check);
    }
    for (const std::uint32_t label : kernel.labels) CHECK(label <= kernel.instructions.size());
    for (const std::uint32_t id : kernel.shared) REQUIRE(id < module.symbols.size());
  }
}

std::string real_kernel() {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/ptx/matmul_desc_f16_k16_sm90.ptx", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("a module that was copied or moved still points into its text") {
  PtxModule first = read_ptx(real_kernel());
  const PtxModule copy = first;
  const PtxModule moved = std::move(first);
  check_module(copy);
  check_module(moved);
}

TEST_CASE("any prefix of a real text is read or refused") {
  const std::string text = real_kernel();
  const std::size_t end = text.find("}", text.find("-- End function")) + 1;
  const std::size_t step = is_sanitized ? 97 : 7;
  std::size_t refused = 0;
  for (std::size_t size = 0; size <= text.size(); size += step) {
    try {
      const PtxModule module = read_ptx(text.substr(0, size));
      check_module(module);
      CHECK(module.kernels.size() == (size < end ? 0 : 1));
    } catch (const Error& e) {
      ++refused;
      CAPTURE(size);
      CAPTURE(end);
      CHECK(size < end);
      const bool is_cut = e.message().starts_with("the kernel 'matmul_desc' of line ") ||
                          e.message() == "the text is not PTX: it has no .target";
      CAPTURE(e.message());
      CHECK(is_cut);
    }
  }
  CHECK(refused > 500 / (is_sanitized ? 14 : 1));
}

TEST_CASE("a text with changed bytes is read or refused") {
  std::mt19937_64 random(5);
  const std::string real = real_kernel();
  Sweep every{10};
  for (int i = 0; i < 2000; ++i) {
    if (!every.takes()) continue;
    std::string text = i % 2 ? real : random_ptx(static_cast<std::uint64_t>(i));
    const std::size_t changes = 1 + random() % 40;
    for (std::size_t k = 0; k < changes; ++k) {
      const std::string_view likely = "{}()[]<>,;:.%@!|+-_\"/*\n\\ 0x9aLr\0\xff";
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) text.erase(at, random() % 20);
      else if (random() % 2) text.insert(at, 1, likely[random() % likely.size()]);
      else text[at] = random() % 2 ? likely[random() % likely.size()] : static_cast<char>(random());
      if (text.empty()) text = " ";
    }
    try {
      check_module(read_ptx(text));
    } catch (const Error& e) {
      CHECK_FALSE(e.message().empty());
    }
  }
}

TEST_CASE("what is not PTX is refused with what it is") {
  const auto refusal = [](const std::string& text) { return told([&] { read_ptx(text); }); };
  const auto not_ptx = [](const std::string& hint) { return "the text is not PTX: it has no .target | " + hint; };
  const std::string otherwise =
      not_ptx("PTX begins with .version and .target; nvcc -ptx or -keep, cuobjdump -ptx and Triton's cache have it");
  CHECK(refusal("") == otherwise);
  CHECK(refusal("hello") == otherwise);
  CHECK(refusal(std::string("\x7f"
                            "ELF\x02\x01\x01",
                            7)) == not_ptx("this is a cubin or a program: cuobjdump -ptx FILE prints the PTX in it"));
  CHECK(refusal("; ModuleID = 'x'\ntarget triple = \"nvptx64-nvidia-cuda\"\n") ==
        not_ptx("this is LLVM IR; the PTX is the stage after it"));
  CHECK(refusal("module attributes {\"ttg.num-warps\" = 4 : i32} {\n  tt.func public @k() {\n") ==
        not_ptx("this is MLIR; the PTX is a later stage, NAME.ptx in Triton's cache"));
  CHECK(refusal(".version 8.5\n.target sm_90\n\n.entry k()\n{\n ret;\n") ==
        "the kernel 'k' of line 4 does not end: its '}' is missing | the text was cut; give the whole file");
}

TEST_CASE("limits") {
  const auto message = [](const std::string& text) {
    const std::string all = told([&] { read_ptx(text); });
    return all.substr(0, all.find(" | "));
  };
  // Bytes: n is read, n + 1 is refused before anything else.
  std::string text = ".target sm_90\n";
  text.resize(static_cast<std::size_t>(limits::ptx_bytes.most), '\n');
  CHECK_NOTHROW(read_ptx(text));
  CHECK(message(text + "\n") == "a file for swz kernel: 67108865 bytes are more than the limit of 67108864");
  // Braces around statements, and brackets around operands.
  const auto nested = [](std::int64_t depth) {
    const auto n = static_cast<std::size_t>(depth - 1);  // the kernel's own braces are one
    return ".target sm_90\n.entry k() {" + std::string(n, '{') + "ret;" + std::string(n, '}') + "}";
  };
  const std::int64_t most = limits::ptx_nesting.most;
  CHECK_NOTHROW(read_ptx(nested(most)));
  CHECK(message(nested(most + 1)) ==
        "an operand or a scope of PTX: 65 levels of brackets are more than the limit of 64");
  const auto bracketed = [](std::int64_t depth) {
    const auto n = static_cast<std::size_t>(depth);
    return ".target sm_90\n.entry k() { mov.b32 " + std::string(n, '(') + "1" + std::string(n, ')') + "; }";
  };
  CHECK_NOTHROW(read_ptx(bracketed(most)));
  CHECK(message(bracketed(most + 1)) ==
        "an operand or a scope of PTX: 65 levels of brackets are more than the limit of 64");
}

TEST_CASE("the registers that one kernel names are limited") {
  if (is_sanitized) return;
  // In a text of 64 MiB: one declaration names many.
  std::string text = ".target sm_90\n.entry k() { .reg .b32 a";
  for (std::int64_t i = 1; i < limits::ptx_registers.most; ++i) {
    text += ',';
    for (std::int64_t rest = i; rest > 0; rest /= 26) text += static_cast<char>('a' + rest % 26);
    text += '_';
  }
  // The refusal counts them: all before the last were taken.
  CHECK(told([&] { read_ptx(text + ", one_more; ret; }"); }) ==
        "the registers that one kernel names: 4194305 registers are more than the limit of 4194304 | give a file with "
        "that kernel only");
}

// A file of 64 MiB has room for a million loops one in the other.
TEST_CASE("loops in loops are limited") {
  const auto nest = [](int depth) {
    std::string text = ".target sm_90\n.entry k() { .reg .b32 r; .reg .pred p;\n";
    for (int i = 0; i < depth; ++i) text += fmt::format("L{}: add.u32 r, r, 1;\n", i);
    for (int i = depth; i-- > 0;) text += fmt::format("setp.lt.u32 p, r, {}; @p bra L{};\n", i, i);
    return text + "ret; }\n";
  };
  CHECK(told([&] { kernel_reports(read_ptx(nest(1000)), {}); }) == "taken");
  CHECK(told([&] { kernel_reports(read_ptx(nest(5000)), {}); }) ==
        "the branches and loops of one kernel: 2097153 joins are more than the limit of 2097152 | no compiler nests so "
        "many loops");
  if (is_sanitized) return;
  const std::string refusal = told([&] { kernel_reports(read_ptx(nest(150'000)), {}); });
  CHECK(refusal.starts_with("the dominators of one kernel's blocks: 107"));
  CHECK(refusal.ends_with(" steps are more than the limit of 1073741824 | no compiler nests so many loops"));
}

}  // namespace
}  // namespace swz
