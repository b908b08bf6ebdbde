// SPDX-License-Identifier: Apache-2.0
// swz mcp: whole messages of the protocol, that a tool answers as the command does, and that no message stops it. The
// protocol's own client asks it in python/tests/test_mcp.py.
#include <doctest/doctest.h>
#include <poll.h>

#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "base/base64.hpp"
#include "base/random.hpp"
#include "base/version.hpp"
#include "cmd/mock_commands.hpp"
#include "cmd/parsed.hpp"
#include "cmd/run_cli.hpp"
#include "cmd/scratch.hpp"
#include "help.hpp"
#include "mcp_server.hpp"
#include "words.hpp"

using namespace swz;

namespace {

const McpServer& mock_server() {
  static const McpServer server(mock_commands(), {}, {},
                                {{"guide.md", [] { return std::string("# Guide\n"); }},
                                 {"gone.md", []() -> std::string { throw Error("it is gone"); }}});
  return server;
}

const McpServer& server() {
  static const McpServer all(commands(), {}, {}, {});
  return all;
}

// A request with id 1.
std::string request(const std::string& method, const Json& params = Json::object()) {
  return Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump();
}

Json modern(Json params = Json::object(), const std::string& version = "2026-07-28") {
  params["_meta"] = Json{{"io.modelcontextprotocol/protocolVersion", version},
                         {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  return params;
}

Parsed answer(const std::string& line, const McpServer& by = mock_server()) { return Parsed::parse(by.answer(line)); }

Parsed called(const McpServer& by, const std::string& tool, const Json& arguments) {
  return answer(request("tools/call", {{"name", tool}, {"arguments", arguments}}), by)["result"];
}

std::string text_of(const Parsed& result, std::size_t block = 0) {
  return result["content"][block]["text"].get<std::string>();
}

std::string result_of(const std::string& result) { return R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}"; }

}  // namespace

TEST_CASE("a transcript: the handshake, a ping, an answer, a negative one, an error") {
  const auto says = [](const std::string& line) { return mock_server().answer(line); };
  const Parsed start = answer(request("initialize", {{"protocolVersion", "2025-06-18"},
                                                     {"capabilities", Json::object()},
                                                     {"clientInfo", {{"name", "test"}, {"version", "1"}}}}));
  CHECK(start["result"]["protocolVersion"] == "2025-06-18");
  CHECK(start["result"]["serverInfo"]["name"] == "swz");
  CHECK(start["result"]["serverInfo"]["version"] == std::string(program_version));
  CHECK(start["result"]["capabilities"].dump() == R"({"tools":{},"resources":{}})");
  CHECK(says(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").empty());
  CHECK(says(request("ping")) == result_of("{}"));
  CHECK(says(R"({"jsonrpc":"2.0","id":"a","method":"ping"})") == R"({"jsonrpc":"2.0","id":"a","result":{}})");
  CHECK(says(request("tools/call", {{"name", "echo"}, {"arguments", {{"WORD", Json::array({"hi"})}}}})) ==
        result_of(R"({"content":[{"type":"text","text":"words  [\"hi\"]\narch\n"},)"
                  R"({"type":"text","text":"verdict: clean (exit code 0): the answer is a pass"}],)"
                  R"("structuredContent":{"verdict":"clean","words":["hi"],"arch":""},"isError":false,)"
                  R"("_meta":{"swz/exit":0}})"));
  CHECK(says(request("tools/call", {{"name", "fail"}, {"arguments", {{"WHAT", "no"}}}})) ==
        result_of(R"({"content":[{"type":"text","text":"equal  no\n"},)"
                  R"({"type":"text","text":"verdict: error (exit code 1): the answer is no"}],)"
                  R"("structuredContent":{"verdict":"error","equal":false},"isError":false,"_meta":{"swz/exit":1}})"));
  CHECK(
      says(request("tools/call", {{"name", "fail"}, {"arguments", {{"WHAT", "abc"}}}})) ==
      result_of(
          R"({"content":[{"type":"text","text":"swz: error: expected a digit\n  abc\n   ^\nhint: write a number\n"}],)"
          R"("isError":true,"_meta":{"swz/exit":2}})"));
}

TEST_CASE("the last text says the verdict, and what it means") {
  const auto verdict = [](const std::string& tool, const Json& arguments) {
    const Parsed result = called(server(), tool, arguments);
    CHECK(result["structuredContent"]["verdict"].get<std::string>() ==
          text_of(result, 1).substr(9, text_of(result, 1).find(' ', 9) - 9));
    return text_of(result, 1);
  };
  CHECK(verdict("diff", {{"A", "8:1"}, {"B", "8:2"}}) == "verdict: error (exit code 1): the answer is no");
  CHECK(verdict("decode", {{"WORD", Json::array({"0x4000040000100040"})}}) ==
        "verdict: error (exit code 0): it has lints");
  // .maxntid lets a launch have fewer threads, so that the accesses are sampled.
  CHECK(verdict("kernel", {{"FILE", Json::array({"tests/ptx/mistakes/swapped_strides_right.ptx"})}}) ==
        "verdict: incomplete (exit code 0): something that would decide it is not known; this is not a pass");
}

TEST_CASE("the version: one that is spoken is taken, another one is answered with the newest that has a handshake") {
  for (const std::string version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    CHECK(answer(request("initialize", {{"protocolVersion", version}}))["result"]["protocolVersion"] == version);
  for (const std::string version : {"2026-07-28", "2030-01-01", "1", ""})
    CHECK(answer(request("initialize", {{"protocolVersion", version}}))["result"]["protocolVersion"] == "2025-11-25");
}

TEST_CASE("since 2026-07-28: no handshake, a version in every request, a type in every result") {
  const Parsed found = answer(request("server/discover", modern()))["result"];
  CHECK(found["supportedVersions"].dump() == R"(["2026-07-28"])");
  CHECK(found["resultType"] == "complete");
  CHECK(found["cacheScope"] == "public");
  CHECK(found["ttlMs"] > 0);
  CHECK(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "swz");
  for (const char* method : {"tools/list", "resources/list", "resources/templates/list"}) {
    CHECK(answer(request(method, modern()))["result"]["resultType"] == "complete");
    CHECK(answer(request(method, modern()))["result"].contains("ttlMs"));
    CHECK_FALSE(answer(request(method))["result"].contains("resultType"));
  }
  const Parsed echo = answer(
      request("tools/call", modern({{"name", "echo"}, {"arguments", {{"WORD", Json::array({"a"})}}}})))["result"];
  CHECK(echo["resultType"] == "complete");
  CHECK(echo["_meta"]["swz/exit"] == 0);
  CHECK_FALSE(echo.contains("ttlMs"));
  for (const char* gone : {"ping", "initialize"}) CHECK(answer(request(gone, modern()))["error"]["code"] == -32601);
  const Parsed other = answer(request("tools/list", modern(Json::object(), "2025-11-25")))["error"];
  CHECK(other["code"] == -32022);
  CHECK(other["data"].dump() == R"({"supported":["2026-07-28"],"requested":"2025-11-25"})");
  CHECK(answer(request("tools/list",
                       {{"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}}))["error"]["code"] ==
        -32602);
}

TEST_CASE("the codes of the protocol's errors") {
  const struct {
    std::string line;
    int code;
    std::string id = "null";
  } rows[] = {
      {"{", -32700},
      {"nonsense", -32700},
      {std::string(1 << 20, '['), -32700},
      {"\xff", -32700},
      {"1", -32600},
      {"[]", -32600},
      {R"("text")", -32600},
      {R"({"id":1,"method":"ping"})", -32600, "1"},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":1})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":"pong"})", -32601, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"prompts/list"})", -32601, "1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})", -32602, "1"},
      {request("initialize"), -32602, "1"},
      {request("tools/list", {{"cursor", "2"}}), -32602, "1"},
      {request("tools/call"), -32602, "1"},
      {request("tools/call", {{"name", 7}}), -32602, "1"},
      {request("tools/call", {{"name", "ehco"}}), -32602, "1"},
      {request("tools/call", {{"name", "echo"}, {"arguments", Json::array()}}), -32602, "1"},
      {request("tools/call", {{"name", "batch"}}), -32602, "1"},
      {request("resources/read", {{"uri", "swz://docs/../../etc/passwd"}}), -32002, "1"},
      {request("resources/read", {{"uri", "file:///etc/passwd"}}), -32002, "1"},
      {request("resources/read", modern({{"uri", "swz://docs/no.md"}})), -32602, "1"},
      {request("resources/read"), -32602, "1"},
      {request("resources/read", {{"uri", "swz://docs/gone.md"}}), -32603, "1"},
  };
  for (const auto& row : rows) {
    const Parsed said = answer(row.line);
    CAPTURE(row.line.substr(0, 200));
    CHECK(said["error"]["code"] == row.code);
    CHECK(said["error"]["message"].get<std::string>().size() > 5);
    CHECK(said["id"].dump() == row.id);
    CHECK(said["jsonrpc"] == "2.0");
  }
  CHECK(answer(request("tools/call", {{"name", "ehco"}}))["error"]["message"] ==
        "unknown tool 'ehco'. did you mean 'echo'?");
}

TEST_CASE("what has no answer: notifications, answers, empty lines") {
  for (const std::string line :
       {"", "  ", "\r", R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
        R"({"jsonrpc":"2.0","method":"nonsense"})", R"({"jsonrpc":"2.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})",
        R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])"})
    CHECK(mock_server().answer(line).empty());
}

TEST_CASE("a list of messages, as of 2025-03-26, is answered by a list") {
  CHECK(mock_server().answer("[" + request("ping") + R"(,{"jsonrpc":"2.0","method":"x"},7])") ==
        "[" + result_of("{}") +
            R"(,{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is an object"}}])");
}

