// SPDX-License-Identifier: Apache-2.0
// The encodings of Triton as a table: the names of each and of its fields in MLIR and in Gluon. The readers and the
// writers of both notations (triton_mlir.cpp, gluon.cpp) work from its rows.
//
//   MLIR         Gluon           where               in MLIR          in Gluon
//   rank         rank            NvmmaShared::rank   unless_default   optional
//
//   rank = 3 is read in both and may be missing, which means 2; MLIR writes it if it is not 2, Gluon always
//
// A new encoding is a struct in triton_encoding.hpp and a group of rows in triton_fields.cpp. What a notation writes in
// a way of its own has no name there, and its reader does it by hand: the intervals of padded_shared, the braces of
// shared_linear.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dialect/triton_encoding.hpp"

namespace swz {

// Two numbers that are one list in Gluon.
struct NumberPair {
  std::int64_t *first, *second;
  std::string_view form, example;  // "(M, N)", "(128, 64)"
};
// The shape of the array, which Gluon writes although the encoding does not contain it.
struct ShapeOfArray {};

// Where the value of a field is.
using FieldPlace = std::variant<std::int64_t*, bool*, TritonNumbers*, TritonBases*, TritonParent*,
                                std::vector<Padding>*, NumberPair, ShapeOfArray>;

enum class Presence {
  always,          // has to be there, and is written
  optional,        // may be missing, and is written
  unless_default,  // may be missing, and is written if it is not what the struct begins with
};

struct FieldName {
  constexpr FieldName(const char* name, Presence said = Presence::always) : text(name), presence(said) {}
  std::string_view text;  // empty if the notation does not have the field
  Presence presence;
};

enum class TritonNotation { mlir, gluon };

struct EncodingField {
  FieldName mlir, gluon;
  FieldPlace (*place)(TritonEncoding& encoding);

  const FieldName& in(TritonNotation notation) const { return notation == TritonNotation::mlir ? mlir : gluon; }
};

struct EncodingRow {
  std::string_view mlir, gluon;                                // "#ttg.blocked", "BlockedLayout"
  TritonEncoding (*standard)();                                // every field as its struct begins
  std::span<const EncodingField> fields;                       // in the order of the arguments of Gluon
  std::array<std::size_t, 7> mlir_order{0, 1, 2, 3, 4, 5, 6};  // in which MLIR writes the fields

  std::string_view mlir_word() const { return mlir.substr(mlir.find('.') + 1); }  // "blocked"
};

std::span<const EncodingRow> triton_encodings();  // in the order of the alternatives of TritonEncoding
const EncodingRow& row_of(const TritonEncoding& encoding);

// The names of the fields that the notation has, in the order of the rows.
std::vector<std::string_view> field_names(const EncodingRow& row, TritonNotation notation);

// The encoding that the items of a call say. `parent` reads one that is inside another.
TritonEncoding read_fields(const Literal& call, const EncodingRow& row, TritonNotation notation,
                           const std::function<TritonEncoding(const Literal&)>& parent);
// The items of a call: "dim = 1, parent = #ttg.…"; Gluon writes the shape of the array, too.
std::string fields_text(const TritonEncoding& encoding, TritonNotation notation, const ArrayShape& shape = {});

// The bases of a text. Throws Error unless each has as many coordinates as the first.
TritonBases require_bases(const Literal& literal);
// [[64, 8]]: the paddings as Gluon says them.
std::vector<Padding> padding_pairs(const TritonBases& pairs);

// Throws Error for tensor memory of several CTAs, whose text is read but not its meaning.
void require_one_cta(const TritonEncoding& encoding, const char* hint);

}  // namespace swz
