// SPDX-License-Identifier: Apache-2.0
// Every form of a bulk copy, with operands of every kind, on every target: what is read is what was drawn, a form is
// called illegal where ptxas takes it on no such target and nowhere else, a mask is beyond its cluster where it is.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "arch/target.hpp"
#include "ptx/random_copies.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

// The targets of each form, as ptxas takes it: tests/data/ptxas_tma.txt.
std::map<std::string, std::set<std::string>> taken_forms() {
  std::map<std::string, std::set<std::string>> forms;
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/ptxas_tma.txt");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(" | "), second = line.rfind(" | ");
    if (first == std::string::npos) continue;
    std::string name = line.substr(0, first);
    // "im2col_no_offs" has underscores of its own.
    for (std::size_t at = 0; (at = name.find('_', at)) != std::string::npos; ++at) {
      const auto is_own = [&](std::string_view word, std::size_t inside) {
        return at >= inside && name.compare(at - inside, word.size(), word) == 0;
      };
      const bool keeps = is_own("im2col_no_offs", 6) || is_own("im2col_no_offs", 9) || is_own("cta_group", 3) ||
                         is_own("cp_mask", 2) || is_own("ignore_oob", 6);
      if (!keeps) name[at] = ' ';
    }
    std::istringstream words(line.substr(second + 3));
    for (std::string target; words >> target;) forms[name].insert(target);
  }
  return forms;
}

// A report has names in the text of its module.
struct KeptReport : KernelReport {
  std::shared_ptr<const PtxModule> module;
};

KeptReport report_of(const std::string& ptx) {
  const auto module = std::make_shared<const PtxModule>(read_ptx(ptx));
  return {kernel_reports(*module, {}).at(0), module};
}

std::vector<std::string> rules_of(const KernelReport& report) {
  std::vector<std::string> rules;
  for (const Finding& one : report.findings) rules.push_back(one.rule);
  return rules;
}

const std::string* find_rule(const KernelReport& report, std::string_view rule) {
  const auto found = std::ranges::find(report.findings, rule, &Finding::rule);
  return found == report.findings.end() ? nullptr : &found->message;
}

TEST_CASE("every form is read as it was drawn, and is illegal where ptxas says so") {
  const auto taken = taken_forms();
  REQUIRE(taken.size() > 40);
  const std::vector<std::string> targets = {"sm_90a",  "sm_100a", "sm_100f", "sm_103a", "sm_107a",
                                            "sm_107f", "sm_110a", "sm_120a", "sm_121f"};
  Sweep every{10};
  std::set<std::string> forms;
  std::map<std::string, int> caught;
  int legal = 0, illegal = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const std::string& target = targets[seed % targets.size()];
    if (!every.takes()) continue;
    const DrawnCopy drawn = CopyWriter(seed).draw();
    const std::string ptx = kernel_of(drawn, target);
    CAPTURE(ptx);
    const KeptReport report = report_of(ptx);
    REQUIRE(report.tma.size() == 1);
    const TmaSite& site = report.tma[0];
    REQUIRE(difference(drawn, site) == "");
    for (const ReaderFault& fault : reader_faults) {
      TmaSite spoiled = site;
      if (!fault.spoil(spoiled)) continue;
      ++caught[fault.name];
      REQUIRE_MESSAGE(difference(drawn, spoiled) != "", fault.name);
    }
    const bool is_legal = std::ranges::all_of(drawn.forms, [&](const std::string& form) {
      const auto found = taken.find(form);
      return found != taken.end() && found->second.contains(target);
    });
    REQUIRE((find_rule(report, "tma-form") == nullptr) == is_legal);
    ++(is_legal ? legal : illegal);
    forms.insert(drawn.forms.begin(), drawn.forms.end());
  }
  CHECK(forms.size() >= 30);
  CHECK(caught.size() == reader_faults.size());
  for (const auto& seen : caught) CHECK_MESSAGE(seen.second > at_least(100, 10), seen.first);
  CHECK(legal > at_least(5000, 10));
  CHECK(illegal > at_least(2000, 10));
}

