# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ file with the text of each of FILES: cmake -DOUTPUT=... -DFILES="a;b" -P embed_kernels.cmake
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"swz(${text})swz\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"probe/cuda/nvrtc.hpp\"

namespace swz {

namespace {

constexpr KernelFile files[] = {
${entries}};

}  // namespace

std::span<const KernelFile> kernel_files() { return files; }

}  // namespace swz
")
