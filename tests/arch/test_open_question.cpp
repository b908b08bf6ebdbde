// SPDX-License-Identifier: Apache-2.0
// Open questions: every item that the fact sheets list as open or contradictory is in a table, as a question that a
// probe decides or as settled with its reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "arch/open_question.hpp"

namespace swz {
namespace {

bool is_kebab(std::string_view name) {
  return !name.empty() && name.front() != '-' && name.back() != '-' && std::ranges::all_of(name, [](char c) {
    return c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0 ||
           std::islower(static_cast<unsigned char>(c)) != 0;
  });
}

// What others ran on a GPU (the fact sheet on reports), and what a newer document says. A probe of swz decides all.
constexpr std::string_view reported[] = {"a-m64-lanes",   "sfa-m128-pair",   "sfb-m128-pair",    "fp6-container",
                                         "tx-bytes",      "warp-lane-bits",  "selector-columns", "scale-columns",
                                         "a-tmem-n-step", "fp6-store",       "tx-bytes-outside", "metadata-columns",
                                         "scale-padding", "sm-120-multicast"};
constexpr std::string_view documented[] = {"k96-ids"};
// No GPU of sm_107 can be asked yet.
constexpr std::string_view of_107[] = {"mx-k64-blocks", "padded-box-unit"};

TEST_CASE("every question has a name of its own, two answers, a probe and a source; none is measured") {
  std::set<std::string_view> names;
  for (const OpenQuestion& q : open_questions()) {
    CAPTURE(q.name);
    CHECK(is_kebab(q.name));
    CHECK(names.insert(q.name).second);
    CHECK(&open_question(q.name) == &q);
    CHECK_FALSE(q.answers[0].empty());
    CHECK_FALSE(q.answers[1].empty());
    CHECK(q.answers[0] != q.answers[1]);
    CHECK_FALSE(q.question.empty());
    CHECK(q.probe.empty() == (std::ranges::count(of_107, q.name) == 1));
    CHECK_FALSE(q.source.where.empty());
    const bool is_reported = std::ranges::count(reported, q.name) == 1;
    CHECK(q.source.evidence == (is_reported                                   ? Evidence::reported
                                : std::ranges::count(documented, q.name) == 1 ? Evidence::documented
                                                                              : Evidence::claimed));
    // The document that speaks for an answer, or the one who ran it: a first answer is never "not known".
    if (is_reported) CHECK_FALSE(q.answers[0].starts_with("none"));
  }
  for (const SettledQuestion& q : settled_questions()) {
    CAPTURE(q.name);
    CHECK(is_kebab(q.name));
    CHECK(names.insert(q.name).second);
    CHECK_FALSE(q.answer.empty());
    CHECK_FALSE(q.reason.empty());
    CHECK_FALSE(q.source.where.empty());
    CHECK(q.source.evidence != Evidence::measured);
  }
}

// Sheet, number of the item, and the rows that it became.
struct Item {
  const char* item;
  std::set<std::string_view> rows;
};

TEST_CASE("every open question of the fact sheets is here") {
  const Item items[] = {
      {"tmem.md 8.1", {"a-m64-lanes"}},
      {"tmem.md 8.2", {"sparse-m128-pair"}},
      {"tmem.md 8.3", {"a-layout-c", "a-layout-g", "metadata-m64"}},
      {"tmem.md 8.4", {"fp6-container"}},
      {"tmem.md 8.5", {"narrow-a-place"}},
      {"tmem.md 8.6", {"warp-lane-bits"}},
      {"tmem.md 8.7", {"unpack-upper"}},
      {"tmem.md 8.8", {"shift-scope", "shift-columns"}},
      {"tmem.md 8.9", {"lane-base-16"}},
      {"scale_factors.md 8.1", {"sfa-m128-pair"}},
      {"scale_factors.md 8.2", {"scaled-sparse-m128-pair"}},
      {"scale_factors.md 8.3", {"sfb-part-of-tile"}},
      {"scale_factors.md 8.4", {"scale-columns"}},
      {"scale_factors.md 8.5", {"k96-ids"}},
      {"scale_factors.md 8.6", {"cublas-sf-outer"}},
      {"scale_factors.md 8.7", {"scale-padding"}},
      {"narrow.md 7.1", {"fp4-mn-major"}},
      {"narrow.md 7.2", {"fp6-container", "container-gap-bits"}},
      {"narrow.md 7.3", {"fp6-store"}},
      {"narrow.md 7.4", {"tx-bytes", "tx-bytes-outside"}},
      {"narrow.md 7.5", {"selector-columns", "metadata-columns"}},
      {"narrow.md 7.6", {"metadata-m64", "metadata-m128-pair"}},
      {"narrow.md 7.7", {"sparse-m128-pair"}},
      {"narrow.md 7.8", {"padded-swizzle"}},
      {"reported.md 5", {"sfb-m128-pair"}},
      {"idesc.md 3", {"n-step-8", "a-tmem-n-step", "k96-one-cta"}},
      {"PTX ISA 9.1, 9.7.16.8.3", {"ld-red-runs"}},
      {"rubin.md 9.1 to 9.3", {"smem-107-static", "desc-15-bit", "abs-lbo-107"}},
      {"rubin.md 9.4 to 9.6", {"idesc-bit-6", "ti16-transpose", "sparsity-version-dense"}},
      {"rubin.md 9.7 to 9.9", {"f8-k64-m", "f8-k64-n-step", "f4-sparse-192", "f4-k128-one-cta"}},
      {"rubin.md 9.10 to 9.12", {"mx-k64-blocks", "exclusive-targets", "sfa-layout-bit"}},
      {"rubin.md 9.13 to 9.15", {"ti16-sp-collector", "nv8e5m3-operand", "padded-box-unit"}},
      {"rubin.md 4.3", {"ue5m3-bias"}},
      {"ptxas against PTX", {"dealloc-columns", "i8-input-scale", "one-cta-group"}},
      {"clusters_tma.md 7, of Blackwell", {"w128-halo", "halo-wrap", "flip-line", "atom64-load", "sw96"}},
      {"clusters_tma.md 7, of copies", {"cta-remote-barrier", "scatter-add", "reduce-f64", "relaxed-targets"}},
      {"clusters_tma.md 7, of sizes", {"global-dim", "corner-bits", "interleave-c16", "tx-bytes"}},
      {"clusters_tma.md 7, of clusters", {"sm-120-multicast", "krow-names", "dsl-arrival-mask"}},
      // IM2COL-START of the wide modes; an H100 answered that of im2col (observations im2col-start), RANK-FORMULA
      // (cluster-ranks), INTERLEAVE-UNIT (tma-interleave) and IM2COL-BITS (im2col-map-bits).
      {"clusters_tma.md 7, of starts", {"wide-start"}},
  };
  std::set<std::string_view> rows, wanted;
  for (const OpenQuestion& q : open_questions()) rows.insert(q.name);
  for (const SettledQuestion& q : settled_questions()) rows.insert(q.name);
  for (const Item& item : items) wanted.insert(item.rows.begin(), item.rows.end());
  CHECK(rows == wanted);
}

}  // namespace
}  // namespace swz
