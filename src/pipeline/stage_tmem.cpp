// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stage_tmem.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr int most_accumulators = 32, most_n = 256;

// The kind of the question, or the first that takes its type of A.
const MmaKindRow* find_kind(const StageQuestion& q) {
  if (q.kind != nullptr) return q.kind;
  for (const MmaKindRow& row : mma_kinds())
    if (!row.block_scaled && takes_type(row, q.a->name)) return &row;
  return nullptr;
}

// The largest M that tcgen05.mma has and that divides the tile; 0: none.
int mma_rows(const StageQuestion& q) {
  for (const int rows : {128 * q.cta_group, 64 * q.cta_group})
    if (q.tile.m % rows == 0) return rows;
  return 0;
}

std::optional<TmemRequest> request_of(const StageQuestion& q) {
  const MmaKindRow* kind = find_kind(q);
  const int m = mma_rows(q);
  const std::int64_t along_n = (q.tile.n + most_n - 1) / most_n;
  if (kind == nullptr || m == 0 || q.tile.n % along_n != 0) return std::nullopt;
  TmemRequest request{.target = q.target,
                      .kind = kind->kind,
                      .shape = {.m = m, .cta_group = q.cta_group, .sparse = q.sparse},
                      .n = static_cast<int>(q.tile.n / along_n),
                      .k = static_cast<int>(q.tile.k),
                      .dtype = q.a->name};
  try {
    if (kind->block_scaled) request.scales = &require_scale_kind(kind->kind, q.vec);
    require_shape(request);
  } catch (const Error&) {
    return std::nullopt;
  }
  return request;
}

int rounded_up(int value, int step) { return (value + step - 1) / step * step; }

int columns_of(TmemRequest request, int stages) {
  request.stages = stages;
  for (const TmemNeed& need : tmem_needs(request))
    if (need.object == TmemObject::d) return need.total();
  return 0;
}

}  // namespace

std::optional<StageTmem> tmem_of(const StageQuestion& q) {
  if (q.family != MmaFamily::tcgen05) return std::nullopt;
  const std::optional<TmemRequest> request = request_of(q);
  if (!request) return std::nullopt;
  StageTmem tmem{.mma_m = request->shape.m,
                 .mma_n = request->n,
                 .mmas_m = static_cast<int>(q.tile.m / request->shape.m),
                 .mmas_n = static_cast<int>(q.tile.n / request->n),
                 .beside = {},
                 .of = most_columns(*request)};
  const int mmas = tmem.mmas_m * tmem.mmas_n;
  tmem.columns = columns_of(*request, mmas);
  int end = 0;
  for (TmemNeed need : tmem_needs(*request)) {
    if (need.object == TmemObject::d) continue;
    need.stages = need.object == TmemObject::sfb ? tmem.mmas_n : tmem.mmas_m;
    end = rounded_up(end, need.alignment) + need.total();
    tmem.beside.push_back(need);
  }
  tmem.columns_beside = end;
  const auto used_by = [&](int accumulators) {
    const int of_d = accumulators == 0 ? 0 : columns_of(*request, accumulators * mmas);
    return end == 0 ? of_d : rounded_up(of_d, tmem.beside.front().alignment) + end;
  };
  while (tmem.accumulators < most_accumulators && used_by(tmem.accumulators + 1) <= tmem.of) ++tmem.accumulators;
  tmem.used = used_by(tmem.accumulators);
  return tmem;
}

}  // namespace swz
