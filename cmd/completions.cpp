#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "manual.hpp"
#include "options.hpp"

namespace swz {
namespace {

// An option with the words it is called by: "-f", "--format".
struct Entry {
  Words names;
  Words choices;
  std::string value;  // "" for a flag
  std::string description;
  bool is_common = false;
};

struct Spoken {
  std::string name;  // "swizzle explain"
  std::string summary;
  std::vector<Entry> options;
  bool reads_file = false;  // its arguments are files
  Words words = {};         // else what its first argument may be, where that is one of a few
};

Spoken spoken(const Command& command) {
  const Declared declared = declare(command, {});
  Spoken out{std::string(command.name), std::string(command.summary), {}};
  for (const CLI::Option* option : options_of(*declared.app)) {
    Entry entry{{},
                choices_of(*option),
                value_name(*option),
                option->get_description(),
                option->get_group() == common_group};
    for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
    out.options.push_back(std::move(entry));
  }
  for (const CLI::Option* argument : arguments_of(*declared.app)) {
    out.reads_file = out.reads_file || argument->get_name(true) == "FILE";
    if (out.words.empty()) out.words = choices_of(*argument);
  }
  return out;
}

std::vector<Spoken> spoken(const std::vector<Command>& table) {
  std::vector<Spoken> out;
  for (const Command& command : table) out.push_back(spoken(command));
  return out;
}

// First words with a summary: of a two-word command, the word that gathers its commands.
struct FirstWord {
  std::string word;
  std::string summary;
  bool is_group = false;
};

std::vector<FirstWord> first_words(const std::vector<Command>& table) {
  std::vector<FirstWord> out;
  for (const Command& command : table) {
    const std::size_t space = command.name.find(' ');
    const std::string word(command.name.substr(0, space));
    const bool known = std::any_of(out.begin(), out.end(), [&word](const FirstWord& f) { return f.word == word; });
    if (!known)
      out.push_back({word, space == std::string_view::npos ? std::string(command.summary) : word + " commands",
                     space != std::string_view::npos});
  }
  return out;
}

std::string second_word(std::string_view name) { return std::string(name.substr(name.find(' ') + 1)); }

std::string spaced(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

// Inside single quotes of a shell: the quote is closed, escaped, opened again.
std::string quote_for_shell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return out + "'";
}

// What zsh's _arguments and _describe read as syntax.
std::string escape_for_zsh(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

Words group_members(const std::vector<Command>& table, const std::string& group) {
  Words out;
  for (const Command& command : table)
    if (command.name.rfind(group + " ", 0) == 0) out.push_back(second_word(command.name));
  return out;
}

std::string function_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return "_swz_" + name;
}

std::string zsh_option(const Entry& entry) {
  std::string tail = "[" + escape_for_zsh(entry.description) + "]";
  if (!entry.value.empty()) {
    tail += ":" + escape_for_zsh(entry.choices.empty() ? entry.value : "value") + ":";
    if (!entry.choices.empty()) tail += "(" + spaced(entry.choices) + ")";
    else if (entry.value == "FILE") tail += "_files";
  }
  const std::string exclusive = entry.names.size() > 1 ? quote_for_shell("(" + spaced(entry.names) + ")") : "";
  // "--format=" takes its value behind = or as the next word.
  Words forms = entry.names;
  for (std::string& name : forms)
    if (!entry.value.empty() && name.starts_with("--")) name += "=";
  const std::string names = forms.size() > 1 ? fmt::format("{{{}}}", fmt::join(forms, ",")) : forms[0];
  return "    " + exclusive + names + quote_for_shell(tail);
}

}  // namespace

// Lets readline quote names and end directories in /. Fails outside of a completion, where it does not matter.
constexpr const char* mark_files = " && compopt -o filenames 2>/dev/null";

std::string bash_completion(const std::vector<Command>& table) {
  const std::vector<Spoken> all = spoken(table);
  Words with_value;
  std::string values;  // what may follow an option
  Words seen;
  std::string words;  // what may follow a command
  for (const Spoken& command : all) {
    Words options{"--help"};
    for (const Entry& entry : command.options) {
      options.insert(options.end(), entry.names.begin(), entry.names.end());
      if (entry.value.empty()) continue;
      const std::string scope = entry.is_common ? "*" : quote_for_shell(command.name);
      std::vector<std::string> patterns;
      for (const std::string& name : entry.names) patterns.push_back(scope + "," + name);
      const std::string pattern = fmt::format("{}", fmt::join(patterns, " | "));
      if (std::find(seen.begin(), seen.end(), pattern) != seen.end()) continue;
      seen.push_back(pattern);
      for (const std::string& name : entry.names)
        if (std::find(with_value.begin(), with_value.end(), name) == with_value.end()) with_value.push_back(name);
      const std::string what = entry.value == "FILE" ? "-f" : "-W " + quote_for_shell(spaced(entry.choices));
      values += fmt::format("    {}) COMPREPLY=($(compgen {} -- \"$cur\")){}; return ;;\n", pattern, what,
                            entry.value == "FILE" ? mark_files : "");
    }
    words += fmt::format("    {}) words={}; options={}; files={} ;;\n", quote_for_shell(command.name),
                         quote_for_shell(spaced(command.words)), quote_for_shell(spaced(options)),
                         command.reads_file ? "1" : "");
  }
  Words firsts{"help"};
  std::string groups;
  Words group_names;
  for (const FirstWord& first : first_words(table)) {
    firsts.push_back(first.word);
    if (!first.is_group) continue;
    group_names.push_back(first.word);
    groups +=
        fmt::format("    {}) words={} ;;\n", first.word, quote_for_shell(spaced(group_members(table, first.word))));
  }
  Words leading{"--help", "--version"};
  if (!all.empty())
    for (const Entry& entry : all.front().options)
      if (entry.is_common) leading.insert(leading.end(), entry.names.begin(), entry.names.end());

  std::string out = "# bash completion for swz; made by: swz --generate bash\n_swz() {\n";
  out += "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n";
  out += "  local command= words= options= files= i word\n";
  // readline cuts --format=json into three words
  out += "  if [[ $cur == '=' ]]; then cur=\n";
  out += "  elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n";
  out += "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    word=${COMP_WORDS[i]}\n    case \"$word\" in\n";
  out += fmt::format("      {}) ((++i)); [[ ${{COMP_WORDS[i]}} == '=' ]] && ((++i)) ;;\n",
                     with_value.empty() ? "''" : fmt::format("{}", fmt::join(with_value, " | ")));
  out += "      -* | = | help) ;;\n      *)\n        if [[ -z $command ]]; then command=$word\n";
  if (!group_names.empty())
    out += fmt::format("        else case \"$command\" in {}) command=\"$command $word\" ;; esac\n",
                       fmt::join(group_names, " | "));
  out += "        fi ;;\n    esac\n  done\n";
  out += "  case \"$command,$prev\" in\n" + values + "  esac\n";
  out += "  case \"$command\" in\n";
  out += fmt::format("    '') words={}; options={} ;;\n", quote_for_shell(spaced(firsts)),
                     quote_for_shell(spaced(leading)));
  out += groups + words + "  esac\n";
  out += "  [[ $cur == -* ]] && words=$options\n";
  out += "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n";
  out += "  [[ -n $files && $cur != -* ]] && COMPREPLY=($(compgen -f -- \"$cur\"))" + std::string(mark_files) +
         "\n  return 0\n}\n";
  out += "complete -F _swz swz\n";
  return out;
}

std::string zsh_completion(const std::vector<Command>& table) {
  const std::vector<Spoken> all = spoken(table);
  std::string out = "#compdef swz\n# zsh completion for swz; made by: swz --generate zsh\n\n";
  out += "_swz_common_options=(\n";
  if (!all.empty())
    for (const Entry& entry : all.front().options)
      if (entry.is_common) out += zsh_option(entry) + "\n";
  out += "    '(-h --help)'{-h,--help}'[show help]'\n)\n\n";
  for (const Spoken& command : all) {
    out += function_name(command.name) + "() {\n  _arguments -s -S $_swz_common_options \\\n";
    for (const Entry& entry : command.options)
      if (!entry.is_common) out += zsh_option(entry) + " \\\n";
    const std::string words = command.words.empty() ? " " : "(" + spaced(command.words) + ")";
    out += "    " + (command.reads_file ? "'*:file:_files'" : quote_for_shell("*:argument:" + words)) + "\n}\n\n";
  }
  const auto dispatcher =
      [&out](const std::string& function, const std::vector<std::pair<std::string, std::string>>& words,
             const std::function<std::string(const std::string&)>& target, const std::string& more) {
        out += function +
               "() {\n  local curcontext=\"$curcontext\" state line\n  local -a words_here\n  words_here=(\n";
        for (const auto& [word, summary] : words)
          out += "    " + quote_for_shell(escape_for_zsh(word) + ":" + escape_for_zsh(summary)) + "\n";
        out += "  )\n  _arguments -C $_swz_common_options " + more + "'1: :->word' '*:: :->rest'\n";
        out += "  case $state in\n    word) _describe -t commands 'swz command' words_here ;;\n";
        out += "    rest)\n      case $line[1] in\n";
        for (const auto& [word, summary] : words) out += fmt::format("        {}) {} ;;\n", word, target(word));
        out += "      esac ;;\n  esac\n}\n\n";
      };
  for (const FirstWord& first : first_words(table)) {
    if (!first.is_group) continue;
    std::vector<std::pair<std::string, std::string>> words;
    for (const Spoken& command : all)
      if (command.name.rfind(first.word + " ", 0) == 0)
        words.emplace_back(second_word(command.name), command.summary);
    dispatcher(
        function_name(first.word), words,
        [&first](const std::string& word) { return function_name(first.word + " " + word); }, "");
  }
  std::vector<std::pair<std::string, std::string>> words;
  for (const FirstWord& first : first_words(table)) words.emplace_back(first.word, first.summary);
  words.emplace_back("help", "show the help of a command");
  dispatcher(
      "_swz", words, [](const std::string& word) { return word == "help" ? "_swz" : function_name(word); },
      "'--version[show the version]' ");
  // Found by compinit the file is the body of _swz; sourced it announces the function.
  out += "if [[ $funcstack[1] == _swz ]]; then _swz \"$@\"; else compdef _swz swz; fi\n";
  return out;
}

std::string fish_completion(const std::vector<Command>& table) {
  const std::vector<Spoken> all = spoken(table);
  Words firsts;
  for (const FirstWord& first : first_words(table)) firsts.push_back(first.word);
  const std::string none_yet = fmt::format("not __fish_seen_subcommand_from {}", spaced(firsts));

  std::string out = "# fish completion for swz; made by: swz --generate fish\ncomplete -c swz -f\n";
  const auto add_option = [&out](const std::string& condition, const Entry& entry) {
    out += "complete -c swz";
    if (!condition.empty()) out += " -n " + quote_for_shell(condition);
    for (const std::string& name : entry.names)
      out += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!entry.value.empty()) out += entry.value == "FILE" ? " -rF" : " -x";
    if (!entry.choices.empty()) out += " -a " + quote_for_shell(spaced(entry.choices));
    out += " -d " + quote_for_shell(entry.description) + "\n";
  };
  const auto add_word = [&out](const std::string& condition, const std::string& word, const std::string& summary) {
    out += fmt::format("complete -c swz -n {} -a {} -d {}\n", quote_for_shell(condition), word,
                       quote_for_shell(summary));
  };
  if (!all.empty())
    for (const Entry& entry : all.front().options)
      if (entry.is_common) add_option("", entry);
  add_option("", {{"-h", "--help"}, {}, "", "show help", true});
  add_option(none_yet, {{"--version"}, {}, "", "show the version", true});
  for (const FirstWord& first : first_words(table)) add_word(none_yet, first.word, first.summary);
  add_word(none_yet, "help", "show the help of a command");
  for (const Spoken& command : all) {
    const std::size_t space = command.name.find(' ');
    const std::string first = command.name.substr(0, space);
    std::string condition = "__fish_seen_subcommand_from " + first;
    if (space != std::string::npos) {
      const std::string second = second_word(command.name);
      add_word(
          condition + fmt::format("; and not __fish_seen_subcommand_from {}", spaced(group_members(table, first))),
          second, command.summary);
      condition += "; and __fish_seen_subcommand_from " + second;
    }
    for (const Entry& entry : command.options)
      if (!entry.is_common) add_option(condition, entry);
    if (!command.words.empty())
      out += "complete -c swz -n " + quote_for_shell(condition) + " -a " + quote_for_shell(spaced(command.words)) +
             "\n";
    if (command.reads_file) out += "complete -c swz -n " + quote_for_shell(condition) + " -F\n";
  }
  return out;
}

}  // namespace swz
