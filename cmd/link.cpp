// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "files.hpp"
#include "next.hpp"
#include "page_address.hpp"
#include "words.hpp"

namespace swz {
namespace {

// Mail and chat programs cut longer addresses.
constexpr std::size_t most_input_bytes = 32 << 10;

// As a browser writes the parts of a form: a blank is "+", what is no letter or digit is %XX.
std::string form_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_word(c) || c == '*' || c == '-' || c == '.') out += c;
    else if (c == ' ') out += '+';
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Options options_of(const Line& line, Common& common) {
  return line.command == nullptr ? with_common(common) : with_common(line.command->prepare().options, common);
}

Words linked_words(const Line& line, const Options& options) {
  const std::span<const std::string> words = line.words;
  Words out;
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t width = words[i] == "--" ? words.size() - i : width_of_option(words.subspan(i), options);
    const bool is_left_out =
        words[i] == "--link" || words[i].starts_with("--format") || (words[i].starts_with("-f") && words[i] != "--");
    const std::size_t end = i + std::max<std::size_t>(width, 1);
    for (; i < end; ++i)
      if (!is_left_out) out.push_back(words[i]);
  }
  return out;
}

std::string_view view_of(const Common& common) {
  if (!common.has_format) return "";
  return common.linked == Format::text ? "text" : common.linked == Format::json ? "json" : "picture";
}

struct Read {
  Words files;
  bool reads_input = false;
};

// What the line reads beside its words.
Read read_by(const Line& line, const Options& options) {
  Read read;
  const SplitWords split = split_words(line.rest, options);
  const auto add = [&](const std::string& text, bool is_file) {
    const std::string path = file_path(text);
    if (path == "-") read.reads_input = true;
    else if (is_file || text.starts_with('@')) read.files.push_back(path);
  };
  for (const SplitWords::Value& value : split.values) add(value.text, options[value.option].is_file);
  std::vector<bool> are_files;  // of the arguments, of which the last takes all remaining words
  for (const Option& option : options)
    if (option.is_argument()) are_files.push_back(option.is_file);
  for (std::size_t i = 0; i < split.arguments.size() && !are_files.empty(); ++i)
    add(split.arguments[i], are_files[std::min(i, are_files.size() - 1)]);
  return read;
}

std::string input_of(const Context& context) {
  const std::string text = read_text("-", context, {most_input_bytes, "what an address can hold", ""});
  if (text.size() > most_input_bytes)
    throw usage_error(fmt::format("standard input of {} bytes is more than the {} KiB that an address can hold",
                                  text.size(), most_input_bytes >> 10),
                      "open the page without it, and choose the file there");
  if (Json(text).dump().find("\xEF\xBF\xBD") == std::string::npos) return text;
  throw usage_error("standard input is not text, which is all that an address can hold",
                    "open the page without it, and choose the file there");
}

}  // namespace

Answer link_answer(const Line& line, const Context& context) {
  if (line.command != nullptr && line.command->needs_system)
    throw usage_error(fmt::format("the page cannot run 'swz {}', so there is no link to it", line.command->name),
                      "it needs a GPU, another program or the files of this machine: send the command itself");
  Common common;
  const Options options = options_of(line, common);
  const Read read = read_by(line, options);
  std::string link = line.page_address.empty() ? hosted_page : line.page_address;
  link += "#line=" + form_encoded(shell_line(linked_words(line, options)));
  if (const std::string_view view = view_of(line.common); !view.empty()) link += fmt::format("&view={}", view);
  if (read.reads_input) link += "&in=" + form_encoded(input_of(context));

  Document out;
  out.verdict = std::string(to_string(Verdict::clean));
  out.json("link", link).json("files", read.files);
  out.answers = {"link"};
  out.add(Paragraph{link});
  if (!read.files.empty())
    out.add(Paragraph{
        fmt::format("The page cannot read the files of this machine: choose {} there.", fmt::join(read.files, ", "))});
  return {out};
}

}  // namespace swz
