// The part of fmt that is compiled, inside the program: Debian has it as a shared library only, and a program that
// loads one takes longer to start. As inline functions they are what the linker finds before it looks into libfmt.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace swz {

// Makes the templates that all of fmt's functions come down to.
std::string formatted_inside(fmt::string_view format, fmt::format_args values) {
  return fmt::vformat(format, values);
}

}  // namespace swz
