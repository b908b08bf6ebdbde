// SPDX-License-Identifier: Apache-2.0
// KernelCatalog: the kernels of one or many files, with what each needs, before any of their code is read.
//
//   KernelCatalog catalog(codecs, {.entry = "*gemm*", .target = find_target("sm_90a")});
//   catalog.add({bytes, "libfoo.so"});
//   catalog.kernels()[0]
//     name "_Z4gemmPf", arch sm_90a, file 0, binary 3 (a cubin), ptx 4 (an entry of the same fat binary),
//     registers 18, static shared 4096 B, …
//
// A kernel of a cubin and the same kernel of the PTX beside it are one: in the same fat binary, for the same
// architecture; or in NAME.cubin and NAME.ptx of one folder. A cubin that keeps its PTX is its own. Cubins are opened one
// after another, and only those of the architecture that is asked for.
//
// Invariant (tested): kernels, registers, stack, shared memory and constants equal those of cuobjdump
// --dump-resource-usage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arch/target.hpp"
#include "binary/cubin.hpp"
#include "binary/embedded_binary.hpp"

namespace swz {

struct FoundKernel {
  std::string name = {};
  SmArch arch = {};
  std::size_t file = 0;                    // of the catalog
  std::optional<std::size_t> binary = {};  // the cubin of the catalog; none: only its PTX was found
  std::optional<std::size_t> ptx = {};     // what holds its PTX: the cubin itself, or a PTX
  KernelResources resources = {};
  std::optional<std::uint32_t> toolkit = {};
  bool is_relocatable = false;
};

struct CatalogedBinary : EmbeddedBinary {
  std::size_t file = 0;
};

struct KernelFilter {
  std::string entry = {};  // the name, the path of a mangled name, or a pattern with * and ? of one of them; empty: all
  const Target* target = nullptr;  // null: all
};

class KernelCatalog {
 public:
  explicit KernelCatalog(const Codecs& codecs, KernelFilter filter = {})
      : codecs_(codecs), filter_(std::move(filter)) {}

  // Throws Error for a file that cannot be read at all; a part that cannot is in unreadable().
  void add(const BinaryFile& file);

  // A file that was linked with -rdc has each kernel twice, relocatable and linked: only the linked one runs.
  void leave_out_unlinked();

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<CatalogedBinary>& binaries() const { return binaries_; }
  const std::vector<FoundKernel>& kernels() const { return kernels_; }
  std::vector<const CatalogedBinary*> unreadable() const;
  // Of all cubins and PTX, whether they pass the filter or not: "sm_80", "sm_90a".
  std::vector<std::string> archs() const;

 private:
  void add_cubin(const EmbeddedBinary& binary, const OpenBinary& open);
  void add_ptx(const EmbeddedBinary& binary, const OpenBinary& open);
  bool takes(const SmArch& arch) const {
    return filter_.target == nullptr || find_target(arch.name()) == filter_.target;
  }
  void add_kernel(FoundKernel kernel, const std::string& group);

  Codecs codecs_;
  KernelFilter filter_;
  std::vector<std::string> files_;
  std::vector<CatalogedBinary> binaries_;
  std::vector<FoundKernel> kernels_;
  std::unordered_map<std::string, std::size_t> by_group_;  // the kernels, by group, architecture and name
};

// "sm_90a", "90a", "compute_100f", "SM90"; nullopt: none of them.
std::optional<SmArch> read_sm_arch(std::string_view text);

// Whether a name is the pattern, or the path of its mangled form is; * is any text, ? any letter.
bool is_kernel_named(std::string_view name, std::string_view pattern);

// The entries of a PTX text and its target, without reading its statements.
struct PtxOutline {
  std::vector<std::string_view> entries = {};
  SmArch target = {};
};
PtxOutline ptx_outline(std::string_view text);

}  // namespace swz
