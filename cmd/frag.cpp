// SPDX-License-Identifier: Apache-2.0
// swz frag NAME: which element of the matrix each thread holds in which register.
#include "base/error.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "fragment/fragment.hpp"
#include "fragment/instruction_text.hpp"
#include "highlight.hpp"
#include "operand_request.hpp"
#include "point_request.hpp"
#include "scaled_fragment_request.hpp"
#include "tmem_fragment_request.hpp"
#include "view/dialect/translate.hpp"
#include "view/fragment/fragment.hpp"
#include "view/fragment/register_layout.hpp"

namespace swz {
namespace {

using Panels = FragmentDrawing::Panels;

struct Request {
  std::string name;
  const DType *dtype = nullptr, *accumulator = nullptr;
  std::optional<Operand> operand;
  FragmentColors colors = FragmentColors::thread;
  std::string highlight;  // what may be named depends on the fragment
  PointQuery query;
  Panels panels = Panels::few_registers;
  bool list = false, whole_tables = false;
  TmemFragmentRequest tmem;
  ScaledFragmentRequest scaled;
  std::optional<ShapeText> shape;  // of a register layout in another notation
};

Options options_of(Request& r) {
  return Options{argument("NAME", r.name, "instruction: mma.m16n8k16, a line of PTX or SASS, a CUTLASS atom"),
                 dtype_option(r.dtype, "element type of A and B"),
                 one_of<Operand>("--operand", "OPERAND", r.operand,
                                 {{"a", Operand::a},
                                  {"b", Operand::b},
                                  {"c", Operand::c},
                                  {"d", Operand::d},
                                  {"e", Operand::e},
                                  {"sfa", Operand::sfa},
                                  {"sfb", Operand::sfb}},
                                 "show one operand; e: metadata of a sparse A; sfa, sfb: scale factors of A and B")
                     .by_default_note("all that are in registers"),
                 option("--accumulator", "TYPE", r.accumulator, "element type of C and D")
                     .offering(names_of(dtypes()))
                     .by_default_note("the widest"),
                 one_of<FragmentColors>("--color-by", "WHAT", r.colors,
                                        {{"thread", FragmentColors::thread},
                                         {"value", FragmentColors::value},
                                         {"register", FragmentColors::reg},
                                         {"column", FragmentColors::column}},
                                        "meaning of the colours")
                     .by_default("thread"),
                 option("--highlight", "WHAT", r.highlight,
                        "mark elements: 'lanes 0-3; rows 0-7; values 0,1' (also columns, threads, registers)"),
                 one_of<Panels>("--panels", "PANELS", r.panels,
                                {{"both", Panels::both}, {"matrix", Panels::matrix}, {"registers", Panels::registers}},
                                "which panels of one operand are drawn")
                     .by_default_note("both; in a picture the registers of at most 16 values"),
                 option("--shape", "RxC", r.shape, "shape of the array of a register layout that is not an instruction")
                     .in("elements"),
                 flag("--table", r.whole_tables, "draw large matrices in full, also in text"),
                 flag("--list", r.list, "list all names, or those of the family NAME")} +
         fragment_point_options(r.query) + scaled_fragment_options(r.scaled) + tmem_fragment_options(r.tmem);
}

std::string name_of(const DType* dtype) { return dtype == nullptr ? std::string() : std::string(dtype->name); }

// The request with the name of PTX, and how the pasted text is read.
struct PastedRequest {
  Request request;
  std::string reading;
};

PastedRequest read_pasted(Request r) {
  const auto said = read_instruction(r.name);
  if (!said) return {std::move(r), ""};
  if (said->kind != nullptr)
    throw usage_error(fmt::format("{} is {}: it has no operand in registers", swz::quoted(said->written), said->name),
                      fmt::format("D lies in tensor memory: swz tmem d --m {} --n {}", said->shape->m, said->shape->n));
  const bool is_a_shared = said->a_place == OperandPlace::shared_memory;
  if (is_a_shared && r.operand == Operand::a)
    throw usage_error(fmt::format("A of {} lies in shared memory", swz::quoted(said->written)),
                      fmt::format("swz map WORD --mma {} --operand a shows its bytes", to_string(*said->shape)));
  if (is_a_shared && !r.operand) r.operand = Operand::d;
  r.name = said->name;
  r.scaled.take(said->scales);
  return {std::move(r), said->reading()};
}

// A register layout in the notation of another project.
Answer register_layout_answer(const Request& r, const DialectText& of) {
  Reading reading = read_layout(of.text, {r.shape ? r.shape->extents : ArrayShape(), r.dtype}, of.from);
  const auto* form = std::get_if<RegisterForm>(&reading.form);
  if (form == nullptr)
    throw usage_error(fmt::format("the layout lies in {}, not in registers", place_of(reading.form)),
                      "swz translate and swz layout show it");
  return {view_register_layout(*of.from, *form, std::move(reading.notes))};
}

Answer answer_of(const Request& r, const Context& context) {
  if (const DialectText of = dialect_text(r.name); !of.is_cute()) return register_layout_answer(r, of);
  if (r.shape) throw usage_error(fmt::format("{} has its own shape", swz::quoted(r.name)), "leave --shape out");
  if (r.name.empty() && !r.list)
    throw usage_error("no instruction given", "for example ldmatrix.x4.trans or mma.m16n8k16; --list shows all names");
  if (r.list) return {view_fragment_list(r.name)};
  const bool is_tmem = lower_case(r.name).starts_with("tcgen05");
  if (!is_tmem && !r.tmem.empty())
    throw usage_error(
        fmt::format("{} has no tensor memory", swz::quoted(r.name)),
        "--thread, --lane, --split-offset, --of and --map are for tcgen05.ld and st; --at ROW,COLUMN, --at T5,R1 "
        "and --at T5 are for all");
  FragmentRequest wanted{r.name, name_of(r.dtype), r.operand, name_of(r.accumulator), r.tmem.split_offset};
  r.scaled.give_to(wanted);
  const std::vector<Fragment> fragments = find_fragments(wanted);
  PointQuery query = r.query;
  if (r.tmem.thread && !r.tmem.reg) query.registers.push_back({*r.tmem.thread});
  const FragmentDrawing drawing{r.colors, parse_highlight(r.highlight, highlight_kinds(fragments)), query,
                                r.whole_tables ? FragmentDrawing::Extent::whole : FragmentDrawing::Extent::corner,
                                r.panels};
  if (is_tmem) {
    Document document = view_tmem_fragment(tmem_fragment_view(r.name, r.tmem), context.arch, drawing);
    const bool has = has_lints(document);
    return {std::move(document), 0, has};
  }
  return {view_fragments(fragments, context.arch, drawing), 0, lacks(context.arch, fragments.front())};
}

Answer answer(const Request& r, const Context& context) {
  if (r.list) return answer_of(r, context);
  const auto [request, reading] = read_pasted(r);
  Answer out = answer_of(request, context);
  std::vector<Block>& blocks = out.document.blocks;
  if (!reading.empty()) blocks.insert(blocks.begin(), Field{"read_as", "read as", reading});
  return out;
}

}  // namespace

Commands frag_commands() {
  return {{.name = "frag",
           .summary = "which thread holds which element of a matrix, in which register",
           .details = R"(Shows the register fragment of ldmatrix, stmatrix, movmatrix, mma.sync, wgmma,
tcgen05.ld or tcgen05.st: the matrix with the thread (T) and value (V) of each
element, the registers of each thread with the row and column of each value,
both as formulas and as CuTe's TV layout and its inverse.

A register layout in another notation (swz translate --list) is shown as a TV
layout, with the instruction whose fragment it is.

NAME is the shape, the full name of the instruction in PTX, a whole line of PTX
or SASS, or a CUTLASS atom. Without --operand all matrices that are in registers
are shown: B above D, A to the left of D. With --arch, a target without the
instruction is a lint.

A block-scaled mma.sync has scale factors, sfa (M x blocks) and sfb (blocks x
N): the byte and the lane of each, as byte-id and thread-id select them. In a
sparse MMA the columns of A are its kept elements, and e has their indices.

For tcgen05.ld and st, rows are lanes of tensor memory, starting at the address,
and columns have 32 bits. --of gives the accumulator that lies there, in the
words of swz tmem d, and where in it the access begins: cta C, warp W, lane 0 or
16 of the warp's quarter, at COLUMN. The registers then show elements of D.)",
           .examples = {{"swz frag ldmatrix.x4.trans", "with the lane that supplies the address of each row"},
                        {"swz frag mma.m16n8k16 --dtype bf16 --operand a", "one operand"},
                        {"swz frag mma.m16n8k8 --dtype bf16 -o frag.svg", "A, B and C as CuTe draws them"},
                        {"swz frag mma.m16n8k16 --dtype bf16 --at T5,R1", "what one register holds"},
                        {"swz frag mma.m16n8k32 --dtype e2m1 --operand a --at T22", "all that a thread holds"},
                        {"swz frag mma.m16n8k64 --kind mxf4nvf4 --scale-vec 4X --sfa-ids 0,1 --at 11,37",
                         "an element of A, and the lane that has its scale factor"},
                        {"swz frag tcgen05.ld.16x256b.x4 --thread 13 --register 11", "one register of a load"},
                        {"swz frag tcgen05.ld.32x32b.x8 --of 'm 64 n 128 warp 1'", "which elements of D it loads"},
                        {"swz frag --list wgmma", "the names of a family"}},
           .next = {{"Which thread has which element?", "frag {NAME} {--dtype,--kind,--scale-vec}"},
                    {"How does B lie?", "frag {NAME} {--dtype,--kind,--scale-vec} --operand b"},
                    {"Which elements has thread 5?", "frag {NAME} {--dtype,--kind,--scale-vec,--operand} --at T5"},
                    {"How does a tile get into these registers?",
                     "story {?registers} --arch sm_80 {--dtype} --tile 64x64"}},
           .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
