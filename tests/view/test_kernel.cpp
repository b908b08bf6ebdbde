// SPDX-License-Identifier: Apache-2.0
// The view of compiled kernels: nothing that the report has is lost or given twice, in JSON, as text, and after the PTX's lines.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "base/error.hpp"
#include "cmd/parsed.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "view/kernel/kernel.hpp"

namespace swz {
namespace {

const char* const files[] = {"data/ptx/matmul_bf16_small_sm80.ptx",     "data/ptx/matmul_bf16_small_sm90.ptx",
                             "data/ptx/matmul_desc_f16_k16_sm90.ptx",   "data/ptx/matmul_desc_f16_k16_sm100.ptx",
                             "data/ptx/gather_columns_sm90.ptx",        "data/ptx/histogram_sm90.ptx",
                             "ptx/mistakes/unpadded_transposition.ptx", "ptx/mistakes/swapped_strides.ptx"};

KernelText read(const std::string& name) {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/" + name, std::ios::binary);
  KernelText out{.name = name};
  out.module = read_ptx(std::string(std::istreambuf_iterator<char>(file), {}));
  out.kernels = kernel_reports(out.module, {});
  return out;
}

std::vector<KernelText> one(const std::string& name) {
  std::vector<KernelText> out;
  out.push_back(read(name));
  return out;
}

template <class Site>
std::vector<std::int64_t> lines_of(const std::vector<Site>& sites) {
  std::vector<std::int64_t> out;
  for (const Site& site : sites) out.push_back(site.line);
  return out;
}

std::vector<std::int64_t> lines_of(const Json& sites) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < sites.size(); ++i) out.push_back(std::stoll(sites.at(i)["line"].dump()));
  return out;
}

TEST_CASE("kernel's JSON has each site once, in their order, and --only leaves the other lists empty") {
  for (const char* name : files) {
    INFO(name);
    const KernelText text = read(name);
    for (int kept = 0; kept <= 5; ++kept) {
      const ShownSites shown =
          kept == 5 ? ShownSites{} : ShownSites{kept == 0, kept == 1, kept == 2, kept == 3, kept == 4};
      const Json all = Json::parse(to_json(view_kernels(one(name), shown)).dump());
      REQUIRE(all["kernels"].size() == text.kernels.size());
      for (std::size_t k = 0; k < text.kernels.size(); ++k) {
        const KernelReport& kernel = text.kernels[k];
        const Json& said = all["kernels"].at(k);
        using Lines = std::vector<std::int64_t>;
        CHECK(lines_of(said["mma"]) == (shown.mma ? lines_of(kernel.mma) : Lines{}));
        CHECK(lines_of(said["smem"]) == (shown.smem ? lines_of(kernel.smem) : Lines{}));
        CHECK(lines_of(said["gmem"]) == (shown.gmem ? lines_of(kernel.gmem) : Lines{}));
        CHECK(lines_of(said["tma"]) == (shown.tma ? lines_of(kernel.tma) : Lines{}));
        CHECK(lines_of(said["tmem"]) == (shown.tmem ? lines_of(kernel.tmem) : Lines{}));
        CHECK(said["shared"].size() == kernel.shared.size());
      }
    }
  }
}

TEST_CASE("the rows of the MMAs count them all") {
  const std::regex row(R"((^|\n)\d+(-\d+)? +((\d+) x )?(mma|wgmma|tcgen05) m?\d)");
  for (const char* name : files) {
    INFO(name);
    std::int64_t sites = 0, counted = 0;
    for (const KernelReport& kernel : read(name).kernels) sites += std::ssize(kernel.mma);
    const std::string text = render_text(view_kernels(one(name), {}), {});
    INFO(text);
    for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at)
      counted += (*at)[4].matched ? std::stoll((*at)[4].str()) : 1;
    CHECK(counted == sites);
  }
}

TEST_CASE("annotated PTX is the PTX, and each line with a site has its comment") {
  for (const char* name : files) {
    INFO(name);
    const KernelText text = read(name);
    std::vector<bool> has_site;
    const auto mark = [&](std::int64_t line) {
      if (has_site.size() <= static_cast<std::size_t>(line)) has_site.resize(static_cast<std::size_t>(line) + 1);
      has_site[static_cast<std::size_t>(line)] = true;
    };
    for (const KernelReport& kernel : text.kernels)
      for (const auto& lines : {lines_of(kernel.mma), lines_of(kernel.smem), lines_of(kernel.gmem),
                                lines_of(kernel.tma), lines_of(kernel.tmem), lines_of(kernel.cluster)})
        for (const std::int64_t line : lines) mark(line);
    std::istringstream plain(*text.module.text), annotated(annotated_ptx(text));
    std::string before, after;
    for (std::size_t line = 1; std::getline(plain, before); ++line) {
      REQUIRE(std::getline(annotated, after));
      const bool is_annotated = line < has_site.size() && has_site[line];
      CHECK(
          (is_annotated ? after.size() > before.size() && after.starts_with(before + "  // swz: ") : after == before));
    }
    CHECK(!std::getline(annotated, after));
  }
}

TEST_CASE("--line answers for every site, and names one where there is none") {
  for (const char* name : files) {
    INFO(name);
    const KernelText text = read(name);
    for (const KernelReport& kernel : text.kernels)
      for (const auto& lines : {lines_of(kernel.mma), lines_of(kernel.smem), lines_of(kernel.gmem),
                                lines_of(kernel.tma), lines_of(kernel.tmem), lines_of(kernel.cluster)})
        for (const std::int64_t line : lines) {
          const std::string said = render_text(view_kernel_line(text, static_cast<std::uint32_t>(line)), {});
          CHECK(said.find("line " + std::to_string(line)) != std::string::npos);
        }
    CHECK_THROWS_AS(view_kernel_line(text, 1), Error);
  }
}

TEST_CASE("--line shows no field with an unknown bit") {
  long unknown = 0;
  for (const char* name : files) {
    const KernelText text = read(name);
    for (const KernelReport& kernel : text.kernels)
      for (const MmaSite& site : kernel.mma) {
        const std::string said = render_text(view_kernel_line(text, site.line), {});
        std::string rest = said;
        for (const MmaOperandSite* operand : {&site.a, &site.b}) {
          if (!operand->word) continue;
          for (const DecodedField& field : decoded_fields(SmemDescriptor(operand->word->word, *kernel.target))) {
            const bool is_known = (field.bits.mask() & ~operand->word->known) == 0;
            unknown += !is_known;
            INFO(rest);
            INFO(to_string(field.id));
            std::smatch row;
            REQUIRE(std::regex_search(
                rest, row, std::regex("\n" + std::string(to_string(field.id)) + " +[0-9-]+ +([0-9?]+) +.*")));
            CHECK(row[1].str() == (is_known ? std::to_string(field.raw) : "?"));
            rest = row.suffix();
          }
        }
      }
  }
  CHECK(unknown >= 10);
}

}  // namespace
}  // namespace swz
