#include "emit_source.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

void require_source_format(const std::string& emit, const Common& common) {
  if (emit.empty() || common.format == "text" || common.format == "json") return;
  throw Error(fmt::format("--emit {} cannot be drawn as {}", emit, common.format), "leave -f out, or use -f json",
              {}, ErrorKind::usage);
}

Document source_alone(const std::string& source) {
  return Document().add(Paragraph{source.substr(0, source.size() - 1), Tone::plain, true});
}

}  // namespace swz
