// SPDX-License-Identifier: Apache-2.0
// swz batch: the words of a line, one answer per line, and that nothing stops it.
#include <doctest/doctest.h>
#include <poll.h>

#include <filesystem>
#include <sstream>
#include <thread>

#include "cmd/mock_commands.hpp"
#include "cmd/parsed.hpp"
#include "cmd/run_cli.hpp"
#include "cmd/scratch.hpp"
#include "words.hpp"

using namespace swz;

namespace {

CliResult batch(const std::string& input, const Words& more = {}) {
  Environment environment;
  environment.table = &mock_commands();
  Words words{"batch", "-"};
  words.insert(words.end(), more.begin(), more.end());
  return run_cli(words, environment, input);
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

std::string only_answer(const std::string& line) {
  const std::vector<std::string> answers = lines(batch(line + "\n").out);
  REQUIRE(answers.size() == 1);
  return answers[0];
}

}  // namespace

TEST_CASE("words of a line, as a POSIX shell reads them") {
  const struct {
    std::string line;
    std::vector<std::string> words;
  } rows[] = {
      {"", {}},
      {" \t\r", {}},
      {"# a comment", {}},
      {"decode 0x42 # a comment", {"decode", "0x42"}},
      {"a#b #c", {"a#b"}},
      {"layout '(8,64):(64,1)'", {"layout", "(8,64):(64,1)"}},
      {"swz layout x\r", {"layout", "x"}},
      {"swz", {"swz"}},
      {"a'b c'd", {"ab cd"}},
      {"'' \"\"", {"", ""}},
      {"\"a\\\"b\\\\c\\d\" 'e\\f'", {"a\"b\\c\\d", "e\\f"}},
      {"a\\ b \\'", {"a b", "'"}},
      {"$HOME *", {"$HOME", "*"}},
      {"[\"layout\", \"(8,64):(64,1)\"]", {"layout", "(8,64):(64,1)"}},
      {" [\"swz\", \"a b\", \"\"] ", {"a b", ""}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.line);
    CHECK(words_of_line(row.line) == row.words);
  }
}

TEST_CASE("answers: a result, a negative answer, an error with its place, no hardware") {
  CHECK(only_answer("echo hi") == R"({"exit":0,"result":{"verdict":"clean","words":["hi"],"arch":""}})");
  CHECK(only_answer("[\"echo\", \"hi\"]") == R"({"exit":0,"result":{"verdict":"clean","words":["hi"],"arch":""}})");
  CHECK(only_answer("tile echo --arch sm_90a hi -f json") ==
        R"({"exit":0,"result":{"verdict":"clean","words":["hi"],"arch":"sm_90a"}})");
  CHECK(only_answer("fail no") == R"({"exit":1,"result":{"verdict":"error","equal":false}})");
  CHECK(only_answer("fail abc") ==
        R"({"exit":2,"error":{"message":"expected a digit","hint":"write a number","span":[1,2]}})");
  CHECK(only_answer("fail hardware") == R"({"exit":3,"error":{"message":"no GPU","hint":"plug one in"}})");
}

TEST_CASE("the answer to a line with an id begins with the id") {
  CHECK(only_answer(R"({"id": 7, "words": ["swz", "echo", "hi"]})") ==
        R"({"id":7,"exit":0,"result":{"verdict":"clean","words":["hi"],"arch":""}})");
  CHECK(only_answer(R"( {"words": ["fail", "no"], "id": -1})") ==
        R"({"id":-1,"exit":1,"result":{"verdict":"error","equal":false}})");
  CHECK(only_answer(R"({"words": ["fail", "no"]})") == R"({"exit":1,"result":{"verdict":"error","equal":false}})");
  CHECK(only_answer(R"({"id": 8, "words": ["fail", "hardware"]})") ==
        R"({"id":8,"exit":3,"error":{"message":"no GPU","hint":"plug one in"}})");
  CHECK(only_answer(R"({"id": 9, "words": "echo"})").starts_with(R"({"id":9,"exit":2,"error":)"));
  CHECK(only_answer(R"({"id": "a", "words": ["echo"]})") ==
        R"({"exit":2,"error":{"message":"'\"a\"' is not a whole number of 64 bits","hint":""}})");
}

TEST_CASE("what cannot be answered gets an error, whole") {
  const struct {
    std::string line;
    std::string message;
    std::string hint;
  } rows[] = {
      {"ehco", "unknown command 'ehco'", "did you mean 'echo'? see 'swz --help'"},
      {"tile", "no command given", "see 'swz tile --help'"},
      {"--strict", "no command given", "see 'swz --help'"},
      {"batch -", "batch cannot run inside a batch", "write its lines here instead"},
      {"echo hi -o x", "-o has no meaning in a batch line", "give -o to 'swz batch' itself"},
      {"echo 'hi", "a quote is not closed", "add '"},
      {"echo hi\\", "a backslash at the end of the line", "write one command per line"},
      {"[\"echo\"", "the line begins with '[' but is not a JSON array", "write [\"layout\", \"(8,64):(64,1)\"]"},
      {"[]", "the JSON array is empty", "write [\"layout\", \"(8,64):(64,1)\"]"},
      {"[\"echo\", 8]", "a word of the JSON array is not a string", "put every word in quotes: [\"layout\", \"8\"]"},
      {"{\"id\": 7", "the line begins with '{' but is not a JSON object",
       "write {\"id\": 1, \"words\": [\"layout\", \"(8,64):(64,1)\"]}"},
      {"{\"id\": 7, \"word\": [\"echo\"]}", "the JSON object is not an array \"words\" with an \"id\"",
       "write {\"id\": 1, \"words\": [\"layout\", \"(8,64):(64,1)\"]}"},
      {"{\"words\": []}", "the JSON array is empty", "write [\"layout\", \"(8,64):(64,1)\"]"},
      {"fail memory", "not enough memory for this input", ""},
      {"fail bug", "internal error: a broken promise", "please report it with the command line"},
      {std::string("echo\0 hi", 8), "the line holds a NUL byte", "no file name and no expression can hold one"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.line);
    const Parsed answer = Parsed::parse(only_answer(row.line));
    CHECK(answer["exit"] == 2);
    CHECK(answer["error"]["message"] == row.message);
    CHECK(answer["error"]["hint"] == row.hint);
  }
  CHECK(std::filesystem::exists("x") == false);
}

TEST_CASE("every line with a word gets one answer, in order, also the last one without a newline") {
  const CliResult r = batch("# first\n\necho 1\n   \nfail no\r\nnonsense\necho 2\nhelp\necho 3");
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  const std::vector<std::string> answers = lines(r.out);
  REQUIRE(answers.size() == 6);
  const std::vector<int> exits{0, 1, 2, 0, 0, 0};
  for (std::size_t i = 0; i < answers.size(); ++i) CHECK(Parsed::parse(answers[i])["exit"] == exits[i]);
  CHECK(Parsed::parse(answers[5])["result"]["words"][0] == "3");
}

TEST_CASE("--arch and --strict of batch hold for every line; --strict makes its own exit code") {
  CHECK(batch("echo a b\n", {"--strict"}).exit_code == 1);
  CHECK(Parsed::parse(batch("echo a b\n", {"--strict"}).out)["exit"] == 1);
  CHECK(batch("echo a\n", {"--strict"}).exit_code == 0);
  CHECK(batch("# two lines fail\necho a\nfail no\n\nfail hardware\n", {"--strict"}).err ==
        "swz: line 3 exits with 1: 'fail no'\nswz: line 5 exits with 3: 'fail hardware'\n");
  CHECK(batch("fail no\n").err.empty());
  CHECK(batch("nonsense\n").exit_code == 0);
  CHECK(Parsed::parse(batch("echo a\n", {"--arch", "sm_100a"}).out)["result"]["arch"] == "sm_100a");
  CHECK(Parsed::parse(batch("echo a --arch sm_103a\n", {"--arch", "sm_100a"}).out)["result"]["arch"] == "sm_103a");
}

TEST_CASE("--junit writes which lines hold, beside the same answers") {
  const ScratchFolder folder;
  const std::string path = folder.file("report.xml");
  const std::string input = "# claims\necho a\nfail no\n\necho a b\nfail hardware\n";
  const CliResult plain = batch(input, {"--strict"}), reported = batch(input, {"--strict", "--junit", path});
  CHECK(reported.out == plain.out);
  CHECK(reported.err == plain.err);
  CHECK(reported.exit_code == 1);
  const std::string report = folder.content("report.xml");
  for (const std::string part : {R"(<testsuite name="-" tests="4" failures="2" errors="1" skipped="0">)",
                                 R"(<testcase classname="-" name="line 2: echo a" file="-" line="2"/>)",
                                 R"(name="line 3: fail no" file="-" line="3">)",
                                 R"(<failure message="line 3 exits with 1: 'fail no'" type="exit 1">)",
                                 R"(<failure message="line 5 exits with 1: 'echo a b'" type="exit 1">)",
                                 "<error message=\"line 6 exits with 3: 'fail hardware'\" type=\"exit 3\">swz: error: "
                                 "no GPU\nhint: plug one in\n</error>"}) {
    CAPTURE(part);
    CHECK(report.find(part) != std::string::npos);
  }
  // Lints are no failure unless --strict says so.
  CHECK(batch("echo a b\n", {"--junit", path}).exit_code == 0);
  CHECK(folder.content("report.xml").find(R"(tests="1" failures="0" errors="0")") != std::string::npos);
  CHECK(batch("echo a\n", {"--junit", "-"}).exit_code == 2);
  CHECK(batch("echo a\n", {"--junit", "/nonexistent/report.xml"}).exit_code == 2);
}

TEST_CASE("nothing of one line is left for the next") {
  const std::vector<std::string> answers = lines(batch("echo a --kind f16 --count 7\necho b\n").out);
  CHECK(answers[1] == R"({"exit":0,"result":{"verdict":"clean","words":["b"],"arch":""}})");
}

TEST_CASE("a line of 1 MiB is read, a longer one is refused, and the next one is answered") {
  const std::string exact = "echo " + std::string((1 << 20) - 5, 'x');
  const std::string longer = exact + "x";
  const std::vector<std::string> answers = lines(batch(exact + "\n" + longer + longer + "\necho 1\n" + longer).out);
  REQUIRE(answers.size() == 4);
  CHECK(Parsed::parse(answers[0])["exit"] == 0);
  const std::string refused =
      R"({"exit":2,"error":{"message":"the line is longer than 1 MiB","hint":"split it, or give the input in a shorter form"}})";
  CHECK(answers[1] == refused);
  CHECK(Parsed::parse(answers[2])["exit"] == 0);
  CHECK(answers[3] == refused);
}

TEST_CASE("bytes that are no text, and JSON bombs") {
  CHECK(only_answer("tile bytes") ==
        "{\"exit\":0,\"result\":{\"verdict\":\"clean\",\"bytes\":\"a\\u001b[31m\xEF\xBF\xBD\\u0000z\"}}");
  CHECK(Parsed::parse(only_answer("echo \xff\xfe"))["exit"] == 0);
  CHECK(Parsed::parse(only_answer("\xff\xfe"))["exit"] == 2);
  CHECK(Parsed::parse(only_answer(std::string(1 << 20, '[')))["exit"] == 2);
  CHECK(Parsed::parse(only_answer(std::string(1 << 19, '[') + std::string(1 << 19, ']')))["exit"] == 2);
  CHECK(Parsed::parse(only_answer("[\"\xff\"]"))["exit"] == 2);
}

TEST_CASE("a file that is not there, a directory") {
  Environment environment;
  environment.table = &mock_commands();
  CliResult r = run_cli({"batch", "/nonexistent/lines"}, environment);
  CHECK(r.exit_code == 2);
  CHECK(r.err ==
        "swz: error: cannot open '/nonexistent/lines': No such file or directory\n"
        "hint: give a file of command lines, or - for standard input\n");
  r = run_cli({"batch", "/"}, environment);
  CHECK(r.exit_code == 2);
  CHECK(r.err == "swz: error: cannot read the batch: Is a directory\n");
}

TEST_CASE("a conversation: each answer comes before the next question is asked") {
  int question[2] = {};
  int answer[2] = {};
  REQUIRE(pipe(question) == 0);
  REQUIRE(pipe(answer) == 0);
  Environment environment;
  environment.table = &mock_commands();
  environment.input = question[0];
  environment.out = fdopen(answer[1], "w");
  std::thread program([&environment] {
    run({"batch", "-"}, environment);
    std::fclose(environment.out);
  });
  for (const std::string word : {"a", "b", "c"}) {
    const std::string line = "echo " + word + "\n";
    REQUIRE(write(question[1], line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    pollfd ready{answer[0], POLLIN, 0};
    REQUIRE(poll(&ready, 1, 10000) == 1);
    char buffer[256] = {};
    const ssize_t count = read(answer[0], buffer, sizeof buffer - 1);
    CHECK(count > 0);
    CHECK(std::string(buffer) ==
          "{\"exit\":0,\"result\":{\"verdict\":\"clean\",\"words\":[\"" + word + "\"],\"arch\":\"\"}}\n");
  }
  close(question[1]);
  program.join();
  close(question[0]);
  close(answer[0]);
}

TEST_CASE("a batch line is answered in JSON, and another format is refused") {
  const char* refused =
      R"({"exit":2,"error":{"message":"a batch line is answered in JSON, not as svg","hint":"leave -f out, or give the line to swz itself"}})";
  CHECK(only_answer("echo a -f svg") == refused);
  CHECK(only_answer("echo a --format=json").find(R"({"exit":0,)") == 0);
  CHECK(only_answer("echo a -f text").find("not as text") != std::string::npos);
}

TEST_CASE("without a file the lines are those of standard input; a byte order mark before the first is no part of it") {
  const std::string want = run_once({"batch", "-"}, {}, "layout 8:1\nlayout 4:1\n").out;
  CHECK(want.find("\"exit\":0") != std::string::npos);
  CHECK(run_once({"batch"}, {}, "layout 8:1\nlayout 4:1\n").out == want);
  CHECK(run_once({"batch"}, {}, "\xEF\xBB\xBFlayout 8:1\nlayout 4:1\n").out == want);
}
