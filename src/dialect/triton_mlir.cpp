// SPDX-License-Identifier: Apache-2.0
// Triton's encodings as MLIR attributes: literals become TritonEncoding, and TritonEncoding text.
//
//   #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
//     NvmmaShared{128, 16, 2, false, false}
//
// Old spellings are read, with a note: the dialect's names triton_gpu and triton_nvidia_gpu, shared with
// hasLeadingOffset, CTAsPerCGA with CTASplitNum and CTAOrder, unpacked of tensor memory. Triton 3.9 writes CGALayout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

constexpr std::array<std::string_view, 4> cta_keys{"CGALayout", "CTAsPerCGA", "CTASplitNum", "CTAOrder"};

void require_mlir_keys(const Literal& l, std::vector<std::string_view> keys) {
  keys.insert(keys.end(), cta_keys.begin(), cta_keys.end());
  l.require_keys(keys);
  for (std::size_t i = 0; i < l.items.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!l.items[i].key.empty() && l.items[i].key == l.items[j].key)
        throw Error(fmt::format("{} stands twice", quoted(l.items[i].key)), "leave one of them out", l.items[i].span);
}

std::int64_t integer_or(const Literal& l, std::string_view key, std::int64_t otherwise) {
  const Literal* found = l.find(key);
  return found == nullptr ? otherwise : found->integer();
}
bool boolean_or_false(const Literal& l, std::string_view key) {
  const Literal* found = l.find(key);
  return found != nullptr && found->boolean();
}
TritonBases bases_of(const Literal& l) {
  TritonBases bases = l.integer_lists();
  for (const TritonNumbers& basis : bases)
    if (basis.size() != bases[0].size())
      throw Error(fmt::format("bases of {} and of {} coordinates", bases[0].size(), basis.size()),
                  "one coordinate for each dimension of the array", l.span);
  return bases;
}
TritonBases bases_or_none(const Literal& l, std::string_view key) {
  const Literal* found = l.find(key);
  return found == nullptr ? TritonBases() : bases_of(*found);
}

// CTASplitNum says how many parts each dimension has, CTAsPerCGA how many CTAs; the others hold copies.
TritonBases cga_of(const Literal& l, std::vector<Finding>& notes) {
  const Literal* per_cga = l.find("CTAsPerCGA");
  if (per_cga == nullptr) return bases_or_none(l, "CGALayout");
  notes.push_back(
      note("triton-old-spelling",
           "CTAsPerCGA, CTASplitNum and CTAOrder are an old spelling that Triton 3.9 refuses (unexpected key)",
           "now CGALayout = […], left out for one CTA", "triton 3.9.0 parser (run)"));
  const TritonNumbers ctas = per_cga->integers(), parts = l.require("CTASplitNum").integers(),
                      order = l.require("CTAOrder").integers();
  require_order(order);
  if (ctas.size() != order.size() || parts.size() != order.size())
    throw Error("CTAsPerCGA, CTASplitNum and CTAOrder have different ranks", "one number for each dimension", l.span);
  TritonBases cga;
  for (const std::int64_t o : order) {
    const auto d = static_cast<std::size_t>(o);
    if (!is_power_of_two(ctas[d]) || ctas[d] > 64)
      throw Error(fmt::format("CTAsPerCGA [{}]: powers of two, at most 64", fmt::join(ctas, ", ")), {}, l.span);
    for (std::int64_t bit = 1; bit < ctas[d]; bit *= 2) {
      cga.emplace_back(order.size());
      if (bit < parts[d]) cga.back()[d] = bit;
    }
  }
  return cga;
}

SwizzledShared swizzled_of_mlir(const Literal& l, std::vector<Finding>& notes) {
  return {l.require("vec").integer(), l.require("perPhase").integer(), l.require("maxPhase").integer(),
          l.require("order").integers(), cga_of(l, notes)};
}

