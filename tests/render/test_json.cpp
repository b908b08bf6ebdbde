// SPDX-License-Identifier: Apache-2.0
// Documents as JSON: keys, order, what is left out.
#include <doctest/doctest.h>

#include "render/json.hpp"

using namespace swz;

TEST_CASE("each block under its key, in the order of the document") {
  Document member;
  member.add(Field{"arch", "arch", "sm_90a"}).add(Field{"", "text only", 1});
  Document document("text only");
  document.add(Field{"size", "size", 512, "512 elements"})
      .add(Paragraph{"text only"})
      .add(Grid{})
      .add(BitRow{})
      .add(Table{"fields",
                 "title",
                 {{"name", "name"}, {"bits", ""}, {"", "text only"}},
                 {{{"sbo"}, {Json::array({32, 45}), "32-45"}, {"x"}}, {{"lbo"}}}})
      .add(Notes{"lints", {lint("r", "m", "h"), note("", "n")}})
      .add(Notes{"notes", {}})
      .add(Group{"readings", {member, Document()}})
      .add(Field{"absent", "absent", nullptr});
  CHECK(json_text(document) ==
        "{\"size\":512,"
        "\"fields\":[{\"name\":\"sbo\",\"bits\":[32,45]},{\"name\":\"lbo\"}],"
        "\"lints\":[{\"rule\":\"r\",\"message\":\"m\",\"hint\":\"h\"},{\"rule\":\"\",\"message\":\"n\"}],"
        "\"notes\":[],"
        "\"readings\":[{\"arch\":\"sm_90a\"},{}],"
        "\"absent\":null}\n");
  CHECK(json_text(Document("only a title")) == "{}\n");
}

TEST_CASE("a block without a key is left out") {
  Document document;
  document.add(Table{"", "", {{"a", "a"}}, {{{1}}}}).add(Notes{"", {{}}}).add(Group{"", {Document()}});
  CHECK(json_text(document) == "{}\n");
}

TEST_CASE("two lists under one key are joined, so that no lint is lost") {
  Document document;
  document.add(Notes{"lints", {lint("a", "1")}}).add(Notes{"lints", {lint("b", "2")}});
  const std::string lints = R"("lints":[{"rule":"a","message":"1"},{"rule":"b","message":"2"}])";
  CHECK(json_text(document) == "{" + lints + "}\n");
  document.add(Notes{"lints", {}}).add(Field{"n", "", 1}).add(Field{"n", "", 2});
  CHECK(json_text(document) == "{" + lints + ",\"n\":2}\n");
  document.add(Field{"n", "", Json::array()}).add(Field{"n", "", {3, 4}}).add(Table{"n", "", {{"k", ""}}, {{{5}}}});
  CHECK(json_text(document) == "{" + lints + ",\"n\":[3,4,{\"k\":5}]}\n");
}

TEST_CASE("numbers and bytes survive") {
  Document document;
  document.add(Field{"max", "", INT64_MAX}).add(Field{"min", "", INT64_MIN}).add(Field{"s", "", "é\xff\n"});
  CHECK(json_text(document) ==
        "{\"max\":9223372036854775807,\"min\":-9223372036854775808,\"s\":\"é\xEF\xBF\xBD\\n\"}\n");
}
