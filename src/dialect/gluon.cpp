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
#include <array>
#include <span>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

// The arguments of a call, in the order of the class.
class Arguments {
 public:
  Arguments(const Literal& call, std::span<const std::string_view> names) : call_(call), names_(names) {
    call.require_keys(names_);
    if (call.positional().size() > names_.size())
      throw Error(fmt::format("{} takes {} arguments", call.text, names_.size()),
                  fmt::format("{}", fmt::join(names_, ", ")), call.span);
  }
  const Literal* find(std::string_view name) const { return call_.find(name, position(name)); }
  std::int64_t integer(std::string_view name) const { return require(name).integer(); }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    const Literal* found = find(name);
    return found == nullptr ? otherwise : found->integer();
  }
  bool boolean(std::string_view name) const {
    const Literal* found = find(name);
    return found != nullptr && found->boolean();
  }
  TritonNumbers numbers(std::string_view name) const { return require(name).integers(); }
  TritonBases bases(std::string_view name) const { return require(name).integer_lists(); }
  TritonBases bases_or_none(std::string_view name) const {
    const Literal* found = find(name);
    return found == nullptr || found->text == "None" ? TritonBases() : found->integer_lists();
  }
  const Literal& require(std::string_view name) const { return call_.require(name, position(name)); }
  // [64, 2], (128, 64)
  std::array<std::int64_t, 2> pair(std::string_view name, const char* message, const char* hint) const {
    const TritonNumbers both = numbers(name);
    if (both.size() != 2) throw Error(message, hint, call_.span);
    return {both[0], both[1]};
  }
  TritonParent parent() const { return std::make_shared<const TritonEncoding>(gluon_encoding(require("parent"))); }
  Span span() const { return call_.span; }

 private:
  // A positional argument stands before all named ones.
  std::size_t position(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  }
  const Literal& call_;
  std::span<const std::string_view> names_;
};

std::vector<Padding> padding_pairs(const TritonBases& pairs) {
  std::vector<Padding> result;
  for (const TritonNumbers& pair : pairs) {
    if (pair.size() != 2) throw Error("interval_padding_pairs: [interval, padding] pairs", "for example [[64, 8]]");
    result.push_back({pair[0], pair[1]});
  }
  return result;
}

NvmmaShared default_nvmma(const Arguments& a) {
  const ArrayShape shape = a.numbers("block_shape");
  require_powers_of_two(shape);
  const Literal& dtype = a.require("dtype");
  const int bits = require_dtype(dtype.text.substr(dtype.text.rfind('.') + 1)).memory_bits;
  return widest_nvmma(shape, bits, a.boolean("transposed"), a.boolean("fp4_padded"), a.bases_or_none("cga_layout"));
}

PaddedShared padded_by_identity(const Arguments& a) {
  PaddedShared e{padding_pairs(a.bases("interval_padding_pairs")), {}, a.bases_or_none("cga_layout")};
  const ArrayShape part = split_over_ctas(e.block, a.numbers("shape")).part;
  const TritonNumbers order = a.numbers("order");
  require_order(order);
  require_rank(order.size(), part);
  require_powers_of_two(part);
  for (const std::int64_t d : order)
    append_bits(e.offset, order.size(), static_cast<std::size_t>(d), 1, part[static_cast<std::size_t>(d)]);
  return e;
}

NvidiaMma mma_of(const Arguments& a) {
  const auto [major, minor] = a.pair("version", "version is [major, minor]", "for example [3, 0]");
  return {major, minor, a.numbers("warps_per_cta"), a.numbers("instr_shape"), a.bases_or_none("cga_layout")};
}

TensorMemory tensor_of(const Arguments& a) {
  const auto [m, n] = a.pair("block", "block is (M, N)", "for example (128, 64)");
  if (a.boolean("two_ctas") || !a.bases_or_none("cga_layout").empty())
    throw Error("tensor memory of two CTAs is not read", "give the layout of one CTA", a.span());
  return {m, n, a.integer("col_stride"), a.boolean("fp4_padded")};
}

TensorMemoryScales scales_of(const Arguments& a) {
  if (!a.bases_or_none("cga_layout").empty())
    throw Error("scale factors of several CTAs are not read", "give the layout of one CTA", a.span());
  return {};
}

