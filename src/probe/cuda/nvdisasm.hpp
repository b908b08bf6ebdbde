// SPDX-License-Identifier: Apache-2.0
// Nvdisasm: the disassembler of CUDA, found and run. It needs no GPU.
//
// It is searched for in this order:
//   $SWZ_NVDISASM                 a file; nothing else is tried. "none": machine code is not read, as if it were not there
//   nvdisasm                      in the folders of $PATH
//   the CUDA toolkit and wheels   cuda_files.hpp; the wheel is nvidia-cuda-nvdisasm
//
// The cubin is given to it in memory, so that no file is written; what it prints is read through a pipe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace swz {

class Nvdisasm {
 public:
  // Throws Error that says how to get it if it is not there.
  Nvdisasm();
  // SWZ_NVDISASM is "none".
  static bool is_switched_off();
  const std::string& path() const { return path_; }

  // The code of one function of a cubin, by the number of its symbol, with the lines of its source and of its PTX where
  // the cubin has them. Throws Error with what nvdisasm says if it fails, and if it prints more than `most` bytes.
  std::string disassembled(std::string_view cubin, std::uint32_t symbol, std::int64_t most) const;

 private:
  std::string path_;
};

}  // namespace swz
