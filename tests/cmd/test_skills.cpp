// SPDX-License-Identifier: Apache-2.0
// swz skills install: what is written, and what is not replaced. tests/docs/skill.py runs every line of the skill.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "cmd/parsed.hpp"
#include "cmd/run_cli.hpp"
#include "cmd/scratch.hpp"

using namespace swz;

namespace {

std::string content(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("skills install: a new file, the same again, an older one, one that was changed by hand") {
  const ScratchFolder folder;
  const std::string skills = folder.file("a/b"), path = skills + "/swz/SKILL.md";
  const auto install = [&](const Words& more) {
    Words words{"skills", "install", "--dest", skills, "-f", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_once(words);
  };
  const auto state = [&](const Words& more) { return Parsed::parse(install(more).out)["state"].get<std::string>(); };
  CHECK(state({"--where"}) == "absent");
  CHECK(!std::filesystem::exists(skills));
  const CliResult first = install({});
  CHECK(first.exit_code == 0);
  CHECK(Parsed::parse(first.out)["path"] == path);
  CHECK(Parsed::parse(first.out)["state"] == "written");
  const std::string written = content(path), source = content("skills/swz/SKILL.md");
  REQUIRE(source.size() > 1000);
  CHECK(written.starts_with(source + "<!-- swz skills install: 0x"));
  CHECK(state({}) == "unchanged");
  CHECK(state({"--where"}) == "unchanged");

  // FNV-1a of "An older skill.\n", as Python computes it.
  const std::string older = "An older skill.\n<!-- swz skills install: 0x7629e398eb00df55 -->\n";
  folder.file("a/b/swz/SKILL.md", older);
  CHECK(state({"--where"}) == "older");
  CHECK(state({}) == "replaced");
  CHECK(content(path) == written);

  for (const std::string& changed : {"Mine.\n" + written, written + "More.\n", std::string("Mine.\n")}) {
    folder.file("a/b/swz/SKILL.md", changed);
    CHECK(state({"--where"}) == "changed");
    const CliResult kept = run_once({"skills", "install", "--dest", skills});
    CHECK(kept.exit_code == 2);
    CHECK(kept.err.find("was changed by hand\nhint: --force replaces it\n") != std::string::npos);
    CHECK(content(path) == changed);
    CHECK(state({"--force"}) == "replaced");
    CHECK(content(path) == written);
  }
}

TEST_CASE("skills install: folders that cannot be made, and a batch") {
  const ScratchFolder folder;
  const std::string file = folder.file("file", "text");
  CHECK(run_once({"skills", "install", "--dest", file}).err.find("Not a directory") != std::string::npos);
  CHECK(run_once({"skills", "install", "--dest", ""}).exit_code == 2);
  const std::string line = "skills install --dest " + folder.file("x") + "\n";
  CHECK(run_once({"batch", "-"}, {}, line).out.find("a batch line writes no files") != std::string::npos);
  CHECK(!std::filesystem::exists(folder.file("x")));
}

TEST_CASE("the skill has at most 100 lines, front matter, and its rule") {
  const std::string text = content("skills/swz/SKILL.md");
  CHECK(std::ranges::count(text, '\n') <= 100);
  CHECK(text.starts_with("---\nname: swz\ndescription: "));
  const std::size_t description = text.find("description: ") + 13;
  CHECK(text.find('\n', description) - description <= 1024);
  CHECK(text.find("**Incomplete is not a pass.**") != std::string::npos);
}
