// SPDX-License-Identifier: Apache-2.0
// Two CTAs: every text that answers about a pair names the CTA, and the right one.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "run_cli.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// What is asked, and the CTAs that the answer has to name.
struct Asked {
  Words words;
  std::set<int> ctas;
};

class Random {
 public:
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  template <class T>
  T of(std::vector<T> choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }

 private:
  std::mt19937 engine_{28};
};

template <class... Parts>
Asked line(std::set<int> ctas, const std::string& form, Parts... parts) {
  return {words_of(fmt::format(fmt::runtime(form), parts...)), std::move(ctas)};
}

using Generator = std::function<Asked(Random&)>;
struct CommandRow {
  std::string name;
  Generator ask;
};

Asked of_tile(Random& random, const std::string& command) {
  const int cta = random.below(2);
  return line({cta}, "{} --arch sm_100a --dtype {} --tile {}x64 --cta-group 2 --cta {}", command,
              random.of<std::string>({"f16", "bf16"}), 128 * (1 + random.below(2)), cta);
}

// Rows of the whole operand; those of the second CTA come in the second half.
const std::vector<CommandRow>& rows() {
  static const std::vector<CommandRow> table{
      {"tmem d",
       [](Random& random) {
         const int m = 128 * (1 + random.below(2)), row = random.below(m), cta = random.below(2);
         if (random.below(2) == 0)
           return line({row / (m / 2)}, "tmem d --cta-group 2 --m {} --n 256 --at {},{}", m, row, random.below(256));
         return line({cta}, "tmem d --cta-group 2 --m {} --n 256 --lane {} --column {} --cta {}", m, random.below(128),
                     random.below(128), cta);
       }},
      {"tmem a",
       [](Random& random) {
         const int m = 128 * (1 + random.below(2)), row = random.below(m), cta = random.below(2);
         if (random.below(2) == 0)
           return line({row / (m / 2)}, "tmem a --cta-group 2 --m {} --dtype f16 --at {},{}", m, row, random.below(64));
         return line({cta}, "tmem a --cta-group 2 --m {} --dtype f16 --cell {},{},{} --cta {}", m, random.below(64),
                     random.below(32), random.below(32), cta);
       }},
      {"tmem cp",
       [](Random& random) {
         const std::string shape = random.of<std::string>({"128x256b", "128x128b", "4x256b", "32x128b.warpx4"});
         const std::string question = random.of<std::string>({"", "--row 2", "--cell 0,1"});
         return line({0, 1}, "tmem cp {} --cta-group 2 {}", shape, question);
       }},
      {"tmem plan",
       [](Random& random) {
         return line({0, 1}, "tmem plan --cta-group 2 --m {} --n {}", 128 * (1 + random.below(2)),
                     32 * (1 + random.below(8)));
       }},
      {"sparse",
       [](Random& random) {
         const int row = random.below(256), cta = random.below(2);
         const std::string kind = random.of<std::string>({"f16", "tf32", "f8f6f4", "mxf4"});
         if (random.below(2) == 0)
           return line({row / 128}, "sparse --kind {} --m 256 --cta-group 2 --at {},{}", kind, row, random.below(16));
         return line({cta}, "sparse --kind {} --m 256 --cta-group 2 --cell {},{},{} --cta {}", kind, random.below(128),
                     random.below(4), random.below(32), cta);
       }},
      {"sf tmem",
       [](Random& random) {
         const int row = random.below(256), cta = random.below(2);
         switch (random.below(3)) {
           case 0: return line({row / 128}, "sf tmem --kind mxf4 --m 256 --cta-group 2 --row {}", row);
           case 1: return line({0, 1}, "sf tmem --kind mxf4 --m 256 --n 256 --operand b --cta-group 2 --row {}", row);
           default:
             return line({cta}, "sf tmem --kind mxf4 --m 256 --cta-group 2 --cell {},{},{} --cta {}", random.below(128),
                         random.below(4), random.below(4), cta);
         }
       }},
      {"sf way",
       [](Random& random) {
         const int row = random.below(256), cta = random.below(2);
         switch (random.below(3)) {
           case 0: return line({row / 128}, "sf way --kind mxf4 --m 256 --cta-group 2 --row {}", row);
           case 1: return line({0, 1}, "sf way --kind mxf4 --m 256 --n 256 --operand b --cta-group 2 --row {}", row);
           default: return line({cta}, "sf way --kind mxf4 --m 256 --cta-group 2 --cta {}", cta);
         }
       }},
      {"pair",
       [](Random& random) {
         const int cta = random.below(2), row = random.below(256);
         switch (random.below(3)) {
           case 0: return line({cta}, "pair --m 256 --n 192 --cta {}", cta);
           case 1: return line({cta}, "pair --m 256 --n 192 --k 64 --dtype f16 --cta {}", cta);
           default: return line({row / 128}, "pair --m 256 --n 256 --at {},{}", row, random.below(256));
         }
       }},
      {"desc", [](Random& random) { return of_tile(random, "desc"); }},
      {"choose", [](Random& random) { return of_tile(random, "choose"); }},
      {"place", [](Random& random) { return of_tile(random, "place"); }},
      {"banks", [](Random& random) { return of_tile(random, "banks"); }},
      {"tma plan", [](Random& random) { return of_tile(random, "tma plan"); }},
      {"story", [](Random& random) { return of_tile(random, "story"); }},
      {"frag",
       [](Random& random) {
         const int cta = random.below(2);
         Asked asked =
             line({cta}, "frag tcgen05.ld.32x32b.x8 --thread {} --register {} --of", random.below(32), random.below(8));
         asked.words.push_back(fmt::format("m 256 n 128 cta-group 2 cta {} warp {}", cta, random.below(4)));
         return asked;
       }},
  };
  return table;
}

