// SPDX-License-Identifier: Apache-2.0
// Whether the test of test_lift.cpp can fail: each statement of PTX that an opcode of SASS becomes is planted with a fault, and the
// machine beside it must contradict.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sass/beside.hpp"
#include "sass/lift.hpp"
#include "sass/random_sass.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

// The beginning of an opcode of PTX, and what takes its place.
struct Fault {
  std::string_view right, wrong;
};
constexpr Fault faults[] = {
    {"add.", "sub."},
    {"addc.", "subc."},
    {"sub.", "add."},
    {"subc.", "addc."},
    {"mul.lo.", "mul.hi."},
    {"mul.hi.u", "mul.hi.s"},
    {"mul.hi.s", "mul.hi.u"},
    {"mul.wide.u", "mul.wide.s"},
    {"mul.wide.s", "mul.wide.u"},
    {"mad.lo.", "mad.hi."},
    {"mad.wide.u", "mad.wide.s"},
    {"mad.wide.s", "mad.wide.u"},
    {"and.b", "or.b"},
    {"or.b", "and.b"},
    {"xor.b", "or.b"},
    {"not.b32", "neg.s32"},
    {"neg.s32", "not.b32"},
    {"and.pred", "or.pred"},
    {"or.pred", "and.pred"},
    {"xor.pred", "or.pred"},
    {"not.pred", "mov.pred"},
    {"mov.pred", "not.pred"},
    {"mov.b32", "not.b32"},
    {"mov.u32", "not.b32"},
    {"shl.b", "shr.b"},
    {"shr.b", "shl.b"},
    {"shr.u", "shr.s"},
    {"shr.s", "shr.u"},
    {"shf.l.", "shf.r."},
    {"shf.r.", "shf.l."},
    {"min.u", "max.u"},
    {"min.s", "min.u"},
    {"max.u", "min.u"},
    {"max.s", "max.u"},
    {"setp.lt.", "setp.le."},
    {"setp.le.", "setp.lt."},
    {"setp.gt.", "setp.ge."},
    {"setp.ge.", "setp.gt."},
    {"setp.eq.", "setp.ne."},
    {"setp.ne.", "setp.eq."},
    {"popc.", "clz."},
    {"clz.", "popc."},
    {"brev.b32", "not.b32"},
    {"abs.s32", "neg.s32"},
    {"bfe.u", "bfe.s"},
    {"bfe.s", "bfe.u"},
    {"vote.sync.any", "vote.sync.all"},
    {"vote.sync.all", "vote.sync.any"},
    {"bfind.shiftamt", "bfind"},
};

// A statement of PTX: the name of the opcode of SASS that became it, its own opcode, and which of its line with both.
using Planted = std::tuple<std::string, std::string, int>;

// "@p0 add.u32 a, b, c": where the opcode is.
std::size_t opcode_at(std::string_view statement) {
  std::size_t at = statement.find_first_not_of(" \t");
  if (at != statement.npos && statement[at] == '@') at = statement.find_first_not_of(' ', statement.find(' ', at));
  return at;
}

std::string opcode_of(std::string_view statement) {
  const std::size_t at = opcode_at(statement);
  if (at == statement.npos) return "";
  return std::string(statement.substr(at, statement.find_first_of(" ;", at) - at));
}

std::optional<std::string> wrong_statement(const std::string& statement) {
  const std::size_t at = opcode_at(statement);
  const std::string opcode = opcode_of(statement);
  std::string out = statement;
  if (opcode.starts_with("shr.s64")) return out.replace(at, 7, "shl.b64");
  if (opcode.starts_with("shr.u64")) return out.replace(at, 7, "shl.b64");
  // One bit more than one.
  if (opcode.starts_with("bfe.u") && out.ends_with(", 1")) return out.replace(out.size() - 1, 1, "2");
  // What an intermediate result holds before a statement under a guard gives it its value.
  if (out.find("mov.b32 t") != out.npos && out.ends_with(", 0")) return std::nullopt;
  if (out.find("mov.pred tp") != out.npos && out.ends_with(", yes")) return std::nullopt;
  for (const Fault& fault : faults)
    if (opcode.starts_with(fault.right)) return out.replace(at, fault.right.size(), fault.wrong);
  // The last operand is a number: another one. The bytes that prmt selects, the truth table of lop3.
  const std::size_t comma = out.rfind(", ");
  if (comma == out.npos) return std::nullopt;
  if (opcode.starts_with("selp.")) {
    const std::vector<std::string> words = split(out.substr(at + opcode.size() + 1), ',');
    if (words.size() == 4)
      return fmt::format("{}{},{},{}", out.substr(0, out.find(words[1], at)), words[2], words[1], words[3]);
  }
  if (opcode.starts_with("prmt.") || opcode.starts_with("lop3."))
    return out.substr(0, comma + 2) + (opcode.starts_with("prmt.") ? "0x3201" : "0x96");
  return std::nullopt;
}

