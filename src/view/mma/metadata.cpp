// SPDX-License-Identifier: Apache-2.0
// View of the metadata of sparse MMAs: what `swz sparse` answers.
#include <fmt/format.h>

#include "arch/tensor_memory.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"
#include "view/mma/mma_figure.hpp"
#include "view/mma/scale_factor.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
namespace {

// A chunk of A: its row of the whole A, the CTA and the row in it, the first k of the MMA.
struct Chunk {
  std::int64_t row = 0;
  int cta = 0, cta_row = 0, k = 0, mma = 0;
};

Chunk chunk_of(const MetadataView& view, const SparseForm& form) {
  const DataPath& path = *view.path;
  if (view.cell) {
    const MetadataChunk found =
        metadata_chunk(form, view.cell->lane % path.rows(), view.cell->column, view.cell->inside);
    return {view.cta * path.rows() + found.row, view.cta, found.row, found.k, found.mma};
  }
  if (!view.at) return {.mma = view.mma};
  require_index("row", view.at->row, view.rows);
  require_index("k", view.at->kb, form.k);
  const auto of_tile = static_cast<int>(view.at->row % path.m);
  return {view.at->row, of_tile / path.rows(), of_tile % path.rows(), static_cast<int>(view.at->kb), view.mma};
}

void add_tensor_memory(Document& d, const MetadataView& view, const MetadataPlace& p) {
  const std::vector<int> lanes = metadata_lanes(*view.path, p);
  d.field("lane", lanes.size() == 1 ? "lane" : "lanes", p.lane, fmt::format("{}", fmt::join(lanes, ", ")));
  d.json("lanes", lanes).field("column", "column", p.column);
  d.field("bits", "bits", Json{p.first_bit, p.first_bit + 3}, range_text(p.first_bit, 4));
  d.field("address_column", "address", p.address_column,
          fmt::format("column {}, sparsity selector {}", p.address_column, p.selector));
  d.json("selector", p.selector);
}

void add_registers(Document& d, const SparseForm& form, const Chunk& of, int selector) {
  const MetadataRegister r = metadata_register(form, of.cta_row, of.k, selector);
  const std::string of_wgmma =
      form.wgmma.empty() ? std::string()
                         : fmt::format("thread {} of {} (row {} of 64), ", r.thread, form.wgmma, of.cta_row % 64);
  d.field("register", "register",
          Json{{"thread", form.wgmma.empty() ? Json() : Json(r.thread)},
               {"lane", r.lane()},
               {"bits", {r.first_bit, r.first_bit + 3}},
               {"selector", selector}},
          fmt::format("{}lane {} of {} (row {} of 16): bits {} with selector {}", of_wgmma, r.lane(), form.mma,
                      of.cta_row % 16, range_text(r.first_bit, 4), selector));
}

Json map_of(const MetadataView& view, const SparseForm& form, int mma) {
  Json map;
  for (int row = 0; row < view.path->rows() && view.has_map; ++row)
    for (int k = 0; k < form.k; k += form.chunk) {
      const MetadataPlace at = metadata_place(form, row, k, mma);
      map.push_back({at.lane, at.column, at.first_bit});
    }
  return map;
}

}  // namespace

