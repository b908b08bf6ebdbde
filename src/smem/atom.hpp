// Swizzle atoms: the smallest pieces that canonical operand tiles are made of, by name and element type.
//
//   K_SW128<bf16>   =  Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)      8 rows of 128 bytes
//   MN_SW64<f16>    =  Sw<2,4,3> o smem_ptr[16b](unset) o (32,8):(1,32)
//   MN_INTER<tf32>  =  Sw<0,4,3> o smem_ptr[32b](unset) o (4,8):(1,4)        a core matrix
//
// An atom is K-major (rows x k) or MN-major (mn x k), one line of its swizzle mode wide and 8 lines long; only
// MN_SW128_32B, the 32-byte-atomic mode of tcgen05, has 4. CUTLASS calls them Layout_K_SW128_Atom<T>.
//
// Source: PTX ISA 9.1, 9.7.15.5.1 and 9.7.16.3 (tables of canonical layouts); CUTLASS Layout_*_Atom_Bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// In elements of `dtype`. Throws Error when a line does not hold whole elements, and for the K-major atom of
// 128B_32B, which nobody defines.
ComposedLayout atom(Major major, const SwizzleMode& mode, const DType& dtype);

// One named atom: "K_SW128", also as CUTLASS spells it, "GMMA::Layout_K_SW128_Atom". Null: no atom of this name.
// K_SW128_32B has a name so that atom() can say why it does not exist.
struct NamedAtom {
  std::string name;
  Major major = Major::K;
  const SwizzleMode* mode = nullptr;
};
std::vector<NamedAtom> named_atoms();
const NamedAtom* find_atom(const std::vector<NamedAtom>& atoms, std::string_view name);

}  // namespace swz
