// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "ptx/operand_reader.hpp"

namespace swz {

bool PtxInstruction::has(std::string_view part) const {
  for (std::size_t at = opcode.find(part); at != std::string_view::npos; at = opcode.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (end == opcode.size() || opcode[end] == '.' || opcode[end] == ':') return true;
  }
  return false;
}

namespace {

// Limits for variables: .v4 .b128 has 64 bytes, and no number of elements in a text makes a size overflow.
constexpr std::int64_t most_element = 64, most_elements = std::int64_t{1} << 40;

// Bits of a register or bytes of a variable: "b32", "u64", "f16x2", "pred"; 0: not a type.
int type_bits(std::string_view type) {
  if (type == "pred") return 1;
  if (type.size() < 2 || std::string_view("busfe").find(type[0]) == std::string_view::npos) return 0;
  int bits = 0;
  const char* end = type.data() + type.size();
  const auto [stop, error] = std::from_chars(type.data() + 1, end, bits);
  if (error != std::errc() || bits > 128) return 0;
  if (std::string_view(stop, static_cast<std::size_t>(end - stop)) == "x2") return bits <= 32 ? 2 * bits : 0;
  return bits;
}

PtxSpace space_of(std::string_view word) {
  if (word == "shared") return PtxSpace::shared;
  if (word == "global") return PtxSpace::global;
  if (word == "const") return PtxSpace::constant;
  if (word == "local") return PtxSpace::local;
  if (word == "param") return PtxSpace::param;
  return PtxSpace::other;
}

class PtxReader : private PtxOperandReader {
 public:
  explicit PtxReader(PtxModule& module) : PtxOperandReader(module) {}

  void read() {
    scopes_.emplace_back();
    while (skip_space()) read_top();
    if (target_.empty()) throw_not_ptx();
  }

 private:
  [[noreturn]] void throw_not_ptx() const {
    const std::string_view text = *module_.text;
    const auto holds = [&](std::string_view part) { return text.substr(0, 1 << 16).find(part) != text.npos; };
    std::string hint =
        "PTX begins with .version and .target; nvcc -ptx or -keep, cuobjdump -ptx and Triton's cache have it";
    if (text.starts_with("\x7f"
                         "ELF"))
      hint = "this is a cubin or a program: cuobjdump -ptx FILE prints the PTX in it";
    else if (holds("target triple")) hint = "this is LLVM IR; the PTX is the stage after it";
    else if (holds("module attributes") || holds("tt.func"))
      hint = "this is MLIR; the PTX is a later stage, NAME.ptx in Triton's cache";
    throw Error("the text is not PTX: it has no .target", hint);
  }

  // One or more, "a[4], b = 3", to the stop; of parameters one.
  void variables(PtxSpace space, bool is_extern, char stop) {
    PtxSymbol symbol{.space = space, .is_extern = is_extern};
    std::int64_t element = 1;
    while (skip_space() && *at_ == '.') {
      ++at_;
      const std::string_view part = word();
      if (part == "align") symbol.alignment = std::clamp<std::int64_t>(small_number(1), 1, 1 << 20);
      else if (part == "v2" || part == "v4") element *= part[1] - '0';
      else if (part == "attribute") skip_brackets();
      else if (const int bits = type_bits(part)) element *= std::max(bits / 8, 1);
      element = std::min(element, most_element);
    }
    symbol.alignment = std::max(symbol.alignment, element);
    do {
      variable(symbol, Bytes{element});
    } while (stop == ';' && take(','));
    if (stop == ';' && !require(';')) skip_past(';');
  }

  void variable(PtxSymbol symbol, Bytes element) {
    skip_space();
    symbol.line = line_;
    symbol.name = word();
    if (symbol.name.empty()) return add_missing("a name");
    std::int64_t count = 1;
    bool is_open = false;
    while (take('[')) {
      if (is_next(']')) is_open = true;
      else if (const std::int64_t extent = small_number(0); count > 0)
        count = extent > most_elements / count ? most_elements : count * extent;
      require(']');
    }
    if (take('=')) skip_initializer();
    if (!is_open) symbol.bytes = Bytes{count * element.count};
    new_symbol(symbol, scopes_.back());
    if (symbol.space == PtxSpace::shared) {
      const auto id = static_cast<std::uint32_t>(module_.symbols.size() - 1);
      if (kernel_ != nullptr) kernel_->shared.push_back(id);
      else shared_.push_back(id);
    }
  }