// hasLeadingOffset = true was the way to say nvmma_shared: the element is vec of 16 bytes, the width follows from maxPhase.
TritonEncoding old_shared(const Literal& l, std::vector<Finding>& notes) {
  require_mlir_keys(l, {"vec", "perPhase", "maxPhase", "order", "hasLeadingOffset"});
  const SwizzledShared e = swizzled_of_mlir(l, notes);
  if (!boolean_or_false(l, "hasLeadingOffset")) return {e};
  if (!is_power_of_two(e.vec) || e.vec > 16 || e.max_phase * e.per_phase != 8)
    throw Error(fmt::format("hasLeadingOffset = true with vec = {}, perPhase = {}, maxPhase = {} is not a mode of the "
                            "hardware",
                            e.vec, e.per_phase, e.max_phase),
                "perPhase * maxPhase is 8, vec is 16 bytes", l.span);
  require_order(e.order);
  return {NvmmaShared{.swizzle_bytes = e.max_phase == 1 ? 0 : 16 * e.max_phase,
                      .element_bits = 128 / e.vec,
                      .rank = static_cast<std::int64_t>(e.order.size()),
                      .is_transposed = e.order[0] == 0 && e.order.size() > 1,
                      .cga = e.cga}};
}

NvmmaShared nvmma_of_mlir(const Literal& l, std::vector<Finding>& notes) {
  require_mlir_keys(l, {"swizzlingByteWidth", "transposed", "elementBitWidth", "fp4Padded", "rank"});
  NvmmaShared e{.swizzle_bytes = l.require("swizzlingByteWidth").integer(),
                .element_bits = l.require("elementBitWidth").integer(),
                .rank = integer_or(l, "rank", 0),
                .is_transposed = boolean_or_false(l, "transposed"),
                .is_fp4_padded = boolean_or_false(l, "fp4Padded"),
                .cga = cga_of(l, notes)};
  if (e.rank == 0) e.rank = e.cga.empty() ? 2 : static_cast<std::int64_t>(e.cga[0].size());
  return e;
}

PaddedShared padded_of_mlir(const Literal& l) {
  PaddedShared e;
  const Literal* list = l.find("", 0);
  if (list == nullptr || list->kind != Literal::Kind::list)
    throw Error("padded_shared without its intervals", "for example [64:+8]", l.span);
  for (const Literal& pair : list->items) {
    if (pair.kind != Literal::Kind::pair) throw Error("expected interval:+padding", "for example [64:+8]", pair.span);
    e.padding.push_back({pair.items[0].integer(), pair.items[1].integer()});
  }
  if (const Literal* offset = l.find("offset")) {
    l.require_keys(std::array<std::string_view, 2>{"offset", "block"});
    e.offset = bases_of(*offset);
    e.block = bases_of(l.require("block"));
    return e;
  }
  l.require_keys(std::array<std::string_view, 2>{"order", "shape"});
  const TritonNumbers order = l.require("order").integers(), shape = l.require("shape").integers();
  require_order(order);
  require_rank(order.size(), shape);
  require_powers_of_two(shape);
  for (const std::int64_t d : order)
    append_bits(e.offset, order.size(), static_cast<std::size_t>(d), 1, shape[static_cast<std::size_t>(d)]);
  return e;
}

// The braces are those of the bases alone: <{offset = […], block = […]}, alignment = 16>.
SharedLinear linear_of_mlir(const Literal& l) {
  const Literal* bases = l.find("", 0);
  if (bases == nullptr || bases->bracket != '{')
    throw Error("shared_linear without the braces of its bases",
                "for example #ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>", l.span);
  l.require_keys(std::array<std::string_view, 1>{"alignment"});
  bases->require_keys(std::array<std::string_view, 2>{"offset", "block"});
  return {bases_of(bases->require("offset")), bases_or_none(*bases, "block"), l.require("alignment").integer()};
}

TensorMemory tensor_of_mlir(const Literal& l, ElementWidth element, std::vector<Finding>& notes) {
  l.require_keys(std::array<std::string_view, 7>{"blockM", "blockN", "colStride", "unpacked", "fp4Padded", "twoCTAs",
                                                 "CGALayout"});
  if (boolean_or_false(l, "twoCTAs") || !bases_or_none(l, "CGALayout").empty())
    throw Error("tensor memory of two CTAs is not read", "give the encoding of one CTA", l.span);
  TensorMemory e{.block_m = l.require("blockM").integer(),
                 .block_n = l.require("blockN").integer(),
                 .is_fp4_padded = boolean_or_false(l, "fp4Padded")};
  if (l.find("unpacked") == nullptr) {
    e.column_stride = l.require("colStride").integer();
    return e;
  }
  notes.push_back(note("triton-old-spelling", "unpacked is an old spelling that Triton 3.9 refuses",
                       "now colStride: 1 is packed", "triton 3.9.0 parser (run)"));
  if (element.bits == 0) throw usage_error("unpacked needs the element type", "add it, for example --dtype f32");
  e.column_stride = boolean_or_false(l, "unpacked") ? std::max(1, 32 / element.bits) : 1;
  return e;
}