TEST_CASE("a mask is beyond the cluster exactly where one of its known bits is") {
  struct Cluster {
    const char* directive;
    int size;
  };
  const std::array<Cluster, 5> clusters = {{{".reqnctapercluster 2, 1, 1", 2},
                                            {".explicitcluster .reqnctapercluster 2, 4, 1", 8},
                                            {".reqnctapercluster 16", 16},
                                            {".maxclusterrank 4", 4},
                                            {"", 0}}};
  int beyond = 0, within = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const DrawnCopy drawn = CopyWriter(seed).draw();
    if (!drawn.has_mask) continue;
    const Cluster& cluster = clusters[seed % clusters.size()];
    const KeptReport report = report_of(kernel_of(drawn, "sm_107a", cluster.directive));
    CAPTURE(drawn.before + drawn.statement);
    CAPTURE(cluster.directive);
    const bool is_beyond = cluster.size != 0 && drawn.mask >> cluster.size != 0;
    CHECK((find_rule(report, "mask-beyond-cluster") != nullptr) == is_beyond);
    CHECK(report.runs_in.most == (cluster.size == 0 ? std::nullopt : std::optional(cluster.size)));
    ++(is_beyond ? beyond : within);
  }
  CHECK(beyond > 100);
  CHECK(within > 100);
}

// ---- one at a time

std::string kernel(const std::string& body, const std::string& directives = "", const std::string& target = "sm_100a") {
  DrawnCopy copy;
  copy.statement = body;
  return kernel_of(copy, target, directives);
}

TEST_CASE("findings of forms, masks and ranks") {
  const auto told = [&](const std::string& body, const std::string& directives, const std::string& target) {
    const KeptReport report = report_of(kernel(body, directives, target));
    REQUIRE_FALSE(report.findings.empty());
    const Finding& first = report.findings[0];
    return first.rule + ": " + first.message + " | " + first.hint;
  };
  CHECK(told("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [s], "
             "[%rd0, {0, 1, 2, 3, 4}], [bar];",
             "", "sm_120a") ==
        "tma-form: line 10: 'tile::gather4 load to shared::cluster' does not exist on sm_120a: it needs sm_100a, "
        "sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a and sm_110f (PTX ISA 9.4, 9.7.10.28; ptxas 13.5.37 for "
        "the targets) | this target has 'tile::gather4 load to shared::cta'");
  CHECK(told("cp.async.bulk.tensor.2d.global.shared::cta.tile::gather4.bulk_group [%rd0, {0, 1, 2, 3, 4}], [s];", "",
             "sm_100a") ==
        "tma-form: line 10: 'tile::gather4 store' does not exist on sm_100a: no target has it (ptxas 13.5.37) | this "
        "target has 'tile::gather4 load to shared::cta'");
  CHECK(told("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], [%rd0, {0, 1}], [bar];",
             "", "sm_90a") == "tma-form: line 10: tile of rank 3 takes 3 coordinates; here are 2 | ");
  const std::string multicast =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%rd1], 64, [bar], ";
  CHECK(told(multicast + "0x5;", ".reqnctapercluster 2, 1, 1", "sm_90a") ==
        "mask-beyond-cluster: line 10: the mask names rank 2; a cluster of 2x1 has ranks 0 to 1 | inside of it: 0x1; "
        "with a bit beyond it the kernel ends with CUDA_ERROR_LAUNCH_FAILED, also if another bit is inside (measured "
        "on NVIDIA H100 and NVIDIA H200, driver 580.159.04)");
  CHECK(told(multicast + "0;", "", "sm_90a") == "mask-empty: line 10: the mask is 0: it names no CTA | ");
  CHECK(told("mapa.shared::cluster.u32 %r5, %r1, 2;", ".reqnctapercluster 2", "sm_90a") ==
        "rank-beyond-cluster: line 10: the address is mapped to rank 2; a cluster of 2x1 has ranks 0 to 1 | ");
  CHECK(
      told("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [s], 4;", "", "sm_100a")
          .starts_with("tma-form: line 10: 'tensormap.replace swizzle_mode 4, 96B' does not exist on sm_100a: it needs "
                       "sm_103a and sm_107a"));
  CHECK(told("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [bar];", "",
             "sm_90a")
            .starts_with("tma-form: line 10: 'try_cancel' does not exist on sm_90a"));
  CHECK(told("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];", "", "sm_120a")
            .starts_with("tma-form: line 10: 'tcgen05.commit' does not exist on sm_120a"));
}

