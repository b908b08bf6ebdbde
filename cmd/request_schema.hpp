// The JSON schema of requests: one definition for each command, whose properties are its arguments and options
// under their long names without the dashes. Made from the rows, for programs that ask swz and forms that are
// filled in.
//
//   {"command": "decode", "WORD": ["0x42"], "arch": "sm_90a"}      swz decode 0x42 --arch sm_90a
#pragma once

#include "command.hpp"

namespace swz {

Json request_schema(const Commands& table);

}  // namespace swz