// The word behind the dialect: "nvmma_shared". Old names of the dialect join the notes.
std::string_view encoding_word(const Literal& l, std::vector<Finding>& notes) {
  std::string_view name = l.text;
  for (const std::string_view dialect : {"#ttg.", "#ttng.", "#triton_gpu.", "#triton_nvidia_gpu."}) {
    if (!name.starts_with(dialect)) continue;
    if (dialect.size() > 6)
      notes.push_back(note("triton-old-spelling",
                           fmt::format("{} is an old name of the dialect, which Triton 3.9 refuses", dialect),
                           dialect == "#triton_gpu." ? "now #ttg." : "now #ttng.", "triton 3.9.0 parser (run)"));
    return name.substr(dialect.size());
  }
  return name;
}

std::string cga_suffix(const TritonBases& cga) { return cga.empty() ? "" : fmt::format(", CGALayout = {}", cga); }

// The order in which an array lies row after row along some dimensions; none: it does not.
std::optional<TritonNumbers> identity_order(const TritonBases& offset, ArrayShape& shape) {
  if (offset.empty()) return std::nullopt;
  const std::size_t rank = offset[0].size();
  shape.assign(rank, 1);
  TritonNumbers order;
  for (const TritonNumbers& basis : offset) {
    const auto moved = std::ranges::find_if(basis, [](std::int64_t b) { return b != 0; });
    if (moved == basis.end()) return std::nullopt;
    const auto d = moved - basis.begin();
    if (order.empty() || order.back() != d) {
      if (std::ranges::find(order, d) != order.end()) return std::nullopt;
      order.push_back(d);
    }
    if (*moved != shape[static_cast<std::size_t>(d)]) return std::nullopt;
    shape[static_cast<std::size_t>(d)] *= 2;
  }
  for (const std::int64_t d : row_major_order(rank))
    if (std::ranges::find(order, d) == order.end()) order.push_back(d);
  return order;
}

std::string padded_text(const PaddedShared& e) {
  std::vector<std::string> pairs;
  for (const Padding& p : e.padding) pairs.push_back(fmt::format("{}:+{}", p.interval, p.amount));
  ArrayShape shape;
  if (const auto order = identity_order(e.offset, shape); order && e.block.empty())
    return fmt::format("#ttg.padded_shared<[{}] {{order = {}, shape = {}}}>", fmt::join(pairs, ", "), *order, shape);
  return fmt::format("#ttg.padded_shared<[{}] {{offset = {}, block = {}}}>", fmt::join(pairs, ", "), e.offset, e.block);
}

}  // namespace

