// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file that holds compiled kernels: fat binaries, archives, zip files, objects, anything else. An Error with a
// message, or binaries that lie in the file or in a member, each of which opens or is refused.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "binary/codec/codecs.hpp"
#include "binary/kernel_catalog.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const swz::BinaryFile file{{reinterpret_cast<const char*>(data), size}, "fuzz"};
  // A megabyte of output for each byte would be slow, and is tested elsewhere.
  constexpr std::uint64_t most = 1 << 22;
  try {
    std::uint64_t opened = 0;
    swz::walk_binaries(file, swz::built_in_codecs(), [&](const swz::EmbeddedBinary& one, const swz::OpenBinary& open) {
      if (one.path.empty() && (one.place > size || one.stored > size - one.place)) std::abort();
      if (one.kind == swz::BinaryKind::unreadable && one.why.empty()) std::abort();
      if (one.size > most || opened > most) return true;
      try {
        opened += open().view().size();
      } catch (const swz::Error& e) {
        if (e.message().empty()) std::abort();
      }
      return true;
    });
    if (opened > most) return 0;
    swz::KernelCatalog catalog(swz::built_in_codecs());
    catalog.add(file);
    for (const swz::FoundKernel& kernel : catalog.kernels())
      if (!kernel.binary && !kernel.ptx) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
