// SPDX-License-Identifier: Apache-2.0
// The part of fmt that is compiled, inside the program: Debian has it as a shared library only, and a program that loads
// one takes longer to start. The linker finds these before it looks into libfmt; what another version of fmt has more it
// takes from there, unless SWZ_FMT_INSIDE leaves libfmt out.
#include <fmt/format-inl.h>

// The templates that fmt's headers declare and leave to the library.
#if FMT_VERSION < 120000
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template fmt::detail::dragonbox::decimal_fp<double> fmt::detail::dragonbox::to_decimal(double) noexcept;
#endif
