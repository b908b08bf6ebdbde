// SPDX-License-Identifier: Apache-2.0
// The compiled part of fmt, inside the program. Debian has it only as a shared library, and a program that loads one
// takes longer to start. The linker finds these definitions before it searches libfmt. What another version of fmt
// needs beyond them comes from libfmt, unless SWZ_FMT_INSIDE leaves libfmt out.
#include <fmt/format-inl.h>

// The templates that fmt's headers declare and leave to the library to define.
#if FMT_VERSION < 120000
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
template fmt::detail::dragonbox::decimal_fp<double> fmt::detail::dragonbox::to_decimal(double) noexcept;
#endif
