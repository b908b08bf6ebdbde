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
// architecture; or in NAME.cubin and NAME.ptx of one folder. A cubin that keeps its PTX is its own. Only binaries of the
// architecture that is asked for are opened, a few at a time, by the workers; the kernels are in the order of the file.
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
#include "base/workers.hpp"
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
  explicit KernelCatalog(const Codecs& codecs, KernelFilter filter = {}, Workers workers = call_in_order)
      : codecs_(codecs), filter_(std::move(filter)), workers_(std::move(workers)) {}

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
  // One whose bytes are to be read, as long as its member lasts.
  struct UnreadBinary {
    std::size_t binary = 0;  // of the catalog
    OpenBinary open;
  };
  // What its bytes say.
  struct BinaryContent {
    BinaryKind kind = {};
    SmArch arch = {};
    std::string why = {};  // unreadable
    std::string group = {};
    std::vector<FoundKernel> kernels = {};
  };

  void read(std::vector<UnreadBinary>& unread);
  BinaryContent content_of(const UnreadBinary& unread) const;
  void read_cubin_into(BinaryContent& content, std::string_view bytes, std::size_t binary) const;
  void read_ptx_into(BinaryContent& content, std::string_view bytes, std::size_t binary) const;
  bool takes(const SmArch& arch) const {
    return filter_.target == nullptr || find_target(arch.name()) == filter_.target;
  }
  void add_kernel(FoundKernel kernel, const std::string& group);

  Codecs codecs_;
  KernelFilter filter_;
  Workers workers_;
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
