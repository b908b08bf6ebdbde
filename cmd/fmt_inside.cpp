// The part of fmt that is compiled, inside the program: Debian has it as a shared library only, and a program that loads
// one takes longer to start. As inline functions they are what the linker finds before it looks into libfmt; what is
// missing here it takes from there.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace swz {

// All of fmt's functions come down to this one.
std::string formatted_inside(fmt::string_view format, fmt::format_args values) { return fmt::vformat(format, values); }

// These would only be parts of it.
#if FMT_VERSION < 120000
extern const auto printable_inside = static_cast<bool (*)(std::uint32_t)>(&fmt::detail::is_printable);
extern const auto separator_inside = &fmt::detail::thousands_sep_impl<char>;
extern const auto point_inside = &fmt::detail::decimal_point_impl<char>;
#endif

}  // namespace swz
