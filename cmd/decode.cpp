// SPDX-License-Identifier: Apache-2.0
// swz decode WORD...: the meaning of a descriptor word or a tensor map.
#include "view/descriptor/decode.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "descriptor/computed_word.hpp"
#include "descriptor/named_words.hpp"
#include "descriptor/word_text.hpp"
#include "files.hpp"
#include "operand_request.hpp"
#include "tma/im2col_bits.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/tma/tma.hpp"
#include "view/tmem/tmem_words.hpp"

namespace swz {
namespace {

enum class As { smem, idesc, tmem, zero_mask };

struct Request {
  Words words;  // a word, a tensor map or @FILE each: its text shows which
  std::optional<As> as;
  const MmaKindRow* kind = nullptr;  // of an instruction descriptor
  const Target* against = nullptr;   // on which the word is read too

  bool is_idesc() const { return as == As::idesc || kind != nullptr; }
  // True for words of 32 bits, of which two are not one word, and for which no log is searched.
  bool is_narrow() const { return is_idesc() || as == As::tmem; }
  bool is_bare() const { return as == As::tmem || as == As::zero_mask; }
  bool may_be_map() const { return !as && kind == nullptr; }
};

Options options_of(Request& r) {
  return {argument("WORD", r.words, "descriptor words as printed; a tensor map (256 digits, or x/16gx); or @FILE")
              .required()
              .repeated(limits::words),
          one_of<As>("--as", "WHAT", r.as,
                     {{"smem", As::smem}, {"idesc", As::idesc}, {"tmem", As::tmem}, {"zero-mask", As::zero_mask}},
                     "type of the word: smem or zero-mask (64 bits), idesc or tmem, an address (32 bits)")
              .by_default_note("taken from the text or the word"),
          kind_option(r.kind, "tcgen05.mma kind of an instruction descriptor"),
          option("--against", "SM", r.against, "read the word on this target too, and compare")
              .offering(names_of(targets()))
              .by_default_note("one target")};
}

// Whether a word without a given type is an instruction descriptor: its names are those of one, or it has at most 32
// bits and is one by every rule, as no 64-bit descriptor with a stride is.
bool is_idesc(const WordText& word, const Request& r, const Target* target) {
  if (r.as) return *r.as == As::idesc;
  if (r.kind != nullptr || word.is_idesc) return true;
  const bool may_be = target == nullptr || target->descriptor == SmemDescriptorKind::tcgen05;
  return word.format == nullptr && may_be && is_idesc_word(word.word, {.target = target});
}

// The fields that a text names are those of a block-scaled word or of another: kinds of the other sort are excluded.
void require_struct_of(const WordText& word, InstructionDecoding& decoding) {
  if (word.format == nullptr || decoding.readings.size() < 2) return;
  const bool is_scaled = word.format != &plain_idesc_format;
  std::vector<InstructionReading> meant;
  for (const InstructionReading& reading : decoding.readings)
    if (reading.descriptor.kind_row().block_scaled == is_scaled) meant.push_back(reading);
  if (meant.empty() || meant.size() == decoding.readings.size()) return;
  std::vector<std::string> names;
  for (const InstructionReading& reading : meant)
    names.push_back(fmt::format("kind::{}", reading.descriptor.kind_row().name));
  decoding.readings = std::move(meant);
  decoding.why = fmt::format(
      "the kind is in the instruction, not in the word: of the kinds with these fields, {} {} it "
      "without breaking a rule",
      join_and(names), names.size() == 1 ? "reads" : "read");
}

DecodedWord decode_word_as_idesc(const WordText& word, const Request& r, const Target* target) {
  const std::string text = word.spelling == Spelling::number && !word.is_idesc ? word.text : hex64(word.word);
  DecodedWord decoded{decode_idesc(parse_word32(text), r.kind, target), {}, read_as(word)};
  require_struct_of(word, std::get<InstructionDecoding>(decoded.decoding));
  if (!r.is_idesc() && !word.is_idesc)
    decoded.remarks.push_back(note("short-word", "the word fits in 32 bits and was read as an instruction descriptor",
                                   "--as smem reads it as a 64-bit descriptor"));
  return decoded;
}

// The target whose format has the field names of the text.
const Target* target_of(const WordText& word) {
  if (word.format == &wgmma_smem_format) return &default_target();
  if (word.format != &tcgen05_smem_format) return nullptr;
  return &require_target(tcgen05_smem_format.read(word.word, FieldId::lbo_mode) == 0 ? "sm_100a" : "sm_103a");
}

DecodedWord decode_word(const WordText& word, const Request& r, const Target* target) {
  if (is_idesc(word, r, target)) return decode_word_as_idesc(word, r, target);
  DecodedWord decoded{decode_smem(word.word, target ? target : target_of(word)), {}, read_as(word), word.operand};
  if (!r.as && word.word != 0 && word.word >> 32 == 0)
    decoded.remarks.push_back(note("short-word", "the word fits in 32 bits and was read as a 64-bit descriptor",
                                   "an instruction descriptor is read with --as idesc"));
  return decoded;
}

// What is to be decoded: words, possibly found in a log, or one tensor map.
struct Decodable {
  std::vector<WordText> words = {};
  std::optional<WordLog> log = {};
  std::optional<EncodedTensorMap> map = {};
};

// Whether the text is x/14gx of a tensor map: a dump of about its size, in which most words are not descriptors.
bool is_part_of_map(const std::string& text, const std::vector<WordText>& words) {
  constexpr std::ptrdiff_t few = 6, many = 32;
  return std::ssize(words) > few && std::ssize(words) <= many && looks_like_tensor_map(text) &&
         std::ssize(find_words(text).words) * 2 < std::ssize(words);
}

bool is_part_of_map(const std::string& text) {
  try {
    return looks_like_tensor_map(text) && is_part_of_map(text, read_words(text));
  } catch (const Error&) {
    return false;
  }
}

Decodable decodable_argument(const std::string& text, const Request& r) {
  if (r.may_be_map() && is_for_tensor_map(text)) return {.map = parse_tensor_map(text)};
  try {
    std::vector<WordText> words = read_words(text);
    if (r.may_be_map() && is_part_of_map(text, words)) parse_tensor_map(text);  // throws, because it has another size
    return {.words = std::move(words)};
  } catch (const Error&) {
    if (is_machine_code(text)) throw;
    const bool names_words = !find_named_words(numbers_of(text)).words.empty();
    if (r.may_be_map() && !names_words && looks_like_tensor_map(text)) parse_tensor_map(text);  // its error is better
    throw;
  }
}

Decodable decodable_file(const std::string& path, const Request& r, const Context& context) {
  const std::string text = read_text(
      path, context, {limits::dump_bytes.most, "a log", "prefix a file name with @, or give @- for standard input"});
  if (r.may_be_map() && is_for_tensor_map(text)) return {.map = parse_tensor_map(text)};
  if (r.may_be_map() && is_part_of_map(text)) parse_tensor_map(text);  // throws, because it has another size
  if (auto words = word_list(text)) return {.words = std::move(*words)};
  if (r.is_bare())
    throw Error(fmt::format("{} is not a list of words", path == "-" ? "standard input" : swz::quoted(path)),
                "one word per line; in a log swz looks only for descriptors of operands");
  WordLog log = find_words(text, {context.arch, r.is_idesc(), r.as == As::smem, r.kind});
  if (log.words.empty()) {
    if (is_machine_code(text)) refuse_machine_code();
    if (r.may_be_map() && looks_like_tensor_map(text)) parse_tensor_map(text);
    throw Error(fmt::format("{} holds no descriptor word", path == "-" ? "standard input" : swz::quoted(path)),
                "one word per line, a debugger's log, or a tensor map");
  }
  return {.words = log.words, .log = std::move(log)};
}

Decodable decodable(const Request& r, const Context& context) {
  Decodable out;
  for (const std::string& given : r.words) {
    Decodable next =
        given.starts_with('@') ? decodable_file(given.substr(1), r, context) : decodable_argument(given, r);
    if ((next.map || next.log) && r.words.size() > 1)
      throw usage_error(next.map ? "a tensor map must be the only argument" : "a log must be the only argument",
                        "use one command for each");
    std::ranges::move(next.words, std::back_inserter(out.words));
    out.log = std::move(next.log);
    out.map = next.map;
  }
  require_within(limits::words, std::ssize(out.words));
  if (!r.is_narrow() && !out.log) out.words = join_halves(std::move(out.words));
  return out;
}

Answer bare_answer(const Request& r, const std::vector<WordText>& words) {
  std::vector<TmemAddress> addresses;
  std::vector<ZeroColumnMask> masks;
  for (const WordText& word : words)
    if (r.as == As::tmem) addresses.push_back({parse_word32(hex64(word.word))});
    else masks.push_back(read_zero_mask(word.word));
  Document document = r.as == As::tmem ? view_tmem_addresses(addresses) : view_zero_masks(masks);
  const bool has = has_lints(document);
  return {std::move(document), 0, has};
}

// One word on the target of --arch and on that of --against.
Answer on_two_targets(const Request& r, const Decodable& found, const Context& context) {
  if (found.map || found.log || r.is_bare() || found.words.size() != 1)
    throw usage_error("--against compares one descriptor word on two targets",
                      "swz decode WORD --arch sm_100a --against sm_107a");
  DecodedWords decoded{{}, {}, true};
  const Target* first = context.arch != nullptr ? context.arch : target_of(found.words.front());
  for (const Target* target : {first != nullptr ? first : &sm_100a(), r.against})
    decoded.words.push_back(decode_word(found.words.front(), r, target));
  return {view_decoded(decoded), 0, has_lints(decoded)};
}

Answer answer(const Request& r, const Context& context) {
  if (r.as && r.as != As::idesc && r.kind != nullptr)
    throw usage_error("--kind belongs to instruction descriptors", "leave it out, or use --as idesc");
  Decodable found = decodable(r, context);
  if (found.map && r.against == nullptr) {
    const auto answered = [&](const auto& decoded) -> Answer {
      const Target& target = context.arch != nullptr ? *context.arch : default_target();
      const auto found_odd = decoded.map ? remarks(*decoded.map, target) : std::vector<TensorMapViolation>();
      return {view_decoded_map(*found.map, decoded, found_odd), 0, !decoded.problems.empty()};
    };
    return is_im2col(*found.map) ? answered(decode_im2col(*found.map)) : answered(decode(*found.map));
  }
  if (r.against != nullptr) return on_two_targets(r, found, context);
  if (r.is_bare()) return bare_answer(r, found.words);
  DecodedWords decoded{{}, std::move(found.log)};
  for (const WordText& word : found.words) decoded.words.push_back(decode_word(word, r, context.arch));
  return {view_decoded(decoded), 0, has_lints(decoded)};
}

}  // namespace

Commands decode_commands() {
  return {
      {.name = "decode",
       .summary = "what a descriptor word says, and what is wrong with it",
       .details = R"(Reads 64-bit shared-memory descriptors (wgmma, tcgen05) and 32-bit tcgen05
instruction descriptors. Shows every field with its bits, raw value and value
with unit, and lints with a fix.

Without --arch the format is taken from the word itself; if both formats fit,
both are shown. Two words are also compared field by field, and so is one word
on two targets (--against).

A word can be written as debuggers and source code print it: 0x4000, decimal,
negative, 0b..., 16 digits without 0x, '$3 = 0x4000', a line of x/2gx, a mov.b64
of PTX, '{lo = 66, hi = 64}', or its two 32-bit halves. The print of a struct is
read by the names of its fields (start_address_, layout_type_, a_format_, ...).
A text that names no word is refused; swz reports what it does not use of a
text. A word of 32 bits that is an instruction descriptor is read as one.

Words that differ only in the start address may be the k loop of one operand.
The answer names the major for which they are right, or the mistake that
explains the advance, and the right advance.

A tensor map (CUtensorMap) is read from its 128 bytes: 256 hexadecimal digits in
memory order, what cuda-gdb prints for x/16gx, x/32wx or p map, or a list of its
words ({0x7f…, 0x65…, …}), as one argument.

--as tmem reads addresses of tensor memory, --as zero-mask the zero-column masks
of tcgen05.mma.ws. 'swz tmem cp --word' shows the bytes that a word of
tcgen05.cp names.

@FILE reads a file (@- standard input): a tensor map; words, one per line, where
# begins a comment; or a whole log, in which swz finds the descriptors and skips
other numbers.)",
       .examples = {{"swz decode 0x4000004000010042", "the fields and lints of a wgmma descriptor"},
                    {"swz decode 0x4000404000010042 --arch sm_100a", "a tcgen05 descriptor"},
                    {"swz decode --as idesc --kind f16 0x08200490", "a 32-bit instruction descriptor"},
                    {"swz decode 0x4000004000010040 0x4000004000010050", "a k step that advances wrongly"},
                    {"swz decode 0x4000404000015000 --arch sm_100a --against sm_107a", "a word on two targets"},
                    {"swz decode --as tmem 0x00450025", "an address of tensor memory: lane and column"},
                    {"swz decode @words.txt", "the words of a debugger's log, or a tensor map"}},
       .next =
           {{"Which bytes does an MMA read with it?", "map {?majors} {WORD} --arch {arch}"},
            {"Which bytes does an MMA read with it?", "map {?loops} {WORD}"},
            {"Which bytes does an MMA read with it?", "map {!--as} {WORD}"},
            {"Which words does a 64x64 tile need?",
             "desc --arch {arch} --tile 64x64 --swizzle {fields.swizzle.value} --base {fields.start_address.value}"},
            {"Does the pattern begin where the tile does?",
             "phase --arch {arch} --swizzle {fields.swizzle.value} --base {fields.start_address.value}"},
            {"Where does D lie in tensor memory?", "tmem d {?summary} --m {fields.m.value} --n {fields.n.value}"},
            {"Which element of D lies there?",
             "tmem d --m 128 --n 128 --lane {addresses.0.lane} --column {addresses.0.column}"}},
       .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
