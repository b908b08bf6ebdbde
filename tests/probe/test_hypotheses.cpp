// SPDX-License-Identifier: Apache-2.0
// Every hypothesis is caught: with the model wrong and the hardware right a probe must not confirm, and with the
// hardware wrong judge() must name the mistake. Of the right model nothing is reported, and of a hypothesis that is
// not about a probe neither.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "arch/open_question.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/suite.hpp"
#include "simulated.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

using enum Hypothesis;

struct ProbeCase {
  std::string_view probe, target;
  std::int64_t cases;
  // These change what a plan predicts, so that an observation can be explained by them.
  std::vector<Hypothesis> explains;
  // These change what is asked or how it is read: planted they are caught, but no hardware behaves like them.
  std::vector<Hypothesis> only_caught;
};

std::vector<ProbeCase> probe_cases() {
  return {
      {"wavefront",
       "sm_90a",
       1400,
       {no_pairing, stores_pair, pairs_at_any_distance, pairs_by_group, idle_lanes_disagree, groups_of_32,
        no_broadcast},
       {}},
      {"matrix", "sm_90a", 40, {wrong_fragment}, {}},
      {"mma", "sm_90a", 40, {wrong_fragment}, {wrong_identity}},
      // A wrong fragment of A explains, of D it is only caught.
      {"wgmma",
       "sm_90a",
       48,
       {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, wrong_fragment},
       {wrong_identity}},
      {"tcgen05",
       "sm_100a",
       60,
       {strides_swapped, base_offset_added, mask_off_by_one, relative_xor},
       {wrong_fragment, wrong_identity}},
      {"tma", "sm_90a", 60, {mask_off_by_one, relative_xor, rows_packed}, {}},
      {"tile", "sm_90a", 12, {}, {strides_swapped, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}},
      {"tensor-map", "sm_90a", 600, {documented_rules}, {}},
      {"layout", "sm_90a", 4, {one_stride_off, wrong_swizzle, groups_of_32, no_broadcast}, {}},
      // One of the targets with ld.red.
      {"tmem-access",
       "sm_103a",
       60,
       {wrong_fragment, lanes_off_by_16, packed_halves_exchanged, pack_ignored, split_in_registers, lane_bits_obeyed,
        upper_cleared, reduced_over_both_halves},
       {}},
      {"tmem-copy",
       "sm_100a",
       36,
       {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, lanes_off_by_16, multicast_exchanged,
        copied_from_issuer, nibbles_exchanged, container_elsewhere},
       {}},
      {"tx-bytes", "sm_100a", 14, {padding_counted, outside_not_counted, ptx_swizzles}, {}},
      // The only target with K 96.
      {"tmem-mma",
       "sm_103a",
       1000,
       {lanes_off_by_16,        nibbles_exchanged,
        container_elsewhere,    halves_exchanged,
        quarters_of_n,          b_in_each_cta,
        k_halves_exchanged,     one_copy,
        a_in_lanes_0_63,        pair_halves,
        k_major_alone,          sf_id_off_by_one,
        scale_b_warpx4,         scale_b_rounded_halves,
        scale_a_by_pair_row,    scale_columns_by_4,
        scale_columns_by_2,     k96_even_ids,
        metadata_in_lanes_0_63, metadata_from_top,
        selector_of_four,       metadata_columns_by_4,
        metadata_columns_by_2,  a_n_step_16,
        scale_b_by_32_rows,     scale_words_whole},
       {wrong_identity}},
      {"cluster",
       "sm_90a",
       60,
       {mask_off_by_one, relative_xor, rank_y_first, mapa_keeps_rank, issuer_receives, other_operand_mask,
        slices_by_rows, own_slice_counted},
       {}},
      {"tmem-shift",
       "sm_100a",
       16,
       {shift_of_one_quarter, shift_upwards, shift_across_quarters, shift_of_aligned_columns},
       {}},
      {"im2col",
       "sm_90a",
       80,
       {mask_off_by_one, relative_xor, rows_packed, outside_not_counted, offset_off_by_one, offsets_turn,
        turns_to_start},
       {}},
      {"interleave",
       "sm_90a",
       80,
       {mask_off_by_one, relative_xor, rows_at_span, outside_not_counted, offset_off_by_one, offsets_turn,
        turns_to_start, slices_of_elements},
       {}},
      {"reduce", "sm_90a", 70, {mask_off_by_one, relative_xor, rows_packed, read_linear, rows_end_at_element}, {}},
  };
}

bool holds(const std::vector<Hypothesis>& list, Hypothesis hypothesis) {
  return std::ranges::find(list, hypothesis) != list.end();
}

