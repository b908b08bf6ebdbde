// SPDX-License-Identifier: Apache-2.0
// EmbeddedBinary: a cubin or a PTX text, and where in a file it is.
//
//   walk_binaries({bytes of torch.whl, "torch.whl"}, codecs, visit)
//
//   visit({path "torch/lib/libtorch_cuda.so", kind cubin, arch sm_90a, place 0x1c40, stored 4096, size 9000, zstd}, open)
//     open().view       the 9000 bytes of the cubin, decompressed now
//
// Files are recognised by their first bytes, never by their names: a cubin, PTX, a fat binary, an object file, a
// program or a shared library, an archive of objects, a zip (a wheel). Any other file is searched for fat binaries and
// cubins. Nothing is decompressed that is not asked for, except members of a zip, which have to be searched. A part of
// a file that cannot be read is a binary of kind `unreadable` with the reason, so that others are still found.
//
// Invariants (tested, fuzzed): nothing outside the bytes is read; no more is decompressed than base/limits.hpp allows;
// containers nest at most as deep as there.
// Source: the formats as written by nvcc, fatbinary and nvlink 12.4 to 13.5, compared with cuobjdump.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/row_of.hpp"
#include "base/error.hpp"
#include "binary/codecs.hpp"
#include "binary/sm_arch.hpp"

namespace swz {

enum class BinaryKind : std::uint8_t { ptx, cubin, relocatable, nvvm, unreadable };

constexpr std::string_view to_string(BinaryKind kind) {
  return name_in({"ptx", "cubin", "relocatable", "nvvm", "unreadable"}, kind);
}

struct EmbeddedBinary {
  std::string path = {};  // of the member of archives that holds it: "torch/lib/libtorch_cuda.so"; empty: the file
  BinaryKind kind = BinaryKind::cubin;
  SmArch arch = {};         // of PTX: its target; 0: not known before it is read
  std::uint64_t place = 0;  // of its stored bytes in that member
  std::uint64_t stored = 0, size = 0;
  Compression compression = Compression::none;
  std::uint64_t group = 0;  // the fat binary that holds it, by its place; those of one group have one source
  std::uint64_t part = 0;   // of a payload with several: its place when it is decompressed
  std::string why = {};     // unreadable: the reason, and the way out
};
// Of an error: what `why` says of it.
std::string rule_and_way_out(const Error& e);

// The bytes of a binary: a view of the file, or decompressed.
struct BinaryBytes {
  std::string owned = {};
  std::string_view stored = {};

  std::string_view view() const { return owned.empty() ? stored : std::string_view(owned); }
};

struct BinaryFile {
  std::string_view bytes = {};
  std::string name = {};  // for messages
  // Called after each 64 MiB that were looked at, if it is set: a mapped file need not stay in memory.
  std::function<void()> release = {};
};

// Valid until the member ends, and what it gives too. Several may be called at the same time, but not those of one path and
// place: the parts of one payload. Throws Error if the bytes are damaged or of a compression that is not built in.
using OpenBinary = std::function<BinaryBytes()>;
// False: enough.
using VisitBinary = std::function<bool(const EmbeddedBinary&, const OpenBinary&)>;
// Called before the bytes of a member are given up, and at the end of the file.
using MemberEnds = std::function<void()>;

// Whether the bytes begin as an ELF file, an archive, a zip file or a fat binary does.
bool is_container(std::string_view bytes);
// Whether they are of any file that may hold binaries, and not a text: a PTX is a text.
bool is_binary_file(std::string_view bytes);

void walk_binaries(const BinaryFile& file, const Codecs& codecs, const VisitBinary& visit,
                   const MemberEnds& member_ends = {});

std::vector<EmbeddedBinary> list_binaries(const BinaryFile& file, const Codecs& codecs);
// The bytes of one that list_binaries gave for this file.
BinaryBytes binary_bytes(const BinaryFile& file, const EmbeddedBinary& binary, const Codecs& codecs);

}  // namespace swz
