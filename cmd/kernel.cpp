// SPDX-License-Identifier: Apache-2.0
// swz kernel FILE...: what the machine code or the PTX of a kernel fixes about its layouts, and which parts contradict
// each other; of a file with many kernels, which they are.
#include "view/kernel/kernel.hpp"

#include <algorithm>

#include "base/mangled_name.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "files.hpp"
#include "kernel_files.hpp"
#include "option.hpp"
#include "sass/counted_sites.hpp"
#include "sass/lift.hpp"
#include "view/kernel/kernel_change.hpp"
#include "view/kernel/kernel_sarif.hpp"

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
  const Words parts = entries_of(text, ",x");
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
  std::string against;
  std::string report;
  std::vector<std::string> only;
  std::optional<BlockThreads> threads;
  std::optional<Bytes> dynamic_smem;
  std::vector<RegisterSetting> registers;
  std::optional<std::uint64_t> line;
  bool annotates = false;
  bool is_sarif = false;
  bool wants_code = false, wants_ptx = false;
};

Options options_of(Request& r) {
  return {
      argument("FILE", r.files,
               "PTX, SASS, a cubin, a program, library, archive or wheel, or a folder; - is standard input")
          .required()
          .repeated(limits::ptx_files)
          .file(),
      option("--entry", "NAME", r.entry, "one kernel of several; * is any text, ? any letter"),
      flag("--sass", r.wants_code, "read the machine code (by default, if nvdisasm is there and the file has any)")
          .excluding({"--ptx"}),
      flag("--ptx", r.wants_ptx, "read the PTX, even if there is machine code"),
      option("--against", "BEFORE", r.against, "the file of the build before: what changed; exit 1 if it got worse")
          .file()
          .excluding({"--line", "--annotate", "--only", "--set"}),
      option("--report", "CSV", r.report, "source pages of Nsight Compute: what it counted, beside the predictions")
          .file()
          .excluding({"--against", "--ptx"}),
      option("--only", "KINDS", r.only,
             "show only these sites: a comma-separated list of mma, smem, gmem, tma, cluster, tmem"),
      option("--threads", "N", r.threads, "threads of a block: N or X,Y,Z")
          .by_default_note("taken from the PTX or the cubin"),
      option("--dynamic-smem", "BYTES", r.dynamic_smem, "dynamic shared memory of a launch, for the occupancy")
          .in("bytes"),
      option("--set", "REG=N", r.registers, "value of a register at every read: %r12=3").repeated(limits::ptx_settings),
      option("--line", "LINE", r.line, "everything known about the site on this line, with its picture")
          .excluding({"--only"}),
      flag("--annotate", r.annotates, "print the PTX or SASS, with what is known after each line")
          .excluding({"--line", "--only"}),
      flag("--sarif", r.is_sarif, "print the findings of all kernels as SARIF 2.1.0, for code scanning")
          .excluding({"--line", "--only", "--annotate", "--against"})};
}

ShownSites shown_sites(const Request& r) {
  if (r.only.empty()) return {};
  ShownSites shown{false, false, false, false, false, false};
  for (const std::string& list : r.only)
    for (const std::string& word : pieces_of(list, ","))
      switch (index_of_word(word, {"mma", "smem", "gmem", "tma", "cluster", "tmem"}, "--only")) {
        case 0: shown.mma = true; break;
        case 1: shown.smem = true; break;
        case 2: shown.gmem = true; break;
        case 3: shown.tma = true; break;
        case 4: shown.cluster = true; break;
        default: shown.tmem = true;
      }
  return shown;
}

KernelQuestion question_of(const Request& r) {
  KernelQuestion question{.entry = r.entry};
  if (r.threads) {
    question.threads = r.threads->threads;
    question.knows_shape = r.threads->has_shape;
  }
  for (const RegisterSetting& one : r.registers) question.registers[one.name] = one.value;
  return question;
}

// Pages of Nsight Compute have the code and the counts.
void read_pages(const std::string& pages, const KernelQuestion& question, const Context& context, KernelText& text) {
  NcuPages read = read_ncu_pages(pages, context.arch == nullptr ? "" : context.arch->name);
  text.module = lift_sass(read_sass(std::move(read.sass)));
  text.is_disassembled = true;
  text.kernels = kernel_reports(text.module, question);
  for (KernelReport& kernel : text.kernels)
    for (const CountedKernel& counted : read.kernels)
      if (counted.name == kernel.name) add_counts(kernel, counted);
}

