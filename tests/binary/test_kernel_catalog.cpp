// SPDX-License-Identifier: Apache-2.0
// The kernels of every container, mode of compression, toolkit and architecture, with their resources, as cuobjdump
// --dump-resource-usage recorded them (fixtures.py).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "binary/fixture.hpp"

namespace swz {
namespace {

// "FILE ARCH NAME REG STACK SHARED CONSTANT"; of a bare cubin, and of the parts of a concatenated entry, cuobjdump does
// not say the architecture.
std::string line_of(const std::string& file, const FoundKernel& kernel) {
  const KernelResources& r = kernel.resources;
  const bool has_arch = !file.ends_with(".cubin") && !file.starts_with("concat");
  return fmt::format("{} {} {} {} {} {} {}", file, has_arch ? kernel.arch.name() : "-", kernel.name,
                     r.registers.value_or(0), r.stack.value_or(0), r.shared_section, r.constant_bank);
}

TEST_CASE("every kernel of every container has the resources that cuobjdump reports") {
  std::map<std::string, std::vector<std::string>> recorded;
  for (const std::string& line : fixture_lines("resources.txt"))
    recorded[line.substr(0, line.find(' '))].push_back(line);
  REQUIRE(recorded.size() == 19);
  for (auto& entry : recorded) {
    const std::string& file = entry.first;
    std::vector<std::string>& want = entry.second;
    CAPTURE(file);
    const KernelCatalog catalog = catalog_of(fixture(file), file);
    CHECK(catalog.unreadable().empty());
    std::vector<std::string> got;
    for (const FoundKernel& kernel : catalog.kernels())
      if (kernel.binary) got.push_back(line_of(file, kernel));
    std::ranges::sort(got);
    std::ranges::sort(want);
    CHECK(got == want);
  }
}

TEST_CASE("the cubin and the PTX of one fat binary are one kernel, and the PTX is that of the source") {
  for (const char* mode : {"none", "default", "size", "all", "all_speed"}) {
    CAPTURE(mode);
    const std::string bytes = fixture(fmt::format("{}.fatbin", mode));
    const KernelCatalog catalog = catalog_of(bytes, mode);
    REQUIRE(catalog.binaries().size() == 3);
    REQUIRE(catalog.kernels().size() == 7);
    for (const FoundKernel& kernel : catalog.kernels()) {
      REQUIRE(kernel.binary);
      REQUIRE(kernel.ptx);
      // The cubin of sm_80 keeps its own text; that of sm_90a has the PTX beside it.
      CHECK((kernel.ptx == kernel.binary) == (kernel.arch.number == 80));
    }
    const CatalogedBinary& ptx = catalog.binaries()[2];
    CHECK(ptx.kind == BinaryKind::ptx);
    const BinaryBytes text = binary_bytes({bytes, mode}, ptx, built_in_codecs());
    CHECK(text.view().find(".visible .entry in_cluster(") != std::string_view::npos);
    CHECK(text.view().size() == ptx.size);
  }
}

TEST_CASE("members of wheels and archives have their path, and the filter takes what it names") {
  const std::string bytes = fixture("deflated.whl"), stored = fixture("stored.whl");
  for (const std::string* wheel : {&bytes, &stored}) {
    const KernelCatalog all = catalog_of(*wheel, "p.whl");
    CHECK(all.kernels().size() == 17);
    CHECK(all.archs() == std::vector<std::string>{"sm_80", "sm_90a"});
    CHECK(all.binaries().front().path == "pkg/libboth.so.1");
    CHECK(all.binaries().back().path == "pkg/f.cubin");
    // A binary of a compressed member can be opened after the walk.
    const BinaryBytes cubin = binary_bytes({*wheel, "p.whl"}, all.binaries().back(), built_in_codecs());
    CHECK(cubin.view() == fixture("old_sm_80.cubin"));
    const KernelCatalog one = catalog_of(*wheel, "p.whl", {.entry = "in_*", .target = find_target("sm_90")});
    CHECK(one.kernels().size() == 2);
    CHECK(one.kernels().front().name == "in_cluster");
  }
  CHECK(catalog_of(fixture("libboth.a"), "libboth.a").binaries().front().path == "plain.o");
}

std::string text_of(const KernelCatalog& catalog) {
  std::string text;
  for (const CatalogedBinary& b : catalog.binaries())
    text += fmt::format("{} {} {} {:#x} {} {}\n", b.path, to_string(b.kind), b.arch.name(), b.place, b.part, b.why);
  for (const FoundKernel& k : catalog.kernels())
    text += fmt::format("{} {} {} {} {}\n", k.name, k.arch.name(), k.binary.value_or(99), k.ptx.value_or(99),
                        k.resources.registers.value_or(0));
  return text;
}

TEST_CASE("the catalog does not depend on the order in which workers read, and parts of one payload have one worker") {
  const Workers last_first = [](std::size_t count, const std::function<void(std::size_t)>& call) {
    for (std::size_t i = count; i-- > 0;) call(i);
  };
  const Workers at_once = [](std::size_t count, const std::function<void(std::size_t)>& call) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back(call, i);
    for (std::thread& thread : threads) thread.join();
  };
  std::vector<std::string> names;
  for (const std::string& line : fixture_lines("resources.txt")) names.push_back(line.substr(0, line.find(' ')));
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const char* name : {"deflated.whl", "stored.whl", "libboth.a"}) names.emplace_back(name);
  std::size_t with_parts = 0;
  for (const std::string& name : names) {
    CAPTURE(name);
    // Twice, and once with an entry that is damaged.
    const std::string once = fixture(name);
    std::string damaged = once;
    damaged[once.size() / 2] = static_cast<char>(damaged[once.size() / 2] ^ 0x55);
    for (const std::string& bytes : {once, "\x7f junk \0" + once + once, damaged}) {
      KernelCatalog in_order(built_in_codecs()), reversed(built_in_codecs(), {}, last_first),
          threaded(built_in_codecs(), {}, at_once);
      std::string refused[3];
      int i = 0;
      for (KernelCatalog* catalog : {&in_order, &reversed, &threaded}) try {
          catalog->add({bytes, name});
          ++i;
        } catch (const Error& e) {
          refused[i++] = e.message();
        }
      CHECK(refused[0] == refused[1]);
      CHECK(refused[0] == refused[2]);
      CHECK(text_of(in_order) == text_of(reversed));
      CHECK(text_of(in_order) == text_of(threaded));
      for (const CatalogedBinary& b : in_order.binaries()) with_parts += b.part != 0;
    }
  }
  CHECK(names.size() > 15);
  CHECK(with_parts > 0);
}

