// SPDX-License-Identifier: Apache-2.0
// KernelFiles: the files that `swz kernel` is given, whatever they are, and the kernels in them.
//
//   KernelFiles files({"torch.whl", "~/.triton/cache"}, context);
//   files.are_texts()                    false: one of them is not PTX as text
//   const KernelCatalog catalog = files.catalog({.entry = "*attention*"});
//   files.read(catalog, 0, question)     the kernel's PTX and its cubin's facts, as one KernelText
//
// A folder is the files in it that may hold kernels, by their endings. Beside NAME.cubin, NAME.json of Triton has the
// warps and the dynamic shared memory of its launch.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/kernel_catalog.hpp"
#include "command.hpp"
#include "mapped_file.hpp"
#include "probe/cuda/nvdisasm.hpp"
#include "view/kernel/kernel.hpp"

namespace swz {

class KernelFiles {
 public:
  KernelFiles(const std::vector<std::string>& names, const Context& context);

  bool are_texts() const;
  std::size_t count() const { return files_.size(); }
  const std::string& name(std::size_t file) const { return files_[file].name; }
  std::string text(std::size_t file) const;
  KernelCatalog catalog(const KernelFilter& filter) const;
  // The bytes of a binary of the catalog.
  BinaryBytes bytes_of(const KernelCatalog& catalog, std::size_t binary) const;
  // Of one that has a cubin.
  BuiltKernel built(const KernelCatalog& catalog, const FoundKernel& kernel) const;
  // Of one that has a cubin: its machine code, and what ptxas changed if the PTX is there too.
  KernelText read_code(const KernelCatalog& catalog, const FoundKernel& kernel, KernelQuestion question,
                       const Nvdisasm& nvdisasm) const;
  // Of one that has PTX.
  KernelText read(const KernelCatalog& catalog, const FoundKernel& kernel, KernelQuestion question) const;

 private:
  struct File {
    std::string name;
    std::unique_ptr<MappedFile> mapped = {};
    std::string text = {};  // of standard input and pipes
    bool is_text = false;

    std::string_view bytes() const { return mapped ? mapped->bytes() : std::string_view(text); }
  };
  std::optional<std::array<std::int64_t, 3>> launched_threads(const KernelCatalog& catalog,
                                                              const FoundKernel& kernel) const;
  std::string ptx_of(const KernelCatalog& catalog, const FoundKernel& kernel, const Cubin* cubin) const;
  void add_folder(const std::string& folder);
  void add_file(const std::string& name, const Context& context);

  std::vector<File> files_;
};

}  // namespace swz
