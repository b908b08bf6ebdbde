// SPDX-License-Identifier: Apache-2.0
// Gluon: Triton's encodings as Python classes. The same values as in MLIR (triton_encoding.hpp) with other names.
//
//   SwizzledSharedLayout(vec=8, per_phase=2, max_phase=4, order=[1, 0])
//   ttgl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
//   NVMMASharedLayout.get_default_for([64, 64], ttgl.float16)     the widest swizzle that fits
//   PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
//   BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]), NVMMADistributedLayout, DotOperandLayout, SliceLayout,
//   DistributedLinearLayout, SharedLinearLayout, TensorMemoryLayout, TensorMemoryScalesLayout
//
// Arguments by position or by name. Source: triton 3.9.0 experimental/gluon/language/_layouts.py (run).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/triton_fields.hpp"

namespace swz {
namespace {

TritonBases cga_of(const Literal* l) { return l == nullptr || l->text == "None" ? TritonBases() : l->integer_lists(); }

TritonEncoding default_nvmma(const Literal& call) {
  const ArrayShape shape = call.require("block_shape", 0).integers();
  require_powers_of_two(shape);
  const int bits = require_dtype(last_name(call.require("dtype", 1).text)).memory_bits;
  return {widest_nvmma(shape, bits, call.boolean_or(false, "transposed", 2), call.boolean_or(false, "fp4_padded", 3),
                       cga_of(call.find("cga_layout", 4)))};
}

TritonEncoding padded_by_identity(const Literal& call) {
  PaddedShared e{
      padding_pairs(call.require("interval_padding_pairs", 0).integer_lists()), {}, cga_of(call.find("cga_layout", 3))};
  const ArrayShape part = split_over_ctas(e.block, call.require("shape", 1).integers()).part;
  e.offset = bases_in_order(call.require("order", 2).integers(), part);
  return {e};
}

// A class of the table, or a function that makes an object of one.
struct GluonClass {
  std::string_view name;
  std::vector<std::string_view> arguments;  // in their order
  std::function<TritonEncoding(const Literal&)> read;
};

std::vector<GluonClass> gluon_classes() {
  std::vector<GluonClass> classes;
  for (const EncodingRow& row : triton_encodings())
    classes.push_back({row.gluon, field_names(row, TritonNotation::gluon), [&row](const Literal& call) {
                         TritonEncoding encoding = read_fields(call, row, TritonNotation::gluon, gluon_encoding);
                         require_one_cta(encoding, "give the layout of one CTA");
                         return encoding;
                       }});
  classes.push_back({"NVMMASharedLayout.get_default_for",
                     {"block_shape", "dtype", "transposed", "fp4_padded", "cga_layout"},
                     default_nvmma});
  classes.push_back({"PaddedSharedLayout.with_identity_for",
                     {"interval_padding_pairs", "shape", "order", "cga_layout"},
                     padded_by_identity});
  return classes;
}

// By its name, with or without gl., ttgl., triton.experimental.gluon.language. Null: not a class of Gluon.
const GluonClass* find_class(std::string_view name) {
  static const std::vector<GluonClass> classes = gluon_classes();
  for (const GluonClass& row : classes)
    if (name == row.name || (name.ends_with(row.name) && name[name.size() - row.name.size() - 1] == '.')) return &row;
  return nullptr;
}

// gl.allocate_shared_memory(gl.float16, [128, 64], NVMMASharedLayout(…))
constexpr std::string_view gluon_alloc = "allocate_shared_memory";

bool recognises_gluon(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::size_t bracket = text.find('(');
  if (first == std::string_view::npos || bracket == std::string_view::npos || bracket < first) return false;
  const std::string_view name = text.substr(first, bracket - first);
  return last_name(name) == gluon_alloc || find_class(name) != nullptr;
}

// The shape that the call gives, if its class has one.
ArrayShape shape_in(const Literal& call) {
  const std::vector<std::string_view>& names = find_class(call.text)->arguments;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != "shape" && names[i] != "block_shape") continue;
    const Literal* shape = call.find(names[i], i);
    return shape == nullptr ? ArrayShape() : shape->integers();
  }
  return {};
}

