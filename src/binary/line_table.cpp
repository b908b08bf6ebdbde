// SPDX-License-Identifier: Apache-2.0
#include "binary/line_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "binary/byte_reader.hpp"

namespace swz {

namespace {

// A place in a section that moves on as numbers are read.
class LineCursor {
 public:
  LineCursor(const ByteReader& bytes, std::uint64_t at, std::uint64_t end) : bytes_(bytes), at_(at), end_(end) {}

  bool at_end() const { return at_ >= end_; }
  std::uint64_t place() const { return at_; }
  void move_to(std::uint64_t at) { at_ = at; }
  const ByteReader& bytes() const { return bytes_; }

  template <class T>
  T number() {
    const T value = bytes_.number<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  std::uint8_t byte() { return number<std::uint8_t>(); }
  std::string_view text() {
    const std::string_view text = bytes_.text(at_);
    at_ += text.size() + 1;
    return text;
  }
  // LEB128; bits above 64 are dropped.
  std::uint64_t unsigned_number() { return leb().value; }
  std::int64_t signed_number() {
    const Leb read = leb();
    if (read.is_negative && read.bits < 64)
      return static_cast<std::int64_t>(read.value | ~std::uint64_t{0} << read.bits);
    return static_cast<std::int64_t>(read.value);
  }

 private:
  struct Leb {
    std::uint64_t value = 0;
    int bits = 0;
    bool is_negative = false;
  };
  Leb leb() {
    Leb out;
    std::uint8_t digit = 0x80;
    while ((digit & 0x80) != 0) {
      digit = byte();
      if (out.bits < 64) out.value |= static_cast<std::uint64_t>(digit & 0x7f) << out.bits;
      out.bits = std::min(out.bits + 7, 70);
    }
    out.is_negative = (digit & 0x40) != 0;
    return out;
  }

  const ByteReader& bytes_;
  std::uint64_t at_, end_;
};

enum class Opcode : std::uint8_t {
  extended = 0,
  copy = 1,
  advance_pc = 2,
  advance_line = 3,
  set_file = 4,
  const_add_pc = 8,
  fixed_advance_pc = 9,
};
enum class ExtendedOpcode : std::uint8_t { end_sequence = 1, set_address = 2, define_file = 3, inlined_call = 0x90 };

struct Place {
  std::string_view function;
  std::uint64_t offset = 0;
};
// What a relocation puts at a place of the section.
using Relocations = std::unordered_map<std::uint64_t, Place>;

Relocations relocations_of(const Cubin& cubin, const std::string& section) {
  Relocations out;
  for (const bool has_addend : {false, true}) {
    const ElfSection* table = cubin.elf.find((has_addend ? ".rela" : ".rel") + section);
    if (table == nullptr) continue;
    const ByteReader entries(table->bytes, cubin.elf.name, table->offset);
    const std::uint64_t entry_bytes = has_addend ? 24 : 16;
    for (std::uint64_t at = 0; entries.holds(at, entry_bytes); at += entry_bytes) {
      const std::uint64_t symbol_number = entries.u64(at + 8) >> 32;
      if (symbol_number >= cubin.symbols.size()) continue;
      const ElfSymbol& symbol = cubin.symbols[symbol_number];
      constexpr std::string_view text = ".text.";
      const std::string_view code = cubin.elf.sections[symbol.section].name;
      const std::string_view function = code.starts_with(text) ? code.substr(text.size()) : symbol.name;
      out[entries.u64(at)] = {function, symbol.value + (has_addend ? entries.u64(at + 16) : 0)};
    }
  }
  return out;
}

class LineProgram {
 public:
  LineProgram(const Cubin& cubin, const std::string& section, LineTable& table)
      : relocations_(relocations_of(cubin, section)), table_(table) {
    if (const ElfSection* names = cubin.elf.find(".debug_str")) names_ = names->bytes;
  }

