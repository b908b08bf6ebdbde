// SPDX-License-Identifier: Apache-2.0
#include "dialect/literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

class LiteralParser {
 public:
  explicit LiteralParser(Cursor& cursor) : cursor_(cursor) {}

  void require_end() {
    if (cursor_.peek() != 0) fail("expected the end of the layout");
  }

  Literal value() {
    require_within(limits::dialect_items, ++items_);
    const char c = cursor_.peek();
    const std::size_t begin = cursor_.position();
    Literal result;
    if (c == '[' || c == '(' || c == '{') {
      result.kind = Literal::Kind::list;
      items_of(result);
    } else if (c == '"' || c == '\'') {
      result.kind = Literal::Kind::string;
      const std::size_t end = cursor_.text().find(c, begin + 1);
      if (end == std::string_view::npos) fail("a string is not closed");
      result.text = cursor_.text().substr(begin + 1, end - begin - 1);
      cursor_.move_to(end + 1);
    } else if (starts_number()) {
      result = number();
    } else if (is_letter(c) || c == '_' || c == '#' || c == '!') {
      result = named();
    } else {
      fail("expected a number, a name or a list");
    }
    result.span = {begin, cursor_.position()};
    require_once(result.items);
    return result;
  }

 private:
  static void require_once(std::span<const Literal> items) {
    std::unordered_set<std::string_view> keys;
    for (const Literal& item : items)
      if (!item.key.empty() && !keys.insert(item.key).second) throw stands_twice(item.key, item.span);
  }

  [[noreturn]] void fail(std::string_view what) {
    cursor_.skip_space();
    const std::string_view next = cursor_.rest().substr(0, 1);
    throw Error(fmt::format("{}, found {}", what, next.empty() ? "the end" : quoted(next)), {},
                {cursor_.position(), cursor_.position() + 1});
  }

  bool starts_number() {
    const char c = cursor_.peek();
    return is_digit(c) || (c == '-' && is_digit(cursor_.peek(1)));
  }

  std::int64_t digits() {
    const std::size_t at = cursor_.position();
    if (const auto value = cursor_.number()) return *value;
    throw Error("a number does not fit in 64 bits", "numbers must stay below 2^63", {at, at + 1});
  }

  // Reads 8, 128:+8 or 64x128xbf16.
  Literal number() {
    const std::size_t begin = cursor_.position();
    Literal result;
    result.number = digits();
    if (is_letter(cursor_.next()) || cursor_.next() == '_') {
      result.kind = Literal::Kind::name;
      word();
      result.text = cursor_.text_since(begin);
      return result;
    }
    if (cursor_.peek() != ':' || cursor_.peek(1) == ':') return result;
    cursor_.accept(':');
    if (!cursor_.accept('+') || !is_digit(cursor_.peek())) fail("expected '+' and a number after ':'");
    Literal pair;
    pair.kind = Literal::Kind::pair;
    Literal second;
    second.number = digits();
    pair.items = {result, second};
    return pair;
  }

  std::string word() {
    const std::size_t begin = cursor_.position();
    do cursor_.take_while([](char c) { return is_word(c) || c == '.' || c == '$'; });
    while (cursor_.rest().starts_with("::") && cursor_.accept("::"));
    return std::string(cursor_.text().substr(begin, cursor_.position() - begin));
  }

  Literal named() {
    Literal result;
    result.kind = Literal::Kind::name;
    if (cursor_.accept('#')) result.text = '#';
    else if (cursor_.accept('!')) result.text = '!';
    result.text += word();
    // An opening bracket belongs to the name if nothing is between them.
    const char next = cursor_.next();
    if (next != '<' && next != '(' && next != '[') return result;
    result.kind = Literal::Kind::call;
    items_of(result);
    // Parameters and then arguments: name[64, 64]()
    if (next == '[' && cursor_.next() == '(') items_of(result);
    if (!result.items.empty() && result.items.back().kind == Literal::Kind::list &&
        result.items.back().bracket == '{' && result.items.back().key.empty()) {
      const Literal dictionary = std::move(result.items.back());
      result.items.pop_back();
      result.items.insert(result.items.end(), dictionary.items.begin(), dictionary.items.end());
    }
    return result;
  }

