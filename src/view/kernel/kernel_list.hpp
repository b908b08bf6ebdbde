// SPDX-License-Identifier: Apache-2.0
// View of the kernels that a file holds, before one of them is read: what `swz kernel libfoo.so` answers.
//
//   2 kernels
//   kernel     arch    registers  stack  shared  threads  parameters  PTX  in
//   one_array  sm_80           8      0    4224     256*           2  yes  libfoo.so
//   one_array  sm_90a         10      0    4224     256*           2  yes  libfoo.so
//   choose one: --entry NAME and --arch SM
//
// shared is without what the system reserves; * is what the bounds allow at most.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "binary/kernel_catalog.hpp"
#include "view/document/document.hpp"

namespace swz {

// What is known of a kernel that was compiled: by its cubin, and by the file that a compiler wrote beside it.
struct BuiltKernel {
  SmArch arch = {};
  KernelResources resources = {};
  std::optional<std::uint32_t> toolkit = {};
  bool is_relocatable = false;
  std::optional<std::uint64_t> dynamic_shared = {};  // bytes that a launch asks for
  std::string place = {};                            // "torch.whl:torch/lib/libtorch.so"
};

Json built_json(const BuiltKernel& built);
// "10 registers, no stack, 4224 B of static shared memory, 2 barriers, cluster of 2 x 1 x 1"
std::string resources_text(const BuiltKernel& built);
// "2 with 12 B, at 0x210 of constant bank 0"
std::string parameters_text(const KernelResources& resources);

// The rows after the first 200 are made when they are shown: a whole torch has 147,201.
Document view_kernel_list(std::shared_ptr<const KernelCatalog> catalog);

}  // namespace swz