struct GluonClass {
  std::string_view name;
  std::array<std::string_view, 6> names;  // of the arguments, in their order; empty: no more
  TritonEncoding (*read)(const Arguments& a);

  std::span<const std::string_view> arguments() const {
    return std::span(names).first(static_cast<std::size_t>(std::ranges::find(names, "") - names.begin()));
  }
};

constexpr GluonClass gluon_classes[] = {
    {"SwizzledSharedLayout",
     {"vec", "per_phase", "max_phase", "order", "cga_layout"},
     [](const Arguments& a) {
       return TritonEncoding{SwizzledShared{a.integer("vec"), a.integer("per_phase"), a.integer("max_phase"),
                                            a.numbers("order"), a.bases_or_none("cga_layout")}};
     }},
    {"NVMMASharedLayout",
     {"swizzle_byte_width", "element_bitwidth", "rank", "transposed", "fp4_padded", "cga_layout"},
     [](const Arguments& a) {
       return TritonEncoding{NvmmaShared{a.integer("swizzle_byte_width"), a.integer("element_bitwidth"),
                                         a.integer("rank", 2), a.boolean("transposed"), a.boolean("fp4_padded"),
                                         a.bases_or_none("cga_layout")}};
     }},
    {"NVMMASharedLayout.get_default_for",
     {"block_shape", "dtype", "transposed", "fp4_padded", "cga_layout"},
     [](const Arguments& a) { return TritonEncoding{default_nvmma(a)}; }},
    {"PaddedSharedLayout",
     {"interval_padding_pairs", "offset_bases", "cga_layout", "shape"},
     [](const Arguments& a) {
       return TritonEncoding{PaddedShared{padding_pairs(a.bases("interval_padding_pairs")), a.bases("offset_bases"),
                                          a.bases_or_none("cga_layout")}};
     }},
    {"PaddedSharedLayout.with_identity_for",
     {"interval_padding_pairs", "shape", "order", "cga_layout"},
     [](const Arguments& a) { return TritonEncoding{padded_by_identity(a)}; }},
    {"SharedLinearLayout",
     {"offset_bases", "block_bases", "alignment"},
     [](const Arguments& a) {
       return TritonEncoding{
           SharedLinear{a.bases("offset_bases"), a.bases_or_none("block_bases"), a.integer("alignment", 16)}};
     }},
    {"BlockedLayout",
     {"size_per_thread", "threads_per_warp", "warps_per_cta", "order", "cga_layout"},
     [](const Arguments& a) {
       return TritonEncoding{Blocked{a.numbers("size_per_thread"), a.numbers("threads_per_warp"),
                                     a.numbers("warps_per_cta"), a.numbers("order"), a.bases_or_none("cga_layout")}};
     }},
    {"NVMMADistributedLayout",
     {"version", "warps_per_cta", "instr_shape", "cga_layout"},
     [](const Arguments& a) { return TritonEncoding{mma_of(a)}; }},
    {"DotOperandLayout",
     {"operand_index", "parent", "k_width"},
     [](const Arguments& a) {
       return TritonEncoding{DotOperand{a.integer("operand_index"), a.parent(), a.integer("k_width")}};
     }},
    {"SliceLayout",
     {"dim", "parent"},
     [](const Arguments& a) {
       return TritonEncoding{RegisterSlice{a.integer("dim"), a.parent()}};
     }},
    {"DistributedLinearLayout",
     {"reg_bases", "lane_bases", "warp_bases", "block_bases", "shape"},
     [](const Arguments& a) {
       return TritonEncoding{
           RegisterLinear{a.bases("reg_bases"), a.bases("lane_bases"), a.bases("warp_bases"), a.bases("block_bases")}};
     }},
    {"TensorMemoryLayout",
     {"block", "col_stride", "cga_layout", "two_ctas", "fp4_padded"},
     [](const Arguments& a) { return TritonEncoding{tensor_of(a)}; }},
    {"TensorMemoryScalesLayout", {"cga_layout"}, [](const Arguments& a) { return TritonEncoding{scales_of(a)}; }},
};

