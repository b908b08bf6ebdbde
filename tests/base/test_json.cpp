// SPDX-License-Identifier: Apache-2.0
// Json: what braces mean, the text it is written as (compared with nlohmann-json), reading, and what is refused.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "base/error.hpp"
#include "base/json.hpp"

using namespace swz;
using Other = nlohmann::ordered_json;

namespace {

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message();
  }
  return "accepted";
}

std::string dump(const Other& json) { return json.dump(-1, ' ', false, Other::error_handler_t::replace); }

// The same random value as both know it.
Other drawn(std::mt19937& random, int depth) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  switch (below(depth > 0 ? 9 : 7)) {
    case 0: return nullptr;
    case 1: return below(2) == 0;
    case 2: return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31);
    case 3: return std::numeric_limits<std::uint64_t>::max() - below(3);
    case 4: return std::numeric_limits<std::int64_t>::min() + below(3);
    case 5: return static_cast<double>(below(4000)) / 8;
    case 6: {
      std::string text;
      for (std::uint32_t i = below(6); i > 0; --i) text += static_cast<char>(below(256));
      return text;
    }
    case 7: {
      Other list = Other::array();
      for (std::uint32_t i = below(5); i > 0; --i) list.push_back(drawn(random, depth - 1));
      return list;
    }
    default: {
      Other object = Other::object();
      for (std::uint32_t i = below(5); i > 0; --i) object[std::to_string(below(100))] = drawn(random, depth - 1);
      return object;
    }
  }
}

Json rebuilt(const Other& other) {
  if (other.is_null()) return nullptr;
  if (other.is_boolean()) return other.get<bool>();
  if (other.is_number_unsigned()) return other.get<std::uint64_t>();
  if (other.is_number_integer()) return other.get<std::int64_t>();
  if (other.is_number_float()) return other.get<double>();
  if (other.is_string()) return other.get<std::string>();
  Json out = other.is_array() ? Json::array() : Json::object();
  for (const auto& item : other.items()) {
    if (other.is_array()) out.push_back(rebuilt(item.value()));
    else out[item.key()] = rebuilt(item.value());
  }
  return out;
}

// U+007F to U+009F as \u, which nlohmann-json keeps.
std::string without_controls(std::string text) {
  for (int code = 0x7f; code < 0xa0; ++code) {
    const std::string raw = code == 0x7f ? "\x7f" : std::string("\xc2") + static_cast<char>(code);
    for (std::size_t at = text.find(raw); at != std::string::npos; at = text.find(raw, at))
      text.replace(at, raw.size(), code == 0x7f ? "\\u007f" : fmt::format("\\u{:04x}", code));
  }
  return text;
}

}  // namespace

TEST_CASE("the worked example") {
  Json json{{"word", "0x0042"}, {"bits", {0, 13}}, {"unit", nullptr}};
  json["lbo"] = 1024;
  CHECK(json.dump() == R"({"word":"0x0042","bits":[0,13],"unit":null,"lbo":1024})");
}

TEST_CASE("braces: pairs that begin with a string are an object, anything else a list") {
  CHECK(Json{}.dump() == "null");
  CHECK(Json{1}.dump() == "[1]");
  CHECK(Json{"a", 1}.dump() == R"(["a",1])");
  CHECK(Json{{"a", "b"}}.dump() == R"({"a":"b"})");
  CHECK(Json{{"a", "b"}, {"c", {{"d", 1}}}}.dump() == R"({"a":"b","c":{"d":1}})");
  CHECK(Json{{"a", "b", "c"}}.dump() == R"([["a","b","c"]])");
  CHECK(Json{{1, 2}, {3, 4}}.dump() == "[[1,2],[3,4]]");
  CHECK(Json::array({{"a", "b"}}).dump() == R"([["a","b"]])");
  CHECK(Json::array().dump() == "[]");
  CHECK(Json::object().dump() == "{}");
}

TEST_CASE("C++ values") {
  CHECK(Json(true).dump() == "true");
  CHECK(Json(std::optional<int>()).dump() == "null");
  CHECK(Json(std::optional<int>(7)).dump() == "7");
  CHECK(Json(std::string_view("a")).dump() == R"("a")");
  CHECK(Json(std::array<std::uint64_t, 2>{1, UINT64_MAX}).dump() == "[1,18446744073709551615]");
  CHECK(Json(std::vector<std::string>{"a", "b"}).dump() == R"(["a","b"])");
  CHECK(Json(std::vector<bool>{true, false}).dump() == "[true,false]");
  CHECK(Json(std::numeric_limits<double>::quiet_NaN()).dump() == "null");
  CHECK(Json(2.0).dump() == "2.0");
  Json list;
  list.push_back(1);
  list.push_back("two");
  list.push_back({3, 4});
  CHECK(list.dump() == R"([1,"two",[3,4]])");
  CHECK(list.size() == 3);
  CHECK(list.at(0) == 1);
  CHECK(list.at(1) == "two");
}

