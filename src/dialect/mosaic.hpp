// Between the files of JAX Mosaic: mosaic.cpp has the transforms of shared memory and the row of the table,
// mosaic_registers.cpp the layouts of registers.
#pragma once

#include <string_view>
#include <vector>

#include "dialect/dialect.hpp"
#include "dialect/literal.hpp"

namespace swz {

// The name without what stands before its last dot: "WGMMA_LAYOUT" of "mgpu.WGMMA_LAYOUT".
std::string_view last_name(std::string_view name);
// jnp.bfloat16, "f16"; throws Error at its place.
const DType& dtype_of(const Literal& value);
// Tiling(((64, 8), (8,))), Tiling(tiles=…) and Tiling((64, 8)(8,)).
std::vector<std::vector<std::int64_t>> tiles_of_tiling(const Literal& tiling);

bool names_mosaic_registers(const Literal& value);
Reading read_mosaic_registers(const Literal& value, const Given& given);
Written write_mosaic_registers(const RegisterForm& form);

}  // namespace swz
