// SPDX-License-Identifier: Apache-2.0
#include "ptx/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace swz {

namespace {

constexpr std::uint32_t ended = 0xffffffff;
constexpr std::uint64_t window_size = std::uint64_t{1}
                                      << 24;  // of shared memory in generic addresses, and of each lane's own

std::uint64_t stirred(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

bool is_one_of(std::string_view what, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), what) != all.end();
}

// Their first operand is read, if it is a register.
bool writes_nothing(const PtxInstruction& one) {
  return is_one_of(
             one.opcode.substr(0, one.opcode.find('.')),
             {"st",      "bra",      "brx",   "ret",       "exit",           "trap",         "red",      "barrier",
              "cp",      "prefetch", "fence", "membar",    "nanosleep",      "setmaxnreg",   "stmatrix", "stackrestore",
              "discard", "pmevent",  "brkpt", "tensormap", "griddepcontrol", "applypriority"}) ||
         (one.is("bar") && !one.opcode.starts_with("bar.red")) || one.opcode.starts_with("wmma.store") ||
         one.opcode.starts_with("multimem.red") || one.opcode.starts_with("multimem.st") ||
         (one.is("tcgen05") && !one.opcode.starts_with("tcgen05.ld")) || one.opcode.starts_with("wgmma.fence") ||
         one.opcode.starts_with("wgmma.commit") || one.opcode.starts_with("wgmma.wait");
}

// "shared" of ld.shared::cluster.b32; empty: generic.
std::string_view space_of(const ConcreteOpcode& opcode) {
  for (const std::string_view one : opcode.modifiers)
    if (const std::string_view space = one.substr(0, one.find(':'));
        is_one_of(space, {"shared", "global", "const", "local", "param"}))
      return space;
  return "";
}

// What depends only on its operands, and is the same for the same operands.
bool is_function(std::string_view name) {
  return is_one_of(name, {"abs",      "add",   "bfe",  "bfi",   "cnot",     "copysign", "cos",
                          "cvt",      "div",   "dp2a", "dp4a",  "ex2",      "fma",      "fns",
                          "lg2",      "mad",   "max",  "min",   "mul",      "neg",      "rcp",
                          "rem",      "rsqrt", "sad",  "set",   "setp",     "sin",      "slct",
                          "sqrt",     "sub",   "tanh", "testp", "isspacep", "mapa",     "clusterlaunchcontrol",
                          "sass_pure"});
}

}  // namespace

PtxInterpreter::PtxInterpreter(const PtxModule& module, const PtxKernel& kernel,
                               std::optional<std::array<std::int64_t, 3>> threads)
    : module_(module), kernel_(kernel), given_threads_(threads), decoded_(kernel.instructions.size()) {
  for (std::size_t i = 0; i < decoded_.size(); ++i) decode(kernel.instructions[i], decoded_[i]);
  std::vector<bool> is_named(module.symbols.size());
  const auto name = [&](const PtxOperand& operand, const auto& self) -> void {
    if (operand.kind == PtxOperandKind::symbol) is_named[operand.id] = true;
    for (const PtxOperand& part : module.parts_of(operand)) self(part, self);
  };
  for (const PtxInstruction& one : kernel.instructions)
    for (const PtxOperand& operand : module.operands_of(one)) name(operand, name);
  for (std::uint32_t id = 0; id < is_named.size(); ++id)
    if (is_named[id]) named_.push_back(id);
  find_loops();
}

