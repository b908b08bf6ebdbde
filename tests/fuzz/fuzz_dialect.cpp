// SPDX-License-Identifier: Apache-2.0
// Any text to the reader of every dialect: an Error or a layout, never a crash; what is written of it reads back as
// the same function.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "dialect/dialect.hpp"

namespace {

using namespace swz;

constexpr std::int64_t compared_elements = 1 << 12;

void write_and_read(const Dialect& dialect, const LayoutForm& form) {
  const Written w = dialect.write(form);
  if (w.text.empty() && w.why.empty()) std::abort();
  if (w.text.empty()) return;
  // CuTe's text does not distinguish registers from memory.
  const auto* registers = std::get_if<RegisterForm>(&form);
  if (registers != nullptr && !dialect.name.starts_with("cute")) {
    const Reading back = dialect.read(w.text, {registers->shape, registers->element.dtype});
    if (!is_same_function(std::get<RegisterForm>(back.form), *registers)) std::abort();
  }
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr) return;
  const Reading back = dialect.read(w.text, {shared->shape, shared->element.dtype});
  if (!is_same_function(std::get<SharedForm>(back.form), *shared)) std::abort();
}

void read_as(const Dialect& dialect, std::string_view text, const Given& given) {
  try {
    const Reading reading = read_layout(text, given, &dialect);
    if (element_count(shape_of(reading.form)) <= compared_elements) write_and_read(dialect, reading.form);
  } catch (const Error& e) {
    if (e.message().empty() || e.span.begin > text.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Dialect& dialect : dialects()) {
    (void)dialect.recognises(text);
    read_as(dialect, text, {});
    read_as(dialect, text, {{32, 64}, &require_dtype("bf16")});
  }
  return 0;
}
