// SPDX-License-Identifier: Apache-2.0
// Containers that are cut off, lie about their sizes, or expand without end: what is refused says the file, the place, the
// rule and the way out; nothing is read outside of the bytes, and nothing is allocated for a size that cannot be.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/random.hpp"
#include "binary/archive.hpp"
#include "binary/fat_binary.hpp"
#include "binary/fixture.hpp"
#include "binary/zip.hpp"

namespace swz {
namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

void put(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t count) {
  bytes.replace(at, count, number(value, static_cast<int>(count)));
}

// Of a file in which nothing can be read: the first reason.
std::string reason(const std::string& bytes) {
  try {
    const KernelCatalog catalog = catalog_of(bytes, "f");
    const auto unreadable = catalog.unreadable();
    return unreadable.empty() ? "" : unreadable.front()->why;
  } catch (const Error& e) {
    CHECK(!e.hint.empty());
    return e.message();
  }
}

// A zip of one member that is stored, which says this size of what it holds.
std::string stored_zip(const std::string& name, const std::string& content) {
  std::string zip = "PK\x03\x04" + number(20, 2) + std::string(12, '\0') + number(content.size(), 4) +
                    number(content.size(), 4) + number(name.size(), 2) + number(0, 2) + name + content;
  const std::size_t directory = zip.size();
  zip += "PK\x01\x02" + number(20, 2) + number(20, 2) + std::string(12, '\0') + number(content.size(), 4) +
         number(content.size(), 4) + number(name.size(), 2) + std::string(16, '\0') + name;
  const std::size_t size = zip.size() - directory;
  return zip + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) + number(size, 4) + number(directory, 4) +
         number(0, 2);
}

TEST_CASE("every prefix and many damages of each container are answered or refused") {
  for (const char* name : {"all.fatbin", "all_speed.fatbin", "deflated.whl", "libboth.a", "libboth.so"}) {
    CAPTURE(name);
    const std::string whole = fixture(name);
    CHECK(reason(whole).empty());
    const std::size_t step = 1 + whole.size() / 1500;
    for (std::size_t size = 0; size < whole.size(); size += step) {
      const std::string why = reason(whole.substr(0, size));
      CHECK_MESSAGE((why.empty() || why.starts_with("f: ") || why.starts_with("f:")), why);
    }
    for (int seed = 0; seed < 300; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      std::string damaged = whole;
      for (int i = 0; i < 3; ++i)
        damaged[static_cast<std::size_t>(random.below(std::ssize(damaged)))] = static_cast<char>(random.below(256));
      reason(damaged);
    }
  }
}

TEST_CASE("a fat binary that lies about a size says where") {
  const std::string fat = fixture("all.fatbin");
  // The first entry is behind the header of the container: its header's size, its payload, its size when decompressed.
  std::string lies = fat;
  put(lies, 16 + 4, 8, 4);
  CHECK(reason(lies).starts_with("f: the header of an entry has 8 bytes, fewer than 64 at 0x10"));
  lies = fat;
  put(lies, 16 + 8, std::uint64_t{1} << 60, 8);
  CHECK(reason(lies).starts_with("f: 1152921504606846976 bytes at 0x"));
  lies = fat;
  put(lies, 16 + 16, 0x7fffffff, 4);
  CHECK(reason(lies).starts_with("it says that 2147483647 of its "));
  lies = fat;
  put(lies, 16 + 56, std::uint64_t{1} << 40, 8);
  CHECK(reason(lies).find("more than the limit of 2048 MiB of a decompressed member") != std::string::npos);
  lies = fat;
  put(lies, 16 + 56, (std::uint64_t{1} << 31) - 1, 8);
  CHECK(reason(lies).find("is no zstd of 2147483647 bytes") != std::string::npos);
  lies = fat;
  put(lies, 16 + 40, 0x1011, 8);
  CHECK(reason(lies).starts_with("the compression of CUDA 10 and older (flag 0x1000) is not known"));
  lies = fat;
  put(lies, 16, 8, 2);
  // NVVM IR is listed by its kind, and is not a fault.
  CHECK(list_binaries({lies, "f"}, built_in_codecs()).front().kind == BinaryKind::nvvm);
}

TEST_CASE("without a library the answer names it and the package") {
  const std::string fat = fixture("all.fatbin");
  KernelCatalog catalog(Codecs{});
  catalog.add({fat, "f"});
  REQUIRE(catalog.unreadable().size() == 3);
  CHECK(catalog.unreadable().front()->why.find(
            "compressed by zstd, and this swz was built without it; install the wheel, or "
            "libzstd-dev") != std::string::npos);
}

TEST_CASE("archives in one another, members without end, and zips that lie") {
  std::string nested = fixture("old_sm_80.cubin");
  for (int depth = 0; depth < limits::nested_archives.most; ++depth)
    nested = stored_zip(depth == 0 ? "a.cubin" : "a.zip", nested);
  CHECK(catalog_of(nested, "f").kernels().size() == 3);
  nested = stored_zip("a.zip", nested);
  CHECK(catalog_of(nested, "f").kernels().empty());
  CHECK(reason(nested).starts_with("a file with compiled kernels: 5 archives in one another are more than the limit"));

  const std::string content(100, 'x');
  std::string zip = stored_zip("a.so", content);
  CHECK(zip_members(zip, "f").at(0).stored == content);
  std::string lies = zip;
  const std::size_t directory = lies.find("PK\x01\x02");
  put(lies, directory + 20, 1 << 30, 4);
  CHECK(reason(lies).starts_with("f: 1073741824 bytes at 0x"));
  lies = zip;
  put(lies, directory + 42, 7, 4);
  CHECK(reason(lies).starts_with("f: no member of a zip file at 0x7"));
  lies = zip;
  put(lies, directory + 10, 12, 2);
  CHECK(reason(lies) == "f:a.so: its compression, method 12 of zip, is not known; unpack it");
  lies = zip;
  put(lies, directory + 10, 8, 2);  // the size of what is said to be deflated is that of 2 GiB - 1
  put(lies, directory + 24, (std::uint64_t{1} << 31) - 1, 4);
  CHECK(reason(lies).find("is no zlib of 2147483647 bytes") != std::string::npos);
  CHECK(reason("!<thin>\nfoo") == "f: a thin archive has no members, only their paths at 0x0");
  CHECK(reason("!<arch>\nfoo.o") == "f: 60 bytes at 0x8 reach beyond its end at 0xd");
}

}  // namespace
}  // namespace swz