void PtxInterpreter::decode(const PtxInstruction& instruction, Decoded& out) const {
  out.opcode = decode_opcode(instruction.opcode);
  const std::string_view name = out.opcode.name;
  const auto operands = module_.operands_of(instruction);
  const auto flat = [&](const PtxOperand& operand, std::vector<PtxOperand>& into, const auto& self) -> void {
    if (operand.kind != PtxOperandKind::list) return into.push_back(operand);
    for (const PtxOperand& part : module_.parts_of(operand)) self(part, into, self);
  };
  std::size_t first = 0;
  if (!writes_nothing(instruction) && !operands.empty() && operands[0].kind != PtxOperandKind::address) {
    flat(operands[0], out.results, flat);
    first = 1;
    if (instruction.opcode.starts_with("tcgen05.ld.red") && operands.size() > 1)
      flat(operands[first++], out.results, flat);
  }
  for (std::size_t i = first; i < operands.size(); ++i) flat(operands[i], out.sources, flat);

  if (name == "bra") out.does = Does::branch;
  else if (name == "brx") out.does = Does::branch_table;
  else if (is_one_of(name, {"ret", "exit", "trap"})) out.does = Does::end;
  else if (name == "mov") out.does = Does::move;
  else if (is_one_of(name, {"ld", "ldu"})) out.does = Does::load;
  else if (name == "shfl") out.does = Does::shuffle;
  else if (name == "vote") out.does = Does::vote;
  else if (name == "elect") out.does = Does::elect;
  else if (name == "activemask") out.does = Does::activemask;
  else if (name == "cvta") out.does = Does::to_address;
  else if (is_one_of(name, {"redux", "match", "sass_uniform"}) ||
           (is_one_of(name, {"bar", "barrier"}) && out.opcode.has("red")))
    out.does = Does::function_of_warp;
  else if (out.opcode.number >= 0 && out.sources.size() <= 5) out.does = Does::integers;
  else if (is_function(name)) out.does = Does::function;
  if (out.does == Does::load) {
    const std::string_view space = space_of(out.opcode);
    out.space[0] = space.empty() ? 'u' : static_cast<std::uint8_t>(space[0]);
  }
}

// Where brx may go: to the labels of its table; past them it is not defined.
std::vector<std::uint32_t> PtxInterpreter::targets_of(const Decoded& branch) const {
  std::vector<std::uint32_t> out;
  for (const PtxKernel::BranchTargets& table : kernel_.branch_targets) {
    if (branch.sources.size() < 2 || branch.sources[1].kind != PtxOperandKind::label ||
        branch.sources[1].id != table.label)
      continue;
    for (const PtxOperand& target : module_.parts_of(table.targets))
      if (target.kind == PtxOperandKind::label) out.push_back(target.id);
  }
  return out.empty() ? kernel_.labels : out;
}

// From the target of each branch backwards to the branch; those that overlap become one.
void PtxInterpreter::find_loops() {
  for (std::uint32_t i = 0; i < decoded_.size(); ++i) {
    if (decoded_[i].does == Does::branch_table && !targets_of(decoded_[i]).empty()) {
      const std::vector<std::uint32_t> targets = targets_of(decoded_[i]);
      const std::uint32_t first = *std::min_element(targets.begin(), targets.end());
      if (first <= i) loops_.push_back({first, i});
    }
    if (decoded_[i].does != Does::branch || decoded_[i].sources.empty()) continue;
    const PtxOperand& to = decoded_[i].sources[0];
    if (to.kind == PtxOperandKind::label && to.id <= i) loops_.push_back({to.id, i});
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Loop& a : loops_)
      for (const Loop& b : loops_) {
        const bool overlaps = a.first <= b.first && b.first <= a.last && b.last > a.last;
        if (!overlaps) continue;
        a.last = b.last;
        changed = true;
      }
  }
  std::sort(loops_.begin(), loops_.end(),
            [](const Loop& a, const Loop& b) { return std::pair(a.first, a.last) < std::pair(b.first, b.last); });
  loops_.erase(std::unique(loops_.begin(), loops_.end(),
                           [](const Loop& a, const Loop& b) { return a.first == b.first && a.last == b.last; }),
               loops_.end());
}

std::uint64_t PtxInterpreter::random() { return stirred(state_ += 0x9e3779b97f4a7c15); }

