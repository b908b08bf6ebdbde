// SPDX-License-Identifier: Apache-2.0
// swz lsp: what a file holds that can be asked, places in UTF-16 and in bytes, whole messages, and that no message stops
// the server. An editor asks it in tests/editor.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "cmd/parsed.hpp"
#include "cmd/run_cli.hpp"
#include "frame_reader.hpp"
#include "lsp_server.hpp"
#include "source_spans.hpp"

using namespace swz;

namespace {

constexpr std::string_view source = R"file(// A file as people write it: 4 bytes each, 𝄞 and é before the word
constexpr uint64_t desc_a = 0x4000'0040'0001'0040ull;
constexpr uint64_t desc_b = 0x4000008000010040ull; constexpr uint64_t fnv = 0xcbf29ce484222325;
using Atom = cute::Swizzle<3, 4, 3>;
auto layout = cute::make_layout(cute::make_shape(cute::_8{}, cute::_64{}), cute::make_stride(cute::_64{}, cute::_1{}));
void make(CUtensorMap* map, void* p) {
  cuuint64_t dims[2] = {100, 64}, strides[1] = {200};
  cuuint32_t box[2] = {64, 8}, ones[2] = {1, 1};
  cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, dims, strides, box, ones,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
)file";

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> out;
  for (const SourceSpan& span : source_spans(text, 100))
    out.emplace_back(text.substr(span.begin, span.end - span.begin));
  return out;
}

class Editor {
 public:
  explicit Editor(bool bytes = false) : server_(commands(), {}) {
    Json params = Json::object();
    if (bytes) params = {{"capabilities", {{"general", {{"positionEncodings", Json::array({"utf-8", "utf-16"})}}}}}};
    initialized = asked("initialize", params);
    tell("initialized", Json::object());
  }

  Parsed asked(const std::string& method, const Json& params) {
    const std::vector<Json> answers =
        server_.messages(Json{{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}}.dump());
    REQUIRE(answers.size() == 1);
    return Parsed::parse(answers[0].dump());
  }
  std::vector<Json> tell(const std::string& method, const Json& params) {
    return server_.messages(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump());
  }
  Parsed diagnostics_after(const std::string& method, const Json& params) {
    const std::vector<Json> sent = tell(method, params);
    REQUIRE(sent.size() == 1);
    const Parsed message = Parsed::parse(sent[0].dump());
    CHECK(message["method"] == "textDocument/publishDiagnostics");
    return message["params"]["diagnostics"];
  }
  Parsed open(std::string_view text) {
    return diagnostics_after(
        "textDocument/didOpen",
        {{"textDocument", {{"uri", uri}, {"languageId", "cuda-cpp"}, {"version", 1}, {"text", text}}}});
  }
  Parsed hover(int line, int character) {
    return asked("textDocument/hover", {{"textDocument", {{"uri", uri}}},
                                        {"position", {{"line", line}, {"character", character}}}})["result"];
  }

  static constexpr std::string_view uri = "file:///kernel.cu";
  Parsed initialized;

 private:
  LspServer server_;
};

std::string value_of(const Parsed& hover) { return hover["contents"]["value"].get<std::string>(); }

}  // namespace

TEST_CASE("lsp: what a file holds") {
  CHECK(texts_of(source) ==
        std::vector<std::string>{
            "0x4000'0040'0001'0040", "0x4000008000010040", "0xcbf29ce484222325", "Swizzle<3, 4, 3>",
            "make_layout(cute::make_shape(cute::_8{}, cute::_64{}), cute::make_stride(cute::_64{}, cute::_1{}))",
            std::string(source.substr(source.find("cuTensorMap", source.find("ones[2]")),
                                      source.find(");\n}") + 1 - source.find("cuTensorMap", source.find("ones[2]"))))});
  CHECK(texts_of("0x1234 0x12345678 x0x400000400001 Swizzle<3, 4 Layout< (a < b) desc=0x400000400001u;") ==
        std::vector<std::string>{"0x400000400001"});
  const std::vector<SourceSpan> spans = source_spans(source, 100);
  CHECK(spans[0].question == Words{"decode", "0x4000004000010040"});
  CHECK(spans[3].question == Words{"swizzle", "explain", "3,4,3"});
  std::vector<bool> claims;
  for (const SourceSpan& span : spans) claims.push_back(span.is_claim);
  CHECK(claims == std::vector<bool>{true, true, true, false, false, true});
  CHECK(source_spans(source, 2).size() == 2);
}

TEST_CASE("lsp: the handshake") {
  Editor editor;
  CHECK(editor.initialized["result"]["capabilities"] ==
        Parsed::parse(
            R"({"positionEncoding":"utf-16","textDocumentSync":{"openClose":true,"change":1},"hoverProvider":true})"));
  CHECK(Editor(true).initialized["result"]["capabilities"]["positionEncoding"] == "utf-8");
  CHECK(editor.asked("textDocument/definition", Json::object())["error"]["code"] == -32601);
  CHECK(editor.asked("textDocument/hover", Json::object())["error"]["code"] == -32602);
  CHECK(editor.asked("shutdown", Json())["result"].is_null());
  CHECK(editor.asked("textDocument/hover", Json::object())["error"]["code"] == -32600);

  LspServer fresh(commands(), {});
  CHECK(fresh.messages(R"({"jsonrpc":"2.0","id":1,"method":"shutdown"})")[0].dump() ==
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"the first request is initialize"}})");
  CHECK(Parsed::parse(fresh.messages("{")[0].dump())["error"]["code"] == -32700);
  CHECK(fresh.messages(R"({"jsonrpc":"2.0","method":"exit"})").empty());
  CHECK(fresh.exit_code() == 1);
}