  void skip_brackets() {
    if (take('(')) skip_past(')');
  }

  void skip_initializer() {
    if (take('{')) return skip_past('}');
    while (skip_space() && *at_ != ',' && *at_ != ';' && *at_ != '}') ++at_;
  }

  void registers() {
    int bits = 32;
    bool is_vector = false;
    while (skip_space() && *at_ == '.') {
      ++at_;
      const std::string_view part = word();
      if (const int type = type_bits(part)) bits = type;
      is_vector = is_vector || part == "v2" || part == "v4";
    }
    do {
      const std::string_view name = word();
      if (name.empty()) {
        add_missing("a name");
        break;
      }
      if (take('<')) {
        scopes_.back().ranges.push_back({name, whole_number().value_or(0), bits});
        require('>');
      } else if (is_vector) {
        bind(name, {}, scopes_.back());  // what a vector holds is not followed
      } else {
        new_register(name, bits, scopes_.back());
      }
    } while (take(','));
    if (!require(';')) skip_past(';');
  }

  // file line column, and where an inlined function was called: the innermost is what the author wrote.
  void source_place() {
    source_.file = static_cast<std::uint32_t>(small_number(0));
    source_.line = static_cast<std::uint32_t>(small_number(0));
    small_number(0);
    while (take(',')) {  // function_name $L__info_string0+16, inlined_at 1 112 5
      word();
      if (skip_space() && begins_name(*at_)) word();
      if (take('+')) whole_number();
      while (skip_space() && is_digit(*at_)) whole_number();
    }
  }

  void file_name() {
    const auto number = static_cast<std::size_t>(small_number(0));
    const std::string_view name = quoted_text();
    if (number < 4096) {
      if (module_.files.size() <= number) module_.files.resize(number + 1);
      module_.files[number] = name;
    }
    while (take(',')) whole_number();
  }

  void read_top() {
    if (*at_ != '.') return skip_words();
    ++at_;
    const std::string_view directive = word();
    if (directive == "visible" || directive == "extern" || directive == "weak" || directive == "common") {
      is_extern_ = directive == "extern";
      return;
    }
    const bool is_extern = std::exchange(is_extern_, false);
    const PtxSpace space = space_of(directive);
    if (directive == "target") read_target();
    else if (directive == "file") file_name();
    else if (directive == "entry" || directive == "func") read_kernel(directive == "entry");
    else if (directive == "section") skip_section();
    else if (directive == "alias") read_alias();
    else if (directive == "version" || directive == "address_size") skip_version();
    else if (space != PtxSpace::other) variables(space, is_extern, ';');
    else skip_line();
  }

  // The words of cuobjdump around the PTX, and lines of a preprocessor. A line that ends as one of PTX does is no such.
  void skip_words() {
    const char* first = at_;
    const std::string_view next = next_text();
    skip_line();
    std::string_view line(first, static_cast<std::size_t>(at_ - first));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
    if (!target_.empty() && *first != '#' && std::string_view(";{},").find(line.back()) != std::string_view::npos)
      add_syntax_error(quoted(next) + " is in no kernel");
  }

  void read_target() {
    skip_space();
    target_ = word();
    while (take(',')) word();
  }

  void read_alias() {
    const std::string_view name = word();
    take(',');
    module_.aliases[name] = word();
    require(';');
  }

  // 8.5
  void skip_version() {
    skip_space();
    take_while([](char c) { return is_digit(c) || c == '.'; });
  }

  void skip_section() {
    skip_past('{');
    skip_past('}');
    take('}');
  }

