// SPDX-License-Identifier: Apache-2.0
#include "sass/sass_text.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr std::string_view ptx_file = ".nv_debug_ptx_txt";

// What follows "/*", hexadecimal digits and "*/" at the beginning of a line.
struct PlacedText {
  std::uint64_t offset = 0;
  std::string_view text;
};
std::optional<PlacedText> placed_text(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with("/*")) return std::nullopt;
  const std::size_t end = line.find("*/");
  if (end == line.npos || end < 6) return std::nullopt;
  const auto offset = find_digits(line.substr(2, end - 2), 16);
  const std::string_view text = trimmed(line.substr(end + 2));
  if (!offset || text.empty()) return std::nullopt;
  return PlacedText{*offset, text};
}

// "abc" of `…"abc"…`, from the first quote on.
std::string_view in_quotes(std::string_view text) {
  const std::size_t first = text.find('"');
  if (first == text.npos) return {};
  const std::size_t end = text.find('"', first + 1);
  return text.substr(first + 1, end == text.npos ? text.npos : end - first - 1);
}

class SassReader {
 public:
  explicit SassReader(SassModule& module) : module_(module) {}

  void read() {
    std::string_view rest = *module_.text;
    while (!rest.empty()) {
      ++line_;
      const std::size_t end = rest.find('\n');
      read_line(rest.substr(0, end));
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
  }

 private:
  void read_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const auto placed = placed_text(line)) return read_instruction(*placed);
    const std::string_view text = trimmed(line);
    if (text.starts_with("//## File ")) return read_place(text);
    if (text.starts_with(".section\t")) return begin_section(text);
    if (text.starts_with(".target")) module_.target = trimmed(text.substr(7));
    if (text.starts_with("code for sm_")) module_.target = trimmed(text.substr(9));
    constexpr std::string_view function_is = "Function : ";
    if (text.starts_with(function_is)) return begin_function(trimmed(text.substr(function_is.size())), true);
    if (line.size() > 1 && line[0] != ' ' && line[0] != '\t' && line.ends_with(':') && line.find(' ') == line.npos)
      read_label(line.substr(0, line.size() - 1));
  }

  // .section .text.NAME,"ax",@progbits; the bytes of other sections have places too.
  void begin_section(std::string_view text) {
    const std::size_t at = text.find("\t.text.");
    is_code_ = at != text.npos;
    if (!is_code_) return;
    const std::size_t first = at + 7;
    begin_function(text.substr(first, text.find_first_of(", \t", first) - first), true);
  }

  void begin_function(std::string_view name, bool is_entry) {
    module_.functions.push_back({.name = name, .is_entry = is_entry, .line = line_});
    source_ = {};
    ptx_line_ = 0;
  }

  void read_label(std::string_view name) {
    if (module_.functions.empty()) return;
    SassFunction& function = module_.functions.back();
    if (name.starts_with(".text.") || name == function.name) return;
    if (!name.starts_with('.') && !function.instructions.empty()) return begin_function(name, false);
    function.labels.push_back({name, static_cast<std::uint32_t>(function.instructions.size())});
  }

  // //## File "PATH", line N [inlined at "PATH", line N]; the innermost call comes first, and it is the one that counts.
  void read_place(std::string_view text) {
    const std::string_view file = in_quotes(text);
    const std::size_t at = text.find("\", line ");
    if (at == text.npos) return;
    std::string_view digits = text.substr(at + 8);
    digits = digits.substr(0, std::min(digits.find_first_not_of("0123456789"), digits.size()));
    const auto line = static_cast<std::uint32_t>(find_digits(digits, 10).value_or(0));
    if (file == ptx_file) {
      ptx_line_ = line;
      return;
    }
    if (std::exchange(inlined_, text.find(" inlined at ") != text.npos)) return;
    source_ = {number_of(file), line};
  }

  std::uint32_t number_of(std::string_view file) {
    const auto [entry, is_new] = numbers_.try_emplace(file, static_cast<std::uint32_t>(numbers_.size() + 1));
    if (is_new) {
      module_.files.resize(numbers_.size() + 1);
      module_.files.back() = file;
    }
    return entry->second;
  }

  // [@[!]P] OPCODE [OPERAND, …] ;
  void read_instruction(const PlacedText& placed) {
    if (!is_code_ || placed.text.starts_with('.')) return;
    if (module_.functions.empty()) begin_function("kernel", true);
    std::string_view text = placed.text.substr(0, placed.text.find(';'));
    SassInstruction instruction{.line = line_, .offset = placed.offset, .source = source_, .ptx_line = ptx_line_};
    inlined_ = false;
    if (text.starts_with('@')) {
      const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
      instruction.guard = text.substr(1, end - 1);
      text = trimmed(text.substr(end));
    }
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    instruction.opcode = text.substr(0, end);
    if (instruction.opcode.empty()) return;
    instruction.operand = static_cast<std::uint32_t>(module_.operands.size());
    read_operands(text.substr(end));
    instruction.operands = static_cast<std::uint32_t>(module_.operands.size()) - instruction.operand;
    require_within(limits::sass_instructions, ++instructions_);
    module_.functions.back().instructions.push_back(instruction);
  }

  // Split at the commas outside of brackets. (*…*) are words of the disassembler.
  void read_operands(std::string_view text) {
    if (const std::size_t comment = text.find("(*"); comment != text.npos) text = text.substr(0, comment);
    int depth = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      depth += c == '[' || c == '(' || c == '{' ? 1 : c == ']' || c == ')' || c == '}' ? -1 : 0;
      if (c != ',' || (depth > 0 && i < text.size())) continue;
      if (const std::string_view operand = trimmed(text.substr(first, i - first)); !operand.empty())
        module_.operands.push_back(operand);
      first = i + 1;
    }
  }

  SassModule& module_;
  std::uint32_t line_ = 0, ptx_line_ = 0;
  SourcePlace source_;
  bool is_code_ = true;
  bool inlined_ = false;  // the line before was a call that is inlined: what follows it is the place of its caller
  std::int64_t instructions_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace

bool is_sass(std::string_view text) {
  text = text.substr(0, 1 << 16);
  return text.find("/*0000*/") != text.npos;
}

SassModule read_sass(std::string text) {
  SassModule module;
  module.text = std::make_shared<const std::string>(std::move(text));
  SassReader(module).read();
  std::erase_if(module.functions, [](const SassFunction& function) { return function.instructions.empty(); });
  if (module.functions.empty())
    throw Error(
        "the text has no instructions of SASS",
        "nvdisasm -c FILE.cubin and cuobjdump -sass FILE print them, each with its offset: /*0010*/ MOV R1, R2 ;");
  return module;
}

}  // namespace swz