TEST_CASE("resources are the documents, by their names") {
  CHECK(answer(request("resources/list"))["result"]["resources"].dump() ==
        R"([{"uri":"swz://docs/guide.md","name":"guide.md","mimeType":"text/markdown"},)"
        R"({"uri":"swz://docs/gone.md","name":"gone.md","mimeType":"text/markdown"}])");
  CHECK(mock_server().answer(request("resources/read", {{"uri", "swz://docs/guide.md"}})) ==
        result_of(R"({"contents":[{"uri":"swz://docs/guide.md","mimeType":"text/markdown","text":"# Guide\n"}]})"));
  CHECK(answer(request("initialize", {{"protocolVersion", "2025-11-25"}}), server())["result"]["capabilities"].dump() ==
        R"({"tools":{}})");
}

TEST_CASE("arguments as models write them, and what is wrong with others") {
  const auto echo = [](const Json& arguments) { return called(mock_server(), "echo", arguments); };
  const Json words = Json::array({"a"});
  CHECK(echo({{"WORD", "a"}})["structuredContent"]["words"].dump() == R"(["a"])");
  CHECK(echo({{"WORD", words}, {"kind", "f16"}, {"count", 7}})["structuredContent"]["count"] == 7);
  CHECK(echo({{"WORD", words}, {"kind", nullptr}})["isError"] == false);
  CHECK(echo({{"WORD", Json::array({"-x", "--kind", "--"})}})["structuredContent"]["words"].dump() ==
        R"(["-x","--kind","--"])");
  CHECK(echo({{"WORD", words}, {"arch", "sm_90a"}})["structuredContent"]["arch"] == "sm_90a");
  const struct {
    Json arguments;
    std::string says;
  } rows[] = {
      {{{"WORD", words}, {"knid", "f16"}},
       "swz: error: unknown argument 'knid'\nhint: did you mean 'kind'? it takes WORD, kind, count, arch, stdin, "
       "picture, "
       "options\n"},
      {{{"WORD", words}, {"kind", {{"a", 1}}}}, "swz: error: argument 'kind': expected a text or a number\n"},
      {{{"WORD", words}, {"kind", "f99"}}, "unknown value 'f99' for --kind"},
      {{{"WORD", words}, {"count", 7}}, "--count needs --kind"},
      {Json::object(), "missing argument WORD"},
      {{{"WORD", words}, {"options", "--theme"}}, "argument 'options': expected a list of words"},
      {{{"WORD", words}, {"options", Json::array({"-o", "/tmp/x"})}}, "swz mcp writes no files"},
      {{{"WORD", words}, {"options", Json::array({"-f", "svg"})}}, "an answer is JSON and text"},
      {{{"WORD", words}, {"picture", "gif"}}, "unknown value 'gif'"},
  };
  for (const auto& row : rows) {
    const Parsed result = echo(row.arguments);
    CAPTURE(row.arguments.dump());
    CHECK(result["isError"] == true);
    CHECK_FALSE(result.contains("structuredContent"));
    CHECK(text_of(result).find(row.says) != std::string::npos);
  }
}

TEST_CASE("every example of the help, asked as a tool, has the answer of its line") {
  std::size_t asked = 0;
  std::set<std::string_view> commands_asked;
  for (const Command& command : commands()) {
    if (command.needs_system || command.converses) continue;
    std::string tool(command.name);
    std::ranges::replace(tool, ' ', '_');
    for (const Example& example : command.examples) {
      const std::optional<Json> arguments = arguments_of(command, example.line);
      Words words = words_of_line(example.line);
      words.insert(words.begin(), {"-f", "json"});
      if (!arguments || example.line.find(".txt") != std::string_view::npos) continue;
      const CliResult line = run_once(words);
      if (line.exit_code > 1) continue;  // a file that is not here
      CAPTURE(example.line);
      CAPTURE(arguments->dump());
      const Parsed result = called(server(), tool, *arguments);
      REQUIRE(result["isError"] == false);
      CHECK(result["structuredContent"] == Parsed::parse(line.out));
      CHECK(result["_meta"]["swz/exit"] == line.exit_code);
      CHECK(text_of(result).size() > 10);
      ++asked;
      commands_asked.insert(command.name);
    }
  }
  CHECK(asked >= 90);
  CHECK(commands_asked.size() >= 36);
}

TEST_CASE("tools: names and properties that every client takes, schemas without rules, one list of 130 KB at most") {
  const std::string list = server().answer(request("tools/list"));
  CHECK(list.size() < 130'000);
  const std::regex allowed("[A-Za-z0-9_.-]{1,64}");
  std::set<std::string> names;
  const Parsed tools = Parsed::parse(list)["result"]["tools"];
  for (const Parsed& tool : tools) {
    const std::string name = tool["name"];
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(std::regex_match(name, std::regex("[a-z0-9_]{1,64}")));
    CHECK(tool["description"].get<std::string>().size() < 1200);
    CHECK(tool["annotations"]["readOnlyHint"] == true);
    const Parsed& schema = tool["inputSchema"];
    for (const auto& [key, value] : schema.items())
      CHECK(std::set<std::string>{"type", "properties", "required", "additionalProperties"}.contains(key));
    for (const auto& [property, value] : schema["properties"].items()) {
      CHECK(std::regex_match(property, allowed));
      CHECK(value.contains("description"));
    }
  }
  for (const Command& command : commands()) {
    std::string name(command.name);
    std::ranges::replace(name, ' ', '_');
    CHECK(names.contains(name) == (!command.needs_system && !command.converses));
    // The names of what every tool takes are no option's.
    Common common;
    for (const Option& row : with_common(command.prepare().options, common))
      for (const char* shared : {"stdin", "picture", "options"}) CHECK(property_name(row.name()) != shared);
  }
  for (const char* never : {"verify", "verify_tile", "gdb", "page", "batch", "mcp", "skills_install"})
    CHECK_FALSE(names.contains(never));
}

TEST_CASE("only the tools that are named, by command or group") {
  const auto names = [](const Words& only) {
    Words out;
    for (const Tool& tool : tools_of(commands(), only)) out.push_back(tool.name);
    return out;
  };
  CHECK(names({"decode", "swizzle"}) ==
        Words{"ask", "help", "decode", "swizzle_find", "swizzle_lint", "swizzle_explain"});
  CHECK(names({}).size() > 35);
  CHECK(run_once({"mcp", "decode", "tma"}, {}, request("tools/list") + "\n").out.find("\"tma_conv\"") !=
        std::string::npos);
  CHECK(run_once({"mcp", "dekode"}).err ==
        "swz: error: 'dekode' is no tool of swz mcp\n"
        "hint: did you mean 'decode'? it takes commands and their groups: decode, tma\n");
  CHECK(run_once({"mcp", "verify"}).exit_code == 2);
}

TEST_CASE("ask reads a text as swz TEXT does, and help is swz help") {
  const Parsed word = called(server(), "ask", {{"text", "0x4000004000010042"}});
  CHECK(word["structuredContent"]["answer"] ==
        Parsed::parse(run_once({"decode", "0x4000004000010042", "-f", "json"}).out));
  CHECK(text_of(word).starts_with("read as: swz decode 0x4000004000010042\n"));
  CHECK(text_of(called(server(), "help", {{"of", "swizzle_find"}})).starts_with("swz swizzle find: "));
  CHECK(text_of(called(server(), "help", {{"of", "conflicts"}})).find("banks") != std::string::npos);
  CHECK(called(server(), "help", {{"of", "verify"}})["isError"] == false);
  CHECK(text_of(called(server(), "help", Json::object())).find("All commands, by question") != std::string::npos);
}

TEST_CASE("no request runs what needs a GPU or a desktop, or writes") {
  const ScratchFolder folder;
  const std::string file = folder.file("written");
  for (const Words& words :
       {Words{"verify"}, Words{"gdb"}, Words{"page"}, Words{"batch"}, Words{"mcp"}, Words{"verify tile"}}) {
    CAPTURE(words.front());
    CHECK(called(server(), "ask", {{"text", words.front()}})["isError"] == true);
  }
  CHECK(text_of(called(server(), "ask", {{"text", "verify"}}))
            .starts_with("swz: error: swz mcp does not run swz verify\n"));
  const Json into = Json::array({"install", "--dest", folder.path.string()});
  CHECK(called(server(), "ask", {{"text", "skills"}, {"options", into}})["isError"] == true);
  for (const char* option : {"-o", "--output"}) {
    const Json words = Json::array({option, file});
    CHECK(called(server(), "ask", {{"text", "0x42"}, {"options", words}})["isError"] == true);
    CHECK(called(server(), "decode", {{"WORD", Json::array({"0x42"})}, {"options", words}})["isError"] == true);
  }
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("a text in the place of a file") {
  const Json words = Json::array({"@-"});
  const Parsed read = called(server(), "decode", {{"WORD", words}, {"stdin", "a = 0x4000004000010042\n"}});
  CHECK(read["isError"] == false);
  CHECK(text_of(read).find("0x4000004000010042") != std::string::npos);
  CHECK(called(server(), "ask", {{"text", "@-"}, {"stdin", "0x4000004000010042"}})["structuredContent"]["command"] ==
        "swz decode @-");
  CHECK(called(server(), "decode", {{"WORD", words}})["isError"] == true);
}

TEST_CASE("pictures: a PNG where there is cairo, the text of an SVG otherwise") {
  const Json tile{{"dtype", "bf16"}, {"tile", "8x64"}};
  const auto block = [&](const char* format, const Json& options) {
    Json arguments = tile;
    arguments["picture"] = format;
    arguments["options"] = options;
    return called(server(), "place", arguments)["content"][2];
  };
  const Parsed png = block("png", Json::array());
  if (png["type"] == "image") {
    CHECK(png["mimeType"] == "image/png");
    CHECK(png["data"].get<std::string>().starts_with("iVBORw0KGgo"));  // \x89PNG\r\n\x1a\n
  } else {
    CHECK(png["text"].get<std::string>().starts_with("<svg"));
  }
  const std::string svg = block("svg", Json::array({"--theme", "dark"}))["text"];
  CHECK(svg == run_once({"place", "--dtype", "bf16", "--tile", "8x64", "--theme", "dark", "-f", "svg"}).out);
  CHECK(called(server(), "place", tile)["content"].size() == 2);
  CHECK(base64("") == "");
  CHECK(base64("s") == "cw==");
  CHECK(base64("sw") == "c3c=");
  CHECK(base64("swz") == "c3d6");
  CHECK(base64("\xff\xef") == "/+8=");
}

TEST_CASE("an answer of more than 1 MiB is refused, and the next one is given") {
  const Parsed result = called(server(), "layout", {{"EXPR", Json::array({"(512,512):(512,1)"})}, {"map", true}});
  CHECK(result["isError"] == true);
  CHECK(text_of(result).find("more than the 1024 of one message") != std::string::npos);
  CHECK(called(server(), "layout", {{"EXPR", Json::array({"(8,8):(8,1)"})}, {"map", true}})["isError"] == false);
}

TEST_CASE("a message of 1 MiB is read, a longer one is refused, and the next one is answered") {
  const std::string ping = request("ping"), exact = ping + std::string((1 << 20) - ping.size(), ' ');
  const CliResult r = run_once({"mcp"}, {}, exact + "\n" + exact + " \n" + ping + "\n" + ping);
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  const std::string pong = result_of("{}") + "\n";
  CHECK(r.out == pong +
                     R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a message is at most 1 MiB"}})" +
                     "\n" + pong + pong);
}

TEST_CASE("a request that is cancelled before its turn has no answer") {
  const auto with_id = [](int id) { return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", "ping"}}.dump(); };
  const auto cancel = [](const Json& id) {
    return Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}}.dump();
  };
  CHECK(without_cancelled({with_id(1), with_id(2), cancel(1), with_id(3), cancel(3)}) ==
        std::vector<std::string>{with_id(2), cancel(1), cancel(3)});
  // Another type of id, a request behind it, a text that only has the words: nothing is dropped.
  for (const std::vector<std::string>& kept :
       {std::vector<std::string>{with_id(1), cancel("1")},
        {cancel(1), with_id(1)},
        {with_id(1), R"({"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":"notifications/cancelled"}})"},
        {with_id(1), "notifications/cancelled"}})
    CHECK(without_cancelled(kept) == kept);
  CHECK(run_once({"mcp"}, {}, with_id(1) + "\n" + with_id(2) + "\n" + cancel(1) + "\n").out ==
        R"({"jsonrpc":"2.0","id":2,"result":{}})"
        "\n");
}

TEST_CASE("a conversation: each answer comes before the next message is sent") {
  int question[2] = {}, reply[2] = {};
  REQUIRE(pipe(question) == 0);
  REQUIRE(pipe(reply) == 0);
  Environment environment;
  environment.input = question[0];
  environment.out = fdopen(reply[1], "w");
  std::thread program([&environment] {
    run({"mcp"}, environment);
    std::fclose(environment.out);
  });
  for (int i = 0; i < 3; ++i) {
    const std::string line = request("ping") + "\n";
    REQUIRE(write(question[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    pollfd ready{reply[0], POLLIN, 0};
    REQUIRE(poll(&ready, 1, 10000) == 1);
    char buffer[256] = {};
    const ssize_t count = read(reply[0], buffer, sizeof buffer - 1);
    CHECK(count > 0);
    CHECK(std::string(buffer) == result_of("{}") + "\n");
  }
  close(question[1]);
  program.join();
  close(question[0]);
  close(reply[0]);
}

TEST_CASE("--arch of swz mcp holds for every request, and a request may name another") {
  const auto arch = [](const Json& arguments) {
    const std::string line = request("tools/call", {{"name", "decode"}, {"arguments", arguments}}) + "\n";
    return Parsed::parse(run_once({"mcp", "--arch", "sm_100a"}, {}, line).out)["result"]["structuredContent"].dump();
  };
  const Json word = Json::array({"0x4000404000010042"});
  CHECK(arch({{"WORD", word}}).find(R"("arch":"sm_100a")") != std::string::npos);
  CHECK(arch({{"WORD", word}, {"arch", "sm_90a"}}).find(R"("arch":"sm_90a")") != std::string::npos);
}

namespace {

// Messages to change: the protocol's, and calls of tools with the arguments of their examples.
std::vector<std::string> messages() {
  std::vector<std::string> out{
      request("initialize", {{"protocolVersion", "2025-06-18"}, {"capabilities", Json::object()}}),
      request("ping"),
      request("tools/list"),
      request("tools/list", modern()),
      request("server/discover", modern()),
      request("resources/read", {{"uri", "swz://docs/guide.md"}}),
      request("tools/call", {{"name", "echo"}, {"arguments", {{"WORD", Json::array({"a"})}, {"kind", "f16"}}}}),
      request("tools/call", {{"name", "ask"}, {"arguments", {{"text", "echo"}, {"options", Json::array({"b"})}}}}),
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
  };
  for (const char* name : {"decode", "diff", "swizzle explain", "encode smem", "phase", "stage", "tmem d"}) {
    const Command& command = *find_command(commands(), name);
    for (const Example& example : command.examples)
      if (const auto arguments = arguments_of(command, example.line)) {
        std::string tool(name);
        std::ranges::replace(tool, ' ', '_');
        out.push_back(request("tools/call", {{"name", tool}, {"arguments", *arguments}}));
      }
  }
  return out;
}

std::string mutated(std::string text, const std::string& other, Random& random) {
  const std::vector<std::string> pieces{"\"",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "null",
                                        "-1",
                                        "1e999",
                                        "\\u0000",
                                        "\\ud800",
                                        "\"_meta\":{}",
                                        "\"id\":",
                                        "99999999999999999999",
                                        "true",
                                        "\xff",
                                        "\\"};
  const auto place = [&](const std::string& in) { return static_cast<std::size_t>(random.below(std::ssize(in) + 1)); };
  const std::size_t at = place(text);
  // Half of the changes leave JSON as it is: another letter or digit.
  if (random.one_in(2)) {
    const std::string_view others = "abdeFxX_.,:;()<>= 0123456789-";
    const std::size_t letter = text.find_first_of("abcdefghijklmnopqrstuvwxyz0123456789", at);
    if (letter != std::string::npos) text[letter] = random.of(others);
    return text;
  }
  switch (random.below(6)) {
    case 0: text.insert(at, random.of(pieces)); break;
    case 1: text.erase(at, static_cast<std::size_t>(1 + random.below(8))); break;
    case 2: text.insert(at, 1, static_cast<char>(random.below(256))); break;
    case 3: text.insert(at, other.substr(place(other), static_cast<std::size_t>(random.below(60)))); break;
    case 4: text = text.substr(0, at); break;
    default: text.insert(place(text), text.substr(at, static_cast<std::size_t>(random.below(30)))); break;
  }
  std::erase(text, '\n');  // a message is one line
  std::erase(text, '@');   // no file is named
  return text;
}

}  // namespace

TEST_CASE("10,000 changed messages: each is answered by one message of the protocol, or by none") {
  const std::vector<std::string> all = messages();
  REQUIRE(all.size() > 20);
  std::size_t answered = 0, refused = 0, called_wrongly = 0;
  for (int i = 0; i < 10000; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    std::string line = random.of(all);
    for (std::int64_t changes = 1 + random.below(3); changes > 0; --changes)
      line = mutated(std::move(line), random.of(all), random);
    const std::string said = (i % 2 == 0 ? mock_server() : server()).answer(line);
    if (said.empty()) continue;
    CAPTURE(line);
    REQUIRE(said.find('\n') == std::string::npos);
    const Parsed message = Parsed::parse(said);
    REQUIRE((message.is_object() || message.is_array()));
    if (message.is_array()) continue;
    REQUIRE(message["jsonrpc"] == "2.0");
    REQUIRE(message.contains("result") != message.contains("error"));
    if (message.contains("error")) {
      CHECK(message["error"]["code"] != -32603);
      ++refused;
    } else if (message["result"].contains("isError") && message["result"]["isError"] == true) {
      CHECK(text_of(message["result"]).find("internal error") == std::string::npos);
      ++called_wrongly;
    } else {
      ++answered;
    }
  }
  // The changes are not so wild that all are refused in one place.
  CHECK(answered > 200);
  CHECK(called_wrongly > 300);
  CHECK(refused > 3000);
}
