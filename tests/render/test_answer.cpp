// SPDX-License-Identifier: Apache-2.0
// Only the answer, as --brief shows it.
#include <doctest/doctest.h>

#include "render/text.hpp"

using namespace swz;

namespace {

Document sample() {
  Document d("a title");
  d.field("size", "size", 512, "512 elements").json("same", false).json("none", nullptr);
  d.json("box", {{"mn", 8}, {"k", 64}}).json("dims", {4, 5});
  d.add(Table{"fields",
              "",
              {{"name", "field"}, {"value", "value"}, {"unit", ""}},
              {{{"start"}, {1056}, {"B"}}, {{"swizzle"}, {"128B"}, {nullptr}}}});
  return d.add(Notes{"notes", {note("a", "just so")}});
}

std::string brief(Document d, std::vector<std::string> answers) {
  d.answers = std::move(answers);
  return render_brief(d, {});
}

}  // namespace

TEST_CASE("one value by itself, several after their names; the values are those of JSON") {
  CHECK(brief(sample(), {"size"}) == "512\n");
  CHECK(brief(sample(), {"size", "same", "none"}) == "size 512\nsame no\nnone -\n");
  CHECK(brief(sample(), {"box.k"}) == "64\n");
  CHECK(brief(sample(), {"dims"}) == "4\n5\n");
}

TEST_CASE("a table: some columns of each row, or how many rows it has") {
  CHECK(brief(sample(), {"fields.name.value.unit"}) == "start 1056 B\nswizzle 128B\n");
  CHECK(brief(sample(), {"fields"}) == "2\n");
  CHECK(brief(sample(), {"fields", "size"}) == "fields 2\nsize 512\n");
}

TEST_CASE("lints follow, a line each; notes do not") {
  Document d = sample();
  const std::string message(200, 'x');
  d.add(Notes{"lints", {lint("rule", message + " " + message, "a hint", "a source")}});
  CHECK(brief(d, {"size"}) == "512\nlint[rule]: " + message + " " + message + "\n");
}

TEST_CASE("members answer where their document does not, with the lints of all") {
  Document member = sample();
  member.answers = {"size"};
  member.add(Notes{"lints", {lint("rule", "wrong")}});
  Document d("both");
  d.add(Group{"members", {member, member}});
  CHECK(render_brief(d, {}) == "512\n512\nlint[rule]: wrong\nlint[rule]: wrong\n");
  d.json("count", 2).answers = {"count"};
  CHECK(render_brief(d, {}) == "2\nlint[rule]: wrong\nlint[rule]: wrong\n");
}

TEST_CASE("a document without answers is shown whole; source code is the answer") {
  Document d("a title");
  d.add(Paragraph{"words"});
  CHECK(render_brief(d, {}) == render_text(d, {}));
  d.json("size", 1).answers = {"size"};
  d.source = "int x;\n";
  CHECK(render_brief(d, {}) == "int x;\n");
}

TEST_CASE("control bytes are shown, not sent") {
  Document d;
  d.json("text", "\x1b[2J").answers = {"text"};
  CHECK(render_brief(d, {}) == "\\x1b[2J\n");
}
