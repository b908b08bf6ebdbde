// SPDX-License-Identifier: Apache-2.0
// ConstantBank: what the constants c[bank][offset] of a kernel hold, as an operand of PTX.
//
//   sm_90:   c[0x0][0x0]     the extent of the block in x          %ntid.x
//            c[0x0][0x210]   the first parameter                   ld.param of f_param_0
//            c[0x0][0x198]   the address of the parameters
//   sm_100:  the same at 0x360, 0x380 and 0x348
//
// Where a cubin says which parameters the kernel has, each has its name; otherwise they are one array of bytes.
//
// Source: pairs of PTX and SASS of ptxas 12.4 to 13.5; the offsets of parameters are in the cubin (PARAM_CBANK).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// A parameter of a kernel: where it lies from the first one on.
struct SassParameter {
  std::int64_t offset = 0, bytes = 0;
};

class ConstantBank {
 public:
  // target: "sm_90a". base: where the parameters begin in bank 0; nullopt: where the target has them.
  ConstantBank(std::string_view kernel, std::string_view target, std::vector<SassParameter> parameters,
               std::optional<std::int64_t> base);

  // How PTX reads 32 bits: "mov.u32 {}, %ntid.x", "ld.param.b32 {}, [f_param_0+4]".
  struct Read {
    std::string opcode, operand;
  };
  Read read(int bank, std::int64_t offset) const;
  // The low half of the address of the parameters is at this offset.
  bool is_parameter_address(int bank, std::int64_t offset) const { return bank == 0 && offset == address_; }
  std::string first_parameter() const { return parameter_name(0); }
  // The list of parameters of the PTX.
  std::string declaration() const;

 private:
  std::string parameter_name(std::size_t place) const;

  std::string kernel_;
  std::vector<SassParameter> parameters_;
  std::int64_t block_ = 0, grid_ = 0, base_ = 0, address_ = 0;
};

}  // namespace swz