// Edges more often than a uniform word has them.
std::uint64_t PtxInterpreter::interesting() {
  const std::uint64_t word = random(), how = random();
  switch (how & 15) {
    case 0: return 0;
    case 1: return ~std::uint64_t{0};
    case 2: return word & 63;
    case 3: return 0 - (word & 63);
    case 4: return std::uint64_t{1} << (word & 63);
    case 5: return (std::uint64_t{1} << (word & 63)) - 1;
    case 6: return 0x80000000;
    case 7: return 0x7fffffff + (word & 3);
    case 8: return word & 0xffff;
    case 9: return word & ~(std::uint64_t{0xffffffff} >> (how >> 8 & 31));
    default: return word;
  }
}

std::uint64_t PtxInterpreter::mixed(std::initializer_list<std::uint64_t> parts) const {
  std::uint64_t out = seed_;
  for (const std::uint64_t part : parts) out = stirred(out * 0x9e3779b97f4a7c15 + part + 1);
  return out;
}

void PtxInterpreter::launch(std::optional<std::int64_t> warp) {
  const auto below = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  const auto exact = kernel_.threads && !kernel_.threads_are_most ? kernel_.threads : given_threads_;
  if (exact) {
    threads_ = *exact;
  } else {
    // .maxntid bounds only the product.
    std::int64_t left = 1024;
    if (kernel_.threads)
      left = std::min<std::int64_t>(left, (*kernel_.threads)[0] * (*kernel_.threads)[1] * (*kernel_.threads)[2]);
    const bool is_power = below(2) == 0;
    for (const std::size_t i : {2U, 1U, 0U}) {
      const std::int64_t most = std::min<std::int64_t>(left, i == 2 ? 64 : 1024);
      std::int64_t extent = i > 0 && below(2) == 0 ? 1 : 1 + below(most);
      if (is_power) extent = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(extent)));
      threads_[i] = extent;
      left /= extent;
    }
  }
  const std::int64_t total = threads_[0] * threads_[1] * threads_[2];
  first_thread_ = 32 * below((total + 31) / 32);
  if (warp) first_thread_ = 32 * *warp;
  for (std::size_t i = 0; i < 3; ++i) {
    grid_[i] = 1 + below(below(2) == 0 ? 16 : i == 0 ? 0x7fffffff : 65535);
    block_[i] = below(2) == 0 ? grid_[i] - 1 : below(grid_[i]);
  }
  for (int lane = 0; lane < 32; ++lane) at_[static_cast<std::size_t>(lane)] = first_thread_ + lane < total ? 0 : ended;
}

std::uint64_t PtxInterpreter::special(const PtxSymbol& symbol, int lane) {
  const std::string_view name = symbol.name;
  const std::int64_t thread = first_thread_ + lane;
  const auto axis = [&](const std::array<std::int64_t, 3>& of) {
    const char c = name.back();
    return static_cast<std::uint64_t>(of[c == 'x' ? 0 : c == 'y' ? 1 : 2]);
  };
  const std::array<std::int64_t, 3> place = {thread % threads_[0], thread / threads_[0] % threads_[1],
                                             thread / (threads_[0] * threads_[1])};
  if (name.starts_with("%tid.")) return axis(place);
  if (name.starts_with("%ntid.")) return axis(threads_);
  if (name.starts_with("%ctaid.")) return axis(block_);
  if (name.starts_with("%nctaid.")) return axis(grid_);
  if (name == "%laneid") return static_cast<std::uint64_t>(lane);
  if (name == "%warpid") return static_cast<std::uint64_t>(first_thread_ / 32);
  const std::uint64_t one = std::uint64_t{1} << lane;
  if (name == "%lanemask_eq") return one;
  if (name == "%lanemask_lt") return one - 1;
  if (name == "%lanemask_le") return 2 * one - 1;
  if (name == "%lanemask_gt") return 0xffffffff & ~(2 * one - 1);
  if (name == "%lanemask_ge") return 0xffffffff & ~(one - 1);
  // A cluster has up to 16 blocks.
  const std::uint64_t ranks = 1 + mixed({1}) % 16, rank = mixed({2}) % ranks;
  if (name.starts_with("%cluster_nctaid.") || name == "%cluster_nctarank")
    return name.back() == 'x' || name.back() == 'k' ? ranks : 1;
  if (name.starts_with("%cluster_ctaid.") || name == "%cluster_ctarank")
    return name.back() == 'x' || name.back() == 'k' ? rank : 0;
  const bool is_64 = name.find("64") != name.npos || name == "%gridid" || name == "%globaltimer";
  return interesting() & bits_below(is_64 ? 64 : 32);
}