// The numbers after "CTA 1", "CTAs 0 and 1", and a CTA of a field or a title.
std::set<int> named_ctas(const std::string& text) {
  static const std::regex named(R"(CTAs?(?: of A and D)? +([01])(?: and ([01]))?)");
  std::set<int> ctas;
  for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it)
    for (const std::size_t group : {1U, 2U})
      if ((*it)[group].matched) ctas.insert((*it)[group].str()[0] - '0');
  return ctas;
}

TEST_CASE("every text about a pair names the right CTA") {
  Random random;
  Sweep every{20};
  for (const CommandRow& row : rows())
    for (int i = 0; i < 60; ++i) {
      const Asked asked = row.ask(random);
      if (!every.takes()) continue;
      const CliResult r = run_cli(asked.words);
      CAPTURE(fmt::format("{}", fmt::join(asked.words, " ")));
      CAPTURE(r.err);
      CHECK(r.exit_code != 2);
      // A cell that nothing lies in has no CTA to name.
      const std::string lead = r.out.substr(0, r.out.find("\nevidence"));
      std::set<int> named = named_ctas(lead);
      CAPTURE(lead);
      for (const int cta : asked.ctas) CHECK(named.contains(cta));
    }
}

TEST_CASE("a single CTA is not named") {
  for (const char* one : {"tmem a --dtype f16 --at 40,11", "sparse --kind f16 --at 13,20",
                          "sf tmem --kind mxf4 --row 3", "tmem cp 4x256b", "sf way --kind mxf4 --row 5"})
    CHECK_MESSAGE(named_ctas(run_cli(words_of(one)).out).empty(), one);
}

TEST_CASE("every command that takes --cta-group is asked above") {
  std::set<std::string> asked, taking{"pair", "frag"};  // --of has the words of tmem d
  for (const CommandRow& row : rows()) asked.insert(row.name);
  for (const Command& command : commands()) {
    Words words = words_of(std::string(command.name));
    words.emplace_back("--help");
    if (run_cli(words).out.find("  --cta-group") != std::string::npos) taking.insert(std::string(command.name));
  }
  // One word for both CTAs; every CTA by its rank.
  taking.erase("encode idesc");
  taking.erase("cluster");
  // What a pair takes, of neither CTA.
  taking.erase("cost");
  taking.erase("stage");
  CHECK(asked == taking);
}

}  // namespace
}  // namespace swz
