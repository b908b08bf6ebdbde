// SPDX-License-Identifier: Apache-2.0
// Fields of descriptors: each has one colour, which no other field of its format has; each lint is about a field that
// its words have.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "view/descriptor/field_look.hpp"

using namespace swz;

namespace {

const std::vector<const DescriptorFormat*> smem_formats{&wgmma_smem_format, &tcgen05_smem_format,
                                                        &tcgen05_smem_format_107};
const std::vector<const DescriptorFormat*> idesc_formats{&plain_idesc_format,        &mxf8f6f4_idesc_format,
                                                         &mxf4_idesc_format,         &plain_idesc_format_107,
                                                         &mxf8f6f4_idesc_format_107, &mxf4_idesc_format_107};

void check_tints(const std::vector<const DescriptorFormat*>& formats) {
  for (const DescriptorFormat* format : formats)
    for (const FieldRow& a : format->fields) {
      CHECK(tint_of(a.id).hue >= 0);
      for (const FieldRow& b : format->fields) CHECK((a.id == b.id || tint_of(a.id) != tint_of(b.id)));
    }
}

// Rules about bits that are in no field, about several fields, and about the kind.
constexpr std::string_view of_no_field[] = {"reserved-bits", "negate-kind",  "transpose-kind", "scale-id",
                                            "kind-target",   "d-f16-inputs", "k64-types"};

template <class Word>
void check_rules(std::span<const DescriptorRule<Word>> rules, const std::vector<const DescriptorFormat*>& formats) {
  for (const DescriptorRule<Word>& rule : rules) {
    if (rule.severity == Severity::note) continue;
    CAPTURE(rule.name);
    const std::optional<FieldId> field = field_of_rule(rule.name);
    CHECK(field.has_value() != (std::ranges::find(of_no_field, rule.name) != std::end(of_no_field)));
    if (field)
      CHECK(std::ranges::any_of(formats, [&](const DescriptorFormat* f) { return f->find(*field) != nullptr; }));
  }
}

}  // namespace

TEST_CASE("a field has a colour of its own") {
  check_tints(smem_formats);
  check_tints(idesc_formats);
}

TEST_CASE("every lint of a word is at a field of its format") {
  check_rules(smem_rules(), smem_formats);
  check_rules(instruction_rules(), idesc_formats);
}
