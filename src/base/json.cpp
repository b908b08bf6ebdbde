// SPDX-License-Identifier: Apache-2.0
#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// The deepest nesting that is read; swz writes nothing deeper.
constexpr std::size_t deepest = 64;

[[noreturn]] void refuse(const Json& json, const std::string& expected) {
  throw Error(fmt::format("{} is not {}", swz::quoted(json.dump()), expected));
}

// Builds a Json from what nlohmann-json reads.
class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(value); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    keys_.push_back(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    throw Error(fmt::format("not JSON at byte {}", position), "", Span{position - 1, position});
  }

  Json root;

 private:
  bool put(Json value) {
    if (open_.empty()) root = std::move(value);
    else if (open_.back().is_array()) open_.back().push_back(std::move(value));
    else {
      open_.back()[keys_.back()] = std::move(value);
      keys_.pop_back();
    }
    return true;
  }
  bool open(Json value) {
    if (open_.size() == deepest) throw Error(fmt::format("lists and objects are nested more than {} deep", deepest));
    open_.push_back(std::move(value));
    return true;
  }
  bool close() {
    Json value = std::move(open_.back());
    open_.pop_back();
    return put(std::move(value));
  }

  std::vector<Json> open_;
  std::vector<std::string> keys_;
};

// Writes U+007F to U+009F as \u escapes: JSON allows them unescaped, but U+009B starts a command of some terminals.
void append_without_controls(std::string& out, std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    const auto next = static_cast<unsigned char>(i + 1 < utf8.size() ? utf8[i + 1] : '\0');
    if (byte == 0x7f) out += "\\u007f";
    else if (byte == 0xc2 && next < 0xa0) out += fmt::format("\\u{:04x}", utf8[++i] & 0xff);
    else out += utf8[i];
  }
}

// Appends a string as JSON writes it, with its quotes.
void append_string(std::string& out, std::string_view text) {
  const auto is_plain = [](char c) {
    return c >= ' ' && c != '"' && c != '\\' && static_cast<unsigned char>(c) < 0x7f;
  };
  if (std::ranges::all_of(text, is_plain)) {
    out += '"';
    out += text;
    out += '"';
  } else {
    append_without_controls(out, nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

}  // namespace

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string&& text) : value_(std::move(text)) {}

void Json::set(bool value) { value_ = value; }
void Json::set(double value) { value_ = value; }
void Json::set(std::int64_t value) { value_ = value; }
void Json::set(std::uint64_t value) { value_ = value; }

Json::Json(std::initializer_list<Item> items) {
  const bool is_pairs = std::all_of(items.begin(), items.end(), [](const Item& item) {
    const auto* pair = std::get_if<std::vector<Json>>(&item.value.value_);
    return pair != nullptr && pair->size() == 2 && pair->front().is_string();
  });
  *this = is_pairs ? object() : array(items);
  if (!is_pairs) return;
  auto& [keys, values] = std::get<Object>(value_);
  for (const Item& item : items) {
    auto& pair = std::get<std::vector<Json>>(item.value.value_);
    keys.push_back(std::get<std::string>(std::move(pair[0].value_)));
    values.push_back(std::move(pair[1]));
  }
}

Json Json::array(std::initializer_list<Item> items) {
  Json out;
  out.value_ = Numbers();
  for (const Item& item : items) out.push_back(std::move(item.value));
  return out;
}

Json Json::object() {
  Json out;
  out.value_ = Object();
  return out;
}

void Json::push_back(Json item) {
  if (is_null()) value_ = Numbers();
  if (auto* numbers = std::get_if<Numbers>(&value_)) {
    if (const auto* number = std::get_if<std::int64_t>(&item.value_)) return numbers->push_back(*number);
    value_ = std::vector<Json>(numbers->begin(), numbers->end());
  }
  std::get<std::vector<Json>>(value_).push_back(std::move(item));
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  if (const Json* found = find(key)) return const_cast<Json&>(*found);
  auto& [keys, values] = std::get<Object>(value_);
  keys.emplace_back(key);
  return values.emplace_back();
}

std::size_t Json::size() const {
  if (const auto* numbers = std::get_if<Numbers>(&value_)) return numbers->size();
  if (const auto* items = std::get_if<std::vector<Json>>(&value_)) return items->size();
  if (const auto* object = std::get_if<Object>(&value_)) return object->keys.size();
  refuse(*this, "a list or an object");
}

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto at = std::ranges::find(object->keys, key) - object->keys.begin();
  return at == std::ssize(object->keys) ? nullptr : &object->values[static_cast<std::size_t>(at)];
}

