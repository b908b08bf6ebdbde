// SPDX-License-Identifier: Apache-2.0
// Files of a CUDA toolkit, in the order in which they are tried:
//
//   the CUDA toolkit    $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*, /opt/cuda
//   the PyPI wheels     below the site-packages of $VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, /usr/local, /usr and the
//                       python3 of $PATH, and of the folders above this program
//
//   files_of_cuda(std::array{"bin"}, std::array{"nvidia/cu13/bin"}, std::array{"nvdisasm"})
//     /usr/local/cuda/bin/nvdisasm, ~/.local/lib/python3.12/site-packages/nvidia/cu13/bin/nvdisasm
#pragma once

#include <span>
#include <string>
#include <vector>

namespace swz {

// Those that exist, with their paths. below_root: folders of a toolkit; below_packages: of the packages of Python.
std::vector<std::string> files_of_cuda(std::span<const char* const> below_root,
                                       std::span<const char* const> below_packages, std::span<const char* const> names);

}  // namespace swz
