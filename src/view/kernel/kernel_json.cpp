// SPDX-License-Identifier: Apache-2.0
// The sites of a kernel as JSON (docs/json.md), and their words in text.
#include <fmt/format.h>

#include <cmath>

#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

Json source_json(const PtxModule& module, const SourcePlace& source) {
  if (source.line == 0) return nullptr;
  const std::string_view file = source.file < module.files.size() ? module.files[source.file] : std::string_view();
  return {{"file", file.empty() ? Json() : Json(file)}, {"line", source.line}};
}

Json bytes_json(const std::optional<Bytes>& bytes) { return bytes ? Json(bytes->count) : Json(); }

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json start_json(const SiteAddress& start) {
  return {{"text", start.text},
          {"symbol", or_null(std::string(start.symbol))},
          {"offset", bytes_json(start.offset)},
          {"alignment", start.alignment}};
}

Json operand_json(const MmaOperandSite& operand) {
  return {{"in", to_string(operand.in)},
          {"major", operand.major ? Json(direction_name(*operand.major)) : Json()},
          {"word", operand.word ? Json(hex64(operand.word->word)) : Json()},
          {"known_bits", operand.word ? Json(hex64(operand.word->known)) : Json()},
          {"start", operand.start ? start_json(*operand.start) : Json()},
          {"leading_byte_offset", bytes_json(operand.leading_byte_offset)},
          {"stride_byte_offset", bytes_json(operand.stride_byte_offset)},
          {"base_offset", optional_json(operand.base_offset)},
          {"swizzle", operand.swizzle ? Json(operand.swizzle->name) : Json()},
          {"why", or_null(operand.why)}};
}

Json site_json(const PtxModule& module, const PtxSite& site) {
  return {{"line", site.line}, {"source", source_json(module, site.source)}, {"instruction", site.opcode}};
}

Json count_json(const std::optional<double>& count) {
  if (!count) return nullptr;
  if (*count == std::floor(*count)) return static_cast<std::int64_t>(*count);
  return *count;
}

Json proof_json(SmemProof proof) {
  if (proof == SmemProof::none) return nullptr;
  return proof == SmemProof::all ? "all" : "sampled";
}

Json finding_json(const Finding& one) {
  Json out = to_json(one);
  out["severity"] = to_string(one.severity);
  return out;
}

}  // namespace

Json findings_json(const std::vector<Finding>& findings) { return json_list(findings, finding_json); }

Json mma_json(const PtxModule& module, const MmaSite& site) {
  Json out = site_json(module, site);
  out["mma"] = site.mma;
  out["a"] = operand_json(site.a);
  out["b"] = operand_json(site.b);
  out["idesc"] = nullptr;
  if (site.idesc)
    out["idesc"] = {{"word", hex32(static_cast<std::uint32_t>(site.idesc->word.word))},
                    {"known_bits", hex32(static_cast<std::uint32_t>(site.idesc->word.known))},
                    {"m", optional_json(site.idesc->m)},
                    {"n", optional_json(site.idesc->n)}};
  out["findings"] = findings_json(site.findings);
  return out;
}

Json smem_json(const PtxModule& module, const SmemSite& site) {
  Json out = site_json(module, site);
  out["access"] = or_null(site.access);
  out["wavefronts"] = count_json(site.wavefronts);
  out["ideal"] = count_json(site.ideal);
  out["proof"] = proof_json(site.proof);
  out["at_most"] = site.counts_all_lanes || site.may_shrink;
  out["may_join"] = nullptr;
  if (site.may_join)
    out["may_join"] = {{"access", site.may_join->access},
                       {"wavefronts", count_json(site.may_join->wavefronts)},
                       {"ideal", count_json(site.may_join->ideal)}};
  out["why"] = or_null(site.why);
  out["address"] = or_null(site.address.text);
  return out;
}

