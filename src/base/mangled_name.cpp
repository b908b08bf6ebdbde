// SPDX-License-Identifier: Apache-2.0
#include "base/mangled_name.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace swz {

namespace {

// Each function that reads a part returns whether that part was there.
class MangledName {
 public:
  explicit MangledName(std::string_view text) : text_(text) {}

  bool read(std::string& path) {
    if (!take("_Z") || !encoding_name(path, 0)) return false;
    return !path.empty();
  }

 private:
  static constexpr int most_depth = 16;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view prefix) {
    if (!text_.substr(at_).starts_with(prefix)) return false;
    at_ += prefix.size();
    return true;
  }
  void skip_while(bool (*is_part)(char)) {
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
  }

  // "4smem"
  bool source_name(std::string_view& name) {
    std::size_t length = 0;
    if (!is_digit(peek())) return false;
    for (; is_digit(peek()) && length <= text_.size(); ++at_)
      length = length * 10 + static_cast<std::size_t>(peek() - '0');
    if (length == 0 || length > text_.size() - at_) return false;
    name = text_.substr(at_, length);
    at_ += length;
    return true;
  }

  bool component(std::string& path) {
    take("L");  // internal linkage
    std::string_view name;
    if (!source_name(name)) return false;
    // The namespaces that a compiler makes: the unnamed one, and one per file.
    if (!name.starts_with("_GLOBAL__N") && !name.starts_with("_INTERNAL_"))
      path += (path.empty() ? "" : "::") + std::string(name);
    return !take("I") || skip_to_end(0);
  }

  // The name of a function or a variable, up to its types.
  bool encoding_name(std::string& path, int depth) {
    if (depth > most_depth) return false;
    if (take("Z")) {  // inside a function
      if (!encoding_name(path, depth + 1) || !skip_to_end(0)) return false;
      return encoding_name(path, depth + 1);
    }
    const bool is_nested = take("N");
    if (is_nested) skip_while([](char c) { return c == 'K' || c == 'V' || c == 'r'; });
    if (take("St")) path += path.empty() ? "std" : "::std";
    if (!component(path)) return false;
    while (is_nested && !take("E"))
      if (!component(path)) return false;
    return true;
  }

  // Skips past the 'E' that ends what was begun: types, names and literals.
  bool skip_to_end(int depth) {
    if (depth > most_depth) return false;
    for (std::size_t open = 1; at_ < text_.size();) {
      std::string_view name;
      const char c = peek();
      if (is_digit(c)) {
        if (!source_name(name)) return false;
      } else if (take("E")) {
        if (--open == 0) return true;
      } else if (take("S")) {
        if (!skip_substitution()) return false;
      } else if (take("T") || take("_") || take("A")) {  // T0_, a discriminator _1, A16_
        skip_while(is_digit);
        take("_");
      } else if (take("L")) {
        if (!skip_literal(depth)) return false;
      } else if (take("X") || take("DT") || take("Dt") || take("U")) {
        return false;  // expressions and lambdas are not understood
      } else if (take("Dv")) {
        skip_while(is_digit);
        if (!take("_")) return false;
      } else if (take("D")) {
        ++at_;
      } else {
        if (std::string_view("NIJFZ").find(c) != std::string_view::npos) ++open;
        ++at_;
      }
    }
    return false;
  }

  // Skips a substitution after its S: S_, S1A_, St, Sa
  bool skip_substitution() {
    if (peek() >= 'a' && peek() <= 'z') {
      ++at_;
      return true;
    }
    skip_while([](char c) { return is_digit(c) || (c >= 'A' && c <= 'Z'); });
    return take("_");
  }

  // Skips a literal after its L: i128E, N4cute3EnumE2E, S1_3E, _ZN3fooEvE
  bool skip_literal(int depth) {
    std::string_view name;
    if (take("_Z")) return skip_to_end(depth + 1);
    if (take("N")) {
      if (!skip_to_end(depth + 1)) return false;
    } else if (is_digit(peek())) {
      if (!source_name(name)) return false;
    } else if (take("S")) {
      if (!skip_substitution()) return false;
    }
    at_ = std::min(text_.find('E', at_), text_.size());
    return take("E");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string name_path(std::string_view name) {
  std::string path;
  return MangledName(name).read(path) ? path : std::string(name);
}

std::string with_name_paths(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string_view word = text.substr(at, end - at);
    const std::string_view name = word.substr(0, word.rfind("_param_"));
    out += name_path(name);
    out += word.substr(name.size());
    at = end;
  }
  return out;
}

}  // namespace swz
