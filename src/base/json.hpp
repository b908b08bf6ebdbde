// SPDX-License-Identifier: Apache-2.0
// Json: a value for programs to read: null, a boolean, a number, a string, a list, or an object whose keys keep their
// order.
//
//   Json json{{"word", "0x0042"}, {"bits", {0, 13}}, {"unit", nullptr}};
//   json["lbo"] = 1024;
//   json.dump() == R"({"word":"0x0042","bits":[0,13],"unit":null,"lbo":1024})"
//
// Braces mean the same as in JSON: pairs that begin with a string make an object, anything else makes a list. An
// optional becomes its value or null, a container becomes a list. A list of whole numbers takes 8 bytes per number.
// Reading throws Error if the value is missing or of another kind; no number is cut to fit.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace swz {

template <class T>
concept OptionalOfJson = requires(const T& value) {
  value.has_value();
  *value;
};

template <class T>
concept ListOfJson = requires(const T& value) {
  value.begin();
  value.end();
};

template <class T>
concept NumberOfJson = std::integral<T> || std::floating_point<T>;

template <class T>
concept TextOfJson = std::convertible_to<T, std::string_view>;

class Json {
 public:
  class Item;

  Json() noexcept {}  // null
  Json(std::nullptr_t) noexcept {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::string&& text);
  Json(std::initializer_list<Item> items);
  template <NumberOfJson T>
  Json(T value) {
    if constexpr (std::same_as<T, bool>) set(value);
    else if constexpr (std::floating_point<T>) set(static_cast<double>(value));
    else if (std::in_range<std::int64_t>(value)) set(static_cast<std::int64_t>(value));
    else set(static_cast<std::uint64_t>(value));
  }
  template <OptionalOfJson T>
  requires(!TextOfJson<T>) Json(const T& value) {
    if (value.has_value()) *this = Json(*value);
  }
  template <ListOfJson T>
  requires(!TextOfJson<T>) Json(const T& value) : Json(array()) {
    for (const auto& item : value) push_back(item);
  }
  // One copy in the program: every answer makes thousands of these.
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  // A list, even if its items are pairs that begin with a string.
  static Json array(std::initializer_list<Item> items = {});
  static Json object();

  // Appends an item or a key. A null first becomes a list, or an object.
  void push_back(Json item);
  Json& operator[](std::string_view key);
  const Json& operator[](std::string_view key) const { return at(key); }

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_boolean() const { return std::holds_alternative<bool>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return is_numbers() || std::holds_alternative<std::vector<Json>>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  std::size_t size() const;  // number of items of a list or an object
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  const Json& at(std::string_view key) const;
  Json at(std::size_t index) const;

  // The value as a bool, a whole number, a std::string, or a container of them.
  template <class T>
  T get() const {
    if constexpr (std::same_as<T, bool>) return boolean();
    else if constexpr (std::same_as<T, std::string>) return string();
    else if constexpr (std::unsigned_integral<T>) return static_cast<T>(get_unsigned(sizeof(T) * 8));
    else if constexpr (std::integral<T>) return static_cast<T>(get_signed(sizeof(T) * 8));
    else {
      T out;
      out.reserve(size());
      for (std::size_t i = 0; i < size(); ++i) out.push_back(at(i).template get<typename T::value_type>());
      return out;
    }
  }

  template <class T>
  T value(std::string_view key, const T& otherwise) const {
    return contains(key) ? at(key).template get<T>() : otherwise;
  }

  // The value on one line, without spaces. Bytes that are not UTF-8 become U+FFFD.
  std::string dump() const;
  void append_to(std::string& out) const;

  // Throws Error with the place in the text if it is not JSON.
  static Json parse(std::string_view text);

  friend bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }

 private:
  using Numbers = std::vector<std::int64_t>;

  struct Object {
    std::vector<std::string> keys;
    std::vector<Json> values;  // in the order of the keys
    friend bool operator==(const Object& a, const Object& b) { return a.keys == b.keys && a.values == b.values; }
  };

  void set(bool value);
  void set(double value);
  void set(std::int64_t value);
  void set(std::uint64_t value);

  bool is_numbers() const { return std::holds_alternative<Numbers>(value_); }
  const Json* find(std::string_view key) const;  // null if this is not an object or has no such key
  bool boolean() const;
  const std::string& string() const;
  std::int64_t get_signed(std::size_t bits) const;
  std::uint64_t get_unsigned(std::size_t bits) const;

  // Numbers is a list that contains only int64; uint64 is used only for what int64 does not hold: one value has one
  // form.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Numbers, std::vector<Json>,
               Object>
      value_;
};

// A value between braces; `mutable` lets it be moved out of a std::initializer_list.
class Json::Item {
 public:
  template <class T>
  requires std::constructible_from<Json, T&&> Item(T&& item) : value(std::forward<T>(item)) {}
  Item(std::initializer_list<Item> items) : value(items) {}

  mutable Json value;
};

}  // namespace swz
