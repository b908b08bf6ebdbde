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
#include "dialect/triton_fields.hpp"

namespace swz {
namespace {

constexpr std::array<std::string_view, 3> old_cta_keys{"CTAsPerCGA", "CTASplitNum", "CTAOrder"};

// The encodings of ttg had another spelling of the CTAs; `old_key` is one more name that an encoding once had.
void require_mlir_keys(const Literal& l, const EncodingRow& row, std::string_view old_key = {}) {
  std::vector<std::string_view> keys = field_names(row, TritonNotation::mlir);
  if (row.mlir.starts_with("#ttg.") && std::ranges::find(keys, "CGALayout") != keys.end())
    keys.insert(keys.end(), old_cta_keys.begin(), old_cta_keys.end());
  keys.push_back(old_key);
  l.require_keys(keys);
}

// CTASplitNum says how many parts each dimension has, CTAsPerCGA how many CTAs; the others hold copies.
TritonBases old_ctas(const Literal& l, const Literal& per_cga, std::vector<Finding>& notes) {
  notes.push_back(
      note("triton-old-spelling",
           "CTAsPerCGA, CTASplitNum and CTAOrder are an old spelling that Triton 3.9 refuses (unexpected key)",
           "now CGALayout = […], left out for one CTA", "triton 3.9.0 parser (run)"));
  const TritonNumbers ctas = per_cga.integers(), parts = l.require("CTASplitNum").integers(),
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

TritonEncoding read_mlir_fields(const Literal& l, const EncodingRow& row, std::vector<Finding>& notes) {
  const auto parent = [&](const Literal& inside) { return mlir_encoding(inside, notes); };
  TritonEncoding encoding = read_fields(l, row, TritonNotation::mlir, parent);
  if (const Literal* per_cga = l.find("CTAsPerCGA"))
    std::visit(
        [&](auto& e) {
          if constexpr (requires { e.cga; }) e.cga = old_ctas(l, *per_cga, notes);
        },
        encoding.value);
  return encoding;
}

// hasLeadingOffset = true was the way to say nvmma_shared: the element is vec of 16 bytes, the width follows from maxPhase.
TritonEncoding old_shared(const Literal& l, std::vector<Finding>& notes) {
  const EncodingRow& row = row_of({SwizzledShared{}});
  require_mlir_keys(l, row, "hasLeadingOffset");
  TritonEncoding encoding = read_mlir_fields(l, row, notes);
  const auto& e = std::get<SwizzledShared>(encoding.value);
  if (!l.boolean_or(false, "hasLeadingOffset")) return encoding;
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

// A rank that the text does not say is that of the CTAs, or 2.
void set_rank(const Literal& l, NvmmaShared& e) {
  if (l.find("rank") != nullptr && e.rank != 0) return;
  e.rank = e.cga.empty() ? 2 : static_cast<std::int64_t>(e.cga[0].size());
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
    e.offset = require_bases(*offset);
    e.block = require_bases(l.require("block"));
    return e;
  }
  l.require_keys(std::array<std::string_view, 2>{"order", "shape"});
  const TritonNumbers order = l.require("order").integers(), shape = l.require("shape").integers();
  e.offset = bases_in_order(order, shape);
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
  const Literal* block = bases->find("block");
  return {require_bases(bases->require("offset")), block == nullptr ? TritonBases() : require_bases(*block),
          l.require("alignment").integer()};
}

// unpacked = true was the way to say that an element takes a column of 32 bits.
void set_column_stride(const Literal& l, ElementWidth element, std::vector<Finding>& notes, TensorMemory& e) {
  const Literal* unpacked = l.find("unpacked");
  if (unpacked == nullptr) {
    l.require("colStride");
    return;
  }
  notes.push_back(note("triton-old-spelling", "unpacked is an old spelling that Triton 3.9 refuses",
                       "now colStride: 1 is packed", "triton 3.9.0 parser (run)"));
  if (element.bits == 0) throw usage_error("unpacked needs the element type", "add it, for example --dtype f32");
  e.column_stride = unpacked->boolean() ? std::max(1, 32 / element.bits) : 1;
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

std::string linear_text(const SharedLinear& e) {
  return fmt::format("#ttg.shared_linear<{{offset = {}{}}}, alignment = {}>", e.offset,
                     e.block.empty() ? "" : fmt::format(", block = {}", e.block), e.alignment);
}

const EncodingRow& require_row(std::string_view word, const Literal& l) {
  std::vector<std::string> words;
  for (const EncodingRow& row : triton_encodings()) {
    if (row.mlir_word() == word) return row;
    words.emplace_back(row.mlir_word());
  }
  throw Error(fmt::format("Triton has no encoding {}", quoted(l.text)), "swz reads " + join_and(words));
}

}  // namespace

TritonEncoding mlir_encoding(const Literal& l, std::vector<Finding>& notes, ElementWidth element) {
  try {
    if (l.kind != Literal::Kind::call)
      throw Error(fmt::format("{} is not an encoding", l.text.empty() ? "this" : quoted(l.text)),
                  "for example #ttg.nvmma_shared<{…}>");
    const std::string_view word = encoding_word(l, notes);
    if (word == "shared") {
      notes.push_back(note("triton-old-spelling", "shared is an old spelling that Triton 3.9 refuses",
                           "now swizzled_shared; with hasLeadingOffset = true, nvmma_shared",
                           "triton 3.9.0 parser (run)"));
      return old_shared(l, notes);
    }
    if (word == "padded_shared") return {padded_of_mlir(l)};
    if (word == "shared_linear") return {linear_of_mlir(l)};
    if (word == "tensor_memory_scales_encoding" && !l.items.empty())
      throw Error("scale factors of several CTAs are not read", "write <>");
    const EncodingRow& row = require_row(word, l);
    require_mlir_keys(l, row, word == "tensor_memory_encoding" ? "unpacked" : "");
    TritonEncoding encoding = read_mlir_fields(l, row, notes);
    require_one_cta(encoding, "give the encoding of one CTA");
    if (auto* nvmma = std::get_if<NvmmaShared>(&encoding.value)) set_rank(l, *nvmma);
    if (auto* memory = std::get_if<TensorMemory>(&encoding.value)) set_column_stride(l, element, notes, *memory);
    return encoding;
  } catch (const Error& e) {
    throw e.at(l.span);
  }
}

std::string mlir_text(const TritonEncoding& encoding) {
  if (const auto* padded = std::get_if<PaddedShared>(&encoding.value)) return padded_text(*padded);
  if (const auto* linear = std::get_if<SharedLinear>(&encoding.value)) return linear_text(*linear);
  const std::string_view name = row_of(encoding).mlir;
  const std::string fields = fields_text(encoding, TritonNotation::mlir);
  return name.starts_with("#ttg.") ? fmt::format("{}<{{{}}}>", name, fields) : fmt::format("{}<{}>", name, fields);
}

}  // namespace swz
