// SPDX-License-Identifier: Apache-2.0
// Any text as a layout of JAX Mosaic: an Error with a place inside the text, or a layout; what is written for it reads
// back as the same function.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "arch/dtype.hpp"
#include "dialect/dialect.hpp"

namespace {

bool is_same_form(const swz::LayoutForm& a, const swz::LayoutForm& b) {
  if (a.index() != b.index()) return false;
  if (const auto* shared = std::get_if<swz::SharedForm>(&a))
    return swz::is_same_function(*shared, std::get<swz::SharedForm>(b));
  if (const auto* tensor = std::get_if<swz::TensorForm>(&a))
    return tensor->layout == std::get<swz::TensorForm>(b).layout;
  return swz::is_same_function(std::get<swz::RegisterForm>(a), std::get<swz::RegisterForm>(b));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const swz::Dialect& mosaic = swz::require_dialect("mosaic");
  for (const swz::ArrayShape& shape : {swz::ArrayShape{}, {64, 128}, {128, 16}, {64}}) try {
      (void)mosaic.recognises(text);
      const swz::Given given{shape, &swz::require_dtype("bf16")};
      const swz::LayoutForm form = mosaic.read(text, given).form;
      if (swz::element_count(swz::shape_of(form)) > 1 << 14) continue;
      if (const auto* registers = std::get_if<swz::RegisterForm>(&form);
          registers && registers->layout.size() > 1 << 16)
        continue;
      const swz::Written written = mosaic.write(form);
      if (written.text.empty() == written.why.empty()) std::abort();
      if (written.text.empty()) continue;
      const swz::DType* dtype = swz::element_of(form).dtype;  // a text may name another type than bf16
      const swz::LayoutForm back = mosaic.read(written.text, {swz::shape_of(form), dtype}).form;
      if (!is_same_form(back, form)) std::abort();
    } catch (const swz::Error& e) {
      if (e.message().empty() || e.span.begin > size) std::abort();
    }
  return 0;
}
