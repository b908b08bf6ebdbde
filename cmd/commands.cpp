#include "command.hpp"

namespace swz {

// Lines of details have at most 80 columns, so that help reads well in a pipe too.
const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"decode",
       "what a descriptor word says, and what is wrong with it",
       R"(Reads 64-bit shared-memory descriptors (wgmma, tcgen05) and 32-bit tcgen05
instruction descriptors: every field with its bits, its raw value, its value
with a unit, and lints with a way out.

Without --arch the word itself decides which format it is; where both can be
read, both are shown. Two words are also compared field by field.)",
       define_decode,
       {{"swz decode 0x4000004000010042", "the fields and lints of a wgmma descriptor"},
        {"swz decode 0x4000404000010042 --arch sm_100a", "a tcgen05 descriptor"},
        {"swz decode --as idesc --kind f16 0x08200490", "a 32-bit instruction descriptor"}}},
      {"map",
       "the bytes an MMA reads through a descriptor; exit 1 when a tile lies elsewhere",
       R"(Shows the address, the line and the bank of every 16-byte chunk of one operand
of an MMA, read through a 64-bit shared-memory descriptor; bytes that are read
twice and addresses beyond shared memory are lints.

--against says whether these are the bytes where a tile or a layout put the
elements: the first element that is not, how many, and which single mistake
explains all of them (LBO and SBO swapped, bytes without >> 4, another mode,
base offset, major, stacking order, block, a swizzle in the wrong unit, ...).
The tile is written with its options in one word, a layout in CuTe's notation;
--dtype, --major, --slots and --base outside hold for it too.)",
       define_map,
       {{"swz map 0x4000004000010042 --arch sm_90a --mma m64n16k16 --operand a", "the bytes of A, K-major f16"},
        {"swz map 0x4000004000010042 --against '--tile 128x64 --swizzle 128B --base 0x400'",
         "are these the bytes of a k step of that tile?"},
        {"swz map 0x40 --against 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)' --mma 8x16 --base 0x400",
         "the same of a layout"}}},
      {"phase",
       "what a tile means that does not begin where its swizzle pattern does",
       R"(The hardware swizzles by the absolute address. A tile whose base is no
multiple of the pattern is read right by TMA and an MMA with base offset 0, and
wrong by whoever counts from the beginning of the tile: this says how many
bytes, which base offset of the descriptor repairs data that was written so,
and where the nearest aligned addresses are.)",
       define_phase,
       {{"swz phase --swizzle 64B --base 0x680", "a tile 128 B behind the beginning of its pattern"},
        {"swz phase --swizzle 128B --base 0x480 --dtype bf16 --tile 64x64", "the wrong bytes of a tile"}}},
      {"layout",
       "the value, the properties and the table of a layout expression",
       R"(Evaluates a layout in CuTe's notation, or an expression over layouts with
CuTe's function names, and shows size, cosize, whether it is injective,
bijective and contiguous, and its table.

Several expressions are compared side by side.)",
       define_layout,
       {{"swz layout '(8,64):(64,1)'", "a row-major tile"},
        {"swz layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'", "the same tile, swizzled"},
        {"swz layout 'complement(4:2, 24)' -f json", "one value for a program"}}},
      {"diff",
       "whether two layouts are the same function; exit 1 when not",
       R"(Compares two layouts coordinate by coordinate and shows the first one where
they differ, with both values. Layouts that are equal after a change of units
(bytes and elements) are recognised.)",
       define_diff,
       {{"swz diff '(8,8):(8,1)' '64:1'", "the first coordinate where they differ"}}},
      {"swizzle explain",
       "which bits a swizzle moves, in every form it is written",
       R"(Shows a swizzle on bytes, on element indices and on 16-byte chunks, its
period, its chunk table and the equal C expression.)",
       define_swizzle_explain,
       {{"swz swizzle explain 3,4,3 --dtype tf32", "the 128-byte swizzle on 4-byte elements"}}},
      {"arch",
       "the facts behind the answers: types, targets, swizzle modes, formats",
       R"(Prints what swz knows about the hardware, each row with its source and how
far it can be trusted.)",
       define_arch,
       {{"swz arch", "all tables"}}},
      {"batch",
       "answer many command lines, one JSON object a line",
       R"(Reads one command line a line from FILE, or from standard input when FILE is
-, and writes one JSON object a line: {"exit":0,"result":{...}} or
{"exit":2,"error":{"message":"...","hint":"..."}}.

A line is written as in a shell (quotes and backslashes; nothing is expanded)
or as a JSON array of words. Every line with a word on it gets exactly one
answer, in order; empty lines and # comments get none. An error in one line
does not stop the rest. Answers are written as soon as no further line is
waiting, so that a program can hold a conversation.

--arch and --strict given to batch hold for every line. The exit status is 0
when all lines were answered; with --strict it is 1 when one of them did not
exit with 0.)",
       define_batch,
       {{R"(printf '%s\n' "layout '(8,64):(64,1)'" 'decode 0x42' | swz batch -)", "two answers"}}},
  };
  return table;
}

}  // namespace swz
