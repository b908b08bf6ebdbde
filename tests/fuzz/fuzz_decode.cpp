// SPDX-License-Identifier: Apache-2.0
// Any text as words and as a log, and any 8 bytes as a word: an Error or a decoding, never a crash; what is decoded
// encodes to the same word again from its fields, and its views can be made, also as a k loop with what was found.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "descriptor/fields.hpp"
#include "descriptor/word_text.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "view/descriptor/decode.hpp"

namespace {

void show(const swz::DecodedWords& decoded) {
  const swz::Document d = swz::view_decoded(decoded);
  if (swz::render_text(d, swz::TextStyle{}).empty() || !swz::Json::parse(swz::json_text(d)).is_object()) std::abort();
  swz::has_lints(decoded);
}

void show(swz::DecodedWord word) { show(swz::DecodedWords{{word, word}, {}}); }

swz::FieldSetting setting_of(const swz::DecodedField& field) {
  if (const auto* name = std::get_if<std::string>(&field.value)) return {field.id, *name};
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return {field.id, std::to_string(*number)};
  return {field.id, "", field.raw};
}

// The words of a text, each also as a word of its own: they are found again in what is found.
void find(std::string_view text, const swz::WordFormat& format) {
  swz::WordLog log = swz::find_words(text, format);
  swz::DecodedWords decoded;
  for (const swz::WordText& word : log.words) {
    const bool is_idesc = format.is_idesc || word.is_idesc;
    if (is_idesc) decoded.words.push_back({swz::decode_idesc(static_cast<std::uint32_t>(word.word)), {}});
    else decoded.words.push_back({swz::decode_smem(word.word), {}, swz::read_as(word)});
    if (word.line < 1 || word.line > log.lines || word.count < 1) std::abort();
    // A word that is an instruction descriptor by its name may not be one by its number.
    const bool is_one_text =
        !word.is_idesc && word.spelling != swz::Spelling::halves && word.spelling != swz::Spelling::fields;
    if (is_one_text && swz::find_words(word.text, format).words.size() != 1) std::abort();
  }
  if (decoded.words.empty()) return;
  decoded.log = std::move(log);
  show(decoded);
}

void decode(std::uint64_t word) {
  show({swz::decode_smem(word), {}});
  show({swz::decode_idesc(static_cast<std::uint32_t>(word)), {}});
  for (const char* name : {"sm_90a", "sm_100a", "sm_103a", "sm_110a"}) {
    const swz::Target& target = swz::require_target(name);
    const swz::SmemDescriptor d(word, target);
    if (d.word() != word) std::abort();
    std::vector<swz::FieldSetting> settings;
    for (const swz::DecodedField& field : swz::decoded_fields(d)) settings.push_back(setting_of(field));
    if (swz::encode_smem(settings, target).word() != (word & ~d.format().reserved_mask())) std::abort();
    if (d.swizzle() == nullptr || d.reserved_set() != 0) continue;
    if (d.absolute_lbo() && !target.has_absolute_lbo) continue;  // decoded and linted, but not to be made
    const swz::SmemDescriptorValues values{d.start_address(),      d.leading_byte_offset(),
                                           d.stride_byte_offset(), d.base_offset(),
                                           *d.swizzle(),           d.absolute_lbo()};
    // Everything but a wrong version survives the round trip.
    const swz::SmemDescriptor again = swz::SmemDescriptor::encode(values, target);
    const std::uint64_t version = std::uint64_t{7} << 46;
    if (((again.word() ^ word) & ~version) != 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const swz::WordText& word : swz::join_halves(swz::read_words(text))) decode(word.word);
  } catch (const swz::Error& e) {
    if (e.message().empty() || swz::render_error(e, swz::TextStyle{}).empty()) std::abort();
  }
  try {
    find(text, {});
    find(text, {.is_idesc = true});
    if (const auto words = swz::word_list(text); words && words->empty()) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();  // more words than are taken
  }
  if (size >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, 8);
    decode(word);
  }
  return 0;
}