// Those of shared memory in sequence, in any order, in a window below 256 KiB.
void PtxInterpreter::place_variables() {
  window_ = (random() & 0xffff) << 32 | (random() & 0xff) << 24;
  local_window_ = window_ + window_size;
  symbols_.resize(module_.symbols.size() * 32);
  std::vector<std::uint32_t> order = named_;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::uint64_t total = 0, next = 0;
  const auto arrays = std::count_if(order.begin(), order.end(),
                                    [&](std::uint32_t id) { return module_.symbols[id].space == PtxSpace::shared; });
  for (const std::uint32_t id : order)
    if (module_.symbols[id].space == PtxSpace::shared)
      total += static_cast<std::uint64_t>(module_.symbols[id].alignment) +
               (module_.symbols[id].bytes ? static_cast<std::uint64_t>(module_.symbols[id].bytes->count) : 0);
  constexpr std::uint64_t window_bytes = std::uint64_t{1} << 18;
  // In half of the runs near the beginning, so that what lies far past a dynamic array is in the window.
  const std::uint64_t near = random() % 2 == 0 ? 4096 : window_bytes;
  if (total < window_bytes) next = random() % (window_bytes - total) % near;
  for (const std::uint32_t id : order) {
    const PtxSymbol& symbol = module_.symbols[id];
    const auto alignment = static_cast<std::uint64_t>(symbol.alignment);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::uint64_t& slot = symbols_[id * 32 + lane];
      if (symbol.space == PtxSpace::special) {
        slot = special(symbol, static_cast<int>(lane));
        // What is the same for all lanes.
        if (lane > 0 && !symbol.name.starts_with("%tid") && !symbol.name.starts_with("%lane")) slot = symbols_[id * 32];
      } else if (lane > 0) {
        slot = symbols_[id * 32];
      } else if (symbol.space == PtxSpace::shared) {
        slot = (next + alignment - 1) / alignment * alignment;
        // On an H100 a single array begins after the 1024 B of the system (measured).
        if (arrays == 1 && kernel_.target.starts_with("sm_90") && alignment <= 1024) slot = 1024;
        next = slot + (symbol.bytes ? static_cast<std::uint64_t>(symbol.bytes->count) : 0);
        if (next >= window_bytes) next %= 4096;  // more than a kernel may have
      } else if (symbol.space == PtxSpace::local) {
        slot = random() % (window_size / 2) / alignment * alignment;
      } else {
        slot = random() % (std::uint64_t{1} << 47) / alignment * alignment;
      }
    }
  }
}

std::uint64_t PtxInterpreter::param(std::uint32_t symbol, std::int64_t byte, int bytes) const {
  std::uint64_t out = 0;
  for (int i = 0; i < bytes; ++i) {
    // Of eight bytes together, so that whole words have interesting values.
    const std::uint64_t at = static_cast<std::uint64_t>(byte + i), word = mixed({3, symbol, at / 8}),
                        how = mixed({4, symbol, at / 8});
    std::uint64_t value = word;
    if ((how & 7) == 0) value = 0;
    else if ((how & 7) == 1) value = ~std::uint64_t{0};
    else if ((how & 7) == 2) value = word & 63;
    else if ((how & 7) == 3) value = std::uint64_t{1} << (word & 63);
    else if ((how & 7) == 4) value = word & 0x7fff'ffff'ffff;
    out |= (value >> (8 * (at % 8)) & 255) << (8 * i);
  }
  return out;
}