// By its name, with or without gl., ttgl., triton.experimental.gluon.language. Null: not a class of Gluon.
const GluonClass* find_class(std::string_view name) {
  for (const GluonClass& row : gluon_classes)
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
  const GluonClass* row = find_class(call.text);
  for (std::size_t i = 0; row != nullptr && i < row->arguments().size(); ++i) {
    if (row->names[i] != "shape" && row->names[i] != "block_shape") continue;
    const Literal* shape = call.find(row->names[i], i);
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

std::string cga_argument(const TritonBases& cga) { return cga.empty() ? "" : fmt::format(", cga_layout={}", cga); }
std::string_view python(bool value) { return value ? "True" : "False"; }

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
    const GluonClass* row = call.kind == Literal::Kind::call ? find_class(call.text) : nullptr;
    if (row == nullptr)
      throw Error(fmt::format("{} is not a layout of Gluon", call.text.empty() ? "this" : quoted(call.text)),
                  "for example BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])", call.span);
    return row->read(Arguments(call, row->arguments()));
  } catch (const Error& e) {
    throw e.at(call.span);
  }
}

std::string gluon_text(const TritonEncoding& encoding, const ArrayShape& shape) {
  return std::visit(
      TritonCases{[](const SwizzledShared& e) {
                    return fmt::format("SwizzledSharedLayout(vec={}, per_phase={}, max_phase={}, order={}{})", e.vec,
                                       e.per_phase, e.max_phase, e.order, cga_argument(e.cga));
                  },
                  [](const NvmmaShared& e) {
                    return fmt::format(
                        "NVMMASharedLayout(swizzle_byte_width={}, element_bitwidth={}, rank={}, transposed={}, "
                        "fp4_padded={}{})",
                        e.swizzle_bytes, e.element_bits, e.rank, python(e.is_transposed), python(e.is_fp4_padded),
                        cga_argument(e.cga));
                  },
                  [&](const PaddedShared& e) {
                    std::vector<TritonNumbers> pairs;
                    for (const Padding& p : e.padding) pairs.push_back({p.interval, p.amount});
                    return fmt::format(
                        "PaddedSharedLayout(interval_padding_pairs={}, offset_bases={}, cga_layout={}, shape={})",
                        pairs, e.offset, e.block, shape);
                  },
                  [](const SharedLinear& e) {
                    return fmt::format("SharedLinearLayout(offset_bases={}, block_bases={}, alignment={})", e.offset,
                                       e.block, e.alignment);
                  },
                  [](const Blocked& e) {
                    return fmt::format(
                        "BlockedLayout(size_per_thread={}, threads_per_warp={}, warps_per_cta={}, order={}{})",
                        e.size_per_thread, e.threads_per_warp, e.warps_per_cta, e.order, cga_argument(e.cga));
                  },
                  [](const NvidiaMma& e) {
                    return fmt::format("NVMMADistributedLayout(version=[{}, {}], warps_per_cta={}, instr_shape={}{})",
                                       e.major, e.minor, e.warps_per_cta, e.instr_shape, cga_argument(e.cga));
                  },
                  [&](const DotOperand& e) {
                    return fmt::format("DotOperandLayout(operand_index={}, parent={}, k_width={})", e.operand,
                                       gluon_text(*e.parent, shape), e.k_width);
                  },
                  [&](const RegisterSlice& e) {
                    return fmt::format("SliceLayout(dim={}, parent={})", e.dimension, gluon_text(*e.parent, shape));
                  },
                  [&](const RegisterLinear& e) {
                    return fmt::format(
                        "DistributedLinearLayout(reg_bases={}, lane_bases={}, warp_bases={}, block_bases={}, shape={})",
                        e.registers, e.lane, e.warp, e.block, shape);
                  },
                  [](const TensorMemory& e) {
                    return fmt::format("TensorMemoryLayout(block=({}, {}), col_stride={}{})", e.block_m, e.block_n,
                                       e.column_stride, e.is_fp4_padded ? ", fp4_padded=True" : "");
                  },
                  [](const TensorMemoryScales&) { return std::string("TensorMemoryScalesLayout()"); }},
      encoding.value);
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