const Json& Json::at(std::string_view key) const {
  if (!is_object()) refuse(*this, "an object");
  const Json* found = find(key);
  if (found == nullptr) throw Error(fmt::format("the object has no key {}", quoted(key)));
  return *found;
}

Json Json::at(std::size_t index) const {
  if (!is_array()) refuse(*this, "a list");
  if (index >= size()) throw Error(fmt::format("the list has {} items, not {}", size(), index + 1));
  if (is_numbers()) return std::get<Numbers>(value_)[index];
  return std::get<std::vector<Json>>(value_)[index];
}

bool Json::boolean() const {
  if (!is_boolean()) refuse(*this, "true or false");
  return std::get<bool>(value_);
}

const std::string& Json::string() const {
  if (!is_string()) refuse(*this, "a string");
  return std::get<std::string>(value_);
}

std::int64_t Json::get_signed(std::size_t bits) const {
  const auto* number = std::get_if<std::int64_t>(&value_);
  const std::int64_t largest = INT64_MAX >> (64 - bits);
  if (number == nullptr || *number > largest || *number < -largest - 1)
    refuse(*this, fmt::format("a whole number of {} bits", bits));
  return *number;
}

std::uint64_t Json::get_unsigned(std::size_t bits) const {
  const auto* number = std::get_if<std::int64_t>(&value_);
  const auto* large = std::get_if<std::uint64_t>(&value_);
  const bool is_number = large != nullptr || (number != nullptr && *number >= 0);
  const std::uint64_t out = large != nullptr ? *large : is_number ? static_cast<std::uint64_t>(*number) : 0;
  if (!is_number || out > UINT64_MAX >> (64 - bits))
    refuse(*this, fmt::format("an unsigned whole number of {} bits", bits));
  return out;
}

std::string Json::dump() const {
  std::string out;
  append_to(out);
  return out;
}

void Json::append_to(std::string& out) const {
  // Appends a list or an object; `append` writes the item of an index.
  const auto append_items = [&](char begin, char end, const auto& append) {
    out += begin;
    for (std::size_t i = 0; i < size(); ++i) {
      if (i > 0) out += ',';
      append(i);
    }
    out += end;
  };
  const auto append_number = [&out](auto number) {
    const fmt::format_int text(number);
    out.append(text.data(), text.size());
  };
  const auto write = [&]<class T>(const T& value) {
    if constexpr (std::same_as<T, std::nullptr_t>) out += "null";
    else if constexpr (std::same_as<T, bool>) out += value ? "true" : "false";
    else if constexpr (std::integral<T>) append_number(value);
    else if constexpr (std::same_as<T, double>) out += nlohmann::json(value).dump();
    else if constexpr (std::same_as<T, std::string>) append_string(out, value);
    else if constexpr (std::same_as<T, Numbers>) append_items('[', ']', [&](auto i) { append_number(value[i]); });
    else if constexpr (std::same_as<T, Object>)
      append_items('{', '}', [&](auto i) {
        append_string(out, value.keys[i]);
        out += ':';
        value.values[i].append_to(out);
      });
    else append_items('[', ']', [&](auto i) { value[i].append_to(out); });
  };
  std::visit(write, value_);
}

Json Json::parse(std::string_view text) {
  Reader reader;
  nlohmann::json::sax_parse(text, &reader);
  return std::move(reader.root);
}

}  // namespace swz
