// Words of one line of a batch: shell words or a JSON array of strings.
//
//   words_of_line("swz layout '(8,64):(64,1)' # rows")  == {"layout", "(8,64):(64,1)"}
//   words_of_line("[\"decode\", \"0x42\"]")               == {"decode", "0x42"}
//
// As in a POSIX shell: '…' is verbatim, "…" keeps all but \" \\ \$ \` , a backslash outside quotes takes the next
// byte as it is, # at the beginning of a word starts a comment. Nothing is expanded. A leading word "swz" is
// dropped, and a carriage return at the end of the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace swz {

// Throws Error with a span in the line.
std::vector<std::string> words_of_line(std::string_view line);

}  // namespace swz