std::uint64_t PtxInterpreter::value(const PtxOperand& operand, int lane) const {
  std::uint64_t out = 0;
  switch (operand.kind) {
    case PtxOperandKind::reg:
      out = reg(operand.id, lane);
      if (!operand.negated) return out;
      return (kernel_.registers[operand.id].bits == 1 ? ~out : 0 - out) &
             bits_below(kernel_.registers[operand.id].bits);
    case PtxOperandKind::number:
      return operand.negated ? 0 - static_cast<std::uint64_t>(operand.value)
                             : static_cast<std::uint64_t>(operand.value);
    case PtxOperandKind::symbol:
      return symbols_[operand.id * 32 + static_cast<std::uint32_t>(lane)] + static_cast<std::uint64_t>(operand.value);
    case PtxOperandKind::address: {
      const auto parts = module_.parts_of(operand);
      if (parts.empty()) return static_cast<std::uint64_t>(operand.value);
      out = value(parts[0], lane) + static_cast<std::uint64_t>(operand.value);
      const bool is_narrow = parts[0].kind == PtxOperandKind::reg && kernel_.registers[parts[0].id].bits <= 32;
      return is_narrow ? out & 0xffffffff : out;
    }
    default: return mixed({5, operand.id, static_cast<std::uint64_t>(operand.value)});
  }
}

bool PtxInterpreter::is_defined(const PtxOperand& operand, int lane) const {
  if (operand.kind == PtxOperandKind::reg) return is_defined(operand.id, lane);
  const auto parts = module_.parts_of(operand);
  return std::all_of(parts.begin(), parts.end(), [&](const PtxOperand& part) { return is_defined(part, lane); });
}

void PtxInterpreter::write(const PtxOperand& result, int lane, std::uint64_t value) {
  if (result.kind != PtxOperandKind::reg) return;
  registers_[result.id * 32 + static_cast<std::uint32_t>(lane)] = value & bits_below(kernel_.registers[result.id].bits);
  const std::uint32_t bit = std::uint32_t{1} << lane;
  defined_[result.id] = defines_ ? defined_[result.id] | bit : defined_[result.id] & ~bit;
}

void PtxInterpreter::go_to(int lane, std::uint32_t next) {
  const auto l = static_cast<std::size_t>(lane);
  const std::uint32_t from = at_[l];
  at_[l] = next < kernel_.instructions.size() ? next : ended;
  if (loops_.empty() || at_[l] == ended ||
      (next == from + 1 && decoded_[from].does != Does::branch && decoded_[from].does != Does::branch_table)) {
    // Falling out of a loop's end happens only after its last branch.
    return;
  }
  Pass& pass = passes_[l];
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const bool is_inside = loops_[i].first <= next && next <= loops_[i].last;
    if (!is_inside) pass.counts[i] = 0;
    else if (next == loops_[i].first && next <= from) ++pass.counts[i];
    else if (next <= from && loops_[i].first > next) pass.counts[i] = 0;
  }
  pass.hash = 0;
  for (const std::uint32_t count : pass.counts) pass.hash = stirred(pass.hash * 31 + count + 1);
}

