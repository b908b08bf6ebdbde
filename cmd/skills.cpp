// SPDX-License-Identifier: Apache-2.0
// swz skills install: the skill for coding agents (skills/swz/SKILL.md, of which the program has the text).
//
//   swz skills install --dest ~/.claude/skills      writes ~/.claude/skills/swz/SKILL.md
//
// The last line of the file has a checksum of the lines before it. A file with another checksum was changed by hand and is
// kept; one with its own, of whatever version of swz, is replaced.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "command.hpp"
#include "files.hpp"
#include "skill_text.hpp"

namespace swz {
namespace {

constexpr TextLimits file_limits{limits::mib, "a skill", "give another --dest"};

struct SkillsRequest {
  std::string folder = ".agents/skills";
  bool may_replace = false, only_says_where = false;
};

Options options_of(SkillsRequest& r) {
  return {
      option("--dest", "DIR", r.folder, "the folder of the agent's skills: ~/.agents/skills, .claude/skills")
          .by_default(r.folder)
          .file(),
      flag("--force", r.may_replace, "also replace a file that was changed by hand"),
      flag("--where", r.only_says_where, "write nothing: say which file it is, and its state").excluding({"--force"})};
}

// FNV-1a, 64 bits.
std::string checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hex64(hash);
}

std::string signed_text(std::string_view text) {
  return fmt::format("{}<!-- swz skills install: {} -->\n", text, checksum(text));
}

bool is_as_written(std::string_view file) {
  const std::size_t last = file.rfind("<!-- swz skills install:");
  return last != std::string_view::npos && file == signed_text(file.substr(0, last));
}

// Also the folders above it.
void make_folder(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0777) != 0 && errno != EEXIST)
      throw usage_error(fmt::format("cannot make the folder {}: {}", quoted(part), std::strerror(errno)),
                        "give another --dest");
    if (end == std::string::npos) return;
  }
}

// What is at the path: absent, unchanged, older (as another swz wrote it) or changed (by hand).
std::string_view state_of(const std::string& path, std::string_view text, const Context& context) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return "absent";
  const std::string file = read_text(path, context, file_limits);
  return file == text ? "unchanged" : is_as_written(file) ? "older" : "changed";
}

void write(const std::string& folder, const std::string& path, std::string_view text, const Context& context) {
  if (context.input < 0) throw Error("a batch line writes no files", "give the line to swz itself");
  make_folder(folder);
  Output file(path, nullptr);
  file.write(text);
  file.commit();
}

Answer answer(const SkillsRequest& r, const Context& context) {
  if (r.folder.empty() || r.folder.find('\0') != std::string::npos)
    throw usage_error("--dest needs the name of a folder", "--dest .agents/skills");
  const std::string folder = r.folder + (r.folder.ends_with('/') ? "swz" : "/swz"), path = folder + "/SKILL.md";
  const std::string text = signed_text(skill_text);
  std::string_view state = state_of(path, text, context);
  if (!r.only_says_where && state != "unchanged") {
    if (state == "changed" && !r.may_replace)
      throw Error(fmt::format("{} was changed by hand", quoted(path)), "--force replaces it");
    write(folder, path, text, context);
    state = state == "absent" ? "written" : "replaced";
  }
  Document out;
  out.field("path", "skill", path).field("state", "state", state);
  out.answers = {"path"};
  return {out};
}

}  // namespace

Commands skills_commands() {
  return {{.name = "skills install",
           .summary = "write the skill that teaches a coding agent when and how to ask swz",
           .details = R"(Writes DIR/swz/SKILL.md: which command answers which question, how to read a
verdict, and that an incomplete answer is not a pass. By default DIR is
.agents/skills in the current folder, where many agents look; Claude Code looks
in .claude/skills, and in ~/.claude/skills for every project.

A file that was changed by hand is kept, with exit code 2, unless --force is
given. One that an earlier swz wrote is replaced.)",
           .examples = {{"swz skills install", "the skill for the project of the current folder"},
                        {"swz skills install --dest ~/.claude/skills", "for Claude Code, in every project", true}},
           .prepare = [] { return prepare(options_of, answer); },
           .needs_system = true}};
}

}  // namespace swz