  void parameters() {
    if (!take('(')) return;
    while (skip_space() && *at_ != ')' && *at_ != '{' && *at_ != '}') {
      const bool is_param = take('.') && space_of(word()) == PtxSpace::param;
      if (is_param) variables(PtxSpace::param, false, ',');
      else skip_operand();  // the register of a function
      if (!take(',') && !is_next(')')) {
        add_missing("',' or ')'");
        if (at_ != end_ && *at_ != '{' && *at_ != '}') ++at_;
      }
    }
    require(')');
  }

  // ".b32 %r1" of the parameter ".reg .b32 %r1"
  void skip_operand() {
    while (take('.')) word();
    word();
  }

  void read_kernel(bool is_entry) {
    PtxKernel kernel{.target = target_, .is_entry = is_entry, .line = line_};
    kernel_ = nullptr;
    scopes_.emplace_back();
    if (!is_entry && is_next('(')) parameters();  // the result
    kernel.name = word();
    parameters();
    kernel_directives(kernel);
    if (!take('{')) {  // a declaration
      if (!take(';')) add_missing("'{' or ';'");
      close_scope();
      return;
    }
    kernel.shared = shared_;
    kernel.first_operand = static_cast<std::uint32_t>(module_.operands.size());
    kernel_ = &kernel;
    source_ = {};
    statements();
    kernel_ = nullptr;
    kernel.end_operand = static_cast<std::uint32_t>(module_.operands.size());
    scopes_.front().open.clear();
    open_names_.clear();
    unresolved_.clear();
    module_.kernels.push_back(std::move(kernel));
  }

  // Up to three numbers with commas between them.
  std::array<std::int64_t, 3> extents(std::int64_t most) {
    std::array<std::int64_t, 3> out = {1, 1, 1};
    for (std::int64_t& extent : out) {
      extent = std::clamp<std::int64_t>(small_number(1), 1, most);
      if (!take(',')) break;
    }
    return out;
  }

  // .reqntid, .maxntid and those of clusters, between the parameters and the body.
  void kernel_directives(PtxKernel& kernel) {
    constexpr std::int64_t most_threads = 1024, most_ctas = 64;
    while (skip_space() && *at_ == '.') {
      ++at_;
      const std::string_view directive = word();
      if (directive == "reqntid" || (directive == "maxntid" && !kernel.threads)) {
        kernel.threads = extents(most_threads);
        kernel.threads_are_most = directive == "maxntid";
      } else if (directive == "reqnctapercluster") {
        const auto [x, y, z] = extents(most_ctas);
        kernel.cluster.shape = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
        kernel.cluster.most = kernel.cluster.shape->size();
      } else if (directive == "maxclusterrank") {
        if (!kernel.cluster.shape) kernel.cluster.most = static_cast<int>(extents(most_ctas)[0]);
      } else if (directive == "pragma") {
        skip_pragma();
      } else {
        while (skip_space() && (is_digit(*at_) || *at_ == 'W') && whole_number() && take(',')) {  // .maxnreg 32
        }
      }
    }
  }

  // The body, to its closing brace.
  void statements() {
    for (int depth = 1; depth > 0;) {
      if (!skip_space())
        throw Error("the kernel " + quoted(kernel_->name) + " of line " + std::to_string(kernel_->line) +
                        " does not end: its '}' is missing",
                    "the text was cut; give the whole file");
      if (take('{')) {
        require_within(limits::ptx_nesting, ++depth);
        scopes_.emplace_back();
      } else if (take('}')) {
        --depth;
        close_scope();
      } else {
        statement();
      }
    }
  }

