// SPDX-License-Identifier: Apache-2.0
#include "sass/ncu_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// The fields of a line of CSV, without the quotes around them.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (true) {
    const bool is_quoted = line.starts_with('"');
    const std::size_t end = is_quoted ? line.find('"', 1) : line.find(',');
    fields.push_back(line.substr(is_quoted ? 1 : 0, end == line.npos ? end : end - (is_quoted ? 1 : 0)));
    const std::size_t comma = is_quoted && end != line.npos ? line.find(',', end) : end;
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// "1,024" is 1024; nullopt for "-" and other words.
std::optional<std::uint64_t> count_of(std::string_view field) {
  std::string digits(trimmed(field));
  std::erase(digits, ',');
  return find_unsigned(digits);
}

// A name that PTX can have: "void f<int>(int)" is "void_f_int__int_".
std::string entry_name(std::string_view name) {
  std::string out(trimmed(name));
  for (char& c : out)
    if (!is_word(c) && c != '$') c = '_';
  if (out.empty() || is_digit(out[0])) out.insert(0, "kernel_");
  return out;
}

struct PageColumns {
  std::optional<std::size_t> address, source, warps, threads, wavefronts, sectors;

  explicit PageColumns(const std::vector<std::string_view>& names) {
    const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
      const auto found = std::ranges::find(names, name);
      return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
    };
    address = find("Address");
    source = find("Source");
    warps = find("Instructions Executed");
    threads = find("Predicated-On Thread Instructions Executed");
    wavefronts = find("L1 Wavefronts Shared");
    sectors = find("L2 Theoretical Sectors Global");
  }
  bool are_enough() const { return address && source && warps && threads; }
};

// One page: a kernel that was launched.
struct Page {
  CountedKernel kernel;
  std::vector<std::string> texts;  // of the instructions
  std::uint64_t begin = 0;         // its address
};

class NcuReader {
 public:
  explicit NcuReader(std::string_view target) : target_(target) {}