Suite suite_of(const ProbeCase& probe, std::int64_t cases = 0) {
  SuiteOptions options;
  options.only = {std::string(probe.probe)};
  options.cases = cases == 0 ? probe.cases : cases;
  return make_suite(options, require_target(probe.target));
}

// The simulation of tmem-mma is slow: of its plans a few that tell the hypothesis apart.
Suite telling(const Suite& suite, Hypothesis hypothesis, const Suite& few) {
  if (suite.front().probe != "tmem-mma") return suite;
  std::vector<ProbePlan> plans;
  for (const ProbePlan& plan : suite.front().plans)
    if (plans.size() < 3 && expected(plan, hypothesis) != expected(plan)) plans.push_back(plan);
  return plans.empty() ? few : Suite{{"tmem-mma", plans}};
}

// What simulated hardware, which is always right, shows a model with a planted mistake.
PartReport run_planted(const Suite& suite, Hypothesis planted) {
  return run_suite(suite, simulated_observer(planted), planted, {}).front();
}

}  // namespace

TEST_CASE("the cases above are every probe and every hypothesis") {
  std::set<std::string_view> probes;
  std::set<Hypothesis> caught;
  for (const ProbeCase& probe : probe_cases()) {
    probes.insert(probe.probe);
    caught.insert(probe.explains.begin(), probe.explains.end());
    caught.insert(probe.only_caught.begin(), probe.only_caught.end());
  }
  std::set<std::string_view> rows;
  for (const ProbeRow& row : swz::probes()) rows.insert(row.name);
  CHECK(probes == rows);
  std::set<Hypothesis> all;
  for (const HypothesisRow& row : hypotheses()) all.insert(row.hypothesis);
  CHECK(caught == all);
  CHECK(all.size() == hypotheses().size());
}

TEST_CASE("simulated hardware confirms the right model, and no planted mistake that is about the probe") {
  Sweep every{7, 3}, probes{9};
  for (const ProbeCase& probe : probe_cases()) {
    if (!probes.takes()) continue;
    CAPTURE(probe.probe);
    const Suite suite = suite_of(probe), few = suite_of(probe, probe.probe == "layout" ? 1 : 6);
    const Suite asked = telling(suite, none, few);
    const PartReport right = run_planted(asked, none);
    CHECK(right.cases == static_cast<std::int64_t>(asked.front().plans.size()));
    CHECK(right.confirmed == right.cases);
    CHECK(right.mismatches.empty());
    for (const HypothesisRow& row : hypotheses()) {
      if (!every.takes()) continue;
      CAPTURE(row.name);
      const bool is_about = holds(probe.explains, row.hypothesis) || holds(probe.only_caught, row.hypothesis);
      const PartReport planted = run_planted(is_about ? telling(suite, row.hypothesis, few) : few, row.hypothesis);
      CHECK((planted.confirmed < planted.cases) == is_about);
      CHECK(planted.mismatches.size() ==
            std::min<std::size_t>(mismatches_shown, static_cast<std::size_t>(planted.cases - planted.confirmed)));
    }
  }
}

TEST_CASE("judge names the mistake of hardware that makes one, by the whole observation and by its digest") {
  Sweep every{7, 3}, probes{9};
  for (const ProbeCase& probe : probe_cases()) {
    if (!probes.takes()) continue;
    CAPTURE(probe.probe);
    const Suite suite = suite_of(probe);
    for (const HypothesisRow& row : hypotheses()) {
      if (!every.takes()) continue;
      CAPTURE(row.name);
      int explained = 0, explained_by_it_alone = 0;
      for (const ProbePlan& plan : suite.front().plans) {
        const Observation wrong = expected(plan, row.hypothesis);
        const std::optional<CaseMismatch> found = judge(plan, observed(wrong), none);
        CHECK(found.has_value() == (wrong != expected(plan)));
        if (!found) continue;
        CHECK(holds(found->explanations, row.hypothesis));
        CHECK_FALSE(holds(found->explanations, none));
        REQUIRE(found->mismatch.has_value());
        CHECK(found->mismatch->differing > 0);
        ++explained;
        if (found->explanations.size() == 1) ++explained_by_it_alone;
        if (explained > 1) continue;
        const std::optional<CaseMismatch> by_digest = judge(plan, {digest(wrong), {}}, none);
        REQUIRE(by_digest.has_value());
        CHECK(by_digest->explanations == found->explanations);
        CHECK_FALSE(by_digest->mismatch.has_value());
        // The other way round: the model is wrong, what was seen is swz's.
        const std::optional<CaseMismatch> planted = judge(plan, observed(expected(plan)), row.hypothesis);
        REQUIRE(planted.has_value());
        CHECK(planted->explanations.front() == none);
      }
      CHECK((explained > 0) == holds(probe.explains, row.hypothesis));
      // What idle lanes prevent is a pair, which is what no-pairing says of every plan.
      const bool is_alone = row.hypothesis != idle_lanes_disagree && holds(probe.explains, row.hypothesis);
      CHECK((explained_by_it_alone > 0) == is_alone);
    }
  }
}

