// SPDX-License-Identifier: Apache-2.0
#include "dump_request.hpp"

#include <sys/stat.h>

#include "files.hpp"

namespace swz {

Option dump_form_option(std::optional<DumpForm>& form) {
  return one_of<DumpForm>("--as", "FORM", form,
                          {{"bytes", DumpForm::bytes},
                           {"npy", DumpForm::npy},
                           {"gdb", DumpForm::gdb},
                           {"hex", DumpForm::hex},
                           {"numbers", DumpForm::numbers}},
                          "the form of DUMP")
      .by_default_note("recognised");
}

std::string read_dump_file(const std::string& name, const Context& context) {
  const Limit& limit = limits::dump_bytes;
  const std::string path = file_path(name);
  struct stat file = {};
  if (path != "-" && stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode)) require_within(limit, file.st_size);
  return read_text(path, context,
                   {static_cast<std::size_t>(limit.most), limit.what, "DUMP names a file; - is standard input"});
}

std::string dump_name(const std::string& name) { return name == "-" || name == "@-" ? "standard input" : name; }

}  // namespace swz
