// SPDX-License-Identifier: Apache-2.0
#include "dialect/triton_ir.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "dialect/triton_type.hpp"

namespace swz {
namespace {

constexpr std::string_view encoding_dialects[] = {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."};

// True for #ttg.blocked<…, but not for #ttg.shared_memory.
bool begins_encoding(std::string_view text) {
  const bool is_triton =
      std::ranges::any_of(encoding_dialects, [&](std::string_view d) { return text.starts_with(d); });
  const std::size_t end = text.find_first_of(" <>,\n\r");
  return is_triton && end != std::string_view::npos && text[end] == '<';
}

// The operation of a line, which comes after the results: "ttg.local_alloc".
std::string_view operation_of(std::string_view line) {
  std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
  if (at < line.size() && line[at] == '%') {
    const std::size_t is = line.find(" = ", at);
    if (is == std::string_view::npos) return "";
    at = is + 3;
  }
  if (at < line.size() && line[at] == '"') ++at;
  std::size_t end = at;
  while (end < line.size() && (is_word(line[end]) || line[end] == '.')) ++end;
  return line.substr(at, end - at);
}

// The place after the '>' that closes the '<' at `open`; npos if it is not on this line.
std::size_t closing(std::string_view line, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < line.size(); ++i) {
    if (line[i] == '<') ++depth;
    if (line[i] == '>' && line[i - 1] != '-' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

class IrReader {
 public:
  TritonIr read(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++ir_.lines;
      const std::string_view line = text.substr(at, end - at);
      // An alias begins at the start of a line and may continue over several lines.
      if (!read_alias(text, at, line)) read_types(line);
      at = end + 1;
    }
    for (std::size_t i = 0; i < ir_.encodings.size(); ++i) translate_arrays(i);
    return std::move(ir_);
  }

 private:
  // The encoding to which a type belongs.
  struct Known {
    std::size_t encoding = 0, array = 0;
    bool is_listed = false, has_encoding = false;
  };

  bool read_alias(std::string_view text, std::size_t begin, std::string_view line) {
    Cursor of_line(line);
    const auto name = alias_name(of_line);
    if (!name) return false;
    if (!begins_encoding(of_line.rest())) return true;  // a location, or #smem
    const std::size_t from = begin + of_line.position();
    Cursor cursor(text, from);
    try {
      literals_[*name] = parse_literal(cursor);
    } catch (const Error& e) {
      throw Error(fmt::format("line {}: {}", ir_.lines, e.message()), e.hint);
    }
    append_encoding(*name, std::string(text.substr(from, cursor.position() - from)));
    return true;
  }

  std::size_t append_encoding(std::string alias, std::string text) {
    require_within(limits::triton_encodings, std::ssize(ir_.encodings) + 1);
    by_name_[alias.empty() ? text : alias] = ir_.encodings.size();
    ir_.encodings.push_back({std::move(alias), std::move(text), ir_.lines});
    return ir_.encodings.size() - 1;
  }

  void read_types(std::string_view line) {
    std::string_view operation;
    for (std::size_t open = line.find('<'); open != std::string_view::npos; open = line.find('<', open + 1)) {
      if (open + 1 >= line.size() || !is_digit(line[open + 1])) continue;
      const std::size_t end = closing(line, open);
      if (end == std::string_view::npos) continue;
      const std::string_view inside = line.substr(open, end - open);
      const Known& known = known_type(inside);
      if (!known.has_encoding) continue;
      if (operation.empty()) operation = operation_of(line);
      TritonIrEncoding& e = ir_.encodings[known.encoding];
      ++e.use_count;
      if (known.is_listed) ++e.arrays[known.array].uses;
      if (std::ssize(e.uses) < limits::triton_uses.most)
        e.uses.push_back({ir_.lines, std::string(operation), std::string(inside.substr(1, inside.size() - 2))});
      open = end - 1;
    }
  }

  const Known& known_type(std::string_view inside) {
    std::string key(inside);
    if (const auto found = types_.find(key); found != types_.end()) return found->second;
    Known known;
    std::optional<TritonType> type;
    try {
      Cursor cursor(inside);
      type = triton_type(cursor);
    } catch (const Error&) {
      type = std::nullopt;  // not in the printer's form
    }
    if (type) known = file_array(*type, inside);
    return types_[std::move(key)] = known;
  }

  Known file_array(const TritonType& type, std::string_view inside) {
    Known known;
    const bool is_alias = type.encoding.kind == Literal::Kind::name;
    const std::string name(is_alias ? type.encoding.text
                                    : std::string(inside.substr(type.encoding.span.begin,
                                                                type.encoding.span.end - type.encoding.span.begin)));
    const auto found = by_name_.find(name);
    if (found == by_name_.end() && (is_alias || !begins_encoding(name))) return known;
    known.has_encoding = true;
    known.encoding = found != by_name_.end() ? found->second : append_encoding("", name);
    if (found == by_name_.end()) literals_[name] = type.encoding;
    TritonIrEncoding& e = ir_.encodings[known.encoding];
    const std::string array = fmt::format("{}x{}", shape_text(type.shape), type.element_text);
    const auto old = std::ranges::find(e.arrays, array, &TritonIrArray::type);
    known.array = static_cast<std::size_t>(old - e.arrays.begin());
    known.is_listed = old != e.arrays.end() || std::ssize(e.arrays) < limits::triton_arrays.most;
    if (arrays_.emplace(known.encoding, array).second) ++e.array_count;
    if (old == e.arrays.end() && known.is_listed) {
      e.arrays.push_back({array, 0, ir_.lines});
      given_[{known.encoding, known.array}] = type;
    }
    return known;
  }

  void translate_arrays(std::size_t i) {
    TritonIrEncoding& e = ir_.encodings[i];
    Literal literal = literals_[e.alias.empty() ? e.text : e.alias];
    for (std::size_t a = 0; a < e.arrays.size(); ++a) {
      const TritonType& type = given_[{i, a}];
      try {
        std::vector<Finding> notes;
        const TritonEncoding encoding = mlir_encoding(without_aliases(literal, literals_), notes, type.element);
        LayoutForm form = triton_form(encoding, type.shape, type.element, notes);
        e.arrays[a].translation = translation_of(
            require_dialect("triton"), {std::move(form), std::move(notes), buffer_count(encoding, type.shape)});
      } catch (const Error& error) {
        e.arrays[a].why = error.message();
      }
    }
    try {
      std::vector<Finding> notes;
      e.text = mlir_text(mlir_encoding(without_aliases(literal, literals_), notes, {}));
    } catch (const Error&) {
      // as written
    }
  }

  TritonIr ir_;
  TritonAliases literals_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, Known> types_;
  std::set<std::pair<std::size_t, std::string>> arrays_;  // encoding and array
  std::map<std::pair<std::size_t, std::size_t>, TritonType> given_;
};

}  // namespace

bool is_triton_ir(std::string_view text) {
  return text.find("tt.func") != std::string_view::npos ||
         ((text.find("\n") != std::string_view::npos || trimmed(text).starts_with('%')) &&
          text.find('%') != std::string_view::npos && text.find("#tt") != std::string_view::npos);
}

TritonIr read_triton_ir(std::string_view text) { return IrReader().read(text); }

}  // namespace swz
