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
#include <numeric>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

constexpr std::array<std::string_view, 13> gluon_classes{"SwizzledSharedLayout",
                                                         "NVMMASharedLayout",
                                                         "NVMMASharedLayout.get_default_for",
                                                         "PaddedSharedLayout",
                                                         "PaddedSharedLayout.with_identity_for",
                                                         "SharedLinearLayout",
                                                         "BlockedLayout",
                                                         "NVMMADistributedLayout",
                                                         "DotOperandLayout",
                                                         "SliceLayout",
                                                         "DistributedLinearLayout",
                                                         "TensorMemoryLayout",
                                                         "TensorMemoryScalesLayout"};

// Without gl., ttgl., triton.experimental.gluon.language.
std::string_view class_name(std::string_view name) {
  for (const std::string_view known : gluon_classes)
    if (name == known || (name.ends_with(known) && name[name.size() - known.size() - 1] == '.')) return known;
  return name;
}

// The arguments of a call, in the order of the class.
class Arguments {
 public:
  Arguments(const Literal& call, std::vector<std::string_view> names) : call_(call), names_(std::move(names)) {
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

 private:
  // A positional argument stands before all named ones.
  std::size_t position(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  }
  const Literal& call_;
  std::vector<std::string_view> names_;
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

// gl.allocate_shared_memory(gl.float16, [128, 64], NVMMASharedLayout(…))
constexpr std::string_view gluon_alloc = "allocate_shared_memory";

bool recognises_gluon(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const std::size_t bracket = text.find('(');
  if (first == std::string_view::npos || bracket == std::string_view::npos || bracket < first) return false;
  const std::string_view name = class_name(text.substr(first, bracket - first));
  if (last_name(text.substr(first, bracket - first)) == gluon_alloc) return true;
  return std::ranges::find(gluon_classes, name) != gluon_classes.end();
}

// The shape that a class says, or none.
ArrayShape shape_in(const Literal& l) {
  const std::string_view name = class_name(l.text);
  const Literal* shape = nullptr;
  if (name == "NVMMASharedLayout.get_default_for") shape = l.find("block_shape", 0);
  else if (name == "PaddedSharedLayout.with_identity_for") shape = l.find("shape", 1);
  else if (name == "PaddedSharedLayout") shape = l.find("shape", 3);
  else if (name == "DistributedLinearLayout") shape = l.find("shape", 4);
  return shape == nullptr ? ArrayShape() : shape->integers();
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

TritonEncoding gluon_encoding(const Literal& l) {
  try {
    const std::string_view name = class_name(l.text);
    if (l.kind != Literal::Kind::call || std::ranges::find(gluon_classes, name) == gluon_classes.end())
      throw Error(fmt::format("{} is not a layout of Gluon", l.text.empty() ? "this" : quoted(l.text)),
                  "for example BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])", l.span);
    const auto arguments = [&](std::vector<std::string_view> names) { return Arguments(l, std::move(names)); };
    const auto parent = [](const Arguments& a) {
      return std::make_shared<const TritonEncoding>(gluon_encoding(a.require("parent")));
    };
    if (name == "SwizzledSharedLayout") {
      const Arguments a = arguments({"vec", "per_phase", "max_phase", "order", "cga_layout"});
      return {SwizzledShared{a.integer("vec"), a.integer("per_phase"), a.integer("max_phase"), a.numbers("order"),
                             a.bases_or_none("cga_layout")}};
    }
    if (name == "NVMMASharedLayout") {
      const Arguments a =
          arguments({"swizzle_byte_width", "element_bitwidth", "rank", "transposed", "fp4_padded", "cga_layout"});
      return {NvmmaShared{a.integer("swizzle_byte_width"), a.integer("element_bitwidth"), a.integer("rank", 2),
                          a.boolean("transposed"), a.boolean("fp4_padded"), a.bases_or_none("cga_layout")}};
    }
    if (name == "NVMMASharedLayout.get_default_for")
      return {default_nvmma(arguments({"block_shape", "dtype", "transposed", "fp4_padded", "cga_layout"}))};
    if (name == "PaddedSharedLayout") {
      const Arguments a = arguments({"interval_padding_pairs", "offset_bases", "cga_layout", "shape"});
      return {PaddedShared{padding_pairs(a.bases("interval_padding_pairs")), a.bases("offset_bases"),
                           a.bases_or_none("cga_layout")}};
    }
    if (name == "PaddedSharedLayout.with_identity_for") {
      const Arguments a = arguments({"interval_padding_pairs", "shape", "order", "cga_layout"});
      PaddedShared e{padding_pairs(a.bases("interval_padding_pairs")), {}, a.bases_or_none("cga_layout")};
      const ArrayShape part = split_over_ctas(e.block, a.numbers("shape")).part;
      const TritonNumbers order = a.numbers("order");
      require_order(order);
      require_rank(order.size(), part);
      require_powers_of_two(part);
      for (const std::int64_t d : order)
        append_bits(e.offset, order.size(), static_cast<std::size_t>(d), 1, part[static_cast<std::size_t>(d)]);
      return {e};
    }
    if (name == "SharedLinearLayout") {
      const Arguments a = arguments({"offset_bases", "block_bases", "alignment"});
      return {SharedLinear{a.bases("offset_bases"), a.bases_or_none("block_bases"), a.integer("alignment", 16)}};
    }
    if (name == "BlockedLayout") {
      const Arguments a = arguments({"size_per_thread", "threads_per_warp", "warps_per_cta", "order", "cga_layout"});
      return {Blocked{a.numbers("size_per_thread"), a.numbers("threads_per_warp"), a.numbers("warps_per_cta"),
                      a.numbers("order"), a.bases_or_none("cga_layout")}};
    }
    if (name == "NVMMADistributedLayout") {
      const Arguments a = arguments({"version", "warps_per_cta", "instr_shape", "cga_layout"});
      const TritonNumbers version = a.numbers("version");
      if (version.size() != 2) throw Error("version is [major, minor]", "for example [3, 0]", l.span);
      return {NvidiaMma{version[0], version[1], a.numbers("warps_per_cta"), a.numbers("instr_shape"),
                        a.bases_or_none("cga_layout")}};
    }
    if (name == "DotOperandLayout") {
      const Arguments a = arguments({"operand_index", "parent", "k_width"});
      return {DotOperand{a.integer("operand_index"), parent(a), a.integer("k_width")}};
    }
    if (name == "SliceLayout") {
      const Arguments a = arguments({"dim", "parent"});
      return {RegisterSlice{a.integer("dim"), parent(a)}};
    }
    if (name == "DistributedLinearLayout") {
      const Arguments a = arguments({"reg_bases", "lane_bases", "warp_bases", "block_bases", "shape"});
      return {
          RegisterLinear{a.bases("reg_bases"), a.bases("lane_bases"), a.bases("warp_bases"), a.bases("block_bases")}};
    }
    if (name == "TensorMemoryScalesLayout") {
      if (!arguments({"cga_layout"}).bases_or_none("cga_layout").empty())
        throw Error("scale factors of several CTAs are not read", "give the layout of one CTA", l.span);
      return {TensorMemoryScales{}};
    }
    const Arguments a = arguments({"block", "col_stride", "cga_layout", "two_ctas", "fp4_padded"});
    const TritonNumbers block = a.numbers("block");
    if (block.size() != 2) throw Error("block is (M, N)", "for example (128, 64)", l.span);
    if (a.boolean("two_ctas") || !a.bases_or_none("cga_layout").empty())
      throw Error("tensor memory of two CTAs is not read", "give the layout of one CTA", l.span);
    return {TensorMemory{block[0], block[1], a.integer("col_stride"), a.boolean("fp4_padded")}};
  } catch (const Error& e) {
    throw e.at(l.span);
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
