// SPDX-License-Identifier: Apache-2.0
#include "sass/lift.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/number.hpp"
#include "base/text.hpp"
#include "sass/sass_rows.hpp"

namespace swz {

namespace {

constexpr std::string_view jump_names[] = {"BRA", "BRX", "JMP", "JMX", "BRXU", "JMXU"};
constexpr std::string_view call_names[] = {"CALL"};
constexpr std::string_view end_names[] = {"EXIT", "RET", "KILL", "BPT"};

template <std::size_t N>
bool is_one_of(std::string_view opcode, const std::string_view (&names)[N]) {
  return std::ranges::find(names, opcode.substr(0, opcode.find('.'))) != std::end(names);
}

bool is_control(std::string_view opcode) {
  return is_one_of(opcode, jump_names) || is_one_of(opcode, call_names) || is_one_of(opcode, end_names);
}

// "`(.L_x_1)" is .L_x_1; 0x170 is itself.
std::string_view bare_target(std::string_view operand) {
  if (operand.starts_with('`')) operand = operand.substr(1);
  if (operand.starts_with('(') && operand.ends_with(')')) operand = operand.substr(1, operand.size() - 2);
  return operand;
}

// Every register that a function names, in the order of their names.
std::set<std::string> named_registers(const SassModule& sass, const SassFunction& function) {
  std::set<std::string> names;
  for (const SassInstruction& instruction : function.instructions)
    for (const std::string_view operand : sass.operands_of(instruction))
      for (std::size_t i = 0; i < operand.size(); ++i) {
        if (operand[i] != 'R' && operand[i] != 'P') continue;
        std::size_t end = i + 1;
        while (end < operand.size() && operand[end] >= '0' && operand[end] <= '9') ++end;
        if (end == i + 1 || end - i > 4) continue;
        const bool is_uniform = i > 0 && operand[i - 1] == 'U';
        names.insert((is_uniform ? "U" : "") + std::string(operand.substr(i, end - i)));
        i = end - 1;
      }
  return names;
}

class SassLifter {
 public:
  SassLifter(const SassModule& sass, const std::vector<SassKernelFacts>& facts) : sass_(sass), facts_(facts) {
    for (const SassFunction& function : sass.functions) functions_.try_emplace(function.name, &function);
  }

  std::string lift() {
    text_ = fmt::format(".target {}", sass_.target.empty() ? "sm_90a" : sass_.target);
    go_to_line(2);
    for (int bank = 0; bank < 8; ++bank) text_ += fmt::format(".const .b8 c{}[65536]; ", bank);
    for (std::size_t f = 0; f < sass_.functions.size(); ++f) lift_function(f);
    if (is_open_) text_ += "}";
    text_ += "\n";
    return std::move(text_);
  }

 private:
  void go_to_line(std::uint32_t line) {
    while (line_ < line) {
      text_ += '\n';
      ++line_;
    }
  }

  const SassKernelFacts* facts_of(std::string_view name) const {
    const auto found = std::ranges::find(facts_, name, &SassKernelFacts::name);
    return found == facts_.end() ? nullptr : &*found;
  }

  void begin_function(const SassFunction& function) {
    go_to_line(std::max(function.line, line_));
    if (is_open_) text_ += "} ";
    is_open_ = true;
    const SassKernelFacts* facts = facts_of(function.name);
    kernel_ = SassKernelContext{{function.name, sass_.target,
                                 facts != nullptr ? facts->parameters : std::vector<SassParameter>{},
                                 facts != nullptr ? facts->parameter_base : std::nullopt}};
    find_local_words(function);
    if (!function.is_entry) text_ += fmt::format(".func {}() {{ ", function.name);
    else {
      text_ += fmt::format(".entry {}({}) ", function.name, kernel_->bank.declaration());
      if (facts != nullptr && facts->threads)
        text_ += fmt::format(".{} {}, {}, {} ", facts->threads_are_most ? "maxntid" : "reqntid", (*facts->threads)[0],
                             (*facts->threads)[1], (*facts->threads)[2]);
      text_ += "{ ";
    }
    text_ += fmt::format(
        ".reg .b32 R<256>; .reg .b32 UR<256>; .reg .pred P<8>; .reg .pred UP<8>; .reg .b32 t<{}>; .reg .b64 q<{}>; "
        ".reg .b32 local<65536>; .reg .b32 rpc<2>; .reg .pred tp<{}>; .reg .pred yes, guard; setp.eq.u32 yes, 0, 0; ",
        SassLine::words, SassLine::pairs, SassLine::predicates);
  }

