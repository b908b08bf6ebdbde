// SPDX-License-Identifier: Apache-2.0
#include "ptx/opcode.hpp"

#include <algorithm>
#include <string>

namespace swz {

namespace {

constexpr std::string_view pure_opcodes[] = {
    "abs", "add",  "and",      "bfe",   "bfi",       "bfind", "bmsk",  "brev", "clusterlaunchcontrol",
    "clz", "cnot", "copysign", "cos",   "cvt",       "cvta",  "div",   "dp2a", "dp4a",
    "ex2", "fma",  "fns",      "lg2",   "lop3",      "mad",   "mad24", "mapa", "max",
    "min", "mov",  "mul",      "mul24", "neg",       "not",   "or",    "popc", "prmt",
    "rcp", "rem",  "rsqrt",    "sad",   "sass_pure", "selp",  "set",   "setp", "shf",
    "shl", "shr",  "sin",      "slct",  "sqrt",      "sub",   "szext", "tanh", "testp",
    "xor"};
static_assert(std::ranges::is_sorted(pure_opcodes));

// These write only their first operand too, unless it is in brackets; their results depend on more than the operands.
constexpr std::string_view memory_opcodes[] = {
    "applypriority", "atom",   "cp",       "createpolicy", "discard",   "fence", "ld", "ldmatrix", "ldu",
    "mbarrier",      "membar", "multimem", "prefetch",     "prefetchu", "red",   "st", "stmatrix", "suld",
    "suq",           "sured",  "sust",     "tensormap",    "tex",       "tld4",  "txq"};
constexpr std::string_view thread_opcodes[] = {
    "activemask",   "addc",       "alloca",         "bar",      "barrier",      "brkpt",        "call",       "elect",
    "exit",         "getctarank", "griddepcontrol", "isspacep", "istypep",      "madc",         "match",      "mma",
    "movmatrix",    "pmevent",    "redux",          "ret",      "sass_uniform", "sass_unknown", "setmaxnreg", "shfl",
    "stackrestore", "stacksave",  "subc",           "tcgen05",  "trap",         "vote",         "wgmma",      "wmma"};
static_assert(std::ranges::is_sorted(memory_opcodes) && std::ranges::is_sorted(thread_opcodes));

// Their first operand may be a register, which they read.
constexpr std::string_view opcodes_without_results[] = {"bra", "brx", "nanosleep"};

}  // namespace

OpcodeParts::OpcodeParts(std::string_view opcode) {
  while (count < all.size()) {
    const std::size_t dot = opcode.find('.');
    all[count++] = opcode.substr(0, dot);
    if (dot == opcode.npos) break;
    opcode.remove_prefix(dot + 1);
  }
}

bool OpcodeParts::has(std::string_view part) const {
  return std::find(all.begin(), all.begin() + count, part) != all.begin() + count;
}

OperandType operand_type(std::string_view part) {
  if (part == "pred") return {'p', 1};
  if (part.size() < 2 || part.size() > 4) return {};
  const char kind = part[0];
  if (kind != 'b' && kind != 'u' && kind != 's' && kind != 'f') return {};
  const std::string_view digits = part.substr(1);
  for (const int bits : {8, 16, 32, 64, 128})
    if (digits == std::to_string(bits)) return {kind, bits};
  return {};
}

bool is_pure(std::string_view name) { return std::ranges::binary_search(pure_opcodes, name); }

OpcodeResults results_of(std::string_view name) {
  if (std::ranges::find(opcodes_without_results, name) != std::end(opcodes_without_results)) return OpcodeResults::none;
  const bool is_known = is_pure(name) || std::ranges::binary_search(memory_opcodes, name) ||
                        std::ranges::binary_search(thread_opcodes, name);
  return is_known ? OpcodeResults::first_operand : OpcodeResults::all_operands;
}

}  // namespace swz