Document view_metadata(const MetadataView& view) {
  const SparseForm& form = require_sparse_form(view.kind, view.version);
  const DataPath& path = *view.path;
  if (path.is_scattered)
    throw usage_error(fmt::format("no source says where the metadata of data path {} lies in tensor memory", path.name),
                      "an open question: 'swz arch open'; take M 128, or .ws");
  if (view.cta >= path.cta_group) throw usage_error("--cta 1 is for --cta-group 2", "leave it out");
  const Chunk of = chunk_of(view, form);
  const int first = of.k / form.chunk * form.chunk;
  Document d(fmt::format("metadata of row {}, k {}-{} of MMA {}, kind {}{}", of.row, first, first + form.chunk - 1,
                         of.mma, row_of(view.kind).name, form.version == 0 ? "" : ", version 1"));
  d.answers = {"cta", "lane", "column", "bits", "address_column", "selector"};
  add_cta(d, path.cta_group, of.cta);
  if (view.cell) {
    d.answers = {"row", "k", "mma"};
    d.field("row", "row", of.row).field("k", "k", Json{first, first + form.chunk - 1}, range_text(first, form.chunk));
    d.field("mma", "MMA", of.mma, fmt::format("{} of the tile", of.mma));
  }
  add_tensor_memory(d, view, metadata_place(form, of.cta_row, of.k, of.mma));
  const MetadataPlace place = metadata_place(form, of.cta_row, of.k, of.mma);
  d.headline = fmt::format("row {}, k {}: its nibble is bits {} of lane {}, column {}", of.row,
                           range_text(first, form.chunk), range_text(place.first_bit, 4), place.lane, place.column);
  if (form.version == 0) {
    const Bits gmem = metadata_gmem(form, view.rows, of.row, of.k, of.mma);
    d.field("gmem", "global memory", place_json(gmem, 4), place_text(gmem, 4) + " of CUTLASS's TensorE");
    add_registers(d, form, of, view.selector);
  } else {
    d.field("gmem", "global memory", nullptr, "no source says in which order version 1 lies there");
    d.json("register", nullptr);
  }
  d.json("map", map_of(view, form, of.mma));
  d.add(metadata_drawing(form, of.mma, {of.cta_row, of.k}, path.rows()));
  std::vector<std::string_view> open;
  if (form.halves) open.emplace_back("selector-columns");
  add_open(d, open);
  return add_evidence(d, form.source);
}

// "valid: each of 8 chunks keeps 2 of its 4 elements"
static std::string kept_headline(const SparseForm& form, const MetadataWord& word) {
  const std::optional<Kept> first = kept_by(form, word.value & 0xf);
  return fmt::format("valid: each of {} chunks keeps {} of its {} elements", word.bits / 4, first ? first->count : 0,
                     form.chunk);
}

Document view_metadata_word(MmaKind kind, int version, const MetadataWord& word) {
  const SparseForm& form = require_sparse_form(kind, version);
  struct Nibble {
    int number;
    unsigned bits;
    std::optional<Kept> kept;
  };
  std::vector<Nibble> nibbles;
  Notes lints{"lints"};
  // A word of 16 bits that was printed without its zeros would be read as whole.
  const bool is_half = word.bits == 32 && word.value >> 16 == 0;
  for (int i = 0; i < word.bits / 4; ++i) {
    const unsigned bits = word.value >> (4 * i) & 0xf;
    nibbles.push_back({i, bits, kept_by(form, bits)});
    if (!nibbles.back().kept)
      lints.lint("invalid-nibble",
                 fmt::format("bits {}: {:#06b} keeps nothing that the MMA defines", range_text(4 * i, 4), bits),
                 is_half && i >= 4 ? fmt::format("a word of 16 bits is written with four digits: {:#06x}", word.value)
                 : form.chunk == 2 ? "1:2 has 0b0100 and 0b1110"
                                   : "the first index is below the second",
                 "PTX ISA 9.1, 9.7.16.10.8 (documented)");
  }
  Document d(fmt::format("metadata {}, {} bits, kind {}{}", word.text(), word.bits, row_of(kind).name,
                         version == 0 ? "" : ", version 1"));
  d.answers = {"chunks.kept"};
  d.headline = lints.findings.empty() ? kept_headline(form, word) : short_sentence(lints.findings.front().message);
  d.json("word", word.text()).json("bits", word.bits);
  d.add(word_drawing(form, word));
  // The word above says the same of each nibble.
  d.add(in_full(table_of<Nibble>(
      "chunks", "", nibbles,
      {{"chunk", "chunk", &Nibble::number, Column::Align::right},
       {"nibble", "nibble", [](const Nibble& n) { return Cell(n.bits, fmt::format("{:04b}", n.bits)); }},
       {"kept", "elements kept", [&](const Nibble& n) {
          if (!n.kept) return Cell(nullptr, "invalid", Tone::bad);
          const Json list = first_of(n.kept->elements, n.kept->count);
          std::string text;
          for (int i = 0; i < n.kept->count; ++i)
            text += fmt::format("{}{}", i > 0 ? ", " : "", n.kept->elements[static_cast<std::size_t>(i)]);
          return Cell(list, text);
        }}})));
  return d.add(std::move(lints));
}

}  // namespace swz