  // All of it is read and written at numbers after R1, which does not change after the first of them.
  void find_local_words(const SassFunction& function) {
    bool is_fixed = false, is_kept = false;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const SassInstruction& instruction = function.instructions[i];
      const std::string_view name = instruction.opcode.substr(0, instruction.opcode.find('.'));
      const auto operands = sass_.operands_of(instruction);
      // RPCMOV.32 Rpc.LO, R1; …; RPCMOV.32 R1, Rpc.LO: in between R1 is any register.
      if (name == "RPCMOV" && operands.size() == 2 && operands[is_kept ? 0 : 1] == "R1") {
        is_kept = !is_kept;
        continue;
      }
      if (is_kept) {
        const auto is_next = [&](const SassLabel& label) { return label.instruction == i; };
        if (name == "LDL" || name == "STL" || is_control(name) || std::ranges::any_of(function.labels, is_next)) return;
        continue;
      }
      if (name == "LDL" || name == "STL") {
        is_fixed = true;
        const auto place = operands.size() < 2 ? std::nullopt : local_place(operands[name == "LDL" ? 1 : 0]);
        if (!place || *place % bytes_of_local(instruction.opcode) != 0) return;
        continue;
      }
      // It may be moved before the first of them, and nothing else has its address.
      const bool moves = !is_fixed && !operands.empty() && operands[0] == "R1";
      if (!moves && std::ranges::any_of(operands, names_stack)) return;
    }
    kernel_->has_local_words = true;
  }

  static std::int64_t bytes_of_local(std::string_view opcode) {
    const auto has = [&](std::string_view part) { return opcode.find(part) != opcode.npos; };
    return has(".U8") || has(".S8") ? 1 : has(".U16") || has(".S16") ? 2 : 4;
  }
  // R1 and no other register.
  static bool names_stack(std::string_view operand) {
    for (std::size_t at = operand.find("R1"); at != operand.npos; at = operand.find("R1", at + 1)) {
      const char next = at + 2 < operand.size() ? operand[at + 2] : ' ';
      if ((at == 0 || operand[at - 1] != 'U') && !(next >= '0' && next <= '9')) return true;
    }
    return false;
  }

  void lift_function(std::size_t place) {
    const SassFunction& function = sass_.functions[place];
    begin_function(function);
    find_labels(function);
    is_collective_ = false;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const SassInstruction& instruction = function.instructions[i];
      go_to_line(instruction.line);
      for (auto [label, end] = labels_.equal_range(i); label != end; ++label) text_ += label->second + ": ";
      lift_instruction(place, instruction);
    }
    for (auto [label, end] = labels_.equal_range(static_cast<std::uint32_t>(function.instructions.size()));
         label != end; ++label)
      text_ += label->second + ": ";
  }

