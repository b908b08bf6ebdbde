// SPDX-License-Identifier: Apache-2.0
// The rows of the table of dialects. Each is defined in the file of its name.
#pragma once

#include "dialect/dialect.hpp"

namespace swz {

Dialect cute_dialect();
Dialect cute_dsl_dialect();
Dialect triton_dialect();
Dialect gluon_dialect();
Dialect tilelang_dialect();
Dialect mosaic_dialect();
Dialect thunderkittens_dialect();
Dialect mojo_dialect();
Dialect tilus_dialect();
Dialect nvfuser_dialect();
Dialect deepgemm_dialect();
Dialect tensor_map_dialect();
Dialect c_dialect();
Dialect bases_dialect();

}  // namespace swz