void PtxInterpreter::shuffle(const PtxStep& step, const Decoded& one) {
  // d, a, b, c and the mask; all lanes read before any writes.
  std::array<std::uint64_t, 32> of = {}, from = {}, c = {};
  for (int lane = 0; lane < 32; ++lane) {
    const auto l = static_cast<std::size_t>(lane);
    of[l] = one.sources.empty() ? 0 : value(one.sources[0], lane);
    from[l] = one.sources.size() < 2 ? 0 : value(one.sources[1], lane) & 31;
    c[l] = one.sources.size() < 3 ? 0 : value(one.sources[2], lane);
  }
  for (int lane = 0; lane < 32; ++lane) {
    if ((step.active >> lane & 1) == 0) continue;
    const auto l = static_cast<std::size_t>(lane);
    const int segment = static_cast<int>(c[l] >> 8 & 31), bound = static_cast<int>(c[l] & 31),
              b = static_cast<int>(from[l]);
    const int most = (lane & segment) | (bound & ~segment & 31), least = lane & segment;
    int j = 0;
    bool is_within = false;
    if (one.opcode.has("up")) {
      j = lane - b;
      is_within = j >= most;
    } else {
      j = one.opcode.has("down") ? lane + b : one.opcode.has("bfly") ? lane ^ b : least | (b & ~segment & 31);
      is_within = j <= most;
    }
    if (!is_within) j = lane;
    // What a lane gives that does not take part is not defined.
    defines_ = (step.active >> (j & 31) & 1) != 0 &&
               std::all_of(one.sources.begin(), one.sources.end(),
                           [&](const PtxOperand& operand) { return is_defined(operand, lane); }) &&
               is_defined(one.sources[0], j & 31);
    write(one.results[0], lane, of[static_cast<std::size_t>(j & 31)]);
    if (one.results.size() > 1) write(one.results[1], lane, is_within ? 1 : 0);
  }
}

void PtxInterpreter::load(const PtxStep& step, const Decoded& one, int lane) {
  const ConcreteType type = one.opcode.type;
  const int bytes = std::max(type.bits / 8, 1);
  const PtxOperand* address = one.sources.empty() ? nullptr : &one.sources[0];
  const PtxOperand* base = address != nullptr && address->kind == PtxOperandKind::address && address->parts == 1
                               ? &module_.parts_of(*address)[0]
                               : nullptr;
  const bool is_param = kernel_.is_entry && one.space[0] == 'p' && base != nullptr &&
                        base->kind == PtxOperandKind::symbol && module_.symbols[base->id].space == PtxSpace::param;
  const std::uint64_t at = address == nullptr ? 0 : value(*address, lane);
  // Of arguments, of what a call gave, and of the memory that each lane has for itself.
  const bool is_of_lane = one.opcode.has("volatile") || one.space[0] == 'p' || one.space[0] == 'l' ||
                          (one.space[0] == 'u' && at - local_window_ < window_size);
  for (std::size_t i = 0; i < one.results.size(); ++i) {
    const auto offset = static_cast<std::int64_t>(i) * bytes;
    std::uint64_t found = 0;
    if (is_param) {
      found = param(base->id, address->value + offset, std::min(bytes, 8));
    } else {
      const std::uint64_t when = one.space[0] == 'c' ? 0 : time_;
      found =
          mixed({6, when, is_of_lane ? static_cast<std::uint64_t>(lane) : 99, at + static_cast<std::uint64_t>(offset)});
      if ((found >> 60) < 4) found &= 0x3f;
    }
    if (type.bits < 64)
      found =
          type.is_signed() ? static_cast<std::uint64_t>(signed_value(found, type.bits)) : found & bits_below(type.bits);
    write(one.results[i], lane, found);
  }
  static_cast<void>(step);
}