// A field that is not known is null, as is each extent of the box.
static Json built_json(const BuiltTensorMap& built) {
  const auto known = [&](std::string_view field, const auto& value) {
    return built.knows(field) ? Json(value) : Json();
  };
  Json box = Json::array(), steps = Json::array();
  for (int i = 0; built.knows("rank") && i < built.map.dim_count(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    box.push_back(built.knows("box_dim", place) ? Json(built.map.box[place]) : Json());
    steps.push_back(built.knows("element_stride", place) ? Json(built.map.element_strides[place]) : Json());
  }
  return {{"line", built.line},
          {"written_at", built.written_at},
          {"dtype", known("elemtype", short_name(built.map.data_type))},
          {"rank", known("rank", built.map.rank)},
          {"box", box},
          {"element_strides", steps},
          {"interleave", known("interleave_layout", short_name(built.map.interleave))},
          {"swizzle", known("swizzle_mode", short_name(built.map.swizzle))}};
}

std::string built_text(const BuiltTensorMap& built) {
  std::vector<std::string> box;
  for (int i = 0; i < built.map.dim_count(); ++i)
    box.push_back(built.knows("box_dim", static_cast<std::size_t>(i))
                      ? std::to_string(built.map.box[static_cast<std::size_t>(i)])
                      : "?");
  return fmt::format("{} box {}, swizzle {}, written from line {} on",
                     built.knows("elemtype") ? short_name(built.map.data_type) : "?",
                     box.empty() || !built.knows("rank") ? "?" : fmt::format("{}", fmt::join(box, "x")),
                     built.knows("swizzle_mode") ? short_name(built.map.swizzle) : "?", built.line);
}

Json tma_json(const PtxModule& module, const KernelReport& kernel, const TmaSite& site) {
  Json out = site_json(module, site);
  out["direction"] = to_string(site.direction);
  out["rank"] = site.rank == 0 ? Json() : Json(site.rank);
  out["mode"] = or_null(site.mode);
  out["shared"] = site.shared ? start_json(*site.shared) : Json();
  out["map"] = or_null(site.map);
  out["built"] = site.built ? built_json(kernel.maps[*site.built]) : Json();
  out["bytes"] = bytes_json(site.bytes);
  out["multicast"] = site.multicast;
  return out;
}

Json tmem_json(const PtxModule& module, const TmemSite& site) {
  Json out = site_json(module, site);
  out["action"] = site.action;
  out["shape"] = or_null(site.shape);
  out["address"] = or_null(site.address);
  out["columns"] = optional_json(site.columns);
  return out;
}

Json kernel_findings_json(const KernelReport& kernel) {
  return json_list(kernel.findings, [&](const Finding& one) {
    Json out = finding_json(one);
    if (one.rule != "bank-conflict" || !kernel.conflict) return out;
    const SmemSite& site = kernel.smem[*kernel.conflict];
    out["line"] = site.line;
    out["wavefronts"] = count_json(site.wavefronts);
    out["ideal"] = count_json(site.ideal);
    return out;
  });
}

std::string shortened(std::string_view name) {
  constexpr std::size_t most_letters = 96, tail = 32;
  if (name.size() <= most_letters) return std::string(name);
  return fmt::format("{}…{}", name.substr(0, most_letters - tail - 1), name.substr(name.size() - tail));
}

// Shortens names that are too long to read; their ends distinguish instances.
static std::string with_short_names(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (is_word(text[end]) || text[end] == '$' || text[end] == ':')) ++end;
    end = std::max(end, at + 1);
    out += end - at > 1 ? shortened(std::string_view(text).substr(at, end - at)) : text.substr(at, end - at);
    at = end;
  }
  return out;
}

KernelReport with_readable_names(KernelReport kernel) {
  const auto rename = [](std::string& text) {
    if (text.find("_Z") != text.npos) text = with_short_names(with_name_paths(text));
  };
  const auto rename_start = [&](SiteAddress& start) {
    rename(start.text);
    rename(start.terms);
  };
  const auto rename_findings = [&](std::vector<Finding>& findings) {
    for (Finding& one : findings) rename(one.message);
  };
  for (MmaSite& site : kernel.mma) {
    for (MmaOperandSite* operand : {&site.a, &site.b}) {
      if (operand->start) rename_start(*operand->start);
      rename(operand->why);
    }
    rename_findings(site.findings);
  }
  for (SmemSite& site : kernel.smem) {
    rename_start(site.address);
    rename(site.why);
  }
  for (TmaSite& site : kernel.tma) {
    if (site.shared) rename_start(*site.shared);
    rename(site.map);
  }
  for (TmemSite& site : kernel.tmem) rename(site.address);
  rename_findings(kernel.findings);
  return kernel;
}

std::string number_text(double value) {
  return value == std::floor(value) ? fmt::format("{}", static_cast<std::int64_t>(value))
                                    : fmt::format("{:.2f}", value);
}

std::string source_text(const PtxModule& module, const PtxSite& site) {
  if (site.source.line == 0 || site.source.file >= module.files.size() || module.files[site.source.file].empty())
    return "-";
  const std::string_view path = module.files[site.source.file];
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), site.source.line);
}

std::string place_text(const PtxModule& module, const PtxSite& site) {
  const std::string source = source_text(module, site);
  return source == "-" ? fmt::format("line {}", site.line) : fmt::format("{} (line {})", source, site.line);
}

std::string operand_text(const MmaOperandSite& operand) {
  std::string out = operand.in == MmaOperandPlace::smem ? "" : fmt::format("{} ", to_string(operand.in));
  if (operand.major) out += to_string(*operand.major);
  if (operand.in != MmaOperandPlace::smem) return out;
  out += operand.swizzle ? fmt::format(" {}", operand.swizzle->name) : " mode ?";
  const auto bytes = [](const std::optional<Bytes>& of) {
    return of ? fmt::format("{}", of->count) : std::string("?");
  };
  out += fmt::format(", LBO {} SBO {}", bytes(operand.leading_byte_offset), bytes(operand.stride_byte_offset));
  if (operand.base_offset && *operand.base_offset != 0) out += fmt::format(", base offset {}", *operand.base_offset);
  return out;
}

}  // namespace swz
