// SPDX-License-Identifier: Apache-2.0
// CuTe DSL (Python): the calls that make a layout, as they occur in a kernel, and the text that it prints for a layout.
//
//   cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((64, 64), stride=(64, 1)))
//   S<3,3,3> o 0 o (64,64):(64,1)               the same layout as it prints
//   cute.make_layout(((8, 4),), stride=((1, 16),))   one dimension of two strides: (8, 4) by itself would be two
//
// The notation is CuTe's (src/expr reads it). Kernels pass the swizzle of such a layout to the pointer, where it counts
// bytes: get_tensor(layout.outer, swizzle=layout.inner). A layout that is indexed directly counts elements. Both
// readings are given, the pointer's first if it is a mode of the hardware; "# elements" or "# pointer" after the text
// decides. The writer writes the calls, in elements. Invariant (tested): the written text reads back as the same
// function. Source: CUTLASS 4.2, python/CuTeDSL/cutlass/cute/core.py.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arch/swizzle_mode.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

// The layout in a type of the DSL's MLIR, in the notation of other prints; empty if the text is not such a type.
//   !cute.layout<"(128,64):(64,1)">                                       (128,64):(64,1)
//   !cute.memref<f16, smem, align<1024>, S<3,4,3>, "(128,64):(64,1)">     tensor<ptr<f16, smem, …> o (128,64):(64,1)>
std::string without_mlir(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('"'), close = text.rfind('"');
  if (!text.ends_with('>') || open == std::string_view::npos || close == open) return {};
  const std::string_view layout = text.substr(open + 1, close - open - 1);
  for (const std::string_view head : {"!cute.layout<", "!cute.composed_layout<"})
    if (text.starts_with(head)) return std::string(layout);
  constexpr std::string_view memref = "!cute.memref<";
  if (!text.starts_with(memref) || open < memref.size()) return {};
  std::string_view pointer = trimmed(text.substr(memref.size(), open - memref.size()));
  while (pointer.ends_with(',')) pointer = trimmed(pointer.substr(0, pointer.size() - 1));
  return fmt::format("tensor<ptr<{}> o {}>", pointer, layout);
}

std::size_t word_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
}

bool recognises_cute_dsl(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return false;
  text.remove_prefix(first);
  if (const std::size_t end = word_length(text), is = text.find_first_not_of(" \t", end);
      end > 0 && is != std::string_view::npos && text[is] == '=' && !text.substr(is).starts_with("=="))
    return recognises_cute_dsl(text.substr(is + 1));  // x = cute.make_layout(…)
  // In a text of several words the swizzle comes after a name: "sA: S<3,4,3> o 0 o …".
  if (text.starts_with("S<") || text.find(" S<") != std::string_view::npos) return true;
  if (!without_mlir(text).empty()) return true;
  for (const std::string_view head : {"cute.", "cutlass.", "tensor<ptr<", "tensor(raw_ptr", "raw_ptr("})
    if (text.starts_with(head)) return true;
  for (const std::string_view name : {"make_smem_layout_", "SmemLayoutAtomKind.", "get_smem_layout_atom("})
    if (text.find(name) != std::string_view::npos) return true;
  return false;
}

constexpr std::string_view on_pointer = "the swizzle on the pointer, in bytes",
                           on_offsets = "the composed layout indexed itself, in elements";

// The text, and which reading the author's comment selects.
struct CommentedText {
  std::string_view text;
  bool says_pointer = false, says_elements = false, says_registers = false;
};

CommentedText without_comment(std::string_view text) {
  const std::size_t at = text.find('#');
  if (at == std::string_view::npos) return {text};
  const std::string_view comment = text.substr(at);
  return {text.substr(0, at), comment.find("pointer") != std::string_view::npos,
          comment.find("elements") != std::string_view::npos, comment.find("registers") != std::string_view::npos};
}

bool is_mode(const Swizzle& on_bytes) {
  return std::ranges::any_of(swizzle_modes(),
                             [&](const SwizzleMode& m) { return m.bits > 0 && m.byte_swizzle() == on_bytes; });
}