void PtxInterpreter::execute_lane(const PtxStep& step, const Decoded& one, int lane) {
  const auto l = static_cast<std::size_t>(lane);
  defines_ =
      is_guard_defined(step, lane) && std::all_of(one.sources.begin(), one.sources.end(),
                                                  [&](const PtxOperand& operand) { return is_defined(operand, lane); });
  const auto source = [&](std::size_t i) { return i < one.sources.size() ? value(one.sources[i], lane) : 0; };
  const auto hash_of_sources = [&] {
    std::uint64_t out = mixed({7, step.instruction});
    for (std::size_t i = 0; i < one.sources.size(); ++i) out = stirred(out * 31 + source(i));
    return out;
  };
  switch (one.does) {
    case Does::integers: {
      std::array<std::uint64_t, 5> in = {};
      for (std::size_t i = 0; i < one.sources.size(); ++i) in[i] = source(i);
      const auto result = execute(one.opcode, in, carry_[l]);
      const std::uint64_t unsaid = result ? 0 : hash_of_sources();
      for (std::size_t i = 0; i < one.results.size(); ++i) {
        std::uint64_t d = result ? (i == 0 ? result->first : result->second) : stirred(unsaid + i);
        // cvt extends what has fewer bits than the register.
        const ConcreteType type = one.opcode.result;
        if (!result && one.opcode.name == "cvt" && type.bits < 64)
          d = type.is_signed() ? static_cast<std::uint64_t>(signed_value(d, type.bits)) : d & bits_below(type.bits);
        write(one.results[i], lane, d);
      }
      break;
    }
    case Does::move: {
      const int total = one.opcode.type.bits;
      std::uint64_t all = 0;
      if (one.sources.size() == 1) {
        const PtxOperand& from = one.sources[0];
        const bool changes =
            from.kind == PtxOperandKind::symbol &&
            (module_.symbols[from.id].name.starts_with("%clock") || module_.symbols[from.id].name == "%globaltimer");
        all = changes ? random() : source(0);
      }
      const int width = one.sources.size() > 1 ? total / static_cast<int>(one.sources.size()) : 64;
      if (total <= 64)
        for (std::size_t i = 0; i < one.sources.size() && one.sources.size() > 1; ++i)
          all |= (source(i) & bits_below(width)) << (width * static_cast<int>(i));
      else all = random();
      all &= bits_below(total);
      if (one.results.size() == 1) {
        write(one.results[0], lane, all);
        break;
      }
      const int part = one.results.empty() ? 1 : total / static_cast<int>(one.results.size());
      for (std::size_t i = 0; i < one.results.size(); ++i)
        write(one.results[i], lane, total > 64 ? random() : all >> (part * static_cast<int>(i)) & bits_below(part));
      break;
    }
    case Does::load: load(step, one, lane); break;
    case Does::to_address: {
      const bool is_shared = one.opcode.has("shared") || one.opcode.has("shared::cta");
      const std::uint64_t added = is_shared ? window_ : one.opcode.has("local") ? local_window_ : 0;
      write(one.results[0], lane, one.opcode.has("to") ? source(0) - added : source(0) + added);
      break;
    }
    case Does::activemask: write(one.results[0], lane, step.active); break;
    case Does::elect: {
      // The same mask, the same lane.
      const std::uint64_t members = source(0) & step.active;
      std::uint64_t chosen = members == 0 ? 0 : mixed({8, members}) % 32;
      while (members != 0 && (members >> chosen & 1) == 0) chosen = (chosen + 1) % 32;
      if (!one.results.empty()) write(one.results[0], lane, chosen);
      if (one.results.size() > 1) write(one.results[1], lane, static_cast<std::uint64_t>(lane) == chosen ? 1 : 0);
      break;
    }
    case Does::branch: {
      const PtxOperand* to = one.sources.empty() ? nullptr : &one.sources[0];
      if (to != nullptr && to->kind == PtxOperandKind::label) {
        go_to(lane, to->id);
        break;
      }
      [[fallthrough]];
    }
    case Does::branch_table:
      if (const std::vector<std::uint32_t> targets = targets_of(one);
          targets.empty() || (!one.sources.empty() && !is_defined(one.sources[0], lane)))
        lose(lane);
      else go_to(lane, targets[(one.sources.empty() ? 0 : value(one.sources[0], lane)) % targets.size()]);
      break;
    case Does::end: at_[l] = ended; break;
    case Does::function: {
      const std::uint64_t d = hash_of_sources();
      for (std::size_t i = 0; i < one.results.size(); ++i) write(one.results[i], lane, stirred(d + i));
      break;
    }
    case Does::function_of_warp:
      for (std::size_t i = 0; i < one.results.size(); ++i)
        write(one.results[i], lane,
              mixed({9, time_, i, one.opcode.name == "match" ? static_cast<std::uint64_t>(lane) : 99}));
      break;
    case Does::shuffle:
    case Does::vote: break;
    case Does::anything:
      for (const PtxOperand& result : one.results) write(result, lane, interesting());
      break;
  }
}