TEST_CASE("lsp: hover says what the command says") {
  Editor editor;
  editor.open(source);
  const Parsed word = editor.hover(1, 30);
  CHECK(value_of(word).starts_with("`swz decode 0x4000004000010040`\n```text\n"));
  CHECK(value_of(word).find("SBO") != std::string::npos);
  CHECK(word["range"] == Parsed::parse(R"({"start":{"line":1,"character":28},"end":{"line":1,"character":49}})"));
  CHECK(value_of(editor.hover(3, 22)).starts_with("`swz swizzle explain 3,4,3`"));
  CHECK(value_of(editor.hover(4, 60)).find("(8,64):(64,1)") != std::string::npos);
  CHECK(value_of(editor.hover(8, 40)).find("200") != std::string::npos);
  CHECK(editor.hover(0, 5).is_null());
  CHECK(editor.hover(99, 0).is_null());
}

TEST_CASE("lsp: columns count UTF-16 units, or bytes") {
  const std::string line = "/* 𝄞é */ desc = 0x4000004000010040;\n";  // 4 bytes and 2 units; 2 bytes and 1 unit
  for (const bool bytes : {false, true}) {
    Editor editor(bytes);
    editor.open(line);
    const int before = bytes ? 20 : 17;
    CHECK(editor.hover(0, before - 1).is_null());
    const Parsed hover = editor.hover(0, before);
    REQUIRE(!hover.is_null());
    CHECK(hover["range"]["start"]["character"] == before);
    CHECK(hover["range"]["end"]["character"] == before + 18);
  }
}

TEST_CASE("lsp: marks are the lints of words that are descriptors, and refused tensor maps") {
  Editor editor;
  const Parsed all = editor.open(source);
  std::set<std::string> rules;
  for (const Parsed& one : all) {
    rules.insert(one["code"].get<std::string>());
    CHECK(one["source"] == "swz");
  }
  CHECK(rules.contains("stride-16"));
  // A constant that is no descriptor is marked only on a line that says so.
  const auto change = [&](std::string_view text) {
    return editor.diagnostics_after("textDocument/didChange",
                                    {{"textDocument", {{"uri", Editor::uri}, {"version", 2}}},
                                     {"contentChanges", Json::array({Json{{"text", text}}})}});
  };
  CHECK(change("uint64_t hash = 0xcbf29ce484222325;").empty());
  CHECK(!change("uint64_t desc = 0xcbf29ce484222325;").empty());
  CHECK(change("uint64_t desc = 0x4000004000010040;").empty());
  CHECK(editor.diagnostics_after("textDocument/didClose", {{"textDocument", {{"uri", Editor::uri}}}}).empty());
  CHECK(editor.hover(0, 20).is_null());
}

TEST_CASE("lsp: frames") {
  CHECK(content_length("Content-Length: 42") == 42U);
  CHECK(content_length("content-length:7 ") == 7U);
  CHECK(!content_length("Content-Type: application/vscode-jsonrpc; charset=utf-8"));
  CHECK_THROWS_WITH_AS(content_length("Content-Length: -1"), "'-1' is not a length in bytes", Error);
  const auto framed = [](const std::string& text) {
    return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
  };
  const std::string input = framed(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})") +
                            framed(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})") +
                            framed(R"({"jsonrpc":"2.0","method":"exit"})");
  const CliResult whole = run_once({"lsp"}, {}, input);
  CHECK(whole.exit_code == 0);
  CHECK(whole.out.ends_with("Content-Length: 38\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null}"));
  CHECK(run_once({"lsp"}, {}, input.substr(0, input.size() - 5)).exit_code == 2);
  CHECK(run_once({"lsp"}, {}, "{}\r\n\r\n").exit_code == 2);
}

TEST_CASE("lsp: 10,000 changed messages and texts") {
  Random random(34);
  const std::vector<std::string> seeds = {
      R"j({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"general":{"positionEncodings":["utf-8"]}}}})j",
      R"j({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"a","text":"desc = 0x4000004000010040 é Swizzle<3,4,3>"}}})j",
      R"j({"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"a"},"position":{"line":0,"character":12}}})j",
      R"j({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"a"},"contentChanges":[{"text":"make_layout((8,8))"}]}})j",
      R"j({"jsonrpc":"2.0","id":3,"method":"shutdown"})j"};
  LspServer server(commands(), {});
  int answered = 0;
  for (int draw = 0; draw < 10000; ++draw) {
    if (draw % 100 == 0) server = LspServer(commands(), {}), server.messages(seeds[0]);
    std::string message = random.of(seeds);
    for (std::int64_t edit = random.below(4); edit > 0; --edit) {
      const auto at = static_cast<std::size_t>(random.below(std::ssize(message)));
      if (random.one_in(3)) message.erase(at, static_cast<std::size_t>(1 + random.below(9)));
      else if (random.one_in(2)) message[at] = static_cast<char>(random.below(256));
      else message.insert(at, message.substr(static_cast<std::size_t>(random.below(std::ssize(message))), 12));
      if (message.empty()) message = "{";
    }
    for (const Json& said : server.messages(message)) {
      ++answered;
      const Parsed parsed = Parsed::parse(said.dump());
      CHECK(parsed["jsonrpc"] == "2.0");
      CHECK((parsed.contains("method") || parsed.contains("result") != parsed.contains("error")));
    }
  }
  CHECK(answered > 2000);
}