  // One unit; returns where the next one begins.
  void read(LineCursor& cursor) {
    const std::uint64_t at = cursor.place();
    const std::uint64_t length = cursor.number<std::uint32_t>();
    const ByteReader& bytes = cursor.bytes();
    if (!bytes.holds(cursor.place(), length)) bytes.refuse("the unit of a line table reaches beyond its section", at);
    const std::uint64_t end = cursor.place() + length;
    LineCursor unit(bytes, cursor.place(), end);
    read_header(unit);
    while (!unit.at_end()) step(unit);
    cursor.move_to(end);
  }

 private:
  void read_header(LineCursor& unit) {
    const std::uint64_t at = unit.place();
    const std::uint16_t version = unit.number<std::uint16_t>();
    if (version < 2 || version > 3)
      unit.bytes().refuse(fmt::format("a line table of DWARF version {}, not 2 or 3", version), at,
                          "swz reads those that ptxas writes");
    const std::uint64_t program_offset = unit.number<std::uint32_t>();
    const std::uint64_t program = unit.place() + program_offset;
    least_ = unit.byte();
    unit.byte();  // default_is_stmt
    line_base_ = static_cast<std::int8_t>(unit.byte());
    line_range_ = unit.byte();
    opcode_base_ = unit.byte();
    if (line_range_ == 0 || opcode_base_ == 0) unit.bytes().refuse("a line table without a range of lines", at);
    lengths_.assign(1, 0);
    for (int i = 1; i < opcode_base_; ++i) lengths_.push_back(unit.byte());
    std::vector<std::string_view> folders;
    for (std::string_view folder = unit.text(); !folder.empty(); folder = unit.text()) folders.push_back(folder);
    first_file_ = static_cast<std::uint32_t>(table_.files.size());
    first_row_ = static_cast<std::uint32_t>(table_.rows.size());
    for (std::string_view file = unit.text(); !file.empty(); file = unit.text()) {
      const std::uint64_t folder = unit.unsigned_number();
      unit.unsigned_number();
      unit.unsigned_number();
      const bool has_folder = folder > 0 && folder <= folders.size() && !file.starts_with('/');
      table_.files.push_back(has_folder ? fmt::format("{}/{}", folders[folder - 1], file) : std::string(file));
    }
    unit.move_to(program);
    begin_sequence();
  }

  void step(LineCursor& unit) {
    const std::uint8_t opcode = unit.byte();
    if (opcode >= opcode_base_) {
      const int adjusted = opcode - opcode_base_;
      state_.address += least_ * static_cast<std::uint64_t>(adjusted / line_range_);
      move_line(line_base_ + adjusted % line_range_);
      add_row();
      return;
    }
    switch (static_cast<Opcode>(opcode)) {
      case Opcode::extended: step_extended(unit); break;
      case Opcode::copy: add_row(); break;
      case Opcode::advance_pc: state_.address += least_ * unit.unsigned_number(); break;
      case Opcode::advance_line: move_line(unit.signed_number()); break;
      case Opcode::set_file: file_ = static_cast<std::uint32_t>(unit.unsigned_number()); break;
      case Opcode::const_add_pc:
        state_.address += least_ * static_cast<std::uint64_t>((255 - opcode_base_) / line_range_);
        break;
      case Opcode::fixed_advance_pc: state_.address += unit.number<std::uint16_t>(); break;
      default:
        for (int i = 0; i < lengths_[opcode]; ++i) unit.unsigned_number();
    }
  }