TEST_CASE("what nothing explains has no explanation") {
  for (const ProbeCase& probe : probe_cases()) {
    CAPTURE(probe.probe);
    const ProbePlan plan = suite_of(probe).front().plans.front();
    Observation strange = expected(plan);
    strange.back() += 12345;
    const std::optional<CaseMismatch> found = judge(plan, observed(strange), none);
    REQUIRE(found.has_value());
    CHECK(found->explanations.empty());
    CHECK(found->mismatch->differing == 1);
    CHECK(found->mismatch->first == static_cast<std::int64_t>(strange.size()) - 1);
    CHECK(found->mismatch->observed == found->mismatch->expected + 12345);
  }
}

TEST_CASE("hypotheses by name") {
  for (const HypothesisRow& row : hypotheses()) {
    CHECK(require_hypothesis(row.name) == row.hypothesis);
    CHECK(row_of(row.hypothesis).name == row.name);
  }
  CHECK(row_of(none).what == "the model of swz");
  CHECK_THROWS_WITH_AS(require_hypothesis("none"), "unknown hypothesis 'none'", Error);
  try {
    require_hypothesis("tile-relative-swizzel");
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.message() == "unknown hypothesis 'tile-relative-swizzel'");
    CHECK(
        e.hint ==
        "did you mean 'tile-relative-swizzle'? known: strides-exchanged, base-offset-added, mask-off-by-one, "
        "tile-relative-swizzle, "
        "wrong-fragment, wrong-identity, documented-rules, rows-packed, no-pairing, stores-pair, "
        "pairs-at-any-distance, pairs-by-group, idle-lanes-disagree, groups-of-32, no-broadcast, "
        "one-stride-off, wrong-swizzle, lanes-off-by-16, packed-halves-exchanged, pack-ignored, "
        "split-in-registers, "
        "lane-bits-obeyed, upper-cleared, multicast-exchanged, copied-from-issuer, nibbles-exchanged, "
        "container-elsewhere, shift-of-one-quarter, shift-upwards, shift-across-quarters, "
        "shift-of-aligned-columns, padding-counted, outside-not-counted, "
        "halves-exchanged, quarters-of-n, b-in-each-cta, k-halves-exchanged, one-copy, a-in-lanes-0-63, "
        "pair-halves, k-major-alone, sf-id-off-by-one, scale-b-warpx4, scale-b-rounded-halves, "
        "scale-a-by-pair-row, scale-columns-by-4, scale-columns-by-2, k96-even-ids, metadata-in-lanes-0-63, "
        "metadata-from-top, selector-of-four, metadata-columns-by-4, metadata-columns-by-2, a-n-step-16, "
        "scale-b-by-32-rows, scale-words-whole, ptx-swizzles, "
        "reduced-over-both-halves, offset-off-by-one, offsets-turn, turns-to-start, slices-of-elements, rows-at-span, "
        "read-linear, rows-end-at-element, rank-y-first, mapa-keeps-rank, issuer-receives, other-operand-mask, "
        "slices-by-rows, own-slice-counted");
  }
}

TEST_CASE("every open question names a probe, and hypotheses that this probe catches") {
  for (const OpenQuestion& question : open_questions()) {
    CAPTURE(question.name);
    if (question.probe.empty() || question.probe.starts_with("not written: ")) continue;
    // "tmem-mma, k96-even-ids and one-copy: what it sees"
    const std::string_view asked = question.probe.substr(0, question.probe.find(':'));
    const std::string_view name = asked.substr(0, asked.find(','));
    const auto row = std::ranges::find(swz::probes(), name, &ProbeRow::name);
    const bool has_probe = row != swz::probes().end() && asked.size() < question.probe.size();
    CHECK(has_probe);
    if (!has_probe || name.size() == asked.size()) continue;
    std::string list(asked.substr(name.size()));
    std::ranges::replace(list, ',', ' ');
    int named = 0;
    for (const std::string& word : split(list, ' ')) {
      if (word.find('-') == std::string::npos) continue;  // "and", "at column 2"
      REQUIRE_MESSAGE(std::ranges::count(hypotheses(), word, &HypothesisRow::name) == 1, word);
      CHECK_MESSAGE(row->catches(require_hypothesis(word)), word);
      ++named;
    }
    CHECK(named > 0);
  }
}