  // Where the function's labels and offsets are, and which of them a jump names; all labels if one may go anywhere.
  void find_labels(const SassFunction& function) {
    labels_.clear();
    label_places_.clear();
    offset_places_.clear();
    returns_ = false;
    for (const SassLabel& label : function.labels) label_places_.try_emplace(label.name, label.instruction);
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      offset_places_.try_emplace(function.instructions[i].offset, i);
      returns_ = returns_ || function.instructions[i].opcode.starts_with("RET");
    }
    std::set<std::string_view> named;
    bool are_all = false;
    for (const SassInstruction& instruction : function.instructions) {
      if (!is_one_of(instruction.opcode, jump_names) && !is_one_of(instruction.opcode, call_names)) continue;
      const std::string_view target = target_of(instruction);
      named.insert(target);
      are_all = are_all || (find_function(target) == nullptr && !place_of(target));
    }
    for (const SassLabel& label : function.labels)
      if (are_all || named.contains(label.name)) labels_.emplace(label.instruction, label_text(label.name));
    for (const std::string_view target : named)
      if (const auto place = place_of(target); place && !label_places_.contains(target))
        labels_.emplace(*place, label_text(target));
  }

  // Of a jump or a call: ".L_x_1", "0x170", "$__internal_0_$div"; empty: not said.
  std::string_view target_of(const SassInstruction& jump) const {
    const auto operands = sass_.operands_of(jump);
    return operands.empty() ? std::string_view() : bare_target(operands.back());
  }

  // The instruction of the function at a label or an offset. nullopt: it has none there.
  std::optional<std::uint32_t> place_of(std::string_view target) const {
    if (const auto label = label_places_.find(target); label != label_places_.end()) return label->second;
    const auto offset = find_unsigned(target);
    const auto found = offset ? offset_places_.find(*offset) : offset_places_.end();
    return found == offset_places_.end() ? std::nullopt : std::optional(found->second);
  }

  const SassFunction* find_function(std::string_view name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : found->second;
  }

  // ".L_x_1" is L_x_1.
  std::string label_text(std::string_view name) const {
    std::string text = "L" + inlined_;
    for (const char c : name)
      text += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? c : '_';
    return text;
  }

  void lift_instruction(std::size_t place, const SassInstruction& instruction) {
    if (instruction.guard == "!PT" || instruction.guard == "!UPT") return;
    SassInstruction executed = instruction;
    if (executed.guard == "PT" || executed.guard == "UPT") executed.guard = {};
    SassLine line(executed, sass_.operands_of(executed), *kernel_);
    if (is_one_of(executed.opcode, end_names)) lift_end(line);
    else if (const SassFunction* inlined = inlined_by(executed)) return inline_function(place, *inlined, line);
    else if (is_one_of(executed.opcode, jump_names)) lift_jump(target_of(executed), line);
    else if (is_one_of(executed.opcode, call_names)) lift_call(place, target_of(executed), line);
    else lift_row(place, executed, line);
    text_ += line.text();
  }

  void lift_end(SassLine& line) const {
    if (line.name() == "BPT") {
      if (line.has("TRAP")) line.act("trap");
    } else if (line.name() == "RET" && !inlined_.empty()) {
      line.act("bra L{}return", inlined_);
    } else {
      line.act("{}", line.name() == "RET" ? "ret" : "exit");
    }
  }

  // Predicates before the target hold too if it jumps. DIV: if lanes of the warp are elsewhere.
  void lift_jump(std::string_view target, SassLine& line) const {
    if (line.name() != "BRA" || !place_of(target)) return line.act("brx.idx everywhere, everywhere");
    std::string condition;
    const auto also = [&](const std::string& predicate) {
      if (condition.empty()) {
        condition = predicate;
        return;
      }
      const std::string both = line.new_predicate();
      line.compute("and.pred {}, {}, {}", both, condition, predicate);
      condition = both;
    };
    if (!line.guard().empty()) also(line.guard().substr(1, line.guard().size() - 2));
    for (std::size_t i = 0; i + 1 < line.count(); ++i)
      if (SassLine::is_predicate(line.operand(i))) also(line.predicate(i));
    if (line.has("DIV")) {
      const std::string parts = line.new_predicate();
      line.compute("vote.sync.any.pred {}, yes, 0xffffffff", parts);
      also(parts);
    } else if (line.has("ANY") && !condition.empty()) {
      const std::string any = line.new_predicate();
      line.compute("vote.sync.any.pred {}, {}, 0xffffffff", any, condition);
      condition = any;
    }
    line.set_guard(condition.empty() ? "" : fmt::format("@{} ", condition));
    line.act("bra {}", label_text(target));
  }

  // ---- calls

  // A function whose instructions read and write nothing but registers, and which calls no other: ptxas places division
  // and shuffles of parted warps there. Null: the instruction calls none.
  const SassFunction* inlined_by(const SassInstruction& call) {
    constexpr std::size_t most_instructions = 256, most_inlined = 1 << 16;
    if (!is_one_of(call.opcode, call_names) || sass_.operands_of(call).size() != 1 || !inlined_.empty()) return nullptr;
    const SassFunction* called = find_function(target_of(call));
    if (called == nullptr || called->is_entry || inlined_instructions_ > most_inlined) return nullptr;
    const auto [entry, is_new] = lengths_.try_emplace(called, 0);
    if (is_new) entry->second = length_of_registers(*called);
    return entry->second > 0 && entry->second <= most_instructions ? called : nullptr;
  }

  // The instructions up to the last that returns or traps; those after it are padding. 0: it is no such function.
  std::size_t length_of_registers(const SassFunction& function) const {
    const auto returns = [](const SassInstruction& each) {
      return each.opcode.starts_with("RET") || each.opcode == "BPT.TRAP";
    };
    const auto last = std::find_if(function.instructions.rbegin(), function.instructions.rend(), returns);
    const auto length = static_cast<std::size_t>(function.instructions.rend() - last);
    for (const SassInstruction& each : std::span(function.instructions).first(length)) {
      if (returns(each)) continue;
      if (each.opcode.starts_with("BRA")) {
        const std::string_view target = target_of(each);
        const auto label = std::ranges::find(function.labels, target, &SassLabel::name);
        if (label == function.labels.end() || label->instruction >= length) return 0;
        continue;
      }
      const SassRow* row = find_sass_row(each.opcode);
      if (row == nullptr || !is_of_registers(*row)) return 0;
    }
    return length;
  }

  // Its instructions in the place of the call; it returns behind them.
  void inline_function(std::size_t place, const SassFunction& called, SassLine& call) {
    const std::size_t length = lengths_.at(&called);
    inlined_instructions_ += length;
    auto labels = std::move(labels_);
    auto label_places = std::move(label_places_);
    auto offset_places = std::move(offset_places_);
    const bool returns = returns_;
    inlined_ = fmt::format("_in{}_", calls_++);
    if (const std::string& guard = call.guard(); !guard.empty())
      text_ += fmt::format("@{}{} bra L{}return; ", guard[1] == '!' ? "" : "!",
                           trimmed(guard.substr(guard[1] == '!' ? 2 : 1)), inlined_);
    find_labels(called);
    for (std::uint32_t i = 0; i < length; ++i) {
      for (auto [label, end] = labels_.equal_range(i); label != end; ++label) text_ += label->second + ": ";
      lift_instruction(place, called.instructions[i]);
    }
    text_ += fmt::format("L{}return: ", inlined_);
    inlined_.clear();
    labels_ = std::move(labels);
    label_places_ = std::move(label_places);
    offset_places_ = std::move(offset_places);
    returns_ = returns;
  }

  // Another function of the text returns with unknown registers where it writes them. One outside of it returns as the
  // ABI says. Another target is part of the kernel: control goes there, and if the kernel returns anywhere, it may come
  // back with unknown registers.
  void lift_call(std::size_t place, std::string_view target, SassLine& line) {
    const bool is_outside = line.has("ABS") && find_function(target) == nullptr;
    if (is_outside && target.starts_with("__cuda_")) return forget_all(place, line);  // it has a convention of its own
    if (is_outside || line.count() > 1) return lift_abi_call(line);
    if (const SassFunction* called = find_function(target)) {
      line.act("call {}", target);
      const auto& written = written_by(*called);
      return written ? forget(*written, line) : forget_all(place, line);
    }
    const bool is_here = place_of(target).has_value();
    if (is_here && !returns_) return line.act("bra {}", label_text(target));
    const std::string returns = line.new_predicate();
    line.compute("sass_unknown.call {{{}}}", returns);
    line.set_guard(fmt::format("@{} ", returns));
    if (is_here) line.act("bra {}", label_text(target));
    else line.act("brx.idx everywhere, everywhere");
    line.set_guard("");
    forget_all(place, line);
  }

  // A function of another section or one that a register names: it comes back behind the call, with its results in R4 to
  // R15. What the kernel reads afterwards of other registers it has kept, as their values could come from nowhere else.
  static void lift_abi_call(SassLine& line) {
    Registers results;
    for (int i = 4; i < 16; ++i) results.insert(fmt::format("R{}", i));
    forget(results, line);
  }

  using Registers = std::set<std::string>;

  // What a function and those that it calls write. nullopt: any register, as it calls one that is not in the text or has
  // an opcode that swz does not know.
  const std::optional<Registers>& written_by(const SassFunction& function) {
    const auto [entry, is_new] = written_by_.try_emplace(&function, Registers());
    if (is_new) entry->second = found_written_by(function);
    return entry->second;
  }
  std::optional<Registers> found_written_by(const SassFunction& function) const {
    Registers written;
    std::vector<const SassFunction*> all = {&function};
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const SassInstruction& instruction : all[i]->instructions) {
        if (is_one_of(instruction.opcode, call_names)) {
          const SassFunction* next = find_function(target_of(instruction));
          if (next == nullptr) return std::nullopt;
          if (std::ranges::find(all, next) == all.end()) all.push_back(next);
        } else if (const SassRow* row = find_sass_row(instruction.opcode)) {
          const SassLine line(instruction, sass_.operands_of(instruction), *kernel_);
          for (std::string& name : swz::written_by(*row, line)) written.insert(std::move(name));
        } else if (!is_control(instruction.opcode)) {
          return std::nullopt;
        }
      }
    return written;
  }

  static void forget(const Registers& registers, SassLine& line) {
    if (!registers.empty()) line.act("sass_unknown.registers {{{}}}", fmt::join(registers, ", "));
  }

  void forget_all(std::size_t place, SassLine& line) {
    auto& known = all_registers_[place];
    if (known.empty()) known = named_registers(sass_, sass_.functions[place]);
    forget(known, line);
  }

  void lift_row(std::size_t place, const SassInstruction& instruction, SassLine& line) {
    // Between these two, lanes may take part that are elsewhere in the kernel. ptxas puts a shuffle of parted lanes there:
    // all lanes come to it, as to the one that it replaces.
    if (line.name() == "WARPSYNC" && line.has("COLLECTIVE")) is_collective_ = true;
    if (line.name() == "ENDCOLLECTIVE") is_collective_ = false;
    const SassRow* row = find_sass_row(instruction.opcode);
    if (row == nullptr) return forget_all(place, line);
    const bool is_of_lane = !instruction.guard.empty() && instruction.guard.find("UP") == instruction.guard.npos;
    const bool writes_uniform = line.operand(0).starts_with("UR") || line.operand(0).starts_with("UP");
    const bool is_unsure = is_collective_ && (line.name() == "VOTE" || line.name() == "VOTEU");
    // A uniform register that a lane writes is written for all lanes.
    line.guard_all();
    if (row->lift != nullptr && !(is_of_lane && writes_uniform) && !is_unsure) {
      row->lift(line);
      if (!line.fails()) return;
      line.forget();
    }
    if (row->is_pure && !(is_of_lane && writes_uniform)) return line.pure(written_registers(*row, line));
    if (is_of_lane && writes_uniform) line.set_guard("");
    line.unknown(swz::written_by(*row, line));
  }

  const SassModule& sass_;
  const std::vector<SassKernelFacts>& facts_;
  std::string text_;
  std::uint32_t line_ = 1;
  bool is_open_ = false, is_collective_ = false;
  std::string inlined_;  // what the labels of the function that is inlined have before their names; empty: none is
  std::size_t calls_ = 0, inlined_instructions_ = 0;
  std::optional<SassKernelContext> kernel_;
  // Of the function that is lifted.
  std::multimap<std::uint32_t, std::string> labels_;  // that a jump names, by the instruction after them
  std::unordered_map<std::string_view, std::uint32_t> label_places_;
  std::unordered_map<std::uint64_t, std::uint32_t> offset_places_;
  bool returns_ = false;
  // Of all functions.
  std::unordered_map<std::string_view, const SassFunction*> functions_;
  std::unordered_map<std::size_t, Registers> all_registers_;
  std::unordered_map<const SassFunction*, std::optional<Registers>> written_by_;
  std::unordered_map<const SassFunction*, std::size_t> lengths_;  // of those of registers only; 0: it is another
};

}  // namespace

std::string ptx_of_sass(const SassModule& sass, const std::vector<SassKernelFacts>& facts) {
  return SassLifter(sass, facts).lift();
}

PtxModule lift_sass(const SassModule& sass, const std::vector<SassKernelFacts>& facts) {
  PtxModule module = read_ptx(ptx_of_sass(sass, facts));
  module.lifted_from = sass.text;
  module.files = sass.files;
  std::unordered_map<std::uint32_t, const SassInstruction*> at_line;
  for (const SassFunction& function : sass.functions)
    for (const SassInstruction& instruction : function.instructions) at_line[instruction.line] = &instruction;
  for (PtxKernel& kernel : module.kernels)
    for (PtxInstruction& instruction : kernel.instructions)
      if (const auto found = at_line.find(instruction.line); found != at_line.end()) {
        instruction.written = found->second->opcode;
        instruction.source = found->second->source;
        instruction.offset = static_cast<std::uint32_t>(found->second->offset);
      }
  return module;
}

}  // namespace swz
