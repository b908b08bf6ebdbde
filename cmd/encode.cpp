// SPDX-License-Identifier: Apache-2.0
// swz encode smem, swz encode idesc: the word of fields, as decode shows them. The options are the rows of the
// descriptor formats.
#include <algorithm>

#include "arch/mma_choice.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "files.hpp"
#include "operand_request.hpp"
#include "view/descriptor/decode.hpp"

namespace swz {
namespace {

struct Request {
  std::vector<FieldSetting> fields;
  std::optional<std::string> from;   // a file with the JSON of a decoded word
  const MmaKindRow* kind = nullptr;  // of an instruction descriptor
  const Target* arch = nullptr;      // --arch, otherwise that of the file
  // Given by the instruction and not in the word; each is checked if it is given.
  std::optional<int> cta_group, vec;
  bool ws = false;
};

// The names of the values of a field, in any format that has it.
Words value_names(FieldId id) {
  Words names;
  if (id == FieldId::swizzle)
    for (const SwizzleMode& mode : swizzle_modes()) names.emplace_back(mode.name);
  const TypeRole role = id == FieldId::d_type       ? TypeRole::d
                        : id == FieldId::scale_type ? TypeRole::scale
                                                    : TypeRole::a_b;
  if (option_name(id).ends_with("type"))
    for (const TypeCode& code : type_codes())
      if (code.role == role && std::ranges::find(names, code.dtype) == names.end()) names.emplace_back(code.dtype);
  return names;
}

// For some fields the rows describe the codes, which the user of an option does not write.
std::string field_help(const FieldRow& row) {
  if (row.id == FieldId::k_size)
    return "K of one instruction: 32 or 64 dense, 64 or 128 sparse; fp4 on sm_103a and sm_107a 96";
  if (row.id == FieldId::k_twice) return "sm_107, fp4: K 128 dense";
  if (row.id == FieldId::sfa_layout) return "sm_107: lanes that hold the scales of A";
  if (row.id == FieldId::sparsity_version)
    return "sm_107, fp4: what the metadata of a sparse A counts: 0 pairs, 1 values";
  if (row.id == FieldId::b_segment) return "sm_107: where a packed B (.decompress::lut::b) starts in its row: 0 or 24";
  if (row.id == FieldId::lbo_mode) return "meaning of LBO; absolute exists on sm_103a and sm_107a only";
  if (row.id == FieldId::max_shift) return "largest shift in columns for the reuse of B (.ws): 0, 8, 16 or 32";
  return std::string(row.meaning);
}

// One option per field; a bit that is a number is a flag.
Option field_option(const FieldRow& row, std::vector<FieldSetting>& to) {
  const bool is_flag = row.scale == 1 && row.bits.width == 1 && row.usual == 0;
  const std::string value = row.id == FieldId::swizzle      ? "MODE"
                            : row.id == FieldId::lbo_mode   ? "relative|absolute"
                            : row.id == FieldId::sfa_layout ? "32-lane|128-lane"
                            : value_names(row.id).empty()   ? "N"
                                                            : "TYPE";
  Option option{fmt::format("--{}", option_name(row.id)), is_flag ? "" : value, field_help(row),
                [&to, id = row.id, is_flag](const std::string& text) {
                  to.push_back({id, is_flag ? "1" : text});
                }};
  if (row.unit == "B") option.unit = "bytes";
  return std::move(option).offering(value_names(row.id));
}

// The fields of all formats, each once.
Options field_options(std::initializer_list<const DescriptorFormat*> formats, std::vector<FieldSetting>& to) {
  std::vector<FieldRow> rows;
  for (const DescriptorFormat* format : formats)
    for (const FieldRow& row : format->fields)
      if (std::ranges::find(rows, row.id, &FieldRow::id) == rows.end()) rows.push_back(row);
  std::stable_partition(rows.begin(), rows.end(), [](const FieldRow& row) { return is_essential(row.id); });
  Options options;
  for (const FieldRow& row : rows) options.push_back(field_option(row, to));
  return options;
}

Option from_option(Request& r) {
  return option("--from", "FILE", r.from, "JSON of swz decode (- for standard input); other options replace its fields")
      .file();
}

Options smem_options(Request& r) {
  return field_options({&tcgen05_smem_format, &tcgen05_smem_format_107}, r.fields) + Options{from_option(r)};
}

Options idesc_options(Request& r) {
  return Options{kind_option(r.kind, "tcgen05.mma kind").by_default_note("that of --from")} +
         field_options({&plain_idesc_format, &mxf8f6f4_idesc_format, &mxf4_idesc_format, &plain_idesc_format_107,
                        &mxf8f6f4_idesc_format_107, &mxf4_idesc_format_107},
                       r.fields) +
         Options{number("--cta-group", "1|2", r.cta_group, 1, 2,
                        "CTA group of the instruction; checks that the shape exists"),
                 flag("--ws", r.ws, "the instruction is tcgen05.mma.ws; checks that the shape exists"),
                 number("--vec", "16|32", r.vec, 16, 32, "elements that share a scale factor; checks that the ids fit"),
                 from_option(r)};
}

FieldSetting setting_of(const Json& field) {
  const auto id = find_field(field.at("name").get<std::string>());
  if (!id) throw Error(fmt::format("{} is not a field", swz::quoted(field.at("name").get<std::string>())));
  const Json& value = field.at("value");
  if (value.is_null()) return {*id, "", field.at("raw").get<std::uint64_t>()};
  return {*id, value.is_string() ? value.get<std::string>() : fmt::to_string(value.get<std::int64_t>())};
}

// One word, as swz decode writes it.
Json decoded_word(const std::string& path, bool is_idesc, const Context& context) {
  constexpr std::size_t largest = 1 << 16;
  Json json = Json::parse(read_text(path, context, {largest, "a decoded word", "- is standard input"}));
  if (json.contains("readings")) throw Error("the word has several readings", "take one: jq '.readings[0]'");
  if (json.contains("words")) throw Error("there are several words", "take one: jq '.words[0]'");
  if (!json.contains("fields"))
    throw Error("this is not the JSON of a decoded word", "swz decode 0x4000004000010042 -f json writes it");
  if ((json.at("kind").get<std::string>() == idesc_name) != is_idesc)
    throw is_idesc ? Error("this is a shared-memory descriptor", "swz encode smem")
                   : Error("this is an instruction descriptor", "swz encode idesc");
  return json;
}

// The request with the fields of the file, then those of the options, which replace them.
Request with_file(Request r, bool is_idesc, const Context& context) {
  r.arch = context.arch;
  if (!r.from) return r;
  const Json word = decoded_word(*r.from, is_idesc, context);
  const Json& fields = word.at("fields");
  std::vector<FieldSetting> of_file;
  for (std::size_t i = 0; i < fields.size(); ++i) of_file.push_back(setting_of(fields.at(i)));
  r.fields.insert(r.fields.begin(), of_file.begin(), of_file.end());
  if (r.arch == nullptr) r.arch = &require_target(word.at("arch").get<std::string>());
  if (is_idesc && r.kind == nullptr) r.kind = &require_mma_kind(word.at("kind_qualifier").get<std::string>());
  return r;
}

// Whether no instruction has this shape: then the answer is no.
bool is_impossible(const DecodedWord& word) {
  const auto* decoding = std::get_if<InstructionDecoding>(&word.decoding);
  return decoding != nullptr && std::ranges::any_of(decoding->readings.front().findings, [](const Finding& finding) {
           return finding.severity != Severity::note && finding.rule == "shape";
         });
}

Answer answer_of(DecodedWord word) {
  const DecodedWords decoded{{std::move(word)}, {}};
  Document document = view_decoded(decoded);
  document.answers = {"word"};
  return {std::move(document), is_impossible(decoded.words.front()) ? 1 : 0, has_lints(decoded)};
}

Answer encode_smem_answer(const Request& r, const Context& context) {
  const Request all = with_file(r, false, context);
  const Target& target = all.arch != nullptr ? *all.arch : default_target();
  return answer_of({decode_smem(encode_smem(all.fields, target).word(), &target), {}});
}

// Refuses an M that no word of a block-scaled kind can hold: there is no such instruction, whatever the field contains.
void require_scaled_m(const MmaKindRow& kind, const std::vector<FieldSetting>& fields) {
  for (const FieldSetting& field : fields) {
    const auto m = field.id == FieldId::m && !field.raw ? find_unsigned(field.text) : std::nullopt;
    if (kind.block_scaled && m && *m > 0 && *m < 128)
      require_mma({.kinds = kind_set({kind.kind}), .m = static_cast<int>(*m)});
  }
}

// Refuses a word if there is no such instruction, considering what is known of it besides the word.
void require_instruction(const InstructionDescriptor& d, const Request& r) {
  if (!r.cta_group && !r.ws && !r.vec) return;
  const MmaShapeQuery shape = d.shape();
  MmaChoice choice{.kinds = kind_set({d.kind()}),
                   .m = shape.m,
                   .n = shape.n,
                   .cta_group = r.cta_group.value_or(1),
                   .ws = r.ws,
                   .sparse = shape.sparse,
                   .k = shape.k,
                   .transposed_8bit_b = shape.transposed_8bit_b,
                   .vec = r.vec.value_or(0),
                   .target = &d.target()};
  if (!r.cta_group && !r.ws && refusal_of(choice)) choice.cta_group = 2;  // --vec only: either
  require_mma(choice);
  if (r.vec) require_scale_ids(d, *r.vec);
}

Answer encode_idesc_answer(const Request& r, const Context& context) {
  const Request all = with_file(r, true, context);
  if (all.kind == nullptr)
    throw usage_error("the kind of tcgen05.mma is missing", "for example --kind f16 or --kind f8f6f4");
  const Target& target = all.arch != nullptr ? *all.arch : require_target("sm_100a");
  require_scaled_m(*all.kind, all.fields);
  const InstructionDescriptor d = encode_idesc(all.fields, all.kind->kind, target);
  require_instruction(d, all);
  return answer_of({decode_idesc(static_cast<std::uint32_t>(d.word()), all.kind, &target), {}});
}

}  // namespace

Commands encode_commands() {
  return {
      {.name = "encode smem",
       .summary = "a shared-memory descriptor from its fields",
       .details = R"(Builds a 64-bit shared-memory descriptor (wgmma, tcgen05) from its fields and
prints it as swz decode does: the word, its fields and its lints.

Addresses and strides are in bytes, the base offset is in lines of 128 bytes.
Fields that are not given are 0 (the descriptor version of tcgen05: 1). A value
that does not fit is an error, which names the range of the field and the
nearest value.)",
       .examples = {{"swz encode smem --start 0x420 --lbo 16 --sbo 1024 --swizzle 128B", "a K-major operand of wgmma"},
                    {"swz encode smem --arch sm_100a --start 0x400 --sbo 1024 --swizzle 128B", "the same for tcgen05"},
                    {"swz decode 0x4000004000010042 -f json | swz encode smem --from - --sbo 2048",
                     "a word with another SBO"}},
       .next = {{"Which bytes does an MMA read with it?", "map {word} --arch {arch}"},
                {"What do the fields say?", "decode {word} --arch {arch}"}},
       .prepare = [] { return prepare(smem_options, encode_smem_answer); }},
      {.name = "encode idesc",
       .summary = "a tcgen05 instruction descriptor from its fields",
       .details = R"(Builds a 32-bit instruction descriptor of tcgen05.mma from its fields and prints
it as swz decode does: the word, its fields and its lints.

M and N are elements of D, the shift for the reuse of B is in columns. Types
must be given if the kind has several; other fields that are not given are 0.
A field that the kind does not have is an error, as is a value that does not
fit; the error names the range of the field and the nearest value.

The word does not hold the cta_group, .ws or the size of scale vectors. With
--cta-group, --ws or --vec an instruction that does not exist is an error.)",
       .examples = {{"swz encode idesc --kind f16 --a-type bf16 --b-type bf16 --d-type f32 --m 128 --n 256",
                     "bf16 x bf16 -> f32"},
                    {"swz encode idesc --kind mxf4nvf4 --scale-type ue4m3 --m 128 --n 256", "nvfp4"}},
       .next = {{"What do the fields say?", "decode --as idesc {--kind} {word}"},
                {"Where does D lie in tensor memory?", "tmem d {--m,--n}"}},
       .prepare = [] { return prepare(idesc_options, encode_idesc_answer); }}};
}

}  // namespace swz
