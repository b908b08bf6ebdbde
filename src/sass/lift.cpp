// SPDX-License-Identifier: Apache-2.0
#include "sass/lift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/number.hpp"
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
std::string_view target_of(std::string_view operand) {
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
  SassLifter(const SassModule& sass, const std::vector<SassKernelFacts>& facts) : sass_(sass), facts_(facts) {}

  std::string lift() {
    text_ = fmt::format(".target {}", sass_.target.empty() ? "sm_90a" : sass_.target);
    go_to_line(2);
    text_ += ".const .b8 c0[65536]; ";
    for (int bank = 1; bank < 8; ++bank) text_ += fmt::format(".const .b8 c{}[65536]; ", bank);
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
        ".reg .b32 local<65536>; .reg .pred tp<{}>; .reg .pred yes, guard; setp.eq.u32 yes, 0, 0; ",
        SassLine::words, SassLine::pairs, SassLine::predicates);
  }

  // All of it is read and written at numbers after R1, which does not change after the first of them.
  void find_local_words(const SassFunction& function) {
    bool is_fixed = false;
    for (const SassInstruction& instruction : function.instructions) {
      const std::string_view name = instruction.opcode.substr(0, instruction.opcode.find('.'));
      const auto operands = sass_.operands_of(instruction);
      if (name == "LDL" || name == "STL") {
        is_fixed = true;
        const auto place = operands.size() < 2 ? std::nullopt : local_place(operands[name == "LDL" ? 1 : 0]);
        if (!place) return;
        if (has_part_of_word(instruction.opcode) || *place % 4 != 0) kernel_->partial_words.insert(*place / 4);
        continue;
      }
      // It may be moved before the first of them, and nothing else has its address.
      const bool moves = !is_fixed && !operands.empty() && operands[0] == "R1";
      if (!moves && std::ranges::any_of(operands, names_stack)) return;
    }
    kernel_->has_local_words = true;
  }

  static bool has_part_of_word(std::string_view opcode) {
    return std::ranges::any_of(std::initializer_list<std::string_view>{".U8", ".S8", ".U16", ".S16"},
                               [&](std::string_view part) { return opcode.find(part) != opcode.npos; });
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

  // The labels that a jump names; all of them if one may go anywhere.
  void find_labels(const SassFunction& function) {
    labels_.clear();
    std::unordered_set<std::string_view> named;
    bool are_all = false;
    for (const SassInstruction& instruction : function.instructions) {
      if (!is_one_of(instruction.opcode, jump_names) && !is_one_of(instruction.opcode, call_names)) continue;
      const auto operands = sass_.operands_of(instruction);
      const std::string_view target = operands.empty() ? std::string_view() : target_of(operands.back());
      named.insert(target);
      const bool is_call = std::ranges::find(sass_.functions, target, &SassFunction::name) != sass_.functions.end();
      are_all = are_all || (!is_call && !is_known_target(function, target));
    }
    for (const SassLabel& label : function.labels)
      if (are_all || named.contains(label.name)) labels_.emplace(label.instruction, label_text(label.name));
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i)
      if (const std::string offset = fmt::format("0x{:x}", function.instructions[i].offset); named.contains(offset))
        labels_.emplace(i, label_text(offset));
  }

  static bool is_known_target(const SassFunction& function, std::string_view target) {
    if (std::ranges::find(function.labels, target, &SassLabel::name) != function.labels.end()) return true;
    const auto offset = find_unsigned(target);
    return offset &&
           std::ranges::find(function.instructions, *offset, &SassInstruction::offset) != function.instructions.end();
  }

  // ".L_x_1" is L_x_1.
  static std::string label_text(std::string_view name) {
    std::string text = "L";
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
    else if (is_one_of(executed.opcode, jump_names)) lift_jump(place, line);
    else if (is_one_of(executed.opcode, call_names)) lift_call(place, line);
    else lift_row(place, executed, line);
    text_ += line.text();
  }

  static void lift_end(SassLine& line) {
    if (line.name() == "BPT") {
      if (line.has("TRAP")) line.act("trap");
    } else {
      line.act("{}", line.name() == "RET" ? "ret" : "exit");
    }
  }

  // Predicates before the target hold too if it jumps. DIV: if lanes of the warp are elsewhere.
  void lift_jump(std::size_t place, SassLine& line) {
    const SassFunction& function = sass_.functions[place];
    const std::string_view target = line.count() == 0 ? std::string_view() : target_of(line.operand(line.count() - 1));
    if (line.name() != "BRA" || !is_known_target(function, target)) {
      return line.act("brx.idx everywhere, everywhere");
    }
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

  // A function of the text returns with unknown registers where it writes them. Another target is part of the kernel:
  // control goes there, and if the kernel returns anywhere, it may come back with unknown registers.
  void lift_call(std::size_t place, SassLine& line) {
    const std::string_view target = line.count() == 0 ? std::string_view() : target_of(line.operand(line.count() - 1));
    const auto called = std::ranges::find(sass_.functions, target, &SassFunction::name);
    if (called == sass_.functions.end()) {
      if (is_known_target(sass_.functions[place], target) && !returns(sass_.functions[place]))
        return line.act("bra {}", label_text(target));
      const std::string returns = line.new_predicate();
      line.compute("sass_unknown.call {{{}}}", returns);
      line.set_guard(fmt::format("@{} ", returns));
      if (is_known_target(sass_.functions[place], target)) line.act("bra {}", label_text(target));
      else line.act("brx.idx everywhere, everywhere");
      line.set_guard("");
      return forget_all(place, line);
    }
    line.act("call {}", target);
    forget(written_by(*called), line);
  }

  // What a function and those that it calls write.
  std::set<std::string> written_by(const SassFunction& function) {
    std::set<std::string> written;
    std::vector<const SassFunction*> all = {&function};
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const SassInstruction& instruction : all[i]->instructions) {
        const SassRow* row = find_sass_row(instruction.opcode);
        const auto operands = sass_.operands_of(instruction);
        if (is_one_of(instruction.opcode, call_names)) {
          const std::string_view target = operands.empty() ? std::string_view() : target_of(operands.back());
          const auto next = std::ranges::find(sass_.functions, target, &SassFunction::name);
          if (next == sass_.functions.end()) row = nullptr;
          else if (std::ranges::find(all, &*next) == all.end()) all.push_back(&*next);
        } else if (row == nullptr && !is_control(instruction.opcode)) {
          written.merge(named_registers(sass_, *all[i]));
        } else if (row != nullptr) {
          const SassLine line(instruction, operands, *kernel_);
          for (const std::string& name : line.written(written_registers(*row, line))) written.insert(name);
        }
      }
    return written;
  }

  static bool returns(const SassFunction& function) {
    return std::ranges::any_of(function.instructions,
                               [](const SassInstruction& each) { return each.opcode.starts_with("RET"); });
  }

  static void forget(const std::set<std::string>& registers, SassLine& line) {
    std::string list;
    for (const std::string& name : registers) list += (list.empty() ? "" : ", ") + name;
    if (!list.empty()) line.act("sass_unknown.registers {{{}}}", list);
  }

  void forget_all(std::size_t place, SassLine& line) {
    auto& known = all_registers_[place];
    if (known.empty()) known = named_registers(sass_, sass_.functions[place]);
    forget(known, line);
  }

  void lift_row(std::size_t place, const SassInstruction& instruction, SassLine& line) {
    // Between these two, lanes may take part that are elsewhere in the kernel.
    if (line.name() == "WARPSYNC" && line.has("COLLECTIVE")) is_collective_ = true;
    if (line.name() == "ENDCOLLECTIVE") is_collective_ = false;
    const SassRow* row = find_sass_row(instruction.opcode);
    if (row == nullptr) return forget_all(place, line);
    const bool is_of_lane = !instruction.guard.empty() && instruction.guard.find("UP") == instruction.guard.npos;
    const bool writes_uniform = line.operand(0).starts_with("UR") || line.operand(0).starts_with("UP");
    const bool is_unsure = is_collective_ && (line.name() == "SHFL" || line.name() == "VOTE" || line.name() == "VOTEU");
    // A uniform register that a lane writes is written for all lanes.
    if (row->lift != nullptr && !(is_of_lane && writes_uniform) && !is_unsure) {
      row->lift(line);
      if (!line.fails()) return;
      line.forget();
    }
    if (is_of_lane && writes_uniform) line.set_guard("");
    line.unknown(written_registers(*row, line));
  }

  const SassModule& sass_;
  const std::vector<SassKernelFacts>& facts_;
  std::string text_;
  std::uint32_t line_ = 1;
  bool is_open_ = false, is_collective_ = false;
  std::optional<SassKernelContext> kernel_;
  std::multimap<std::uint32_t, std::string> labels_;
  std::unordered_map<std::size_t, std::set<std::string>> all_registers_;
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

std::vector<std::string_view> unknown_opcodes(const SassModule& sass) {
  std::vector<std::string_view> names;
  for (const SassFunction& function : sass.functions)
    for (const SassInstruction& instruction : function.instructions) {
      const std::string_view opcode = instruction.opcode;
      const bool is_known = is_control(opcode) || find_sass_row(opcode) != nullptr;
      const std::string_view name = opcode.substr(0, opcode.find('.'));
      if (!is_known && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  return names;
}

}  // namespace swz