void PtxInterpreter::lose(int lane) {
  at_[static_cast<std::size_t>(lane)] = ended;
  lost_ |= std::uint32_t{1} << lane;
}

bool PtxInterpreter::is_guard_defined(const PtxStep& step, int lane) const {
  const std::uint32_t guard = kernel_.instructions[step.instruction].guard;
  return guard == no_register || is_defined(guard, lane);
}

void PtxInterpreter::execute_lanes(const PtxStep& step) {
  const Decoded& one = decoded_[step.instruction];
  ++time_;
  defines_ = true;
  if (one.does == Does::vote)
    for (int lane = 0; lane < 32; ++lane)
      if (step.active >> lane & 1)
        for (const PtxOperand& operand : one.sources) defines_ = defines_ && is_defined(operand, lane);
  if (one.does == Does::shuffle && !one.results.empty()) {
    shuffle(step, one);
  } else if (one.does == Does::vote && !one.results.empty() && !one.sources.empty()) {
    std::uint64_t ballot = 0;
    for (int lane = 0; lane < 32; ++lane)
      if (step.active >> lane & 1) ballot |= (value(one.sources[0], lane) & 1) << lane;
    std::uint64_t d = ballot;
    if (one.opcode.has("any")) d = ballot != 0 ? 1 : 0;
    else if (one.opcode.has("all")) d = ballot == step.active ? 1 : 0;
    else if (one.opcode.has("uni")) d = ballot == step.active || ballot == 0 ? 1 : 0;
    for (int lane = 0; lane < 32; ++lane)
      if (step.active >> lane & 1) write(one.results[0], lane, d);
  }
  for (int lane = 0; lane < 32; ++lane) {
    if ((step.here >> lane & 1) == 0) continue;
    const bool is_active = (step.active >> lane & 1) != 0;
    if (!is_guard_defined(step, lane)) {
      // What it does is not defined: the lane goes where no claim looks, or its results mean nothing.
      for (const PtxOperand& result : one.results)
        if (result.kind == PtxOperandKind::reg) defined_[result.id] &= ~(std::uint32_t{1} << lane);
    }
    const bool jumps = one.does == Does::branch || one.does == Does::branch_table || one.does == Does::end;
    if (is_active) execute_lane(step, one, lane);
    if (jumps && !is_guard_defined(step, lane)) lose(lane);
    else if (!is_active || !jumps) go_to(lane, step.instruction + 1);
  }
}

bool PtxInterpreter::run(std::uint64_t seed, int most, PtxWatcher& watcher, std::optional<std::int64_t> warp) {
  seed_ = state_ = stirred(seed + 1);
  time_ = 0;
  lost_ = 0;
  carry_ = {};
  launch(warp);
  place_variables();
  registers_.resize(kernel_.registers.size() * 32);
  for (std::size_t i = 0; i < registers_.size(); ++i)
    registers_[i] = interesting() & bits_below(kernel_.registers[i / 32].bits);
  defined_.assign(kernel_.registers.size(), 0);
  for (Pass& pass : passes_) {
    pass.counts.assign(loops_.size(), 0);
    pass.hash = 0;
  }
  if (kernel_.instructions.empty()) return true;
  for (int count = 0; count < most; ++count) {
    PtxStep step{ended, 0, 0};
    for (const std::uint32_t at : at_) step.instruction = std::min(step.instruction, at);
    if (step.instruction == ended) return true;
    const PtxInstruction& instruction = kernel_.instructions[step.instruction];
    for (int lane = 0; lane < 32; ++lane) {
      if (at_[static_cast<std::size_t>(lane)] != step.instruction) continue;
      step.here |= std::uint32_t{1} << lane;
      if (instruction.guard == no_register || ((reg(instruction.guard, lane) & 1) != 0) != instruction.guard_negated)
        step.active |= std::uint32_t{1} << lane;
    }
    watcher.before(step);
    execute_lanes(step);
    watcher.after(step);
  }
  return false;
}

}  // namespace swz