  void statement() {
    if (*at_ == '.') return directive();
    if (*at_ == '#') return skip_line();
    if (take(';')) return;
    PtxInstruction instruction{.line = line_, .source = source_};
    if (take('@')) {
      instruction.guard_negated = take('!');
      skip_space();
      const PtxOperand guard = operand(0, false);
      instruction.guard = guard.kind == PtxOperandKind::reg ? guard.id : new_register("?", 1, scopes_.front()).id;
      skip_space();
      instruction.line = line_;
    }
    instruction.opcode = instruction.written = opcode();
    if (instruction.opcode.empty()) {
      add_missing("an instruction");
      if (at_ != end_) ++at_;
    } else if (take(':')) {
      const auto next = static_cast<std::uint32_t>(kernel_->instructions.size());
      scopes_.back().labels[instruction.opcode] = next;
      kernel_->labels.push_back(next);
    } else {
      operands(instruction);
      kernel_->instructions.push_back(instruction);
    }
  }

  std::string_view opcode() {
    const char* first = at_;
    while (at_ != end_ &&
           (is_name(*at_) || *at_ == '.' || *at_ == '%' || (*at_ == ':' && at_ + 1 != end_ && at_[1] == ':')))
      at_ += *at_ == ':' ? 2 : 1;
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  void operands(PtxInstruction& instruction) {
    std::vector<PtxOperand> all;
    is_branch_ = instruction.is("bra") || instruction.is("brx") || instruction.is("call");
    while (skip_space() && *at_ != ';' && *at_ != '}') all.push_back(whole_operand(';', 0));
    require(';');
    if (instruction.opcode.starts_with("mov.v4") && all.size() == 2) spread_special(all[1]);
    is_branch_ = false;
    const PtxOperand list = gathered(PtxOperandKind::list, all);
    instruction.operand = list.part;
    instruction.operands = list.parts;
  }

  // %tid as {%tid.x, %tid.y, %tid.z, %tid.w}.
  void spread_special(PtxOperand& operand) {
    static constexpr std::string_view parts[][4] = {{"%tid.x", "%tid.y", "%tid.z", "%tid.w"},
                                                    {"%ntid.x", "%ntid.y", "%ntid.z", "%ntid.w"},
                                                    {"%ctaid.x", "%ctaid.y", "%ctaid.z", "%ctaid.w"},
                                                    {"%nctaid.x", "%nctaid.y", "%nctaid.z", "%nctaid.w"}};
    if (operand.kind != PtxOperandKind::symbol) return;
    for (const auto& all : parts) {
      if (module_.symbols[operand.id].name != all[0].substr(0, all[0].size() - 2)) continue;
      std::vector<PtxOperand> list;
      for (const std::string_view name : all) list.push_back(find_name(name).value_or(PtxOperand{}));
      operand = gathered(PtxOperandKind::list, list);
      return;
    }
  }

  void directive() {
    ++at_;
    const std::string_view name = word();
    if (name == "reg") return registers();
    if (name == "loc") return source_place();
    if (name == "file") return file_name();
    if (name == "branchtargets") {
      const auto label = static_cast<std::uint32_t>(kernel_->instructions.size());
      kernel_->branch_targets.push_back({label, list_operand(';', 0)});
      return;
    }
    if (name == "calltargets") {
      list_operand(';', 0);
      return;
    }
    if (name == "callprototype") return skip_prototype();
    if (name == "pragma") return skip_pragma();
    if (const PtxSpace space = space_of(name); space != PtxSpace::other)
      return variables(space == PtxSpace::param ? PtxSpace::other : space, false, ';');
    skip_past(';');
  }

  // "nounroll", "frequency 5";
  void skip_pragma() {
    do quoted_text();
    while (take(','));
    require(';');
  }

  // (.param .b32 _) _ (.param .b64 _) .noreturn;
  void skip_prototype() {
    skip_brackets();
    word();
    skip_brackets();
    while (take('.')) {
      word();
      small_number(0);
    }
    if (!require(';')) skip_past(';');
  }

  std::string_view target_;
  bool is_extern_ = false;
  SourcePlace source_;
  std::vector<std::uint32_t> shared_;
};

}  // namespace

PtxModule read_ptx(std::string text) {
  require_within(limits::ptx_bytes, static_cast<std::int64_t>(text.size()));
  PtxModule module;
  module.text = std::make_shared<const std::string>(std::move(text));
  PtxReader(module).read();
  return module;
}

}  // namespace swz
