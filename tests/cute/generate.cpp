// SPDX-License-Identifier: Apache-2.0
// swz_cute_generate DIRECTORY CASES FILES
//
// Writes FILES C++ files that compute about CASES cases with CuTe. SWZ_TEST_SEED in the environment chooses others.
//
// Every operation is drawn many more times than it has cases. Each draw is put to the model of CuTe and to swz:
//
//   both answer      a case for the comparison, until there are enough
//   only swz does    counted: CuTe's static assertions are stricter; where the law can be tried, swz must obey it
//   only CuTe does   CuTe must break the law, otherwise it is a finding, unless tolerated() has a reason
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.hpp"
#include "cute_model.hpp"
#include "expr/evaluate.hpp"
#include "operation.hpp"
#include "source.hpp"
#include "tolerated.hpp"

namespace swz {
namespace {

constexpr std::uint64_t default_seed = 20251121;
constexpr int draws_per_operation = 2000;
constexpr int wrong_per_operation = 4;
constexpr int static_sample = 25;  // one case in so many is evaluated by CuTe's static code

struct Line {
  const char* expect;
  std::string operation, text, predicted, cpp;
};

struct Tally {
  int both = 0, only_swz = 0, only_cute = 0, neither = 0, cute_wrong = 0, tolerated = 0, findings = 0;
  void add(const Tally& o) {
    both += o.both, only_swz += o.only_swz, only_cute += o.only_cute, neither += o.neither;
    cute_wrong += o.cute_wrong, tolerated += o.tolerated, findings += o.findings;
  }
};

std::optional<Value> swz_answer(const std::string& text) {
  try {
    return evaluate(text).value;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool same_function(const ComposedLayout& a, const ComposedLayout& b) {
  if (a.size() != b.size()) return false;
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (a(i) != b(i)) return false;
  return true;
}

struct Survey {
  std::vector<Line> lines;
  std::vector<std::array<std::string, 3>> found;
  Tally total;

  void operation(const Operation& o, Draw& draw, std::size_t wanted) {
    std::set<std::string> seen;
    std::size_t kept = 0;
    int wrong = 0;
    Tally tally;
    for (int i = 0; i < draws_per_operation || (kept < wanted && i < 10 * draws_per_operation); ++i) {
      const Case c = o.draw(draw);
      if (!seen.insert(c.text).second) continue;
      bool compiles = true;
      std::optional<ComposedLayout> cute;
      try {
        cute = c.model();
      } catch (const cute_model::DoesNotCompile&) {
        compiles = false;
      }
      const std::optional<Value> swz = swz_answer(c.text);
      const auto* swz_layout = swz ? std::get_if<ComposedLayout>(&*swz) : nullptr;
      const bool judged = c.law != nullptr && !c.gathered;
      (compiles ? swz ? tally.both : tally.only_cute : swz ? tally.only_swz : tally.neither)++;

      if (swz_layout && judged && !obeys(c, *swz_layout)) {
        find(o, c, "swz answers " + to_string(*swz_layout) + ", which breaks the law", tally);
      } else if (swz && compiles) {
        const bool differs = judged && cute && swz_layout && !same_function(*cute, *swz_layout);
        if (differs && !obeys(c, *cute)) {
          ++tally.cute_wrong;
          if (wrong++ < wrong_per_operation) lines.push_back({"wrong", o.name, c.text, to_string(*cute), c.cpp});
        } else if (kept < wanted) {
          ++kept;
          lines.push_back(
              {o.as_function || reordered(c, cute, swz_layout) ? "same_function" : "same", o.name, c.text, "", c.cpp});
        }
      } else if (compiles) {
        if (cute && c.law && !obeys(c, *cute)) {
          ++tally.cute_wrong;
          if (!c.gathered && wrong++ < wrong_per_operation)
            lines.push_back({"wrong", o.name, c.text, to_string(*cute), c.cpp});
        } else if (tolerated(o.name, c.text)) {
          ++tally.tolerated;
        } else {
          find(o, c, "swz refuses; CuTe compiles" + (cute ? ", " + to_string(*cute) + " obeys the law" : std::string()),
               tally);
        }
      }
    }
    fmt::print("{:36} {:6} {:9} {:9} {:8} {:10} {:10} {:9} {:6}\n", o.name, tally.both, tally.only_swz, tally.only_cute,
               tally.neither, tally.cute_wrong, tally.tolerated, tally.findings, kept);
    total.add(tally);
  }

  static bool obeys(const Case& c, const ComposedLayout& answer) {
    try {
      return c.law(answer);
    } catch (const cute_model::DoesNotCompile&) {
      return true;  // the law is about a complement that CuTe does not have
    }
  }

  // swz found the layout from its values, where CuTe's way has no answer or another one: then the stride of a mode
  // of extent 1 is 0 instead of a number that is never used.
  static bool reordered(const Case& c, const std::optional<ComposedLayout>& cute, const ComposedLayout* swz) {
    return cute && swz && !c.gathered && !swz->has_pointer() && to_string(*cute) != to_string(*swz) &&
           from_values(*swz) && same_function(*cute, *swz);
  }

  static bool from_values(const ComposedLayout& l) {
    return std::ranges::any_of(l.layout().modes(), [](FlatMode m) { return m.extent == 1 && m.stride == 0; });
  }

  void find(const Operation& o, const Case& c, const std::string& what, Tally& tally) {
    ++tally.findings;
    if (found.size() < 200) found.push_back({o.name, c.text, what});
  }
};

void write_cases(const std::string& path, std::span<const Line> lines, std::size_t number) {
  std::ofstream out(path);
  // decltype: CuTe works on types, and code for its function bodies would take three times as long to compile.
  out << "#include \"answer.hpp\"\n\nnamespace {\nusing namespace cute;\n\n";
  std::string calls;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& l = lines[i];
    const bool by_static = i % static_sample == 0 && l.cpp.find("Swizzle") == std::string::npos &&
                           l.cpp.find("Layout<") != std::string::npos && l.expect != std::string("wrong");
    out << fmt::format(
        "swz::CuteCase case_{}() {{\n  return {{swz::Expect::{}, {}, {}, {},\n          "
        "swz::{}(decltype({}){{}})}};\n}}\n",
        i, l.expect, source::quoted(l.operation), source::quoted(l.text), source::quoted(l.predicted),
        by_static ? "answer_of_static" : "answer_of", l.cpp);
    calls += fmt::format("  out.push_back(case_{}());\n", i);
  }
  out << fmt::format("}}  // namespace\n\nvoid swz_cute_cases_{}(swz::CuteCases& out) {{\n{}}}\n", number, calls);
}

void write_index(const std::string& path, std::size_t files, const Survey& survey) {
  std::ofstream out(path);
  out << "#include \"answers.hpp\"\n\n";
  for (std::size_t i = 0; i < files; ++i) out << fmt::format("void swz_cute_cases_{}(swz::CuteCases&);\n", i);
  out << "\nnamespace swz {\n\nCuteCases cute_cases() {\n  CuteCases all;\n";
  for (std::size_t i = 0; i < files; ++i) out << fmt::format("  swz_cute_cases_{}(all);\n", i);
  out << "  return all;\n}\n\nstd::vector<Deviation> deviations() {\n  return {\n";
  for (const auto& [operation, text, what] : survey.found)
    out << fmt::format("      {{{}, {},\n       {}}},\n", source::quoted(operation), source::quoted(text),
                       source::quoted(what));
  out << "  };\n}\n\n}  // namespace swz\n";
}

int generate(const std::string& directory, std::size_t cases, std::size_t files) {
  const char* const chosen = std::getenv("SWZ_TEST_SEED");
  const std::uint64_t seed = chosen && *chosen ? std::strtoull(chosen, nullptr, 0) : default_seed;
  std::vector<Operation> operations;
  int weights = 0;
  for (const auto table :
       {algebra_operations, tiling_operations, shaping_operations, swizzled_operations, shape_operations}) {
    for (const Operation& o : table()) {
      operations.push_back(o);
      weights += o.weight;
    }
  }
  fmt::print("seed {} (SWZ_TEST_SEED chooses another)\n", seed);
  fmt::print("{:36} {:>6} {:>9} {:>9} {:>8} {:>10} {:>10} {:>9} {:>6}\n", "operation", "both", "only swz", "only CuTe",
             "neither", "CuTe wrong", "tolerated", "findings", "cases");
  Survey survey;
  Draw draw(seed);
  for (const Operation& o : operations) {
    const auto weight = static_cast<std::size_t>(o.weight);
    survey.operation(o, draw,
                     (cases * weight + static_cast<std::size_t>(weights) - 1) / static_cast<std::size_t>(weights));
  }
  const Tally& t = survey.total;
  fmt::print("{:36} {:6} {:9} {:9} {:8} {:10} {:10} {:9} {:6}\n", "all", t.both, t.only_swz, t.only_cute, t.neither,
             t.cute_wrong, t.tolerated, t.findings, survey.lines.size());

  // Dealt like cards, so that every file takes about as long to compile.
  std::filesystem::create_directories(directory);
  for (std::size_t f = 0; f < files; ++f) {
    std::vector<Line> mine;
    for (std::size_t i = f; i < survey.lines.size(); i += files) mine.push_back(survey.lines[i]);
    write_cases(fmt::format("{}/cases_{}.cpp", directory, f), mine, f);
  }
  write_index(directory + "/cases.cpp", files, survey);
  return 0;
}

}  // namespace
}  // namespace swz

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: swz_cute_generate DIRECTORY CASES FILES\n", stderr);
    return 2;
  }
  return swz::generate(argv[1], std::strtoul(argv[2], nullptr, 10), std::strtoul(argv[3], nullptr, 10));
}