// --report: the counts of a kernel that was read from another file.
void add_report(const Request& r, const Context& context, KernelText& text) {
  if (r.report.empty()) return;
  if (!text.module.is_machine_code())
    throw usage_error("--report is about instructions of machine code, and only PTX was read",
                      "give the cubin, with nvdisasm, or only the pages: swz kernel PAGES.csv");
  const NcuPages pages = read_ncu_pages(KernelFiles({r.report}, context).text(0));
  for (KernelReport& kernel : text.kernels) add_counts(kernel, matching_counts(pages.kernels, kernel));
}

PtxModule read_module(std::string text, const Request& r) {
  const bool is_code = is_sass(text);
  if (is_code && r.wants_ptx) throw usage_error("this is a text of SASS; it has no PTX", "leave --ptx out");
  if (!is_code && r.wants_code)
    throw usage_error("this is a text of PTX; it has no machine code",
                      "assemble it: ptxas -lineinfo -arch sm_90a FILE");
  return is_code ? lift_sass(read_sass(std::move(text))) : read_ptx(std::move(text));
}

std::vector<KernelText> read_texts(const Request& r, const KernelFiles& files, const Context& context) {
  const KernelQuestion question = question_of(r);
  std::vector<KernelText> texts;
  for (std::size_t i = 0; i < files.count(); ++i) {
    try {
      KernelText& text = texts.emplace_back(KernelText{.name = files.name(i)});
      std::string content = files.text(i);
      if (is_ncu_pages(content)) {
        read_pages(content, question, context, text);
        continue;
      }
      text.module = read_module(std::move(content), r);
      text.kernels = kernel_reports(text.module, question);
      add_report(r, context, text);
    } catch (const Error& e) {
      if (files.count() == 1) throw;
      throw Error(fmt::format("{}: {}", files.name(i), e.message()), e.hint, {}, e.kind);
    }
  }
  return texts;
}

// Names for "did you mean": of a library with thousands of kernels none.
std::vector<std::string> kernel_names(const KernelCatalog& catalog) {
  constexpr std::size_t most = 1000;
  std::vector<std::string> names;
  if (catalog.kernels().size() <= most)
    for (const FoundKernel& kernel : catalog.kernels()) names.push_back(name_path(kernel.name));
  return names;
}

[[noreturn]] void refuse_none(const Request& r, const KernelFiles& files, const Context& context) {
  const KernelCatalog all = files.catalog({});
  const std::string name = files.count() == 1 ? files.name(0) : plural(std::ssize(all.files()), "file");
  if (all.kernels().empty()) {
    const auto unreadable = all.unreadable();
    const std::string why = unreadable.empty() ? "" : ": " + unreadable.front()->why;
    throw Error(fmt::format("{}: no compiled kernel is in it that swz can read{}", name, why),
                unreadable.empty() ? "another library of the program may have them: give its folder" : "");
  }
  KernelFilter any_arch{.entry = r.entry};
  if (context.arch != nullptr && !files.catalog(any_arch).kernels().empty())
    throw Error(fmt::format("{}: no such kernel is for {}", name, context.arch->name),
                "there are kernels for " + join_and(all.archs()));
  throw Error(fmt::format("{}: no kernel is called {}", name, quoted(r.entry)),
              did_you_mean(r.entry, kernel_names(all), "without --entry they are listed; * in a name is any text"));
}

// Whether all are one kernel, of which the file has copies.
bool is_one_kernel(const std::vector<FoundKernel>& kernels) {
  return std::ranges::all_of(kernels, [&](const FoundKernel& one) {
    const FoundKernel& first = kernels.front();
    const KernelResources &a = one.resources, &b = first.resources;
    return one.name == first.name && one.arch == first.arch && one.ptx.has_value() == first.ptx.has_value() &&
           a.registers == b.registers && a.static_shared == b.static_shared && a.stack == b.stack;
  });
}

// A list of kernels has no sites.
void check_one_kernel(const Request& r, const KernelCatalog& catalog) {
  if (!r.line && !r.annotates && r.only.empty() && r.registers.empty() && !r.threads && !r.dynamic_smem &&
      r.report.empty())
    return;
  throw usage_error(
      fmt::format("{} kernels are there, and the other options are for one of them", catalog.kernels().size()),
      "name it with --entry and --arch");
}

