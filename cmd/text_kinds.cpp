// SPDX-License-Identifier: Apache-2.0
#include "text_kinds.hpp"

#include <algorithm>

#include "binary/embedded_binary.hpp"
#include "descriptor/named_words.hpp"
#include "dialect/triton_ir.hpp"
#include "expr/c_expression.hpp"
#include "expr/evaluate.hpp"
#include "fragment/fragment.hpp"
#include "identify/dump_text.hpp"
#include "identify/known_offsets.hpp"
#include "identify/npy.hpp"
#include "layout_text.hpp"
#include "smem/access.hpp"
#include "tma/encode_call.hpp"

namespace swz {
namespace {

// Why a reader refuses a text; empty if it accepts it.
template <class Read>
std::string refusal_of(Read read) {
  try {
    read();
    return "";
  } catch (const Error& error) {
    return error.message();
  }
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Whether the text is a number of any base and sign, and nothing else.
bool is_number(const std::string& text) {
  const std::string digits = text.starts_with('-') ? text.substr(1) : text;
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos ||
         refusal_of([&] { parse_word64(digits); }).empty();
}

// ---- whether a text is of a kind: empty, or why not

std::string no_number(const Pasted& p) {
  if (p.has_lines() || !is_number(p.bare())) return "it is not one number";
  return refusal_of([&] { read_words(p.bare()); });
}

std::string no_ptx(const Pasted& p) {
  const std::string text = p.bare();
  const bool is_ptx = text.find(".version") != std::string::npos && text.find(".target") != std::string::npos;
  return is_ptx ? "" : "it has no .version and .target";
}

std::string no_container(const Pasted& p) {
  return !p.path.empty() && is_container(p.text) ? "" : "it is no ELF file, archive, zip file or fat binary";
}

std::string no_triton_ir(const Pasted& p) { return is_triton_ir(p.text) ? "" : "it has no operation of Triton IR"; }

std::string no_encode_call(const Pasted& p) {
  const std::string text = p.bare();
  if (holds_encode_call(text)) return "";
  if (std::ssize(text) > limits::log_bytes.most) return "it is too long for a log of one call";
  return refusal_of([&] { parse_failure_text(text); });
}

std::string no_tensor_map(const Pasted& p) {
  const std::string text = p.bare();
  if (is_for_tensor_map(text)) return "";
  return "a tensor map has 128 bytes: 256 hexadecimal digits, or 16 words of a debugger";
}

// Whether they are words as decode reads an argument; a list or a log.
std::string no_words(const Pasted& p) {
  const std::string refused = p.path.empty() ? refusal_of([&] { read_words(p.bare()); }) : "";
  if (!p.has_lines() || (p.path.empty() && refused.empty())) return refused;
  if (word_list(p.text)) return "";
  return refusal_of([&] {
    if (find_words(p.text).words.empty()) throw Error("it has no descriptor word");
  });
}

// The name of an access to shared memory at the beginning of a line of PTX or SASS; empty for none.
std::string access_in(const std::string& text) {
  const Words words = pieces_of(text, " \t\n;");
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 2); ++i) {
    if (words[i].starts_with('@')) continue;
    return find_access(words[i]) != nullptr ? words[i] : "";
  }
  return "";
}

std::string no_access(const Pasted& p) {
  const std::string text = p.bare();
  return access_in(text).empty() ? "no load, store or atomic of shared memory that swz knows" : "";
}

std::string no_fragment(const Pasted& p) {
  const std::string text = p.bare();
  if (std::ranges::count(text, '\n') > 0 && text.find(';') != text.size() - 1) return "it is more than one instruction";
  try {
    if (read_instruction(text)) return "";
  } catch (const Error&) {
    return "";  // it names an instruction, for which frag gives the error
  }
  return refusal_of([&] { find_fragments({text, "", {}, "", {}}); });
}

// "a_desc: [0x4000004000010042, …]" has the form of a tuple as well.
bool names_words(const std::string& text) {
  return std::ranges::any_of(find_named_words(numbers_of(text)).words,
                             [](const NamedWord& word) { return !word.problem; });
}

std::string no_layout(const Pasted& p) {
  const std::string text = p.bare();
  if (names_words(text)) return "it names the word of a descriptor";
  if (is_number(text)) return "a number is not a layout";
  try {
    if (dialect_text(text).from != nullptr) return "";
  } catch (const Error& error) {
    return "";  // of several notations: translate tells which
  }
  return refusal_of([&] { parse_layout(text); });
}

std::string no_expression(const Pasted& p) {
  const std::string text = p.bare();
  if (names_words(text)) return "it names the word of a descriptor";
  if (is_number(text)) return "a number is not a layout";
  return refusal_of([&] { evaluate(text); });
}

std::string no_swizzle(const Pasted& p) {
  const std::string text = p.bare();
  // Also with CuTe's spelling of a constant: _3,4,3.
  if (text.find(',') != std::string::npos && text.find_first_of("<(:") == std::string::npos)
    return refusal_of([&] { evaluate("Sw<" + text + ">"); });
  if (refusal_of([&] { require_swizzle_mode(text); }).empty()) return "";
  return refusal_of([&] {
    if (!std::holds_alternative<Swizzle>(evaluate(text).value)) throw Error("it is more than a swizzle");
  });
}

// The usual names of the arguments, with which the expression can be read.
std::optional<CNames> names_in(const std::string& text) {
  const CNames known[] = {{},    {"a"}, {"address"},        {"byte"},           {"offset"},        {"idx"},
                          {"i"}, {"x"}, {"addr", "r", "c"}, {"addr", "i", "j"}, {"addr", "y", "x"}};
  const auto uses_them = [](const CStep& step) {
    return step.code == CStep::Code::first || step.code == CStep::Code::second;
  };
  for (const CNames& names : known) try {
      const CExpression f(text, names);
      if (f.is_function() || std::ranges::any_of(f.steps(), uses_them)) return names;
    } catch (const Error& error) {
      // with other names, perhaps
    }
  return std::nullopt;
}

std::string no_address(const Pasted& p) {
  const std::string text = p.bare();
  if (names_in(text)) return "";
  const std::string refused = refusal_of([&] { CExpression(text, CNames()); });
  return refused.empty() ? "it has neither addr nor row and col" : refused;
}

Words name_options(const std::string& text) {
  const CNames names = *names_in(text), usual;
  const CExpression f(text, names);
  if (f.is_function()) return {};
  if (!f.has_coordinates()) return names.address == usual.address ? Words() : Words{"--var", names.address};
  return names.row == usual.row ? Words() : Words{"--row", names.row, "--col", names.col};
}

std::string no_offsets(const Pasted& p) {
  if (!p.has_lines()) return "offsets are a file or several lines";
  return refusal_of([&] { read_known_offsets(p.text); });
}

std::string no_dump(const Pasted& p) {
  constexpr std::size_t least = 64;
  if (!p.has_lines()) return "a dump is a file or several lines";
  if (is_npy(bytes_of(p.text))) return "";
  return refusal_of([&] {
    if (read_dump(bytes_of(p.text), 16).bytes.size() < least)
      throw Error("fewer than 64 bytes are not a dump of a tile");
  });
}

// ---- the table

Words as_or_file(const Pasted& p) { return {p.or_file()}; }
Words as_words(const Pasted& p) {
  const bool is_argument = p.path.empty() && refusal_of([&] { read_words(p.bare()); }).empty();
  return {is_argument ? p.text : p.or_file()};
}
Words as_file(const Pasted& p) { return {p.file()}; }
Words as_text(const Pasted& p) { return {p.bare()}; }
Words as_paste(const Pasted& p) {
  if (!p.path.empty()) return {"--paste", p.path};
  return {"--paste", holds_encode_call(p.text) ? p.text : p.text + "\n"};
}
Words as_access(const Pasted& p) { return {"--access", access_in(p.text)}; }
Words as_address(const Pasted& p) {
  Words words = name_options(p.bare());
  words.push_back(p.bare());
  return words;
}
Words as_fit(const Pasted& p) { return {"--fit", p.file()}; }

constexpr std::string_view any_layout = "translate,layout,frag,swizzle explain,diff";

constexpr TextKind kinds_of_text[] = {
    {"PTX", "kernel", no_ptx, as_file, "", true},
    {"a file of compiled kernels", "kernel", no_container, as_file, "", true},
    {"Triton IR", "translate", no_triton_ir, as_or_file, "", true},
    {"a descriptor word", "decode", no_number, as_words, "", false, "map,translate"},
    {"a call of cuTensorMapEncode, or what a program printed of it", "tma check", no_encode_call, as_paste},
    {"a tensor map", "decode", no_tensor_map, as_or_file},
    {"an instruction", "frag", no_fragment, as_text},
    {"an access to shared memory", "banks", no_access, as_access, " with --tile or --lanes"},
    {"a C expression of an address", "swizzle lint", no_address, as_address},
    {"a swizzle", "swizzle explain", no_swizzle, as_text, "", false, any_layout},
    {"a layout", "translate", no_layout, as_or_file, "", false, any_layout},
    {"an expression over layouts", "layout", no_expression, as_text, "", false, any_layout},
    {"descriptor words", "decode", no_words, as_words},
    {"offsets", "layout", no_offsets, as_fit},
    {"a dump of shared memory", "identify", no_dump, as_file, " with --tile"},
};

}  // namespace

std::span<const TextKind> text_kinds() { return kinds_of_text; }

}  // namespace swz