// What the machine takes from the interpreter, since it is not a function of registers.
bool is_of_no_register(const SassModule& sass, const SassInstruction& instruction) {
  constexpr std::string_view names[] = {"LDC", "ULDC", "S2R", "LDS", "STS", "RPCMOV"};
  const auto is_constant = [](std::string_view operand) { return operand.find("c[") != operand.npos; };
  return std::ranges::any_of(sass.operands_of(instruction), is_constant) ||
         std::ranges::find(names, instruction.opcode.substr(0, instruction.opcode.find('.'))) != std::end(names);
}

// Calls each(statement, which) for every statement that an instruction of SASS became; what it returns takes its place.
template <class Each>
std::string changed(const SassModule& sass, const std::string& ptx, const Each& each) {
  std::map<std::uint32_t, std::string> names;
  for (const SassInstruction& instruction : sass.functions.at(0).instructions)
    if (!is_of_no_register(sass, instruction))
      names[instruction.line] = std::string(instruction.opcode.substr(0, instruction.opcode.find('.')));
  std::string out;
  std::uint32_t line = 0;
  for (std::string& text : split(ptx, '\n')) {
    const auto name = names.find(++line);
    std::map<std::string, int> counts;
    if (name != names.end()) {
      std::vector<std::string> statements = split(text, ';');
      for (std::string& statement : statements) {
        const std::string opcode = opcode_of(statement);
        if (!opcode.empty()) statement = each(statement, Planted{name->second, opcode, counts[opcode]++});
      }
      text = fmt::format("{}", fmt::join(statements, ";"));
    }
    out += text + "\n";
  }
  return out;
}

std::string with_fault(const SassModule& sass, const std::string& ptx, const Planted& planted) {
  return changed(sass, ptx, [&](const std::string& statement, const Planted& here) {
    return here == planted ? wrong_statement(statement).value_or(statement) : statement;
  });
}

bool is_caught(const Planted& planted, const std::vector<std::uint64_t>& seeds) {
  for (const std::uint64_t seed : seeds) {
    const SassModule sass = read_sass(random_sass(seed));
    const std::string right = ptx_of_sass(sass), wrong = with_fault(sass, right, planted);
    if (wrong == right) continue;
    try {
      if (!run_beside(sass, read_ptx(wrong), seed, 6).contradiction.empty()) return true;
    } catch (const Error&) {
      continue;  // no PTX: another program has it in another form
    }
  }
  return false;
}

TEST_CASE("a fault in what an opcode becomes is contradicted") {
  std::map<Planted, std::vector<std::uint64_t>> programs;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const SassModule sass = read_sass(random_sass(seed));
    (void)changed(sass, ptx_of_sass(sass), [&](const std::string& statement, const Planted& here) {
      std::vector<std::uint64_t>& seeds = programs[here];
      // In the functions of the programs two operands are seldom equal.
      const bool is_rare = std::get<0>(here) == "CALL" && std::get<1>(here).starts_with("setp.");
      if (!is_rare && wrong_statement(statement) && (seeds.empty() || seeds.back() != seed)) seeds.push_back(seed);
      return statement;
    });
  }
  constexpr std::size_t fewest_programs = 12;  // a fault in fewer of them is left out: chance decides it
  Sweep every{20};
  std::set<std::string> opcodes;
  long planted = 0;
  for (const auto& entry : programs) {
    const Planted& fault = entry.first;
    const std::vector<std::uint64_t>& seeds = entry.second;
    if (seeds.size() < fewest_programs || !every.takes()) continue;
    ++planted;
    opcodes.insert(std::get<0>(fault));
    INFO(std::get<0>(fault), ": ", std::get<1>(fault), ", ", std::get<2>(fault), " before it");
    CHECK(is_caught(fault, seeds));
  }
  CHECK(planted > at_least(160, 20));
  CHECK(opcodes.size() > static_cast<std::size_t>(at_least(30, 20)));
}

}  // namespace
}  // namespace swz