  void step_extended(LineCursor& unit) {
    const std::uint64_t length = unit.unsigned_number(), begin = unit.place();
    if (length == 0 || !unit.bytes().holds(begin, length))
      unit.bytes().refuse("an opcode of a line table reaches beyond its section", begin);
    switch (static_cast<ExtendedOpcode>(unit.byte())) {
      case ExtendedOpcode::end_sequence:
        state_.is_end = true;
        add_row();
        end_sequence();
        break;
      case ExtendedOpcode::set_address: {
        const auto place = relocations_.find(unit.place());
        state_.address = unit.number<std::uint64_t>();
        if (place == relocations_.end()) break;
        function_ = place->second.function;
        state_.address += place->second.offset;
        break;
      }
      case ExtendedOpcode::inlined_call: {
        const std::uint64_t row = unit.unsigned_number(), name = unit.unsigned_number();
        state_.call.reset();
        if (row > 0 && row <= table_.rows.size() - first_row_)
          state_.call = first_row_ + static_cast<std::uint32_t>(row) - 1;
        state_.function = name < names_.size() ? ByteReader(names_, "").text(name) : std::string_view();
        break;
      }
      default: break;
    }
    unit.move_to(begin + length);
  }

  void move_line(std::int64_t by) {
    line_ += static_cast<std::uint64_t>(by);
    state_.line = static_cast<std::uint32_t>(line_);
  }

  void add_row() {
    state_.file = file_ == 0 ? 0 : first_file_ + file_;
    table_.rows.push_back(state_);
  }

  void begin_sequence() {
    state_ = {.line = 1};
    line_ = 1;
    file_ = 1;
    function_ = {};
    sequence_row_ = static_cast<std::uint32_t>(table_.rows.size());
  }
  void end_sequence() {
    const auto count = static_cast<std::uint32_t>(table_.rows.size() - sequence_row_);
    table_.sequences.push_back({function_, sequence_row_, count});
    begin_sequence();
  }

  const Relocations relocations_;
  LineTable& table_;
  std::string_view names_;
  std::uint64_t least_ = 1;
  int line_base_ = 0, line_range_ = 1, opcode_base_ = 1;
  std::vector<std::uint8_t> lengths_;
  std::uint32_t first_file_ = 0, first_row_ = 0, sequence_row_ = 0;
  LineRow state_;
  std::uint64_t line_ = 1;
  std::uint32_t file_ = 1;
  std::string_view function_;
};

LineTable read_lines(const Cubin& cubin, const std::string& name) {
  LineTable table;
  const ElfSection* section = cubin.elf.find(name);
  if (section == nullptr) return table;
  const ByteReader bytes(section->bytes, cubin.elf.name, section->offset);
  LineProgram program(cubin, name, table);
  for (LineCursor cursor(bytes, 0, bytes.size()); !cursor.at_end();) program.read(cursor);
  return table;
}

}  // namespace

const LineRow* LineTable::find(std::string_view function, std::uint64_t address) const {
  const LineRow* found = nullptr;
  for (const LineSequence& sequence : sequences) {
    if (sequence.function != function) continue;
    const std::span all = std::span(rows).subspan(sequence.row, sequence.row_count);
    // Addresses of a sequence do not decrease.
    const auto next = std::ranges::partition_point(all, [&](const LineRow& row) { return row.address <= address; });
    if (next != all.begin() && !std::prev(next)->is_end) found = &*std::prev(next);
  }
  return found;
}

std::map<std::uint32_t, LineRow> sources_of_ptx(const LineTable& source, const LineTable& ptx,
                                                std::string_view function) {
  std::map<std::uint32_t, LineRow> sources;
  for (const LineSequence& sequence : ptx.sequences) {
    if (sequence.function != function) continue;
    for (const LineRow& row : std::span(ptx.rows).subspan(sequence.row, sequence.row_count)) {
      if (row.is_end || sources.contains(row.line)) continue;
      if (const LineRow* of = source.find(function, row.address)) sources.emplace(row.line, *of);
    }
  }
  return sources;
}

LineTable source_lines(const Cubin& cubin) { return read_lines(cubin, ".debug_line"); }
LineTable ptx_lines(const Cubin& cubin) { return read_lines(cubin, ".nv_debug_line_sass"); }

}  // namespace swz