Answer answer_of_texts(const Request& r, std::vector<KernelText> texts) {
  Answer out;
  out.has_lints = has_lints(texts);
  out.is_incomplete = is_incomplete(texts);
  if (r.is_sarif) {
    KernelSarif log;
    for (const KernelText& text : texts) log.add(text);
    out.document.source = log.text();
  } else if (r.annotates) out.document.source = annotated_ptx(texts.front());
  else if (r.line)
    out.document =
        view_kernel_line(texts.front(), static_cast<std::uint32_t>(std::min<std::uint64_t>(*r.line, 0xffffffff)));
  else out.document = view_kernels(std::move(texts), shown_sites(r));
  return out;
}

// nullopt: the PTX is wanted, the kernel has only PTX, or nvdisasm is not there and was not asked for.
std::optional<Nvdisasm> disassembler(const Request& r, const FoundKernel& kernel, std::string& why) {
  if (r.wants_code && !kernel.binary)
    throw usage_error(fmt::format("{} has only PTX here, no machine code", quoted(kernel.name)), "leave --sass out");
  if (r.wants_ptx && !kernel.ptx)
    throw usage_error(fmt::format("{} has only machine code here, no PTX", quoted(kernel.name)),
                      "leave --ptx out, or compile with -lineinfo, which keeps it");
  if (r.wants_ptx || !kernel.binary || (Nvdisasm::is_switched_off() && !r.wants_code)) return std::nullopt;
  try {
    return Nvdisasm();
  } catch (const Error& e) {
    if (r.wants_code) throw;
    why = fmt::format("not read: {}; {}", e.message(), e.hint);
    return std::nullopt;
  }
}

// nullopt: neither its PTX nor its machine code can be read; why: if the latter cannot.
std::optional<KernelText> read_kernel(const Request& r, const KernelFiles& files, const KernelCatalog& catalog,
                                      const FoundKernel& kernel, std::string& why) {
  const std::optional<Nvdisasm> nvdisasm = disassembler(r, kernel, why);
  if (!nvdisasm && !kernel.ptx) return std::nullopt;
  KernelText text = nvdisasm ? files.read_code(catalog, kernel, question_of(r), *nvdisasm)
                             : files.read(catalog, kernel, question_of(r));
  if (text.built && r.dynamic_smem) text.built->dynamic_shared = r.dynamic_smem->count;
  return text;
}

// The kernel of the catalog, if it is one.
std::optional<KernelText> read_one(const Request& r, const KernelFiles& files, const KernelCatalog& catalog,
                                   std::string& why) {
  const std::vector<FoundKernel>& kernels = catalog.kernels();
  return is_one_kernel(kernels) ? read_kernel(r, files, catalog, kernels.front(), why) : std::nullopt;
}

// All kernels of the catalog, one at a time.
Answer answer_of_log(const Request& r, const KernelFiles& files, const KernelCatalog& catalog) {
  require_within(limits::sarif_kernels, std::ssize(catalog.kernels()));
  Answer out;
  KernelSarif log;
  for (const FoundKernel& kernel : catalog.kernels()) {
    std::string why = "its machine code is not read";
    const std::optional<KernelText> text = read_kernel(r, files, catalog, kernel, why);
    if (!text) {
      log.add_unread(kernel.name, why);
      out.is_incomplete = true;
      continue;
    }
    log.add(*text);
    out.has_lints = out.has_lints || has_lints({&*text, 1});
    out.is_incomplete = out.is_incomplete || is_incomplete({&*text, 1});
  }
  out.document.source = log.text();
  return out;
}

// One side of --against.
KernelText read_build(const Request& r, const std::string& name, const Context& context) {
  const KernelFiles files({name}, context);
  if (files.are_texts()) return std::move(read_texts(r, files, context).front());
  const KernelCatalog catalog = files.catalog({.entry = r.entry, .target = context.arch});
  if (catalog.kernels().empty()) refuse_none(r, files, context);
  if (!is_one_kernel(catalog.kernels()))
    throw usage_error(fmt::format("{} has {} kernels, and --against compares one", name, catalog.kernels().size()),
                      "name it with --entry and --arch");
  std::string why;
  std::optional<KernelText> text = read_one(r, files, catalog, why);
  if (!text) throw Error(fmt::format("{}: the kernel has no PTX, and its machine code is {}", name, why));
  return std::move(*text);
}

Answer answer_of_change(const Request& r, const Context& context) {
  if (r.files.size() > 1)
    throw usage_error(fmt::format("--against takes one file, not {}", r.files.size()), "FILE --against BEFORE");
  const KernelText before = read_build(r, r.against, context), after = read_build(r, r.files.front(), context);
  ComparedKernels compared = view_kernel_changes(before, after);
  Answer out{.document = std::move(compared.document), .exit_code = compared.is_worse ? 1 : 0};
  out.is_incomplete = compared.is_incomplete;
  return out;
}