TEST_CASE("cubins and fat binaries are found in any other file") {
  const std::string cubin = fixture("new_sm_90a.cubin"), fat = fixture("all.fatbin");
  const std::string junk("key\0\x7f\x45\x4c\x46\x02\x01\x01 value", 18);
  const KernelCatalog catalog = catalog_of(junk + cubin + junk + fat + cubin, "cache");
  REQUIRE(catalog.binaries().size() == 5);
  CHECK(catalog.unreadable().empty());
  CHECK(catalog.kernels().size() == 4 + 7 + 4);
}

TEST_CASE("names of architectures, patterns and the outline of a PTX text") {
  CHECK(read_sm_arch("sm_90a") == SmArch{90, 'a'});
  CHECK(read_sm_arch("compute_100f") == SmArch{100, 'f'});
  CHECK(read_sm_arch("120") == SmArch{120, 0});
  for (const char* none : {"", "sm_", "sm_9", "sm_9000", "hopper", "sm_90b"}) CHECK(!read_sm_arch(none));
  CHECK(is_kernel_named("_ZN5flash3fwdIfEEvv", "flash::*"));
  CHECK(is_kernel_named("gemm_128", "gemm_???"));
  CHECK(!is_kernel_named("gemm_128", "gemm_??"));
  const PtxOutline outline =
      ptx_outline(".version 8.3 // .target sm_10\n/* .entry no */ .target sm_90a, debug\n.visible .entry a(\n.entry b");
  CHECK(outline.entries == std::vector<std::string_view>{"a", "b"});
  CHECK(outline.target == SmArch{90, 'a'});
}

}  // namespace
}  // namespace swz