TEST_CASE("written and read as nlohmann-json does, but for control characters") {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const Other other = drawn(random, 4);
    const Json json = rebuilt(other);
    const std::string text = without_controls(dump(other));
    REQUIRE(json.dump() == text);
    REQUIRE(Json::parse(text).dump() == text);
    // What is not UTF-8 comes back as U+FFFD; everything else comes back equal.
    if (text.find("\xEF\xBF\xBD") == std::string::npos) REQUIRE(Json::parse(text) == json);
  }
  for (int c = 0; c < 256; ++c) {
    const std::string text = "a" + std::string(1, static_cast<char>(c));
    CHECK(Json(text).dump() == without_controls(dump(text)));
  }
}

TEST_CASE("reading") {
  const Json json = Json::parse(R"({"n":[1,-2,3],"s":"x","big":18446744073709551615,"half":0.5,"yes":true})");
  CHECK(json.at("n").get<std::vector<std::int64_t>>() == std::vector<std::int64_t>{1, -2, 3});
  CHECK(json.at("s").get<std::string>() == "x");
  CHECK(json.at("big").get<std::uint64_t>() == UINT64_MAX);
  CHECK(json.at("yes").get<bool>());
  CHECK(json.value("none", 5) == 5);
  CHECK(json.value("s", std::string()) == "x");
  CHECK(json.contains("half"));
  CHECK_FALSE(json.contains("none"));
  CHECK_FALSE(Json(1).contains("none"));

  CHECK(error_of([&] { (void)json.at("none"); }) == "the object has no key 'none'");
  CHECK(error_of([&] { (void)json.at("n").at("x"); }) == "'[1,-2,3]' is not an object");
  CHECK(error_of([&] { (void)json.at("n").at(3); }) == "the list has 3 items, not 4");
  CHECK(error_of([&] { (void)json.at("s").at(0); }) == "'\"x\"' is not a list");
  CHECK(error_of([&] { (void)json.at("s").size(); }) == "'\"x\"' is not a list or an object");
  CHECK(error_of([&] { (void)json.at("s").get<int>(); }) == "'\"x\"' is not a whole number of 32 bits");
  CHECK(error_of([&] { (void)json.at("n").get<std::string>(); }) == "'[1,-2,3]' is not a string");
  CHECK(error_of([&] { (void)json.at("s").get<bool>(); }) == "'\"x\"' is not true or false");
  CHECK(error_of([&] { (void)json.at("half").get<int>(); }) == "'0.5' is not a whole number of 32 bits");
  CHECK(error_of([&] { (void)json.at("big").get<std::int64_t>(); }) ==
        "'18446744073709551615' is not a whole number of 64 bits");
  CHECK(error_of([&] { (void)json.at("n").get<std::vector<std::uint32_t>>(); }) ==
        "'-2' is not an unsigned whole number of 32 bits");
}

TEST_CASE("control characters are escaped, those beyond ASCII too") {
  CHECK(Json("\x1b\x7f").dump() == R"("\u001b\u007f")");
  CHECK(Json("\xc2\x80 \xc2\x9b"
             "31m \xc2\x9f \xc2\xa0")
            .dump() == "\"\\u0080 \\u009b31m \\u009f \xc2\xa0\"");
  CHECK(Json("é\xe2\x82\x9b").dump() == "\"é\xe2\x82\x9b\"");  // its last bytes are no C1 control
  CHECK(Json::parse(Json("\xc2\x9b\x7f").dump()) == Json("\xc2\x9b\x7f"));
}

TEST_CASE("numbers at the ends of their types") {
  const auto fits = []<class T>(T, const std::string& number) {
    return error_of([&] { (void)Json::parse(number).get<T>(); }) == "accepted";
  };
  CHECK(fits(std::int8_t{}, "127"));
  CHECK(fits(std::int8_t{}, "-128"));
  CHECK_FALSE(fits(std::int8_t{}, "128"));
  CHECK_FALSE(fits(std::int8_t{}, "-129"));
  CHECK(fits(std::uint32_t{}, "4294967295"));
  CHECK_FALSE(fits(std::uint32_t{}, "4294967296"));
  CHECK_FALSE(fits(std::uint64_t{}, "-1"));
  CHECK(fits(std::int64_t{}, "-9223372036854775808"));
  CHECK_FALSE(fits(std::int64_t{}, "9223372036854775808"));
  CHECK(fits(std::uint64_t{}, "18446744073709551615"));
  CHECK_FALSE(fits(std::uint64_t{}, "18446744073709551616"));
}

TEST_CASE("what is not JSON") {
  const auto message = [](const std::string& text) { return error_of([&] { Json::parse(text); }); };
  CHECK(message("") == "not JSON at byte 1");
  CHECK(message("[1,") == "not JSON at byte 4");
  CHECK(message("{\"a\":1}x") == "not JSON at byte 8");
  CHECK(message("\"\xff\"") == "not JSON at byte 2");
  CHECK(message(std::string(64, '[') + std::string(64, ']')) == "accepted");
  CHECK(message(std::string(65, '[') + std::string(65, ']')) == "lists and objects are nested more than 64 deep");
  CHECK(message(std::string(1 << 20, '[')) == "lists and objects are nested more than 64 deep");
}