Answer answer(const Request& r, const Context& context) {
  if (!r.against.empty()) return answer_of_change(r, context);
  if ((r.line || r.annotates) && r.files.size() > 1)
    throw usage_error(fmt::format("{} takes one file, not {}", r.line ? "--line" : "--annotate", r.files.size()),
                      "give one file");
  const KernelFiles files(r.files, context);
  if (files.are_texts()) return answer_of_texts(r, read_texts(r, files, context));
  const auto shared = std::make_shared<const KernelCatalog>(files.catalog({.entry = r.entry, .target = context.arch}));
  const KernelCatalog& catalog = *shared;
  const std::vector<FoundKernel>& kernels = catalog.kernels();
  if (kernels.empty()) refuse_none(r, files, context);
  if (r.is_sarif) return answer_of_log(r, files, catalog);
  std::string why_no_code;
  if (std::optional<KernelText> text = read_one(r, files, catalog, why_no_code)) {
    add_report(r, context, *text);
    std::vector<KernelText> texts;
    texts.push_back(std::move(*text));
    return answer_of_texts(r, std::move(texts));
  }
  check_one_kernel(r, catalog);
  Answer out;
  out.document = view_kernel_list(shared);
  if (is_one_kernel(kernels)) {
    out.document.line("resources", resources_text(files.built(catalog, kernels.front())));
    out.document.line("parameters", parameters_text(kernels.front().resources));
    out.document.line("PTX", "none; compiling with -lineinfo keeps it");
    if (!why_no_code.empty()) out.document.line("machine code", why_no_code);
    out.is_incomplete = true;
  } else {
    out.document.line("one kernel", "--entry NAME, with --arch SM if it is there for several", Tone::faint);
  }
  return out;
}

}  // namespace

Commands kernel_commands() {
  return {{.name = "kernel",
           .summary = "what a compiled kernel does: MMAs, banks, copies, contradictions",
           .details = R"(Reads the machine code or the PTX of a kernel and shows, without running it,
which MMAs it has, by which descriptors and from which bytes they read; how many
wavefronts each access to shared memory takes; the bulk copies and the accesses
to tensor memory; and contradictions.

Each statement holds for every execution that reaches the instruction. A count
whose proof is "all" holds for every warp and pass of its loop. One that is
"sampled" is the mean over the passes that were followed, or holds for all lanes
when a bound decides which execute it, or, of PTX, ptxas may change it.
If something is not known, swz names the instruction that is the reason.
--threads and --set give what the text does not.

FILE is PTX, SASS, or what holds it: a cubin, a fat binary, an object file, a
program or library, an archive, a wheel, a Triton cache or another folder. If
there are many kernels they are listed, with their registers and shared memory;
--entry and --arch choose one. Its cubin tells where its arrays begin, how many
threads it has, and how many blocks an SM holds; --threads and --dynamic-smem
give what it does not say. Machine code is read through nvdisasm, if it is
there: that of SWZ_NVDISASM, the PATH, a CUDA toolkit or pip install
nvidia-cuda-nvdisasm.

--against BEFORE compares with the build before: which accesses changed,
conflicts, wavefronts, copies, MMAs, registers, stack. It exits with 1 if FILE
is worse: an access has more wavefronts above its ideal than its counterpart,
or a conflict and no counterpart; a rule is broken that was not; more stack;
more instructions that spill; fewer warps on an SM. More registers, accesses
or wavefronts alone are not worse.

Source pages of Nsight Compute, as CSV, have the code of kernels and what was
counted: given as FILE, or with --report beside a cubin, they put the counts
beside the predictions.

Text joins sites that repeat and shows the worst accesses; -f json has an entry
for each site. --strict exits with 1 if there is a contradiction, or if a count
or an operand is not known or not proven.)",
           .examples = {{"swz kernel @kernel.ptx", "the kernel of a file"},
                        {"swz kernel new.ptx --against old.ptx", "what a change of its source did"},
                        {"swz kernel pages.csv --threads 256", "what Nsight Compute counted, beside the predictions"},
                        {"swz kernel @kernel.ptx --line 82", "one site, with its picture"},
                        {"swz kernel libfoo.so --arch sm_90a", "the kernels of a library, and what each needs", true}},
           .next = {{"How does the operand get to this MMA?", "story --kernel {FILE} --line {=--line}"}},
           .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
