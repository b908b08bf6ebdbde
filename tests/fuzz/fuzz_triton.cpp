// SPDX-License-Identifier: Apache-2.0
// Any text as an encoding of Triton, a class of Gluon, or a file of Triton IR: an Error or a form, never a crash; what is
// written reads back as the same function.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dialect/dialect.hpp"
#include "dialect/triton_ir.hpp"

namespace {

bool is_same_form(const swz::LayoutForm& a, const swz::LayoutForm& b) {
  if (a.index() != b.index()) return false;
  if (const auto* shared = std::get_if<swz::SharedForm>(&a))
    return swz::is_same_function(*shared, std::get<swz::SharedForm>(b));
  if (const auto* registers = std::get_if<swz::RegisterForm>(&a))
    return swz::is_same_function(*registers, std::get<swz::RegisterForm>(b));
  return std::get<swz::TensorForm>(a).layout == std::get<swz::TensorForm>(b).layout;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    swz::read_triton_ir(text);
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  for (const char* name : {"triton", "gluon"}) {
    const swz::Dialect& dialect = swz::require_dialect(name);
    for (const swz::ArrayShape& shape : {swz::ArrayShape{16, 32}, swz::ArrayShape{}}) {
      try {
        const swz::Given given{shape, shape.empty() ? nullptr : &swz::require_dtype("f16")};
        const swz::Reading reading = swz::read_layout(text, given, &dialect);
        if (swz::element_count(swz::shape_of(reading.form)) > 4096) continue;
        const swz::Written written = dialect.write(reading.form);
        if (written.text.empty()) continue;
        const swz::Given same{swz::shape_of(reading.form), swz::element_of(reading.form).dtype};
        if (same.dtype == nullptr && std::holds_alternative<swz::TensorForm>(reading.form)) continue;
        if (!is_same_form(swz::read_layout(written.text, same, &dialect).form, reading.form)) std::abort();
      } catch (const swz::Error& e) {
        if (e.message().empty()) std::abort();
      }
    }
  }
  return 0;
}
