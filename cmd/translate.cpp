// swz translate TEXT: a layout in one project's notation, in that of any other.
#include "view/translate.hpp"

#include "base/limits.hpp"
#include "files.hpp"
#include "layout_request.hpp"
#include "view/triton_ir.hpp"

namespace swz {

namespace {

struct TranslateRequest {
  std::string text;
  GivenRequest given;
  TranslateOptions options;
};

Options translate_options(TranslateRequest& r) {
  Words targets = dialect_words();
  targets.emplace_back("all");
  return Options{
             argument("TEXT", r.text, "a layout in any notation that swz reads, or @FILE").required(),
             option("--to", "DIALECT", r.options.to, "the notation to write").offering(targets).by_default("all"),
             flag("--map", r.options.has_map, "in JSON also the place of every element")} +
         given_options(r.given);
}

// A file of Triton IR, or one layout.
Answer translated_file(const TranslateRequest& r, const Context& context) {
  const std::string text =
      read_text(r.text.substr(1), context,
                {limits::dump_bytes.most, "a layout", "prefix a file name with @, or give @- for standard input"});
  if (is_triton_ir(text)) return {view_triton_ir(read_triton_ir(text), r.options)};
  return {view_translation(translate(text, r.given.given(), r.given.from), r.options)};
}

Answer translate_answer(const TranslateRequest& r, const Context& context) {
  if (r.text.starts_with('@')) return translated_file(r, context);
  return {view_translation(translate(r.text, r.given.given(), r.given.from), r.options)};
}

}  // namespace

Commands translate_commands() {
  return {
      {.name = "translate",
       .summary = "a layout in the notation of another project: CuTe, Triton, TileLang, Mosaic, …",
       .details = R"(Reads a layout in the notation of any project and writes it in that of any
other, or says why the other has none. The notation is recognised; where several
share it, --from says which. A text that does not say the shape of the array or
its element type asks for --shape and --dtype.

@FILE reads the layout from a file, @- from standard input. Of a file of Triton
IR (.ttgir) every encoding is translated, with the operations that use it.)",
       .examples = {{"swz translate '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' "
                     "--shape 128x32 --dtype f16",
                     "Triton's encoding as a CuTe layout, and the mode that it is"},
                    {"swz translate 'Sw<3,3,3> o 0 o (64,64):(64,1)' --to triton --dtype bf16", "and back"}},
       .prepare = [] { return prepare(translate_options, translate_answer); }}};
}

}  // namespace swz
