// SPDX-License-Identifier: Apache-2.0
// src/arch/tcgen05, tensor_memory and narrow against what ptxas takes: tests/data/ptxas_tcgen05.txt, written by
// tests/data/ptxas_tcgen05.py. Every combination that was asked is formed here once more and answered by the tables.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "arch/narrow.hpp"
#include "arch/tcgen05.hpp"
#include "arch/tensor_memory.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {
namespace {

using Targets = std::set<std::string>;

struct Answers {
  std::map<std::string, Targets> taken;  // "ld 32x32b - 4" -> targets
  std::map<std::string, int> asked;      // instruction -> combinations
  Targets targets;                       // that were asked
};

Answers of_ptxas() {
  Answers answers;
  std::ifstream file(SWZ_SOURCE_DIR "/tests/data/ptxas_tcgen05.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string key, word;
    words >> key;
    if (key == "asked") {
      words >> word;
      words >> answers.asked[word];
      continue;
    }
    if (key == "targets") {
      while (words >> word) answers.targets.insert(word);
      continue;
    }
    while (words >> word && word != "|") key += " " + word;
    std::vector<std::string> values;
    while (words >> word && word != "|") values.push_back(word);
    Targets targets;
    while (words >> word) targets.insert(word);
    for (const std::string& value : values) answers.taken[key + " " + value].merge(Targets(targets));
  }
  return answers;
}

// What the tables say of every combination that ptxas_tcgen05.py asks.
class OfTables {
 public:
  const Answers& answers() const { return answers_; }

  // The last value is part of the name.
  void add(const std::string& name, bool is_taken, const Availability& where) {
    ++answers_.asked[name.substr(0, name.find(' '))];
    if (!is_taken) return;
    for (const Target& target : targets())
      if (runs_on(where, target)) answers_.taken[name].insert(std::string(target.name));
  }
  void add(const std::string& name, bool is_taken, std::string_view instruction) {
    add(name, is_taken, tcgen05_operation(instruction).availability);
  }

