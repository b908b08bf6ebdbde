// SPDX-License-Identifier: Apache-2.0
// swz translate TEXT: a layout in one project's notation, translated into that of any other.
#include "view/dialect/translate.hpp"

#include "files.hpp"
#include "layout_text.hpp"
#include "view/dialect/triton_ir.hpp"

namespace swz {

namespace {

struct TranslateRequest {
  std::string text;  // or @FILE, or @- for standard input
  GivenRequest given;
  TranslateOptions options;
  bool lists_dialects = false;
};

Options translate_options(TranslateRequest& r) {
  Words targets = dialect_words();
  targets.emplace_back("all");
  return Options{argument("TEXT", r.text,
                          "a layout in any notation that swz reads, or @FILE with one; @- is standard input"),
                 option("--to", "DIALECT", r.options.to, "the notation to write").offering(targets).by_default("all"),
                 flag("--map", r.options.has_map, "in JSON also the place of every element"),
                 flag("--list", r.lists_dialects, "list the notations, with an example of each")} +
         given_options(r.given);
}

// The text of a file is read as if it had been written in the command line.
std::string text_of(const TranslateRequest& r, const Context& context) {
  if (!r.text.starts_with('@')) return r.text;
  return read_text(
      r.text.substr(1), context,
      {limits::dump_bytes.most, "a layout", "@FILE names a file that holds a layout, @- is standard input"});
}

Answer translate_answer(const TranslateRequest& r, const Context& context) {
  if (r.lists_dialects) return {view_dialects()};
  if (r.text.empty()) throw usage_error("no layout given", "a text, or @FILE; --list shows the notations");
  const std::string text = text_of(r, context);
  if (is_triton_ir(text)) return {view_triton_ir(read_triton_ir(text), r.options)};
  const DialectText of = dialect_text(text, r.given.from);
  const Given given = r.given.given();
  const Dialect& from = of.from != nullptr ? *of.from : recognised_dialect(of.text);
  Reading reading = read_layout(of.text, given, &from);
  // The modes of a CuTe layout may be those of an MMA; arrays of other notations have the shape that their text gives.
  if (from.name.starts_with("cute")) reading = without_partition(std::move(reading), given);
  const Translation t = translation_of(from, std::move(reading), of.text);
  return {view_translation(t, r.options), has_asked_text(t, r.options) ? 0 : 1};
}

}  // namespace

Commands translate_commands() {
  return {{.name = "translate",
           .summary = "a layout in the notation of another project; exit 1 when it has none",
           .details = R"(Reads a layout in the notation of any project and writes it in that of all
others, or shows why a notation has no text for it and what comes nearest. The
answer names the swizzle mode in which tensor cores read the array as it lies.

The notation is recognised. If several projects write the same text, --from
selects one, or its name before the text: 'triton: TEXT'. If the text does not
give the shape of the array or its element type, add --shape and --dtype.

With --to, the exit code is 1 when that notation cannot express the layout; a
layout that its own project refuses is an error (2). --to D --brief prints only
the text. Every command that takes a layout takes these notations as well, and
swz diff compares two of them.

In a file of Triton IR (@kernel.ttgir), every encoding is translated, with the
operations that use it.)",
           .examples = {{"swz translate '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' "
                         "--shape 128x32 --dtype f16",
                         "Triton's encoding as a CuTe layout, and the mode that it is"},
                        {"swz translate 'Sw<3,3,3> o 0 o (64,64):(64,1)' --to triton --dtype bf16 --brief", "and back"},
                        {"swz translate --list", "the notations"}},
           .next = {{"Where does each element lie?", "place --layout {TEXT} {--shape,--dtype}"},
                    {"Are there bank conflicts?", "banks --layout {TEXT} {--shape,--dtype} --access ldmatrix.x4"},
                    {"Which words does an MMA need?", "desc --from {TEXT} {--shape,--dtype}"}},
           .prepare = [] { return prepare(translate_options, translate_answer); }}};
}

}  // namespace swz