// The same swizzle on bytes. None if there is no other meaning, or if the swizzle splits elements of this width.
std::optional<ComposedLayout> on_the_pointer(const ComposedLayout& layout, int bits) {
  if (layout.has_pointer() || layout.offset() != 0 || layout.swizzle().is_identity()) return std::nullopt;
  try {
    ComposedLayout bytes = ComposedLayout::smem_ptr(layout.swizzle(), bits, layout.layout());
    if (bytes.element_swizzle() == layout.element_swizzle()) return std::nullopt;
    return bytes;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// "SmemLayoutAtomKind.K_SW128" with --dtype bf16 is K_SW128<bf16>. Empty if the text is more than a kind.
std::string atom_of_kind(std::string_view text, const Given& given) {
  constexpr std::string_view kind = "SmemLayoutAtomKind";
  const std::size_t at = text.find(kind);
  if (at == std::string_view::npos || given.dtype == nullptr || text.find('(') != std::string_view::npos) return {};
  text.remove_prefix(at + kind.size());
  const std::size_t first = text.find_first_not_of(".: "), last = text.find_last_not_of(" \t\n;,");
  if (first == std::string_view::npos) return {};
  return fmt::format("{}<{}>", text.substr(first, last + 1 - first), given.dtype->name);
}

Reading read_cute_dsl(std::string_view text, const Given& given) {
  const std::string type = without_mlir(text);
  const CommentedText said = without_comment(type.empty() ? text : std::string_view(type));
  std::string meant = atom_of_kind(said.text, given);
  if (meant.empty()) meant = fmt::format("{}{}", said.says_registers ? "registers: " : "", said.text);
  Reading reading = cute_dialect().read(meant, given);
  const auto* shared = std::get_if<SharedForm>(&reading.form);
  const auto* composed = shared != nullptr ? std::get_if<ComposedLayout>(&shared->map) : nullptr;
  if (composed == nullptr || said.says_elements || shared->element.bits == 0 || parse_layout(meant).has_pointer())
    return reading;
  const auto bytes = on_the_pointer(*composed, shared->element.bits);
  if (!bytes) return reading;
  LayoutForm pointer = shared_form(shared->shape, shared->element, *bytes);
  if (said.says_pointer) return {std::move(pointer), std::move(reading.notes)};
  const bool is_pointer_first = is_mode(composed->swizzle());
  reading.notes.push_back(note(
      "dsl-swizzle",
      fmt::format("{} has two meanings: on the pointer it counts bytes, in a composed layout that is indexed itself "
                  "elements; read as that of {}",
                  to_string(composed->swizzle()), is_pointer_first ? "the pointer" : "the composed layout"),
      is_pointer_first ? "'# elements' behind the text reads the other"
                       : "'# pointer' behind the text reads the other"));
  reading.meaning = on_offsets;
  reading.others = {{on_pointer, std::move(pointer)}};
  if (!is_pointer_first) return reading;
  std::swap(reading.form, reading.others[0].form);
  std::swap(reading.meaning, reading.others[0].meaning);
  return reading;
}

std::string python_tuple(const IntTuple& t) {
  if (!t.is_tuple()) return std::to_string(t.value());
  std::vector<std::string> items;
  for (const IntTuple& child : t.children()) items.push_back(python_tuple(child));
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

std::string python_call(const Layout& l) {
  return fmt::format("cute.make_layout({}, stride={})", python_tuple(l.shape()), python_tuple(l.stride()));
}

std::string python_call(const ComposedLayout& l, int bits) {
  if (l.is_layout()) return python_call(l.layout());
  const Swizzle& sw = l.element_swizzle();
  const bool is_taken_for_bytes = is_mode(sw) && bits != 0 && on_the_pointer(l, bits);
  return fmt::format("cute.make_composed_layout(cute.make_swizzle({}, {}, {}), {}, {}){}", sw.bits(), sw.base(),
                     sw.shift(), l.offset(), python_call(l.layout()), is_taken_for_bytes ? "  # elements" : "");
}

// The note that gives the same swizzle as a pointer has it.
std::vector<Finding> pointer_note(const ComposedLayout& l, int bits) {
  if (l.is_layout() || bits == 0 || l.offset() != 0) return {};
  const auto bytes = in_units(l.element_swizzle(), 3 - log2_exact(bits));
  if (!bytes || *bytes == l.element_swizzle()) return {};
  return {note("cute-dsl-pointer",
               fmt::format("the swizzle of the text counts elements; that of a pointer counts bytes: "
                           "cute.make_swizzle({}, {}, {})",
                           bytes->bits(), bytes->base(), bytes->shift()),
               "as get_tensor(layout.outer, swizzle=layout.inner) takes it")};
}

Written write_cute_dsl(const LayoutForm& form) {
  if (const auto* registers = std::get_if<RegisterForm>(&form)) {
    const bool is_ambiguous = require_dialect("cute").write(form).text.starts_with("registers:");
    return {python_call(registers->layout) + (is_ambiguous ? "  # registers" : "")};
  }
  if (const auto* tensor = std::get_if<TensorForm>(&form)) return {python_call(tensor->layout)};
  const auto& shared = std::get<SharedForm>(form);
  if (std::string why = why_not_composed(shared); !why.empty()) return refused(std::move(why));
  const ComposedLayout layout = *as_composed(shared);
  return {python_call(layout, shared.element.bits), "", pointer_note(layout, shared.element.bits)};
}

}  // namespace

Dialect cute_dsl_dialect() {
  return {
      .name = "cute_dsl",
      .title = "CuTe DSL (Python)",
      .unit = "elements",
      .needs = "",
      .example =
          "cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, "
          "cute.make_layout((64, 64), stride=(64, 1)))",
      .rules =
          R"(The calls of Python, and CuTe's notation as it prints, where a swizzle is `S<B,M,S>`. Such a text has two meanings.
Kernels hand the swizzle to the pointer, `get_tensor(layout.outer, swizzle=layout.inner)`, where it counts bytes:
`S<3,4,3> o 0 o (64,64):(64,1)` is the 128B mode of any type. A composed layout that is indexed itself counts elements: that
is mode 128B of f16 with `S<3,3,3>`. Both are answered, the pointer's first where it is a mode; `# elements` or `# pointer`
behind the text decides. What swz writes counts elements.

`make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, cutlass.BFloat16)` is the named atom `K_SW128<bf16>` of `swz layout`;
`sm90_utils.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128,256,64), cutlass.Float16, 4)` and its like for B and the
epilogue are the staged layouts that they make.)",
      .source = "CUTLASS 4.2.0, python/CuTeDSL/cutlass/cute/core.py (read)",
      .recognises = recognises_cute_dsl,
      .read = read_cute_dsl,
      .write = write_cute_dsl};
}

}  // namespace swz