 private:
  Answers answers_;
};

bool has_group(std::string_view instruction, int group) {
  const auto& groups = tcgen05_operation(instruction).cta_groups;
  return groups[0] == group || groups[1] == group;
}

constexpr int numbers[] = {1, 2, 3, 4, 8, 16, 32, 64, 128, 256};

void add_memory(OfTables& tables) {
  for (const std::string name : {"alloc", "dealloc", "alloc.exclusive", "dealloc.exclusive"})
    for (const int group : {1, 2})
      for (const int n : {0, 1, 16, 31, 32, 33, 48, 64, 96, 128, 160, 192, 256, 384, 512, 544, 576, 608, 1024}) {
        const bool is_exclusive = name.ends_with(".exclusive");
        const std::string form = name + " " + std::to_string(group) + " " + std::to_string(n);
        tables.add(form, (is_exclusive ? is_exclusive_allocation(n, n) : is_allocation(n)) && has_group(name, group),
                   name);
      }
  for (const int group : {1, 2}) {
    const std::string text = " " + std::to_string(group);
    tables.add("relinquish_alloc_permit" + text, has_group("relinquish_alloc_permit", group),
               "relinquish_alloc_permit");
    tables.add("shift down" + text, has_group("shift", group), "shift");
    tables.add("shift -" + text, false, "shift");
    tables.add("commit -" + text, has_group("commit", group), "commit");
    tables.add("commit multicast" + text, has_group("commit", group), "commit");
    tables.add("commit multicast32" + text, has_group("commit", group), "commit.multicast::cluster::32b");
  }
  for (const char* way : {"ld", "st"}) tables.add(std::string("wait ") + way, true, "wait");
  for (const char* when : {"before", "after"}) tables.add(std::string("fence ") + when, true, "fence");
}

bool is_form(const TmemShape& shape, int number) {
  return std::ranges::any_of(tmem_forms(),
                             [&](const TmemForm& form) { return form.shape == &shape && form.number == number; });
}

void add_moves(OfTables& tables) {
  for (const TmemShape& shape : tmem_shapes())
    for (const int n : numbers) {
      const std::string name(shape.name), number = std::to_string(n);
      for (const char* way : {"ld ", "st "})
        for (const char* pack : {" - ", " 16b "})
          tables.add(way + name + pack + number, is_form(shape, n), std::string_view(way, 2));
      for (const char* operation : {"min", "max"})
        for (const std::string dtype : {"u32", "s32", "f32", "f16"})
          for (const std::string modifier : {"-", "abs", "NaN", "abs.NaN", "pack::16b"}) {
            const bool has_modifier = modifier == "-" || (dtype == "f32" && modifier != "pack::16b");
            tables.add("ld.red " + name + " " + operation + " " + dtype + " " + modifier + " " + number,
                       shape.reduces && n >= least_reduced && is_form(shape, n) && dtype != "f16" && has_modifier,
                       "ld.red");
          }
    }
}

void add_copies(OfTables& tables) {
  std::set<std::string> formats{"-"};  // of the narrow types that get a byte each
  for (const NarrowForm& form : narrow_forms())
    if (form.has_gaps) formats.insert("b8x16." + std::string(form.ptx));
  REQUIRE(formats.size() == 3);
  for (const std::string shape : {"128x256b", "128x128b", "64x128b", "32x128b", "4x256b"})
    for (const std::string multicast : {"", "warpx2::02_13", "warpx2::01_23", "warpx4"})
      for (const int group : {1, 2})
        for (const std::string& format : formats) {
          bool is_row = false;
          for (const TmemCopy& copy : tmem_copies())
            is_row = is_row || (copy.name == shape && copy.multicast == multicast);
          tables.add(
              "cp " + shape + " " + (multicast.empty() ? "-" : multicast) + " " + std::to_string(group) + " " + format,
              is_row && has_group("cp", group), "cp");
        }
}

// Everything that may follow the kind of one tcgen05.mma.
void add_tails(OfTables& tables, const std::string& name, Tcgen05Mma mma) {
  std::vector<std::string> collectors{""};
  const std::string uses[] = {"fill", "use", "lastuse", "discard"};
  for (const std::string buffer : {"a", "b0", "b1", "b2", "b3", "b"})
    for (const std::string& use : uses) collectors.push_back(buffer + "::" + use);
  for (const std::string& of_a : uses)
    for (const std::string& of_b : uses) collectors.push_back("a::" + of_a + ".b::" + of_b);
  const auto add = [&](const Tcgen05Mma& form, const std::string& tail) {
    tables.add(name + tail, true, availability_of(form));
  };
  for (const bool in_tmem : {false, true}) {
    mma.a_in_tmem = in_tmem;
    const std::string a = in_tmem ? " tmem" : " smem";
    for (const bool shifts : {false, true})
      for (const std::string& collector : collectors) {
        Tcgen05Mma form = mma;
        form.shifts_a = shifts;
        form.collector = collector;
        add(form, a + (shifts ? ".ashift" : "") + (collector.empty() ? "" : "." + collector));
      }
    for (const int words : {4, 8}) {
      Tcgen05Mma form = mma;
      form.lane_words = words;
      add(form, a + ".lanes" + std::to_string(words));
    }
    for (const std::string collector : {"", "b::fill"}) {
      Tcgen05Mma form = mma;
      form.has_table = true;
      form.collector = collector;
      add(form, a + (collector.empty() ? "" : "." + collector) + ".table");
    }
    for (const int scale : {0, 15, 16}) {
      if (mma.ws) continue;  // there it would be the mask
      Tcgen05Mma form = mma;
      form.input_scale = scale;
      add(form, a + ".scale" + std::to_string(scale));
    }
    if (!mma.ws) continue;
    Tcgen05Mma form = mma;
    form.has_column_mask = true;
    add(form, a + ".mask");
  }
}

void add_mmas(OfTables& tables) {
  const std::string_view scales[] = {"",
                                     "block_scale",
                                     "block_scale.scale_vec::1X",
                                     "block_scale.scale_vec::2X",
                                     "block_scale.scale_vec::4X",
                                     "block_scale.block16",
                                     "block_scale.block32"};
  for (const bool ws : {false, true})
    for (const bool sparse : {false, true})
      for (const int group : {1, 2})
        for (const MmaKindRow& kind : mma_kinds())
          for (const std::string_view scale : scales)
            add_tails(tables,
                      std::string("mma ") + (ws ? "ws " : "- ") + (sparse ? "sp " : "- ") + std::to_string(group) +
                          " " + std::string(kind.name) + " " + (scale.empty() ? "-" : std::string(scale)),
                      {.kind = kind.kind, .cta_group = group, .ws = ws, .sparse = sparse, .scale = scale});
}

TEST_CASE("every form of every tcgen05 instruction on every target: taken or refused as ptxas does") {
  Answers ptxas = of_ptxas();
  OfTables tables;
  add_memory(tables);
  add_moves(tables);
  add_copies(tables);
  add_mmas(tables);
  CHECK(tables.answers().asked == ptxas.asked);
  int asked = 0;
  for (const auto& [instruction, count] : ptxas.asked) asked += count;
  CHECK(asked == 81336);
  const std::vector<std::string> names = names_of(targets());
  CHECK(ptxas.targets == Targets(names.begin(), names.end()));

  // ptxas takes these, PTX 9.1 does not allow them: the scale of D is for kinds f16 and tf32 (9.7.16.10.9).
  for (const std::string kind : {"i8", "ti16"})
    for (const char* sparse : {"-", "sp"})
      for (const char* group : {"1", "2"})
        for (const char* a : {"smem", "tmem"})
          for (const char* scale : {"0", "15", "16"})
            CHECK(ptxas.taken.erase(std::string("mma - ") + sparse + " " + group + " " + kind + " - " + a + ".scale" +
                                    scale) == 1);

  const std::map<std::string, Targets>& table = tables.answers().taken;
  CHECK(ptxas.taken.size() > 1300);
  for (const auto& [form, where] : ptxas.taken) {
    const auto found = table.find(form);
    if (found != table.end() && found->second == where) continue;
    const std::string& name = form;
    CAPTURE(name);
    REQUIRE(found != table.end());
    CHECK(found->second == where);
  }
  for (const auto& row : table)
    CHECK_MESSAGE(ptxas.taken.contains(row.first), row.first, ": the table takes what ptxas refuses");
}

TEST_CASE("the kinds run where some form of them does") {
  for (const MmaKindRow& kind : mma_kinds())
    for (const Target& target : targets()) {
      CAPTURE(kind.name);
      CAPTURE(target.name);
      CHECK(runs_on(availability_of(kind), target) == runs_on(kind, target));
      CHECK((!runs_on(availability_of(kind, true), target) || runs_on(kind, target)));
    }
  CHECK(to_string(availability_of(row_of(MmaKind::mxf4), true)) == "sm_100a, sm_103a, sm_107a and sm_110a");
}

// PTX 9.4, 9.7.18.7: multiples of 32 up to the columns of the target; ptxas has no upper limit.
TEST_CASE("columns of alloc.exclusive") {
  for (const int legal : {32, 96, 480, 512}) CHECK(is_exclusive_allocation(legal, 512));
  for (const int illegal : {-32, 0, 31, 33, 48, 544, 576}) CHECK_FALSE(is_exclusive_allocation(illegal, 512));
  CHECK(is_exclusive_allocation(576, require_target("sm_107a").tmem_columns));
  CHECK_FALSE(is_exclusive_allocation(608, require_target("sm_107a").tmem_columns));
  CHECK_FALSE(is_exclusive_allocation(576, require_target("sm_100a").tmem_columns));
}

}  // namespace
}  // namespace swz