TEST_CASE("fields of tensormap.replace on the targets that have them") {
  struct Field {
    const char* name;
    int number;
    const char *target, *other;  // one that has it, one that has not
  };
  const Field fields[] = {{"elemtype", 12, "sm_90a", nullptr},           {"elemtype", 13, "sm_120a", "sm_90a"},
                          {"swizzle_mode", 3, "sm_90a", nullptr},        {"swizzle_mode", 4, "sm_103a", "sm_100a"},
                          {"swizzle_atomicity", 1, "sm_100a", "sm_90a"}, {"interleave_layout", 1, "sm_90a", nullptr}};
  for (const Field& field : fields)
    for (const char* target : {field.target, field.other}) {
      if (target == nullptr) continue;
      CAPTURE(field.name);
      CAPTURE(target);
      const KeptReport report = report_of(kernel(
          Text{"tensormap.replace.tile.{}.shared::cta.b1024.b32 [s], {};", field.name, field.number}, "", target));
      CHECK((find_rule(report, "tma-form") == nullptr) == (target == field.target));
    }
  // A number that is not known is not called illegal.
  CHECK(find_rule(report_of(kernel("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [s], %r60;", "", "sm_90a")),
                  "tma-form") == nullptr);
}

TEST_CASE("what reaches other CTAs") {
  struct KeptSite : ClusterSite {
    std::shared_ptr<const PtxModule> module;
  };
  const auto site = [&](const std::string& body) {
    const KeptReport report = report_of(kernel(body, ".reqnctapercluster 4, 2"));
    REQUIRE_FALSE(report.cluster.empty());
    return KeptSite{report.cluster.back(), report.module};
  };
  const KeptSite mapped = site("mapa.shared::cluster.u32 %r5, %r2, 3;");
  CHECK(mapped.action == ClusterAction::mapa);
  CHECK(mapped.owner->rank == 3);
  CHECK(mapped.address->symbol == "bar");

  const KeptSite arrived = site(
      "mapa.shared::cluster.u32 %r5, %r2, 3;\nadd.u32 %r5, %r5, 8;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];");
  CHECK(arrived.action == ClusterAction::arrive);
  CHECK(arrived.owner->text == "rank 3");

  const KeptSite even = site(
      "and.b32 %r5, %r2, 0xfeffffff;\nmbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r5+8], 640;");
  CHECK(even.action == ClusterAction::expect_tx);
  CHECK(even.bytes == Bytes{640});
  CHECK(even.owner->text == "the even CTA of the pair");
  CHECK_FALSE(even.owner->rank);
  CHECK(even.address->offset == Bytes{8});
  // The same mask in another place says nothing of the rank.
  CHECK_FALSE(
      site("and.b32 %r5, %r2, 0xfffffff0;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];").owner);

  const KeptSite stored = site(
      "mapa.shared::cluster.u32 %r5, %r1, 1; mapa.shared::cluster.u32 %r6, %r2, 1;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r5], {%r1, %r1, %r1, %r1}, [%r6];");
  CHECK(stored.action == ClusterAction::st_async);
  CHECK(stored.bytes == Bytes{16});
  CHECK(stored.owner->rank == 1);
  CHECK(stored.barrier);
  CHECK(site("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r3], %rd1, [%r2];")
            .bytes == Bytes{8});

  const KeptSite commit = site(
      "mov.u16 %h1, 0x33;\ntcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
      "[bar], %h1;");
  CHECK(commit.action == ClusterAction::commit);
  CHECK(commit.cta_group == 2);
  CHECK(ranks_in(commit.mask->named()) == std::vector{0, 1, 4, 5});

  const KeptSite cancel = site(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
      "[s], "
      "[bar];");
  CHECK(cancel.reaches_all);
  CHECK(cancel.bytes == Bytes{16});
  CHECK(cancel.barrier->symbol == "bar");
}

TEST_CASE("a local barrier reaches no other CTA, and what is not known has no owner") {
  CHECK(report_of(kernel("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;")).cluster.size() == 1);  // the mapa
  const KeptReport report =
      report_of(kernel("ld.param.u32 %r5, [pr];\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];"));
  CHECK_FALSE(report.cluster.back().owner);
}

TEST_CASE("expect_tx: try_cancel brings 16 bytes, the barrier of .ignore_oob is behind the two numbers") {
  const auto rules = [&](const std::string& body) { return rules_of(report_of(kernel(body))); };
  const std::string cancel =
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [bar];";
  const auto expect = [](int bytes) {
    return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], " + std::to_string(bytes) + ";\n";
  };
  CHECK(rules(expect(16) + cancel).empty());
  CHECK(rules(expect(32) + cancel) == std::vector<std::string>{"expected-bytes"});
  const std::string ignores =
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [s], [%rd1], 64, 4, 4, [bar];";
  CHECK(rules(expect(64) + ignores).empty());
  CHECK(rules(expect(128) + ignores).empty());
}

}  // namespace
}  // namespace swz
