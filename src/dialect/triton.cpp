// SPDX-License-Identifier: Apache-2.0
// Triton (MLIR): the dialect. The encodings are read and written in triton_mlir.cpp; their meaning is in
// triton_shared.cpp, triton_registers.cpp and triton_tensor_memory.cpp.
//
//   #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>    needs --shape 128x32
//   #shared = #ttg.nvmma_shared<{…}>                                              an alias
//   !ttg.memdesc<64x128xbf16, #ttg.nvmma_shared<{…}>, #smem, mutable>             has the shape and the type
//   #shared = …  !ttg.memdesc<64x128xbf16, #shared, #smem, mutable>               both
//
// The writer uses the best name that is the same function: nvmma_shared, swizzled_shared, shared_linear, and
// padded_shared if there is padding; blocked, nvidia_mma, dot_op, slice, linear.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/triton_fields.hpp"
#include "dialect/triton_type.hpp"

namespace swz {
namespace {

bool recognises_triton(std::string_view whole) {
  Cursor cursor(whole);
  cursor.skip_space();
  const std::string_view text = cursor.rest();
  for (const std::string_view head : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu.", "!ttg.memdesc<",
                                      "!tt.memdesc<", "!triton_gpu.memdesc<", "ttg.memdesc<", "memdesc<"})
    if (text.starts_with(head)) return true;
  if (text.starts_with("tensor<") && text.find('#') != std::string_view::npos) return true;
  if (is_tlx(text.substr(0, text.find('(')))) return true;
  if (alias_name(cursor)) return recognises_triton(cursor.rest());
  return std::ranges::any_of(triton_encodings(), [&](const EncodingRow& row) {
    return text.starts_with(row.mlir_word()) && text.substr(row.mlir_word().size()).starts_with("<");
  });
}

// A shape or type that is given twice must be the same.
void take_from_type(Given& given, const TritonType& type) {
  if (!given.shape.empty() && given.shape != type.shape)
    throw usage_error(fmt::format("the type says {}, --shape {}", shape_text(type.shape), shape_text(given.shape)),
                      "leave --shape out");
  given.shape = type.shape;
}

Reading read_tlx(const Literal& call, Given given) {
  if (const DType* dtype = tlx_dtype(call)) {
    require_same_shape(given, tlx_shape(call));
    if (given.dtype == nullptr) given.dtype = dtype;
    else element_width(given, dtype->memory_bits);
  }
  if (given.shape.empty()) given.shape = tlx_shape(call);
  const ArrayShape& shape = required_shape(given);
  const std::vector<TritonEncoding> encodings = tlx_encodings(call, shape);
  std::vector<Finding> notes;
  Reading reading{triton_form(encodings[0], shape, element_width(given), notes), {}, buffer_count(encodings[0], shape)};
  if (encodings.size() > 1) {
    reading.meaning = "B, M, S of a CuTe swizzle on elements, as facebookexperimental/triton has it";
    reading.others = {{"vector_size, per_phase, max_phase, as other forks of TLX have it",
                       triton_form(encodings[1], shape, element_width(given), notes)}};
  }
  reading.notes = std::move(notes);
  return reading;
}

// Where encodings are listed, the text does not say which one is meant: a type, or a dialect of several answers, does.
void require_one_encoding(const std::vector<std::string>& roots) {
  if (roots.size() > 1)
    throw usage_error(fmt::format("the text has {} encodings: {}", roots.size(), join_and(roots)),
                      "give one, with the aliases that it names");
}

// The names of aliases that a literal has in it.
void add_names(const Literal& literal, std::vector<std::string>& names) {
  if (literal.kind == Literal::Kind::name) names.push_back(literal.text);
  for (const Literal& item : literal.items) add_names(item, names);
}

Reading read_triton(std::string_view text, const Given& said) {
  Given given = said;
  TritonAliases aliases;
  std::optional<TritonType> type;
  std::optional<Literal> literal;
  std::vector<Finding> notes;
  ElementWidth element = element_width(given);
  std::vector<std::string> roots, named;  // the encodings, and the names inside them
  Cursor cursor(text);
  const auto is_more = [&] {
    while (cursor.accept(';')) {
    }
    return !cursor.at_end();
  };
  while (is_more()) {
    if (const auto name = alias_name(cursor)) {
      Literal meant = parse_literal(cursor);
      if (meant.kind == Literal::Kind::call) literal = meant;
      if (aliases.contains(*name)) throw stands_twice(*name, meant.span);
      if (meant.kind == Literal::Kind::call) roots.push_back(*name);
      add_names(meant, named);
      aliases[*name] = std::move(meant);
    } else if (auto next = triton_type(cursor)) {
      if (type) throw usage_error("the text has several types", "give one");
      type = std::move(next);
    } else {
      literal = parse_literal(cursor);
      roots.push_back(literal->text);
      add_names(*literal, named);
    }
  }
  std::erase_if(roots, [&](const std::string& root) { return std::ranges::find(named, root) != named.end(); });
  if (type) literal = type->encoding;
  else require_one_encoding(roots);
  if (type) {
    take_from_type(given, *type);
    if (given.dtype == nullptr) element = type->element;
    else if (type->element.bits != 0) element = element_width(given, type->element.bits);
    if (!type->allocated.empty() && type->allocated != type->shape)
      notes.push_back(note("triton-subview",
                           fmt::format("a view into a buffer of {}: the layout is that of an array of {} on its own",
                                       shape_text(type->allocated), shape_text(type->shape)),
                           "give the type of the whole buffer for its layout"));
  }
  if (!literal) throw usage_error("no encoding in the text", "for example #ttg.nvmma_shared<{…}>");
  const Literal meant = without_aliases(std::move(*literal), aliases);
  if (is_tlx(meant.text)) return read_tlx(meant, given);
  const TritonEncoding encoding = mlir_encoding(meant, notes, element);
  if (given.shape.empty()) given.shape = said_shape(encoding);
  if (given.shape.empty() && rank_of(encoding) == 0) required_shape(given);
  try {
    LayoutForm form = triton_form(encoding, required_shape(given), element, notes);
    return {std::move(form), std::move(notes), buffer_count(encoding, given.shape)};
  } catch (const Error& e) {
    throw e.kind == ErrorKind::usage ? e : e.at(meant.span);
  }
}

Written write_triton(const LayoutForm& form) {
  TritonChoice choice = encoding_of(form);
  if (choice.encoding.empty()) return refused(std::move(choice.why));
  return {mlir_text(choice.encoding[0])};
}

}  // namespace

Dialect triton_dialect() {
  return {.name = "triton",
          .title = "Triton (MLIR)",
          .unit = "elements",
          .needs = "shape",
          .example = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
          .rules = R"(Extents are powers of two; maps are linear over GF(2), or padded.
* `swizzled_shared`: row r moves column c to `c ^ (vec * ((r / perPhase) % maxPhase))`.
* `nvmma_shared` s > 0: column blocks of W = 8 s / b elements, each with all rows, in the mode of the hardware; s = 0 is plain
  row-major, never core matrices: those are `shared_linear`.
* `padded_shared`: after every interval so many elements more, powers of two.
* `shared_linear`: the bases of the offset, any bijection that is linear over GF(2).
* `blocked`, `nvidia_mma`, `dot_op`, `slice`, `linear`: bits of register, lane and warp, a permutation of the bits of the
  coordinates.
* Triton 3.9 cuts `nvmma_shared` with s = 0 into boxes of at most 256, and mixes up the dimensions of a transposed one of three
  dimensions: computed as Triton computes it, with a note.)",
          .source = "triton 3.9.0, parser and to_linear_layout (run)",
          .recognises = recognises_triton,
          .read = read_triton,
          .write = write_triton};
}

}  // namespace swz
