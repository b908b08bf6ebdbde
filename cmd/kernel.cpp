// SPDX-License-Identifier: Apache-2.0
// swz kernel FILE...: what the PTX of a compiled kernel fixes about its layouts, and which parts contradict each other.
#include "view/kernel/kernel.hpp"

#include "base/number.hpp"
#include "base/text.hpp"
#include "files.hpp"
#include "option.hpp"
#include "sass/lift.hpp"

namespace swz {
namespace {

// "%r12=3"
struct RegisterSetting {
  std::string name;
  std::uint64_t value = 0;
};

void read_value(const std::string& text, RegisterSetting& to) {
  const std::size_t at = text.find('=');
  const auto value = at == text.npos ? std::nullopt : find_unsigned(text.substr(at + 1));
  if (!value || at == 0)
    throw usage_error(fmt::format("{} is not a register with its value", quoted(text)), "for example %r12=3");
  to = {std::string(trimmed(text.substr(0, at))), *value};
}

// "128" or "16,8,1"
struct BlockThreads {
  std::array<std::int64_t, 3> threads = {1, 1, 1};
  bool has_shape = false;
};

void read_value(const std::string& text, BlockThreads& to) {
  const Words parts = pieces_of(text, ",x");
  if (parts.empty() || parts.size() > 3)
    throw usage_error(fmt::format("{} is not a number of threads", quoted(text)), "128, or x,y,z: 16,8,1");
  to = {};
  to.has_shape = parts.size() > 1;
  std::int64_t all = 1;
  for (std::size_t i = 0; i < parts.size(); ++i) all *= to.threads[i] = read_number(parts[i], 1, 1024);
  if (all > 1024)
    throw usage_error(fmt::format("a block has at most 1024 threads, not {}", all), "128, or x,y,z: 16,8,1");
}

struct Request {
  Words files;
  std::string entry;
  std::vector<std::string> only;
  std::optional<BlockThreads> threads;
  std::vector<RegisterSetting> registers;
  std::optional<std::uint64_t> line;
  bool annotates = false;
};

Options options_of(Request& r) {
  return {
      argument("FILE", r.files, "PTX: of nvcc -ptx or -keep, cuobjdump -ptx, Triton's cache; - is standard input")
          .required()
          .repeated(limits::ptx_files)
          .file(),
      option("--entry", "NAME", r.entry, "one kernel of several"),
      option("--only", "KINDS", r.only, "show only these sites: a comma-separated list of mma, smem, tma, tmem"),
      option("--threads", "N", r.threads, "threads of a block: N or X,Y,Z").by_default_note("taken from the PTX"),
      option("--set", "REG=N", r.registers, "value of a register at every read: %r12=3").repeated(limits::ptx_settings),
      option("--line", "LINE", r.line, "everything known about the site on this PTX line, with its picture")
          .excluding({"--only"}),
      flag("--annotate", r.annotates, "print the PTX, with what is known after each line")
          .excluding({"--line", "--only"})};
}

ShownSites shown_sites(const Request& r) {
  if (r.only.empty()) return {};
  ShownSites shown{false, false, false, false};
  for (const std::string& list : r.only)
    for (const std::string& word : pieces_of(list, ","))
      switch (index_of_word(word, {"mma", "smem", "tma", "tmem"}, "--only")) {
        case 0: shown.mma = true; break;
        case 1: shown.smem = true; break;
        case 2: shown.tma = true; break;
        default: shown.tmem = true;
      }
  return shown;
}

KernelText read_kernels(const std::string& name, const KernelQuestion& question, const Context& context) {
  const std::string path = file_path(name);
  KernelText out{.name = path};
  std::string text = read_text(path, context,
                               {static_cast<std::size_t>(limits::ptx_bytes.most), limits::ptx_bytes.what,
                                "FILE is a text of PTX or SASS; - is standard input"});
  out.module = is_sass(text) ? lift_sass(read_sass(std::move(text))) : read_ptx(std::move(text));
  out.kernels = kernel_reports(out.module, question);
  return out;
}

Answer answer(const Request& r, const Context& context) {
  KernelQuestion question{.entry = r.entry};
  if (r.threads) {
    question.threads = r.threads->threads;
    question.knows_shape = r.threads->has_shape;
  }
  for (const RegisterSetting& one : r.registers) question.registers[one.name] = one.value;
  if ((r.line || r.annotates) && r.files.size() > 1)
    throw usage_error(fmt::format("{} takes one file, not {}", r.line ? "--line" : "--annotate", r.files.size()),
                      "give one file");
  std::vector<KernelText> texts;
  for (const std::string& file : r.files) {
    try {
      texts.push_back(read_kernels(file, question, context));
    } catch (const Error& e) {
      if (r.files.size() == 1) throw;
      throw Error(fmt::format("{}: {}", file, e.message()), e.hint, {}, e.kind);
    }
  }
  Answer out;
  out.has_lints = has_lints(texts);
  out.is_incomplete = is_incomplete(texts);
  if (r.annotates) out.document.source = annotated_ptx(texts.front());
  else if (r.line)
    out.document =
        view_kernel_line(texts.front(), static_cast<std::uint32_t>(std::min<std::uint64_t>(*r.line, 0xffffffff)));
  else out.document = view_kernels(std::move(texts), shown_sites(r));
  return out;
}

}  // namespace

Commands kernel_commands() {
  return {{.name = "kernel",
           .summary = "what a compiled kernel's PTX decides: MMAs, banks, copies, contradictions",
           .details = R"(Reads PTX and shows, without running it, which MMAs it has, by which descriptors
and from which bytes they read; how many wavefronts each access to shared memory
takes; the bulk copies and the accesses to tensor memory; and contradictions.

Each statement holds for every execution that reaches the instruction. A count
whose proof is "all" holds for every warp and pass of its loop. One that is
"sampled" is the mean over the passes that were followed, or holds for all lanes
when a bound decides which execute it, or ptxas may change it.
If something is not known, swz names the instruction that is the reason.
--threads and --set give what the PTX does not.

Text joins sites that repeat and shows the worst accesses; -f json has an entry
for each site. --strict exits with 1 if there is a contradiction, or if a count
or an operand is not known or not proven.)",
           .examples = {{"swz kernel @kernel.ptx", "the kernel of a file"},
                        {"swz kernel @kernel.ptx --line 82", "one site, with its picture"}},
           .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