TritonEncoding mlir_encoding(const Literal& l, std::vector<Finding>& notes, ElementWidth element) {
  try {
    if (l.kind != Literal::Kind::call)
      throw Error(fmt::format("{} is not an encoding", l.text.empty() ? "this" : quoted(l.text)),
                  "for example #ttg.nvmma_shared<{…}>", l.span);
    const std::string_view word = encoding_word(l, notes);
    const auto parent = [&] {
      return std::make_shared<const TritonEncoding>(mlir_encoding(l.require("parent"), notes));
    };
    if (word == "shared") {
      notes.push_back(note("triton-old-spelling", "shared is an old spelling that Triton 3.9 refuses",
                           "now swizzled_shared; with hasLeadingOffset = true, nvmma_shared",
                           "triton 3.9.0 parser (run)"));
      return old_shared(l, notes);
    }
    if (word == "swizzled_shared") {
      require_mlir_keys(l, {"vec", "perPhase", "maxPhase", "order"});
      return {swizzled_of_mlir(l, notes)};
    }
    if (word == "nvmma_shared") return {nvmma_of_mlir(l, notes)};
    if (word == "padded_shared") return {padded_of_mlir(l)};
    if (word == "shared_linear") return {linear_of_mlir(l)};
    if (word == "blocked") {
      require_mlir_keys(l, {"sizePerThread", "threadsPerWarp", "warpsPerCTA", "order"});
      return {Blocked{l.require("sizePerThread").integers(), l.require("threadsPerWarp").integers(),
                      l.require("warpsPerCTA").integers(), l.require("order").integers(), cga_of(l, notes)}};
    }
    if (word == "nvidia_mma") {
      require_mlir_keys(l, {"versionMajor", "versionMinor", "warpsPerCTA", "instrShape"});
      return {NvidiaMma{l.require("versionMajor").integer(), integer_or(l, "versionMinor", 0),
                        l.require("warpsPerCTA").integers(), l.require("instrShape").integers(), cga_of(l, notes)}};
    }
    if (word == "dot_op") {
      l.require_keys(std::array<std::string_view, 3>{"opIdx", "parent", "kWidth"});
      return {DotOperand{l.require("opIdx").integer(), parent(), integer_or(l, "kWidth", 0)}};
    }
    if (word == "slice") {
      l.require_keys(std::array<std::string_view, 2>{"dim", "parent"});
      return {RegisterSlice{l.require("dim").integer(), parent()}};
    }
    if (word == "linear") {
      l.require_keys(std::array<std::string_view, 4>{"register", "lane", "warp", "block"});
      return {RegisterLinear{bases_of(l.require("register")), bases_of(l.require("lane")), bases_of(l.require("warp")),
                             bases_of(l.require("block"))}};
    }
    if (word == "tensor_memory_encoding") return {tensor_of_mlir(l, element, notes)};
    if (word == "tensor_memory_scales_encoding") {
      if (!l.items.empty()) throw Error("scale factors of several CTAs are not read", "write <>", l.span);
      return {TensorMemoryScales{}};
    }
    throw Error(fmt::format("Triton has no encoding {}", quoted(l.text)),
                "swz reads swizzled_shared, nvmma_shared, padded_shared, shared_linear, blocked, nvidia_mma, dot_op, "
                "slice, linear, tensor_memory_encoding and tensor_memory_scales_encoding",
                l.span);
  } catch (const Error& e) {
    throw e.at(l.span);
  }
}

std::string mlir_text(const TritonEncoding& encoding) {
  return std::visit(
      TritonCases{
          [](const SwizzledShared& e) {
            return fmt::format("#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = {}{}}}>", e.vec,
                               e.per_phase, e.max_phase, e.order, cga_suffix(e.cga));
          },
          [](const NvmmaShared& e) {
            return fmt::format(
                "#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, elementBitWidth = {}{}{}{}}}>",
                e.swizzle_bytes, e.is_transposed, e.element_bits, e.is_fp4_padded ? ", fp4Padded = true" : "",
                e.rank == 2 ? "" : fmt::format(", rank = {}", e.rank), cga_suffix(e.cga));
          },
          [](const PaddedShared& e) { return padded_text(e); },
          [](const SharedLinear& e) {
            return fmt::format("#ttg.shared_linear<{{offset = {}{}}}, alignment = {}>", e.offset,
                               e.block.empty() ? "" : fmt::format(", block = {}", e.block), e.alignment);
          },
          [](const Blocked& e) {
            return fmt::format(
                "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = {}{}}}>",
                e.size_per_thread, e.threads_per_warp, e.warps_per_cta, e.order, cga_suffix(e.cga));
          },
          [](const NvidiaMma& e) {
            return fmt::format(
                "#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = {}, warpsPerCTA = {}{}, instrShape = {}}}>",
                e.major, e.minor, e.warps_per_cta, cga_suffix(e.cga), e.instr_shape);
          },
          [](const DotOperand& e) {
            return fmt::format("#ttg.dot_op<{{opIdx = {}, parent = {}{}}}>", e.operand, mlir_text(*e.parent),
                               e.k_width == 0 ? "" : fmt::format(", kWidth = {}", e.k_width));
          },
          [](const RegisterSlice& e) {
            return fmt::format("#ttg.slice<{{dim = {}, parent = {}}}>", e.dimension, mlir_text(*e.parent));
          },
          [](const RegisterLinear& e) {
            return fmt::format("#ttg.linear<{{register = {}, lane = {}, warp = {}, block = {}}}>", e.registers, e.lane,
                               e.warp, e.block);
          },
          [](const TensorMemory& e) {
            return fmt::format("#ttng.tensor_memory_encoding<blockM = {}, blockN = {}, colStride = {}{}>", e.block_m,
                               e.block_n, e.column_stride, e.is_fp4_padded ? ", fp4Padded = true" : "");
          },
          [](const TensorMemoryScales&) { return std::string("#ttng.tensor_memory_scales_encoding<>"); }},
      encoding.value);
}

}  // namespace swz
