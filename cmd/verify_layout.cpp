// swz verify layout LAYOUT: where the elements of any layout lie, asked of the GPU.
#include "base/error.hpp"
#include "hardware_request.hpp"
#include "operand_request.hpp"
#include "view/verify_one.hpp"

namespace swz {
namespace {

struct Request {
  LayoutText layout;
  TileRequest tile;  // its type, major and base
  std::vector<AccessText> accesses;
  HardwareRequest hardware;
};

Options options_of(Request& r) {
  return Options{
             argument("LAYOUT", r.layout, "a layout of rank 2, (MN,K), in CuTe's notation").required(),
             dtype_option(r.tile.dtype).by_default("f16").noting(r.tile.has_dtype),
             option("--major", "MAJOR", r.tile.major, "contiguous dimension")
                 .offering({"k", "mn"})
                 .by_default_note("that of the layout")
                 .noting(r.tile.has_major),
             option("--base", "ADDRESS", r.tile.base, "address of index 0 in shared memory").by_default("0x800"),
             option("--access", "ACCESS", r.accesses, "these, and TMA and wgmma: 'ld.shared.b32 columns'")
                 .repeated(limits::accesses)
                 .by_default_note("every instruction")} +
         hardware_options(r.hardware);
}

LayoutOperand operand_of(const Request& r, const Target& target) {
  const ComposedLayout& layout = r.layout.layout;
  const bool has_type = r.tile.has_dtype || !layout.has_pointer() || layout.element_bits() == 16;
  const DType& dtype = has_type ? *r.tile.dtype : require_dtype(fmt::format("u{}", layout.element_bits()));
  const Bytes base = r.tile.base.bytes;
  return {.layout = layout,
          .target = &target,
          .dtype = &dtype,
          .major = Placement(layout, dtype.memory_bits, base, major_of(r.tile)).major(),
          .base = base};
}

std::vector<LayoutQuestion> questions_of(const Request& r, const Target& target) {
  std::vector<Access> accesses;
  for (const AccessText& text : r.accesses)
    accesses.insert(accesses.end(), text.accesses.begin(), text.accesses.end());
  std::vector<LayoutQuestion> out =
      layout_questions(operand_of(r, target), accesses.empty() ? accesses_on(target) : accesses);
  for (const LayoutQuestion& question : out)
    if (!question.plans.empty()) return out;
  throw Error("the layout cannot be asked: " + out.back().reason, "swz place shows where its elements lie");
}

// What cannot be placed is said before the GPU is looked for.
void validate(const Request& r) { operand_of(r, default_target()); }

Answer answer(const Request& r, const Context& context) {
  std::vector<LayoutQuestion> questions;
  const Target* asked = nullptr;
  const SuiteFor suite = [&](const Target& target) {
    asked = &target;
    questions = questions_of(r, target);
    std::vector<ProbePlan> plans;
    for (const LayoutQuestion& question : questions)
      plans.insert(plans.end(), question.plans.begin(), question.plans.end());
    return Suite{{"layout", std::move(plans)}};
  };
  if (std::optional<Answer> found = without_hardware(suite, r.hardware, context)) return *found;
  const VerifyAnswer seen = ask_hardware(suite, r.hardware, context, true);
  return {view_verified_layout(operand_of(r, *asked), questions, seen.report, seen.seen),
          seen.report.is_confirmed() ? 0 : 1};
}

}  // namespace

Command verify_layout_command() {
  return {.name = "verify layout",
          .summary = "where the elements of any layout lie, asked of the GPU; exit 1 when it differs",
          .details = R"(Asks everything that can be asked of a layout of rank 2, and says what cannot:
the TMA boxes of swz tma plan --layout put its elements into shared memory, the
words of swz desc --from let wgmma read them, and ld.shared, st.shared,
ldmatrix, stmatrix and cp.async access them by the addresses of swz banks. Each
element must lie where the layout says, and each access must take as many
wavefronts as swz banks counts, by the clock of the SM.

TMA and wgmma need an sm_90 GPU, the accesses any GPU from sm_75 on. On a
mismatch a figure shows the elements that lie elsewhere. swz verify --only
layout asks layouts at random.)",
          .examples = {{"swz verify layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)'", "a swizzled tile"},
                       {"swz verify layout '(32,33):(33,1)' --dtype f32 --access 'ld.shared.b32 columns'",
                        "a padded transpose"}},
          .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
