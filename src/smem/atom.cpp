#include "smem/atom.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace swz {

ComposedLayout atom(Major major, const SwizzleMode& mode, const DType& dtype) {
  if (major == Major::K && mode.family == SwizzleFamily::chunk_32)
    throw Error(
        "nobody defines a K-major atom of mode 128B_32B",
        "MN-major: MN_SW128_32B. K-major is disputed: PTX table 54 allows all swizzle modes, table 55 and CUTLASS "
        "have the MN-major atom only");
  const std::int64_t line_bits = mode.span.count * 8;
  if (line_bits % dtype.memory_bits != 0)
    throw Error(fmt::format("a line of {} bits does not hold whole elements of {}", line_bits, dtype.name),
                "use another element type");
  const std::int64_t width = line_bits / dtype.memory_bits;
  const Layout elements = major == Major::K
                              ? Layout(std::vector<IntTuple>{mode.lines, width}, std::vector<IntTuple>{width, 1})
                              : Layout(std::vector<IntTuple>{width, mode.lines}, std::vector<IntTuple>{1, width});
  return ComposedLayout::smem_ptr(Swizzle(mode.bits, mode.base, mode.shift), dtype.memory_bits, elements);
}

std::vector<NamedAtom> named_atoms() {
  std::vector<NamedAtom> atoms;
  for (const Major major : {Major::K, Major::MN}) {
    for (const SwizzleMode& mode : swizzle_modes()) {
      std::string suffix = "INTER";
      if (mode.family == SwizzleFamily::chunk_16) suffix = fmt::format("SW{}", mode.span.count);
      if (mode.family == SwizzleFamily::chunk_32) suffix = fmt::format("SW{}_32B", mode.span.count);
      atoms.push_back({(major == Major::K ? "K_" : "MN_") + suffix, major, &mode});
    }
  }
  return atoms;
}

const NamedAtom* find_atom(const std::vector<NamedAtom>& atoms, std::string_view name) {
  if (const auto colon = name.rfind("::"); colon != std::string_view::npos) name.remove_prefix(colon + 2);
  if (name.starts_with("Layout_") && name.ends_with("_Atom")) name = name.substr(7, name.size() - 12);
  const auto found = std::ranges::find(atoms, name, &NamedAtom::name);
  return found == atoms.end() ? nullptr : &*found;
}

}  // namespace swz
