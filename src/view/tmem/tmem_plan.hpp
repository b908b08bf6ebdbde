// SPDX-License-Identifier: Apache-2.0
// View of a plan of tensor memory: what `swz tmem plan` answers.
//
// The picture shows the columns line by line, 32 in a line as they are allocated, 4 in a square.
#pragma once

#include "tmem/plan_lints.hpp"
#include "view/document/document.hpp"

namespace swz {

struct TmemPlanView {
  TmemRequest request;
  KernelClaims claims = {};
};
struct TmemPlanAnswer {
  Document document;
  bool fits = false;
};
// Throws Error as tmem/plan.hpp does.
TmemPlanAnswer view_tmem_plan(const TmemPlanView& view);

}  // namespace swz
