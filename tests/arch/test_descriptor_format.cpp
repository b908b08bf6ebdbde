// SPDX-License-Identifier: Apache-2.0
// A bit position is written once, in a table; here the tables are held against the documents.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "arch/descriptor_format.hpp"

namespace swz {
namespace {

const DescriptorFormat* const formats[] = {
    &wgmma_smem_format,      &tcgen05_smem_format,       &plain_idesc_format,
    &mxf8f6f4_idesc_format,  &mxf4_idesc_format,         &tcgen05_smem_format_107,
    &plain_idesc_format_107, &mxf8f6f4_idesc_format_107, &mxf4_idesc_format_107};

TEST_CASE("fields and reserved ranges cover every bit of the word exactly once") {
  for (const DescriptorFormat* format : formats) {
    CAPTURE(format->what);
    std::map<int, int> owners;
    const auto own = [&](BitField bits) {
      CHECK(bits.width > 0);
      for (int bit = bits.low; bit <= bits.high(); ++bit) ++owners[bit];
    };
    for (const FieldRow& row : format->fields) own(row.bits);
    for (const ReservedRow& row : format->reserved) own(row.bits);
    CHECK(owners.size() == static_cast<std::size_t>(format->width));
    for (int bit = 0; bit < format->width; ++bit) CHECK_MESSAGE(owners[bit] == 1, "bit ", bit);
  }
}

TEST_CASE("fields are in the order of their bits, named once, and have a source") {
  for (const DescriptorFormat* format : formats) {
    CAPTURE(format->what);
    std::set<std::string_view> names;
    int last = -1;
    for (const FieldRow& row : format->fields) {
      CHECK(row.bits.low > last);
      last = row.bits.high();
      CHECK(names.insert(to_string(row.id)).second);
      CHECK_FALSE(to_string(row.id).empty());
      CHECK_FALSE(label(row.id).empty());
      CHECK_FALSE(row.source.where.empty());
      CHECK(format->find(row.id) == &row);
    }
  }
}

struct Place {
  const char* name;
  int low, high;
};

void check_places(const DescriptorFormat& format, std::initializer_list<Place> expected) {
  CAPTURE(format.what);
  CHECK(format.fields.size() == expected.size());
  for (const Place& place : expected) {
    CAPTURE(place.name);
    const FieldRow* found = nullptr;
    for (const FieldRow& row : format.fields)
      if (to_string(row.id) == place.name) found = &row;
    REQUIRE(found != nullptr);
    CHECK(found->bits.low == place.low);
    CHECK(found->bits.high() == place.high);
  }
}

// PTX ISA 9.1, 9.7.15.5.1.2.2 and table 40.
TEST_CASE("places of the SMEM descriptor fields") {
  check_places(wgmma_smem_format, {{"start_address", 0, 13},
                                   {"leading_byte_offset", 16, 29},
                                   {"stride_byte_offset", 32, 45},
                                   {"base_offset", 49, 51},
                                   {"swizzle", 62, 63}});
  check_places(tcgen05_smem_format, {{"start_address", 0, 13},
                                     {"leading_byte_offset", 16, 29},
                                     {"stride_byte_offset", 32, 45},
                                     {"version", 46, 48},
                                     {"base_offset", 49, 51},
                                     {"lbo_mode", 52, 52},
                                     {"swizzle", 61, 63}});
}

// PTX ISA 9.1, tables 42, 43 and 44.
TEST_CASE("places of the instruction descriptor fields") {
  check_places(plain_idesc_format, {{"sparsity_selector", 0, 1},
                                    {"sparse", 2, 2},
                                    {"saturate", 3, 3},
                                    {"d_type", 4, 5},
                                    {"a_type", 7, 9},
                                    {"b_type", 10, 12},
                                    {"negate_a", 13, 13},
                                    {"negate_b", 14, 14},
                                    {"transpose_a", 15, 15},
                                    {"transpose_b", 16, 16},
                                    {"n", 17, 22},
                                    {"m", 24, 28},
                                    {"max_shift", 30, 31}});
  check_places(mxf8f6f4_idesc_format, {{"sparse", 2, 2},
                                       {"scale_b_id", 4, 5},
                                       {"a_type", 7, 9},
                                       {"b_type", 10, 12},
                                       {"negate_a", 13, 13},
                                       {"negate_b", 14, 14},
                                       {"transpose_a", 15, 15},
                                       {"transpose_b", 16, 16},
                                       {"n", 17, 22},
                                       {"scale_type", 23, 23},
                                       {"m", 27, 28},
                                       {"scale_a_id", 29, 30}});
  check_places(mxf4_idesc_format, {{"sparse", 2, 2},
                                   {"scale_b_id", 4, 5},
                                   {"a_type", 7, 9},
                                   {"b_type", 10, 11},
                                   {"negate_a", 13, 13},
                                   {"negate_b", 14, 14},
                                   {"transpose_a", 15, 15},
                                   {"transpose_b", 16, 16},
                                   {"n", 17, 22},
                                   {"scale_type", 23, 23},
                                   {"m", 27, 28},
                                   {"scale_a_id", 29, 30},
                                   {"k_size", 31, 31}});
}

// PTX ISA 9.4, tables 49 and 51 to 53: what sm_107 adds, and where. Every other field is where it was.
TEST_CASE("places of the fields that sm_107 adds or widens") {
  struct Added {
    const DescriptorFormat *before, *of_107;
    std::vector<Place> places;
    std::uint64_t only_on_107;
  };
  const Added all[] = {
      {&tcgen05_smem_format,
       &tcgen05_smem_format_107,
       {{"start_address", 0, 14}, {"leading_byte_offset", 16, 30}, {"b_segment", 53, 53}},
       1ULL << 14 | 1ULL << 30 | 1ULL << 53},
      {&plain_idesc_format, &plain_idesc_format_107, {{"k_size", 29, 29}}, 1ULL << 29},
      {&mxf8f6f4_idesc_format,
       &mxf8f6f4_idesc_format_107,
       {{"sfa_layout", 26, 26}, {"k_size", 31, 31}},
       1ULL << 26 | 1ULL << 31},
      {&mxf4_idesc_format,
       &mxf4_idesc_format_107,
       {{"k_twice", 3, 3}, {"sparsity_version", 12, 12}, {"scale_type", 23, 24}, {"sfa_layout", 26, 26}},
       1ULL << 3 | 1ULL << 12 | 1ULL << 24 | 1ULL << 26}};
  for (const Added& added : all) {
    CAPTURE(added.of_107->what);
    std::map<std::string, std::pair<int, int>> expected, found;
    for (const FieldRow& row : added.before->fields)
      expected[std::string(to_string(row.id))] = {row.bits.low, row.bits.high()};
    for (const Place& place : added.places) expected[place.name] = {place.low, place.high};
    for (const FieldRow& row : added.of_107->fields)
      found[std::string(to_string(row.id))] = {row.bits.low, row.bits.high()};
    CHECK(found == expected);
    CHECK(only_on_107(*added.before) == added.only_on_107);
    CHECK(only_on_107(*added.of_107) == added.only_on_107);
  }
  CHECK(only_on_107(wgmma_smem_format) == 0);
  for (const Target& target : targets()) {
    if (target.descriptor != SmemDescriptorKind::tcgen05) continue;
    const bool is_107 = target.name.starts_with("sm_107");
    CHECK(&smem_format(target) == (is_107 ? &tcgen05_smem_format_107 : &tcgen05_smem_format));
    CHECK(&idesc_format(MmaKind::mxf4nvf4, target) == (is_107 ? &mxf4_idesc_format_107 : &mxf4_idesc_format));
    CHECK(&idesc_format(MmaKind::ti16, target) == (is_107 ? &plain_idesc_format_107 : &plain_idesc_format));
  }
}

// Addresses and byte offsets are stored >> 4, N >> 3, M >> 4 or, of the block-scaled kinds, >> 7 (PTX ISA 9.1, matrix
// descriptor encode and tables 42 to 44). Types, modes and sizes of K are codes; the rest are plain numbers.
TEST_CASE("units of the fields") {
  const std::set<std::string_view> bytes = {"start_address", "leading_byte_offset", "stride_byte_offset"};
  const std::set<std::string_view> codes = {"lbo_mode",  "swizzle",    "d_type", "a_type",    "b_type",
                                            "max_shift", "scale_type", "k_size", "sfa_layout"};
  for (const DescriptorFormat* format : formats)
    for (const FieldRow& row : format->fields) {
      const std::string_view name = to_string(row.id);
      const bool is_block_scaled = format->find(FieldId::scale_type) != nullptr;
      const int scale = bytes.contains(name)   ? 16
                        : codes.contains(name) ? 0
                        : name == "n"          ? 8
                        : name == "b_segment"  ? 24
                        : name != "m"          ? 1
                        : is_block_scaled      ? 128
                                               : 16;
      CAPTURE(format->what);
      CAPTURE(name);
      CHECK(row.scale == scale);
      // 0b001, table 40; the version of sm_107a, PTX 9.4, table 53
      CHECK(row.usual == (name == "version" || name == "sparsity_version" ? 1 : 0));
    }
  CHECK(wgmma_smem_format.width == 64);
  CHECK(tcgen05_smem_format.width == 64);
  for (const DescriptorFormat* format : {&plain_idesc_format, &mxf8f6f4_idesc_format, &mxf4_idesc_format})
    CHECK(format->width == 32);
}

}  // namespace
}  // namespace swz
