// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "help.hpp"
#include "line.hpp"
#include "words.hpp"

namespace swz {
namespace {

// A shell asks the swz in its PATH, or the one whose absolute path is typed; never ./swz, which may be anyone's file.
constexpr const char* bash_script = R"sh(# bash completion for swz; made by: swz --generate bash
_swz() {
  local line program=swz cur=${COMP_WORDS[COMP_CWORD]}
  [[ $1 == /* ]] && program=$1
  COMPREPLY=()
  [[ $cur == '=' ]] && cur=
  while IFS= read -r line; do
    if [[ $line == :file ]]; then
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")
      compopt -o filenames 2>/dev/null
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("$program" --complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  return 0
}
complete -F _swz swz
)sh";

constexpr const char* zsh_script = R"sh(#compdef swz
# zsh completion for swz; made by: swz --generate zsh
_swz() {
  local line program=swz
  local -a described answers
  [[ $words[1] == /* ]] && program=$words[1]
  answers=("${(@f)$($program --complete zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $answers; do
    if [[ $line == :file ]]; then
      _files
    else
      described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( $#described )) && _describe -t values swz described
}
# Found by compinit the file is the body of _swz; sourced it announces the function.
if [[ $funcstack[1] == _swz ]]; then _swz "$@"; else compdef _swz swz; fi
)sh";

constexpr const char* fish_script = R"sh(# fish completion for swz; made by: swz --generate fish
function __swz_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l program swz
  string match -q '/*' -- $words[1]; and set program $words[1]
  for line in ($program --complete fish $words[2..-1] "$current" 2>/dev/null)
    if test "$line" = :file
      __fish_complete_path "$current"
    else
      echo $line
    end
  end
end
complete -c swz -f -a '(__swz_complete)'
)sh";

// The candidates that begin with the word at the cursor, each with `before` in front of it.
class Candidates {
 public:
  Candidates(std::string begun, std::string before) : begun_(std::move(begun)), before_(std::move(before)) {}

  void offer(std::string_view word, std::string_view what = "") {
    const bool is_new = std::find(offered_.begin(), offered_.end(), word) == offered_.end();
    if (!word.starts_with(begun_) || !is_new) return;
    offered_.emplace_back(word);
    text_ += fmt::format("{}{}\t{}\n", before_, word, what);
  }
  void offer_values(const Option& option) {
    if (option.is_file) text_ += ":file\n";
    for (const std::string& choice : option.choices) offer(choice);
  }
  std::string text() const { return text_; }

 private:
  std::string begun_, before_, text_;
  Words offered_;
};

void offer_names(Candidates& candidates, const Options& options) {
  for (const Option& option : options) {
    if (option.is_argument() || option.is_hidden) continue;
    const std::size_t comma = option.names.find(',');
    if (comma != std::string::npos) candidates.offer(option.names.substr(0, comma), option.help);
    candidates.offer(option.name(), option.help);
  }
}

void offer_first_words(Candidates& candidates, const Commands& table) {
  candidates.offer("help", "show the help of a command");
  for (const Command& command : table) {
    const std::string_view first = command.name.substr(0, command.name.find(' '));
    const bool is_whole = first == command.name;
    candidates.offer(first, is_whole ? command.summary : fmt::format("{} commands", first));
  }
}

void offer_second_words(Candidates& candidates, const Commands& table, std::string_view first) {
  for (const Command& command : table)
    if (const std::string_view second = second_word(command, first); !second.empty())
      candidates.offer(second, command.summary);
}

// The argument that the next word is; null for none.
const Option* next_argument(const Options& options, std::size_t taken) {
  const Option* last = nullptr;
  for (const Option& option : options) {
    if (!option.is_argument()) continue;
    last = &option;
    if (taken == 0) return last;
    --taken;
  }
  return last != nullptr && last->repeats ? last : nullptr;
}

// readline splits --format=json into three words: --format, = and json.
void join_equals(Words& words) {
  if (words.back() == "=") words.back().clear();
  else if (words.size() > 1 && words[words.size() - 2] == "=") words.erase(words.end() - 2);
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i] == "=" && words[i - 1].starts_with("--")) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

std::string completions(const std::string& shell, Words words, const Commands& table) {
  if (words.empty()) words.emplace_back();
  if (shell == "bash") join_equals(words);
  const std::string current = words.back();
  words.pop_back();
  Line line;
  Options options = with_common(line.common);
  try {
    // The value of an option before the command's name may be at the cursor.
    const bool waits = !words.empty() && !split_words(words, options).lacks_value.empty();
    if (waits) line.rest = words;
    else name_command(line, words, table, options);
  } catch (const Error&) {
    return "";
  }
  if (!line.text.empty() || line.topic != nullptr) return "";
  if (line.command != nullptr) options = joined(std::move(options), line.command->prepare().options);
  const SplitWords split = split_words(line.rest, options);

  const std::size_t equals = current.starts_with("--") ? current.find('=') : std::string::npos;
  const std::string waiting = equals != std::string::npos ? current.substr(0, equals) : split.lacks_value;
  if (!waiting.empty()) {
    Candidates values(equals == std::string::npos ? current : current.substr(equals + 1),
                      equals == std::string::npos ? "" : current.substr(0, equals + 1));
    if (const Option* option = find_option(options, waiting)) values.offer_values(*option);
    return values.text();
  }
  Candidates candidates(current, "");
  if (current.starts_with('-')) {
    offer_names(candidates, options);
  } else if (line.command == nullptr) {
    if (line.group.empty()) offer_first_words(candidates, table);
    else offer_second_words(candidates, table, line.group);
  } else {
    if (split.arguments.empty()) offer_second_words(candidates, table, line.command->name);
    if (const Option* argument = next_argument(options, split.arguments.size())) candidates.offer_values(*argument);
  }
  return candidates.text();
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script;
  if (shell == "zsh") return zsh_script;
  return fish_script;
}

}  // namespace swz
