// swz translate TEXT: a layout in one project's notation, in that of any other.
#include "view/translate.hpp"

#include "layout_request.hpp"

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
             argument("TEXT", r.text, "a layout in any notation that swz reads").required(),
             option("--to", "DIALECT", r.options.to, "the notation to write").offering(targets).by_default("all"),
             flag("--map", r.options.has_map, "in JSON also the place of every element")} +
         given_options(r.given);
}

Answer translate_answer(const TranslateRequest& r, const Context&) {
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
its element type asks for --shape and --dtype.)",
       .examples = {{"swz translate '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' "
                     "--shape 128x32 --dtype f16",
                     "Triton's encoding as a CuTe layout, and the mode that it is"},
                    {"swz translate 'Sw<3,3,3> o 0 o (64,64):(64,1)' --to triton --dtype bf16", "and back"}},
       .prepare = [] { return prepare(translate_options, translate_answer); }}};
}

}  // namespace swz
