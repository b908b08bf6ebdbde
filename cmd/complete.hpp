// Completions, answered by the program: the scripts of the shells pass on the words so far, and read one candidate
// per line, followed by a tab and a description. The last word is the one under the cursor; ":file" means file
// names.
//
//   swz --complete bash swizzle f          find<tab>the smallest swizzle that makes accesses conflict free
//   swz --complete zsh decode --as ''      smem, idesc
//   swz --complete fish batch ''           :file
#pragma once

#include <string>

#include "command.hpp"

namespace swz {

// shell: bash, zsh or fish. bash cuts --format=json into three words and completes the last; the others take the
// whole word.
std::string completions(const std::string& shell, Words words, const Commands& table);

// The script that the shell reads. Throws Error when there is no such shell.
std::string completion_script(const std::string& shell);

}  // namespace swz
