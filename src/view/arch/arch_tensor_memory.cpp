// SPDX-License-Identifier: Apache-2.0
// Topics of swz arch about tensor memory: what tcgen05 has and on which targets, where elements are, and what is open.
#include <fmt/format.h>

#include "arch/narrow.hpp"
#include "arch/open_question.hpp"
#include "arch/tcgen05.hpp"
#include "arch/tensor_memory.hpp"
#include "tmem/metadata.hpp"
#include "tmem/scale_factor.hpp"
#include "view/arch/arch_table.hpp"

namespace swz {
namespace {

using enum Column::Align;

template <class Row>
auto kinds(unsigned Row::*set) {
  return [set](const Row& row) { return name_list(names_of_kinds(row.*set)); };
}

// A list of names: an array of strings in JSON, separated by commas in text.
template <class Row, std::size_t count>
auto texts(std::array<std::string_view, count> Row::*member) {
  return [member](const Row& row) {
    Json list = Json::array();
    std::string line;
    for (const std::string_view text : row.*member) {
      if (text.empty()) continue;
      list.push_back(text);
      line += fmt::format("{}{}", line.empty() ? "" : "; or ", text);
    }
    return Cell(list, line);
  };
}

std::string_view text_of(WarpSpecialized ws) { return name_in({"no", "yes", "either"}, ws); }
std::string_view text_of(Sparsity sparsity) { return name_in({"dense", "sparse", "either"}, sparsity); }

}  // namespace

void add_tcgen05(Document& d) {
  using Row = Tcgen05Operation;
  const auto groups = [](const Row& row) {
    const int count = (row.cta_groups[0] > 0) + (row.cta_groups[1] > 0);
    const std::string text = count == 2 ? "1 2" : count == 1 ? std::to_string(row.cta_groups[0]) : "-";
    return Cell(first_of(row.cta_groups, count), text);
  };
  d.add(sourced<Row>("tcgen05", "instructions of tensor memory: tcgen05.NAME", tcgen05_operations(),
                     {naming<Row>("name"),
                      {"cta_groups", "cta_group", groups},
                      {"targets", "targets", target_list(&Row::availability)},
                      {"what", "what", &Row::what}}));
}

void add_tensor_memory(Document& d) {
  d.add(sourced<DataPath>("data_paths", "where D lies: data paths of tcgen05.mma", data_paths(),
                          {naming<DataPath>("layout"),
                           {"m", "M", &DataPath::m, right},
                           {"cta_group", "cta_group", &DataPath::cta_group, right},
                           {"ws", ".ws", [](const DataPath& row) { return text_of(row.ws); }},
                           {"sparsity", "A", [](const DataPath& row) { return text_of(row.sparsity); }},
                           {"rows", "rows in a CTA", [](const DataPath& row) { return row.rows(); }, right},
                           {"parts", "parts of N", &DataPath::parts, right},
                           {"scattered", "16 rows in a quarter", &DataPath::is_scattered}}));
  d.add(sourced<TmemShape>("tmem_shapes", "shapes of tcgen05.ld and st, of .x1", tmem_shapes(),
                           {naming<TmemShape>("shape"),
                            {"lanes", "lanes", &TmemShape::lanes, right},
                            {"registers", "registers", &TmemShape::registers, right},
                            {"columns", "columns", &TmemShape::columns, right},
                            {"most", "up to .x", &TmemShape::most, right},
                            {"reduces", "ld.red", &TmemShape::reduces}}));
  d.add(
      sourced<TmemCopy>("tmem_copies", "shapes of tcgen05.cp", tmem_copies(),
                        {{"name", "shape", [](const TmemCopy& row) { return Cell(full_name(row), "", Tone::strong); }},
                         {"rows", "rows", &TmemCopy::rows, right},
                         {"bits", "bits", &TmemCopy::bits, right},
                         {"columns", "columns", [](const TmemCopy& row) { return row.columns(); }, right},
                         {"run", "rows in a run", &TmemCopy::run, right},
                         {"stride", "lanes to the next run", or_none(&TmemCopy::stride), right},
                         {"times", "copies", &TmemCopy::times, right},
                         {"apart", "lanes apart", or_none(&TmemCopy::apart), right}}));
}

void add_scales(Document& d) {
  d.add(sourced<ScaleKind>(
      "scale_kinds", "scale factors that one MMA takes", scale_kinds(),
      {{"kind", "kind", [](const ScaleKind& row) { return Cell(row_of(row.kind).name, "", Tone::strong); }},
       {"vec", "elements of a factor", &ScaleKind::vec, right},
       {"factors", "factors of a row", &ScaleKind::factors, right},
       {"k", "K", [](const ScaleKind& row) { return k_of(row.kind, row.k); }, right}}));
  d.add(sourced<ScaleQualifier>("scale_qualifiers", "how tcgen05.mma names its scale factors", scale_qualifiers(),
                                {naming<ScaleQualifier>("qualifier"),
                                 {"kinds", "kinds", kinds(&ScaleQualifier::kinds)},
                                 {"vec", "elements of a factor", &ScaleQualifier::vec, right},
                                 {"targets", "targets", target_list(&ScaleQualifier::dense)},
                                 {"sparse_targets", "of .sp", target_list(&ScaleQualifier::sparse)}}));
}

void add_narrow(Document& d) {
  const auto transaction = [](const NarrowForm& row) { return row.transaction_bytes(); };
  d.add(sourced<NarrowForm>("narrow_forms", "elements of 4, 6 and 8 bits on their way to the MMA", narrow_forms(),
                            {{"dtypes", "types", names(&NarrowForm::dtypes)},
                             {"kinds", "kinds", kinds(&NarrowForm::kinds)},
                             {"bits", "bits", &NarrowForm::bits, right},
                             {"gaps", "gaps in SMEM", &NarrowForm::has_gaps},
                             {"tmem_bits", "in TMEM", &NarrowForm::tmem_bits, right},
                             {"tmem_first_bit", "from bit", &NarrowForm::tmem_first_bit, right},
                             {"tx_bytes_per_128", "expect_tx of 128", transaction, right},
                             {"tensor_map_type", "tensor map", &NarrowForm::tensor_map_type},
                             {"ptx", "PTX", or_none(&NarrowForm::ptx)}}));
}

void add_sparse(Document& d) {
  d.add(sourced<SparseForm>("sparse_forms", "metadata of sparse tcgen05.mma", sparse_forms(),
                            {{"kinds", "kinds", kinds(&SparseForm::kinds)},
                             {"version", "version", &SparseForm::version, right},
                             {"k", "K", &SparseForm::k, right},
                             {"chunk", "elements of a nibble", &SparseForm::chunk, right},
                             {"halves", "two rows in a lane", &SparseForm::halves},
                             {"columns", "columns of an MMA", &SparseForm::columns, right}}));
}

void add_open_questions(Document& d) {
  using Open = OpenQuestion;
  using Settled = SettledQuestion;
  d.add(sourced<Open>("open", "what the sources leave open; swz gives the first answer", open_questions(),
                      {naming<Open>("name"),
                       {"question", "question", &Open::question},
                       {"answers", "answers", texts(&Open::answers)},
                       {"probe", "probe", &Open::probe}}));
  d.add(sourced<Settled>("settled", "what reading alone has settled", settled_questions(),
                         {naming<Settled>("name"),
                          {"question", "question", &Settled::question},
                          {"answer", "answer", &Settled::answer},
                          {"reason", "reason", &Settled::reason}}));
}

}  // namespace swz
