// SPDX-License-Identifier: Apache-2.0
#include "expr/tensor_memory.hpp"

#include <fmt/format.h>

#include "arch/open_question.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "fragment/tmem_access.hpp"
#include "tmem/accumulator.hpp"
#include "tmem/instruction_layout.hpp"
#include "tmem/metadata.hpp"
#include "tmem/operand_a.hpp"
#include "tmem/scale_factor.hpp"

namespace swz {
namespace {

using Arguments = std::span<const Value>;

int as_count(const Value& v, const char* of) {
  const std::int64_t n = as_int(v);
  if (n < 1) throw Error(fmt::format("{}: {} is not positive", of, n), "it is at least 1");
  require_within(limits::tile_extent, n);
  return static_cast<int>(n);
}

// The bits of an element of A in tensor memory.
int as_bits(const Value& v) {
  const std::int64_t bits = as_int(v);
  if (bits != 4 && bits != 8 && bits != 16 && bits != 32)
    throw Error(fmt::format("tensor memory does not hold A in {} bits", bits), "32, 16, 8 or 4 bits for an element");
  return static_cast<int>(bits);
}

int as_group(Arguments a, std::size_t i) {
  const std::int64_t group = a.size() > i ? as_int(a[i]) : 1;
  if (group != 1 && group != 2) throw Error(fmt::format("there is no cta_group::{}", group), "it is 1 or 2");
  return static_cast<int>(group);
}

Value accumulator(Arguments a, bool ws, bool sparse) {
  const DataPathQuery query{as_count(a[0], "M"), as_group(a, 2), ws, sparse};
  const int n = as_count(a[1], "N");
  if (n > 256) throw Error(fmt::format("N {} is more than an MMA has", n), "at most 256");
  return ComposedLayout(Accumulator(require_data_path(query), n).layout());
}

Value operand_a(Arguments a, bool ws) {
  const DataPath& path = require_data_path({as_count(a[0], "M"), as_group(a, 3), ws, false});
  const int k = as_count(a[1], "K"), bits = as_bits(a[2]);
  const int step = 256 / bits, most = tmem_columns * 32 / bits;
  if (k % step != 0 || k > most)
    throw Error(fmt::format("K {} is not a number of MMAs that fits: one takes {} elements of {} bits", k, step, bits),
                fmt::format("K is a multiple of {}, at most {}", step, most));
  return ComposedLayout(operand_a_layout(path, {bits, 0, bits}, k));
}

Value scales(Arguments a, std::string_view name) {
  return ComposedLayout(ScaleLayout(name, {as_count(a[0], "rows"), as_count(a[1], "factors")}).layout());
}

// The scale factors of `rows` rows: M of A or N of B. Throws Error if they need more columns than tensor memory has.
Value scales_in_tmem(Arguments a, int cta_group) {
  ScalePlacement placement;
  placement.operand = ScaleOperand::b;
  placement.cta_group = cta_group;
  placement.n = as_count(a[0], "rows");
  const int words = (as_count(a[1], "factors") + 3) / 4;
  if (placement.n > 256) throw Error(fmt::format("an MMA has no {} rows of scale factors", placement.n), "at most 256");
  if (words * placement.columns_per_word() > tmem_columns)
    throw Error(fmt::format("{} factors need more than the {} columns of tensor memory", 4 * words, tmem_columns),
                fmt::format("at most {} factors", 4 * (tmem_columns / placement.columns_per_word())));
  return ComposedLayout(placement.layout(words));
}

}  // namespace

Value tmem_d(Arguments a) { return accumulator(a, false, false); }
Value tmem_d_sparse(Arguments a) { return accumulator(a, false, true); }
Value tmem_d_ws(Arguments a) { return accumulator(a, true, false); }

Value tmem_a(Arguments a) { return operand_a(a, false); }
Value tmem_a_ws(Arguments a) { return operand_a(a, true); }

Value tmem_metadata(Arguments a) {
  const int bits = as_bits(a[0]), mmas = a.size() > 1 ? as_count(a[1], "the number of MMAs") : 1;
  const MmaKind kind = bits == 32   ? MmaKind::tf32
                       : bits == 16 ? MmaKind::f16
                       : bits == 8  ? MmaKind::f8f6f4
                                    : MmaKind::mxf4;
  const SparseForm& form = require_sparse_form(kind);
  if (mmas * form.columns > tmem_columns)
    throw Error(fmt::format("the metadata of {} MMAs needs more than {} columns", mmas, tmem_columns),
                fmt::format("at most {}", tmem_columns / form.columns));
  return ComposedLayout(metadata_layout(form, mmas));
}

Value sf_gmem(Arguments a) { return scales(a, "128x4"); }
Value sf_gmem_8x4(Arguments a) { return scales(a, "8x4"); }
Value sf_gmem_deepgemm(Arguments a) { return scales(a, "deepgemm_packed"); }
Value sf_smem(Arguments a) { return scales(a, "128x4_stage"); }
Value sf_tmem(Arguments a) { return scales_in_tmem(a, 1); }
Value sf_tmem_2x2(Arguments a) { return scales_in_tmem(a, 2); }

std::vector<Finding> tensor_memory_notes(std::string_view function, Arguments a) {
  if (!function.starts_with("tmem_") && !function.starts_with("sf_tmem") && !function.starts_with("tcgen05")) return {};
  std::vector<Finding> notes{note("not-measured", "tensor memory was not measured: no Blackwell GPU was available")};
  const auto add = [&](std::string_view name) {
    const OpenQuestion& q = open_question(name);
    notes.push_back(note("open-question", fmt::format("{}: here {}; or {}", q.question, q.answers[0], q.answers[1]),
                         fmt::format("what decides: {}", q.probe)));
  };
  if (function == "tmem_a" && as_int(a[0]) == 64) add("a-m64-lanes");
  if (function == "tmem_a_ws" && as_int(a[0]) == 32) add("a-layout-g");
  if (function == "tmem_d_sparse" && as_int(a[0]) == 128 && as_group(a, 2) == 2) add("sparse-m128-pair");
  return notes;
}

Layout instruction_layout(std::string_view name) {
  constexpr std::string_view copy = "tcgen05.cp.";
  if (lower_case(name).starts_with(copy)) return copy_layout(require_tmem_copy(name.substr(copy.size())));
  return access_layout(tmem_fragment(find_tmem_form(name)));
}

}  // namespace swz
