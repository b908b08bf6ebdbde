// SPDX-License-Identifier: Apache-2.0
// Tables by columns, cells and lists: what every view is made of.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "render/json.hpp"
#include "render/text.hpp"
#include "view/document/document.hpp"

namespace swz {
namespace {

struct Row {
  std::string_view name;
  int bits = 0;
  Bytes span;
  int twice() const { return 2 * bits; }
};

TEST_CASE("a table by columns: members, functions of the row, columns only for text or JSON") {
  const std::vector<Row> rows{{"f16", 16, Bytes{32}}, {"b1", 1, Bytes{}}};
  const Table table = table_of<Row>(
      "types", "element types", rows,
      {{"name", "type", &Row::name},
       {"bits", "bits", &Row::bits, Column::Align::right},
       {"twice", "", &Row::twice},
       {"span", "span", [](const Row& row) { return row.span.count == 0 ? Cell(nullptr) : Cell(row.span, "32 B"); }},
       {"", "is wide", [](const Row& row) { return row.bits > 8; }}});
  const Document d = Document().add(table);
  CHECK(json_text(d) == R"({"types":[{"name":"f16","bits":16,"twice":32,"span":32},)"
                        R"({"name":"b1","bits":1,"twice":2,"span":null}]})"
                        "\n");
  CHECK(render_text(d, {}) ==
        "element types\n"
        "type  bits  span  is wide\n"
        "f16     16  32 B  yes\n"
        "b1       1  -     no\n");
}

TEST_CASE("fields for both, only for JSON, only for text") {
  Document d;
  d.field("lbo", "LBO", 16, "16 B").json("arch", "sm_90a").line("printed by", "torch");
  CHECK(json_text(d) == "{\"lbo\":16,\"arch\":\"sm_90a\"}\n");
  CHECK(render_text(d, {}) == "LBO         16 B\nprinted by  torch\n");
}

TEST_CASE("fields of an object, and fields whose line is left out if they are null") {
  Document d;
  d.field("start.symbol", "start", "smem", "smem + 64").json("start.offset", 64);
  d.known("swizzle", "swizzle", nullptr, "?").known("start.end.known", "known", true);
  CHECK(json_text(d) == R"({"start":{"symbol":"smem","offset":64,"end":{"known":true}},"swizzle":null})"
                        "\n");
  CHECK(render_text(d, {}) == "start  smem + 64\nknown  yes\n");
}

TEST_CASE("a row of a table with the fields of a document") {
  Table table{"", "sites", {{"b", "b"}, {"a.bytes", "size"}, {"", "none"}}, {}};
  for (const Document& row : {Document().field("a.bytes", "", 32, "32 B").line("b", "2"), Document().json("b", nullptr),
                              Document().json("b", 7)})
    table.rows.push_back(cells_of(row, table.columns));
  CHECK(render_text(Document().add(table), {}) ==
        "sites\n"
        "b  size  none\n"
        "-  32 B  -\n"
        "-  -     -\n"
        "7  -     -\n");
}

TEST_CASE("lists: unused names, the first of an array, null for what is empty") {
  const Cell names = name_list(std::array<std::string_view, 4>{"f16", "", "bf16", ""});
  CHECK(names.value.dump() == R"(["f16","bf16"])");
  CHECK(names.text == "f16 bf16");
  const Cell none = name_list(std::array<std::string_view, 2>{});
  CHECK(none.value.dump() == "[]");
  CHECK(none.text == "-");
  const Json first = first_of(std::array{64, 128, 0, 0, 0}, 2);
  CHECK(first.dump() == "[64,128]");
  CHECK(tuple_text(first) == "(64, 128)");
  CHECK(tuple_text(Json::array()) == "()");
  CHECK(or_null(std::string()).is_null());
  CHECK(or_null(0).is_null());
  CHECK(or_null(std::string("x")).dump() == "\"x\"");
  CHECK(json_list(std::vector{1, 2}, [](int i) -> Json { return {{"i", i}}; }).dump() == R"([{"i":1},{"i":2}])");
}

TEST_CASE("findings: notes and lints apart; a document has lints of its own, not those of its members") {
  const std::vector<Finding> findings{note("order", "the smallest"), lint("sbo", "too large")};
  const Document both = Document().findings(findings), note_alone = Document().findings({findings[0]});
  REQUIRE(both.blocks.size() == 2);
  const auto &notes = std::get<Notes>(both.blocks[0]), &lints = std::get<Notes>(both.blocks[1]);
  CHECK(notes.key == "notes");
  CHECK(notes.findings.size() == 1);
  CHECK(notes.findings.front().rule == "order");
  CHECK(lints.key == "lints");
  CHECK(lints.findings.size() == 1);
  CHECK(lints.findings.front().rule == "sbo");
  CHECK(std::get<Notes>(note_alone.blocks[1]).findings.empty());
  CHECK(!has_lints(note_alone));
  CHECK(has_lints(both));
  CHECK(!has_lints(Document().add(Group{"members", {both}})));
}

}  // namespace
}  // namespace swz
