// SPDX-License-Identifier: Apache-2.0
#include "view/dialect/triton_ir.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace swz {
namespace {

std::string ir_encoding_name(const TritonIrEncoding& e) { return e.alias.empty() ? e.text : e.alias; }

// The text that the table shows of each array: in the dialect that was asked for, otherwise CuTe's.
std::string shown_form(const Translation& t, const TranslateOptions& options) {
  const Dialect& shown = options.to != nullptr ? *options.to : require_dialect("cute");
  for (const Form& form : t.forms)
    if (form.dialect == &shown)
      return form.written.text.empty() ? fmt::format("none: {}", form.written.why) : form.written.text;
  return "";
}

Document array_of(const TritonIrArray& array, const TranslateOptions& options) {
  Document d;
  d.json("type", array.type).json("line", array.line).json("uses", array.uses);
  if (!array.translation) return std::move(d.json("error", array.why));
  for (Block& block : view_translation(*array.translation, options).blocks) d.add(std::move(block));
  return d;
}

Document encoding_of_ir(const TritonIrEncoding& e, const TranslateOptions& options) {
  Document d(fmt::format("{}: {} from line {} on", ir_encoding_name(e), plural(e.use_count, "use"), e.line));
  d.json("alias", or_null(e.alias)).field("text", e.alias.empty() ? "" : "encoding", e.text).json("line", e.line);
  d.json("use_count", e.use_count);
  d.field("array_count", e.array_count > std::ssize(e.arrays) ? "arrays" : "", e.array_count,
          fmt::format("the first {} of {} are translated", e.arrays.size(), e.array_count));
  const auto use_json = [](const TritonIrUse& use) {
    return Json{{"line", use.line}, {"operation", use.operation}, {"type", use.type}};
  };
  d.field("uses", e.use_count > std::ssize(e.uses) ? "uses" : "", json_list(e.uses, use_json),
          fmt::format("-f json has the first {} of {}", e.uses.size(), e.use_count));
  Group arrays{"arrays", {}, false};
  Table table{"",
              "",
              {{"", "array"}, {"", "uses"}, {"", "line"}, {"", options.to ? std::string(options.to->title) : "CuTe"}},
              {}};
  for (const TritonIrArray& array : e.arrays) {
    arrays.members.push_back(array_of(array, options));
    table.rows.push_back({array.type, array.uses, array.line,
                          array.translation ? shown_form(*array.translation, options) : "refused: " + array.why});
  }
  d.add(std::move(arrays));
  if (!table.rows.empty()) d.add(std::move(table));
  return d;
}

}  // namespace

Document view_triton_ir(const TritonIr& ir, const TranslateOptions& options) {
  Document d(
      fmt::format("Triton IR: {} in {}", plural(std::ssize(ir.encodings), "encoding"), plural(ir.lines, "line")));
  d.json("from", "triton").json("lines", ir.lines);
  Group encodings{"encodings", {}};
  for (const TritonIrEncoding& e : ir.encodings) encodings.members.push_back(encoding_of_ir(e, options));
  d.add(std::move(encodings));
  d.answers = {"encodings.text"};
  return d;
}

}  // namespace swz