  // Reads the items, from the opening bracket on.
  void items_of(Literal& of) {
    const std::size_t begin = cursor_.position();
    of.bracket = cursor_.next();
    cursor_.accept(of.bracket);
    const char closing = of.bracket == '(' ? ')' : of.bracket == '[' ? ']' : of.bracket == '{' ? '}' : '>';
    require_within(limits::expression_nesting, ++nesting_);
    if (of.bracket == '<') ++angles_;
    while (!cursor_.accept(closing)) {
      if (cursor_.peek() == '\0')
        throw Error(fmt::format("this '{}' is not closed", of.bracket), fmt::format("add the missing '{}'", closing),
                    {begin, begin + 1});
      of.items.push_back(item());
      const bool has_comma = cursor_.accept(',');
      const char next = cursor_.peek();
      if (angles_ == 0 || next == '\0') continue;
      if (has_comma && next == closing) fail("expected another item after ','");
      const bool is_dictionary = of.bracket == '<' && next == '{';
      if (!has_comma && next != closing && !is_dictionary) fail(fmt::format("expected ',' or '{}'", closing));
    }
    --nesting_;
    if (of.bracket == '<') --angles_;
  }

  Literal item() {
    Literal first = value();
    const bool is_name = first.kind == Literal::Kind::name || first.kind == Literal::Kind::string;
    const char next = cursor_.peek();
    if (!is_name || (next != '=' && (next != ':' || cursor_.peek(1) == ':'))) return first;
    cursor_.accept(next);
    Literal keyed = value();
    keyed.key = first.text;
    return keyed;
  }

  Cursor& cursor_;
  std::int64_t items_ = 0, nesting_ = 0;
  int angles_ = 0;  // depth of <…>
};

}  // namespace

Error stands_twice(std::string_view key, Span span) {
  return Error(fmt::format("{} stands twice", quoted(key)), "give it once", span);
}

std::string_view last_name(std::string_view name) { return name.substr(name.rfind('.') + 1); }

const Literal* Literal::find(std::string_view wanted, std::size_t position) const {
  const Literal* found = nullptr;
  for (const Literal& item : items) {
    const bool is_at = item.key.empty() && position-- == 0;
    if (item.key != wanted && !is_at) continue;
    if (wanted.empty()) return &item;
    if (found != nullptr) throw stands_twice(wanted, item.span);
    found = &item;
  }
  return found;
}

const Literal& Literal::require(std::string_view wanted, std::size_t position) const {
  if (const Literal* found = find(wanted, position)) return *found;
  throw Error(fmt::format("{} without {}", text.empty() ? "a list" : text, wanted), fmt::format("add {} = …", wanted),
              span);
}

std::int64_t Literal::integer_or(std::int64_t otherwise, std::string_view wanted, std::size_t position) const {
  const Literal* found = find(wanted, position);
  return found == nullptr ? otherwise : found->integer();
}

bool Literal::boolean_or(bool otherwise, std::string_view wanted, std::size_t position) const {
  const Literal* found = find(wanted, position);
  return found == nullptr ? otherwise : found->boolean();
}

std::int64_t Literal::integer() const {
  if (kind != Kind::integer) throw Error("expected a number", "for example 8", span);
  return number;
}

bool Literal::boolean() const {
  if (kind == Kind::name && (text == "true" || text == "True")) return true;
  if (kind == Kind::name && (text == "false" || text == "False")) return false;
  throw Error("expected true or false", {}, span);
}

std::vector<std::int64_t> Literal::integers() const {
  if (kind != Kind::list) throw Error("expected a list of numbers", "for example [1, 0]", span);
  std::vector<std::int64_t> result;
  for (const Literal& item : items) result.push_back(item.integer());
  return result;
}

std::vector<std::vector<std::int64_t>> Literal::integer_lists() const {
  if (kind != Kind::list) throw Error("expected a list of lists of numbers", "for example [[0, 1], [1, 0]]", span);
  std::vector<std::vector<std::int64_t>> result;
  for (const Literal& item : items) result.push_back(item.integers());
  return result;
}

std::vector<const Literal*> Literal::positional() const {
  std::vector<const Literal*> result;
  for (const Literal& item : items)
    if (item.key.empty()) result.push_back(&item);
  return result;
}

void Literal::require_at_most(std::size_t count) const {
  const std::vector<const Literal*> all = positional();
  if (all.size() > count)
    throw Error(fmt::format("{} has {} arguments without a name, and takes {}", text, all.size(), count),
                "leave the others out", all[count]->span);
}

void Literal::require_keys(std::span<const std::string_view> known) const {
  for (const Literal& item : items) {
    if (item.key.empty() || std::ranges::find(known, item.key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    throw Error(fmt::format("{} does not have {}", text, quoted(item.key)), did_you_mean(item.key, names), item.span);
  }
}

Literal parse_literal(Cursor& cursor) { return LiteralParser(cursor).value(); }

Literal parse_literal(std::string_view text) {
  require_within(limits::expression_bytes, static_cast<std::int64_t>(text.size()));
  try {
    Cursor cursor(text);
    LiteralParser parser(cursor);
    Literal result = parser.value();
    parser.require_end();
    return result;
  } catch (const Error& e) {
    throw e.in_text(text);
  }
}

}  // namespace swz
