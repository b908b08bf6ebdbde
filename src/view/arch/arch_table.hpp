// SPDX-License-Identifier: Apache-2.0
// Tables of src/arch as a Document: the columns that several of them have. Every row ends with its evidence and source.
//
//   d.add(sourced<Target>("targets", "targets", targets(), {naming<Target>("target"), …}));
//   JSON: {"targets": [{"name": "sm_75", …, "evidence": "documented", "source": "CUDA Programming Guide, …"}, …]}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "view/document/document.hpp"

namespace swz {

template <class Row>
ColumnOf<Row> naming(std::string label, std::string key = "name", std::string_view Row::*name = &Row::name) {
  return {std::move(key), std::move(label), [name](const Row& row) { return Cell(row.*name, "", Tone::strong); }};
}

// A cell of the column; "" and 0 are null in JSON and "-" in text.
template <class Row, class T>
auto or_none(T Row::*member) {
  return [member](const Row& row) { return row.*member == T{} ? Cell(nullptr) : Cell(row.*member); };
}

template <class Row, class Names>
auto names(Names Row::*member) {
  return [member](const Row& row) { return name_list(row.*member); };
}

template <class Row, class Rows>
Table sourced(std::string key, std::string title, const Rows& rows, std::vector<ColumnOf<Row>> columns) {
  columns.push_back({"evidence", "evidence", [](const Row& row) { return to_string(row.source.evidence); }});
  columns.push_back({"source", "source", [](const Row& row) { return row.source.where; }});
  return table_of<Row>(std::move(key), std::move(title), rows, columns);
}

// The targets of an Availability.
template <class Row>
auto target_list(Availability Row::*where) {
  return [where](const Row& row) {
    std::vector<std::string_view> names;
    for (const Target& target : targets())
      if (runs_on(row.*where, target)) names.push_back(target.name);
    return name_list(names);
  };
}

inline std::vector<std::string_view> names_of_kinds(unsigned set) {
  std::vector<std::string_view> names;
  for (const MmaKindRow& row : mma_kinds())
    if (contains(set, row.kind)) names.push_back(row.name);
  return names;
}

// Add topics, each with its tables. arch_pipeline.cpp:
void add_clusters(Document& d);
void add_gpus(Document& d);
// arch_tensor_memory.cpp:
void add_tensor_memory(Document& d);
void add_tcgen05(Document& d);
void add_scales(Document& d);
void add_narrow(Document& d);
void add_sparse(Document& d);
void add_open_questions(Document& d);

// What each swizzle mode is and does, instead of its table in a picture.
Figure swizzle_modes_figure();

}  // namespace swz