  NcuPages read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end));
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    end_page();
    if (out_.kernels.empty())
      throw Error("the pages of Nsight Compute have no instructions", std::string(ncu_pages_command));
    return std::move(out_);
  }

 private:
  void read_line(std::string_view line) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields[0] == "Kernel Name") {
      end_page();
      page_.emplace();
      page_->kernel.name = entry_name(fields.size() > 1 ? fields[1] : "");
      columns_.reset();
    } else if (page_ && !columns_ && fields.size() > 1) {
      columns_.emplace(fields);
      if (!columns_->are_enough())
        throw Error("a page of Nsight Compute has no columns Address, Source and the counts of instructions",
                    std::string(ncu_pages_command));
    } else if (page_ && columns_) {
      read_instruction(fields);
    }
  }

  void read_instruction(const std::vector<std::string_view>& fields) {
    const auto field = [&](const std::optional<std::size_t>& at) {
      return at && *at < fields.size() ? fields[*at] : std::string_view();
    };
    const auto address = find_unsigned(trimmed(field(columns_->address)));
    const std::string_view text = trimmed(field(columns_->source));
    if (!address || text.empty()) return;
    require_within(limits::sass_instructions, std::ssize(page_->texts) + 1);
    if (page_->texts.empty()) page_->begin = *address;
    if (*address < page_->begin) throw Error("the addresses of a page of Nsight Compute do not rise");
    const std::string_view opcode =
        trimmed(text.starts_with('@') ? text.substr(std::min(text.find(' '), text.size())) : text);
    page_->texts.emplace_back(text);
    page_->kernel.instructions.push_back({.offset = *address - page_->begin,
                                          .opcode = std::string(opcode.substr(0, opcode.find(' '))),
                                          .warps = count_of(field(columns_->warps)).value_or(0),
                                          .threads = count_of(field(columns_->threads)).value_or(0),
                                          .wavefronts = count_of(field(columns_->wavefronts)),
                                          .sectors = count_of(field(columns_->sectors))});
  }

  // The offset of the instruction that a jump or a call names by its address, its last operand.
  std::optional<std::uint64_t> target_offset(const std::string& text) const {
    const std::size_t at = text.rfind("0x");
    if (at == text.npos || at == 0 || text[at - 1] != ' ') return std::nullopt;
    const auto address = find_unsigned(text.substr(at));
    const std::uint64_t end = page_->begin + page_->kernel.instructions.back().offset;
    constexpr std::uint64_t lowest = 1 << 20;  // smaller numbers are operands
    if (!address || page_->begin < lowest || *address < page_->begin || *address > end) return std::nullopt;
    return *address - page_->begin;
  }

  // What is called is a function of its own; its name in the disassembly.
  std::string function_name(std::uint64_t offset) const {
    return fmt::format("$call_{}_{:#x}", page_->kernel.name, offset);
  }

  std::string placed_text(const std::string& text) const {
    const auto offset = target_offset(text);
    if (!offset) return text;
    const std::string before = text.substr(0, text.rfind("0x"));
    return calls_.contains(*offset) && text.find("CALL") != text.npos
               ? fmt::format("{}`({})", before, function_name(*offset))
               : fmt::format("{}{:#x}", before, *offset);
  }

  void end_page() {
    if (!page_ || page_->texts.empty()) return page_.reset();
    CountedKernel& kernel = page_->kernel;
    std::vector<CountedInstruction> launch = kernel.instructions;
    if (!add_launch(kernel)) {
      const std::int64_t same = ++names_[kernel.name];
      if (same > 1) kernel.name += fmt::format("_{}", same);
      require_within(limits::sass_instructions, instructions_ += std::ssize(kernel.instructions));
      write_code();
      out_.kernels.push_back(std::move(kernel));
    }
    last_launch_ = std::move(launch);
    page_.reset();
  }

  // Whether the kernel is known; then its counts are added.
  bool add_launch(const CountedKernel& kernel) {
    for (CountedKernel& known : out_.kernels) {
      const bool is_same = known.name.starts_with(kernel.name) &&
                           std::ranges::equal(known.instructions, kernel.instructions, {}, &CountedInstruction::opcode,
                                              &CountedInstruction::opcode);
      if (!is_same) continue;
      // ncu prints many pages twice.
      if (kernel.instructions == last_launch_) return true;
      ++known.launches;
      for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        CountedInstruction& to = known.instructions[i];
        const CountedInstruction& from = kernel.instructions[i];
        to.warps += from.warps;
        to.threads += from.threads;
        if (to.wavefronts && from.wavefronts) *to.wavefronts += *from.wavefronts;
        if (to.sectors && from.sectors) *to.sectors += *from.sectors;
      }
      return true;
    }
    return false;
  }

  // Where ptxas puts the stack pointer tells the generation.
  std::string_view generation() const {
    const std::string& first = page_->texts.front();
    if (first.starts_with("MOV ") || first.starts_with("IMAD.MOV")) return "sm_80";
    return first.find("[0x37c]") != first.npos ? "sm_100a" : "sm_90a";
  }

  void write_code() {
    const std::vector<CountedInstruction>& instructions = page_->kernel.instructions;
    calls_.clear();
    for (std::size_t i = 0; i < instructions.size(); ++i)
      if (const auto offset = target_offset(page_->texts[i]); offset && instructions[i].opcode.starts_with("CALL"))
        calls_.insert(*offset);
    out_.sass +=
        fmt::format("code for {}\nFunction : {}\n", target_.empty() ? generation() : target_, page_->kernel.name);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      if (calls_.contains(instructions[i].offset)) out_.sass += function_name(instructions[i].offset) + ":\n";
      out_.sass += fmt::format("        /*{:04x}*/ {} ;\n", instructions[i].offset, placed_text(page_->texts[i]));
    }
  }

  std::string_view target_;
  NcuPages out_;
  std::optional<Page> page_;
  std::optional<PageColumns> columns_;
  std::map<std::string, std::int64_t> names_;
  std::int64_t instructions_ = 0;
  std::set<std::uint64_t> calls_;  // offsets that the page calls
  std::vector<CountedInstruction> last_launch_;
};

}  // namespace

bool is_ncu_pages(std::string_view text) {
  text = text.substr(0, 1 << 16);
  return (text.find("\"Kernel Name\"") != text.npos || text.starts_with("Kernel Name,")) &&
         text.find("Address") != text.npos;
}

bool is_ncu_report(std::string_view bytes) { return bytes.starts_with("NVR"); }

NcuPages read_ncu_pages(std::string_view text, std::string_view target) { return NcuReader(target).read(text); }

}  // namespace swz