Reading read_gluon(std::string_view text, const Given& said_apart) {
  Given given = said_apart;
  Literal literal = parse_literal(text);
  if (literal.kind == Literal::Kind::call && last_name(literal.text) == gluon_alloc) {
    const DType& dtype = require_dtype(last_name(literal.require("element_ty", 0).text));
    const ArrayShape shape = literal.require("shape", 1).integers();
    require_same_shape(given, shape);
    given.shape = shape;
    if (given.dtype == nullptr) given.dtype = &dtype;
    else element_width(given, dtype.memory_bits);
    Literal layout = literal.require("layout", 2);
    if (layout.kind != Literal::Kind::call)
      throw Error(fmt::format("the layout {} is not in the text", quoted(layout.text)),
                  "write it in its place: layout=NVMMASharedLayout(128, 16, rank=2)", layout.span);
    layout.key.clear();
    literal = std::move(layout);
  }
  std::vector<Finding> notes;
  const TritonEncoding encoding = gluon_encoding(literal);
  ArrayShape said = shape_in(literal);
  if (said.empty()) said = said_shape(encoding);
  try {
    const ArrayShape shape = given.shape.empty() && !said.empty() ? said : required_shape(given);
    LayoutForm form = triton_form(encoding, shape, element_width(given), notes);
    return {std::move(form), std::move(notes), buffer_count(encoding, shape)};
  } catch (const Error& e) {
    throw e.kind == ErrorKind::usage ? e : e.at(literal.span);
  }
}

Written write_gluon(const LayoutForm& form) {
  TritonChoice choice = encoding_of(form);
  if (choice.encoding.empty()) return refused(std::move(choice.why));
  return {gluon_text(choice.encoding[0], shape_of(form))};
}

}  // namespace

NvmmaShared widest_nvmma(ArrayShape shape, int bits, bool is_transposed, bool is_fp4_padded, TritonBases cga) {
  NvmmaShared e{.element_bits = bits,
                .rank = static_cast<std::int64_t>(shape.size()),
                .is_transposed = is_transposed,
                .is_fp4_padded = is_fp4_padded,
                .cga = std::move(cga)};
  shape = split_over_ctas(e.cga, shape).part;
  if (e.is_transposed) std::rotate(shape.begin(), shape.begin() + 1, shape.end());
  const std::int64_t bytes = shape.back() * (e.is_fp4_padded ? 2 : 1) * bits / 8;
  const std::int64_t rows = element_count(shape) / shape.back();
  if (shape.size() >= 2 && rows >= 8)
    for (const std::int64_t width : {32, 64, 128})
      if (bytes % width == 0) e.swizzle_bytes = width;
  return e;
}

TritonEncoding gluon_encoding(const Literal& call) {
  try {
    const GluonClass* known = call.kind == Literal::Kind::call ? find_class(call.text) : nullptr;
    if (known == nullptr)
      throw Error(fmt::format("{} is not a layout of Gluon", call.text.empty() ? "this" : quoted(call.text)),
                  "for example BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])");
    call.require_keys(known->arguments);
    if (call.positional().size() > known->arguments.size())
      throw Error(fmt::format("{} takes {} arguments", call.text, known->arguments.size()),
                  fmt::format("{}", fmt::join(known->arguments, ", ")));
    return known->read(call);
  } catch (const Error& e) {
    throw e.at(call.span);
  }
}

std::string gluon_text(const TritonEncoding& encoding, const ArrayShape& shape) {
  return fmt::format("{}({})", row_of(encoding).gluon, fields_text(encoding, TritonNotation::gluon, shape));
}

Dialect gluon_dialect() {
  return {
      .name = "gluon",
      .title = "Gluon",
      .unit = "elements",
      .needs = "shape",
      .example = "NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)",
      .rules =
          R"(The encodings of Triton (MLIR) as Python classes: the same values, the same rules. `DistributedLinearLayout` and
`PaddedSharedLayout` say the shape, `NVMMASharedLayout.get_default_for` shape and type.)",
      .source = "triton 3.9.0, experimental/gluon/language/_layouts.py (run)",
      .recognises = recognises_gluon,
      .read = read_gluon,
      .write = write_gluon};
}

}  // namespace swz
