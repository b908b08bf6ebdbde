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
read, both are shown. Two words are also compared field by field.

A tensor map (CUtensorMap) is read from its 128 bytes: 256 hexadecimal digits in
memory order, or what cuda-gdb prints for x/16gx or x/32wx, as one argument.

@FILE stands for what a file holds (@- for standard input): a tensor map, or
words, one in each line; # begins a comment.)",
       define_decode,
       {{"swz decode 0x4000004000010042", "the fields and lints of a wgmma descriptor"},
        {"swz decode 0x4000404000010042 --arch sm_100a", "a tcgen05 descriptor"},
        {"swz decode --as idesc --kind f16 0x08200490", "a 32-bit instruction descriptor"},
        {"swz decode @dump.txt", "a tensor map from a file, or words"}}},
      {"desc",
       "the descriptors of a tile, or of a layout; exit 1 when there are none",
       R"(Makes the 64-bit shared-memory descriptors (wgmma, tcgen05) by which MMAs read
an operand tile: LBO and SBO with their derivation, and one word for each MMA.
Of a tile K is taken in steps of one MMA, M or N in blocks of its rows.

--from takes a layout in CuTe's notation instead of a tile. It stands for the
mode of its swizzle, for mode none without one. Where no word reads it, the
answer is the reason, what each mode would need, and the nearest tile that has
words; the exit code is 1.

--emit cuda prints a device function that makes the words from the tile's
address.)",
       define_desc,
       {{"swz desc --dtype f16 --tile 128x64 --major k --swizzle 128B --base 0x400", "one word for each MMA"},
        {"swz desc --arch sm_100a --dtype bf16 --tile 256x64 --mma m128n256k16 --operand b", "B of an instruction"},
        {"swz desc --dtype f16 --major mn --from '(16,64):(1,16)'", "why a layout has no descriptor"},
        {"swz desc --dtype f16 --tile 128x64 --emit cuda", "the words as a device function"}}},
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
      {"place",
       "where every chunk of a tile or layout lies in shared memory, as a picture",
       R"(Draws an operand as its rows and k, and beside it the lines of shared memory
by banks, with the same numbers and colours. A chunk is 16 bytes; chunks are
numbered in GMEM order: row by row when K-major, k by k when MN-major.

--beside adds the same operand in another mode, in another layout, or 'linear',
line after line without a swizzle. --highlight marks rows and ks (their
rectangle), chunks, or what lanes of ldmatrix read, counts the wavefronts, and
crosses chunks that share banks with another of their eight lanes: rectangles
are read 8 lines x 16 bytes at a time, chunks eight at a time in the order
given, and lane j reads line j % 16 in chunk column j / 16.

No descriptor is asked for: any tile of whole atoms and any layout of rank 2
that lies inside shared memory can be placed.)",
       define_place,
       {{"swz place --dtype bf16 --tile 8x64 --major k --swizzle 128B", "one atom"},
        {"swz place --dtype bf16 --tile 8x16 --swizzle 32B --beside linear --highlight 'ks 0-7'",
         "why one swizzles: the wavefronts of one ldmatrix"},
        {"swz place --layout '(64,64):(64,1)' --dtype bf16 --cells element --label bank --color-by bank",
         "the bank of every element"}}},
      {"banks",
       "the bank conflicts of an access pattern: wavefronts, ideal, who collides",
       R"(Counts the wavefronts that shared memory needs for every warp instruction that
reads or writes an operand, beside the ideal: the same without collisions. The
worst instruction is shown lane by lane, with its banks. Conflicts are lints:
--strict makes the exit code 1.

ldmatrix and stmatrix walk the operand as a loop of MMAs does. ld.shared,
st.shared and cp.async go in rows, in columns, as GMEM is read (gmem), or by a
layout (thread,value) -> row + k * rows (--tv); 'transpose' writes rows and
reads columns. --access list names all of them.

--compare counts the same accesses in other placements: linear (line after
line, without a swizzle), Sw<B,M,S> on bytes over that, 'pad N' (N bytes after
each line), a swizzle mode (32B; none is core matrices), or a layout.

--lanes takes the addresses of one instruction instead.

The rule was measured on H200: it explains the profiler's counts of 2,750 of
2,750 patterns.)",
       define_banks,
       {{"swz banks --dtype bf16 --tile 128x64 --swizzle 128B --access ldmatrix.x4 --compare 'linear;pad 16'",
         "what a swizzle and padding are good for"},
        {"swz banks --layout '(32,32):(32,1)' --dtype f32 --access transpose", "write rows, read columns"},
        {"swz banks --layout '(16,8):(8,1)' --access ld.shared --tv '((4,8),(2,2)):((32,1),(16,8))'",
         "by a thread-value layout"},
        {"swz banks --access ld.shared.b128 --lanes 0,16,32,48,1024", "raw addresses, lane 0 first"}}},
      {"choose",
       "the swizzle mode to take for a tile, and why not a larger one",
       R"(Takes the largest swizzle mode that the target can read and whose atom divides
the tile: its line is what one GMEM request can fetch. For every mode it says
whether it fits, how many bytes a request has, and how many copies a 2-D tensor
map needs when the atoms follow each other along MN (mn-first) or K (k-first).

A TMA box is one atom wide and at most 256 lines high, and its lines follow
each other in shared memory without a gap.)",
       define_choose,
       {{"swz choose --dtype bf16 --tile 64x32 --major k", "64B: a row has 64 bytes"},
        {"swz choose --dtype tf32 --tile 128x32 --major mn --arch sm_100a",
         "tcgen05 reads this with one mode only"}}},
      {"swizzle explain",
       "which bits a swizzle moves, in every form it is written",
       R"(Shows a swizzle on bytes, on element indices and on 16-byte chunks, its
period, its chunk table and the equal C expression.)",
       define_swizzle_explain,
       {{"swz swizzle explain 3,4,3 --dtype tf32", "the 128-byte swizzle on 4-byte elements"}}},
      {"swizzle find",
       "the smallest swizzle that makes accesses conflict free; exit 1 when none does",
       R"(Takes an operand that lies line after line, or any layout without a swizzle,
and the accesses that must be conflict free over all of it; --access list of
swz banks names them. It tries every Swizzle<B,M,S> on bytes: fewest bits B
first, then the largest M, then the smallest S. M is at least the widest
access.

If none suffices, it looks for any linear map over GF(2) from address bits to
banks, or shows why there is none, the lanes that still collide, and the best
there is. The smallest padding of a line that is conflict free stands beside it,
with its cost.)",
       define_swizzle_find,
       {{"swz swizzle find --dtype f16 --tile 64x64 --reads ldmatrix.x4 --writes 'st.shared.b128 rows'",
         "Sw<3,4,3>"},
        {"swz swizzle find --dtype f32 --tile 32x32 --writes 'st.shared.b32 rows' --reads 'ld.shared.b32 columns'",
         "a transpose"}}},
      {"swizzle lint",
       "whether a C expression swizzles as the hardware does; exit 1 when inputs collide",
       R"(Judges a C expression of an address over a whole period: whether two inputs
collide, its period, whether 16-byte chunks stay whole, whether it is linear
over GF(2), and which hardware mode it is equal to: none, 32B, 64B, 128B or
128B_32B. Else it shows the first address where the nearest mode differs.

An expression in addr goes from bytes to bytes, or from elements of --dtype to
elements. One in row and col, with --rows and --cols, gives the index of an
element; it is compared with the canonical tiles. Operators and precedence are
C's; numbers are unsigned with 64 bits.

The exit code is 1 when two inputs collide, or when addresses leave their
block; a layout of rows and columns may have gaps.)",
       define_swizzle_lint,
       {{"swz swizzle lint 'addr ^ ((addr >> 3) & 0x70)'", "mode 128B on bytes"},
        {"swz swizzle lint 'i ^ (((i >> 4) & 7) ^ ((i >> 7) & 7)) << 4' --var i", "not a permutation"},
        {"swz swizzle lint 'row*64 + ((col/8 ^ row%8)*8 + col%8)' --rows 128 --cols 64 --dtype f16",
         "a tile of f16"}}},
      {"frag",
       "which thread holds which element of a matrix, in which register",
       R"(Shows the register fragment of ldmatrix, stmatrix, movmatrix, mma.sync or
wgmma: the matrix with the thread (T) and value (V) of each element, the
registers of each thread with the row and column of each value, both as
formulas and as CuTe's TV layout and its inverse.

The name is that of the shape, or all that PTX writes. Without --operand all
matrices that lie in registers are shown, B above D, A to the left of it. With
--arch a target that lacks the instruction gets a lint.)",
       define_frag,
       {{"swz frag ldmatrix.x4.trans", "with the lane that supplies the address of each row"},
        {"swz frag mma.m16n8k16 --dtype bf16 --operand a", "one operand"},
        {"swz frag mma.m16n8k8 --dtype bf16 -o frag.svg", "A, B and C as CuTe draws them"},
        {"swz frag --list wgmma", "the names of a family"}}},
      {"tiles",
       "how a CTA tile is cut into MMAs",
       R"(Cuts the tile M x N x K of a CTA into the MMA tiles that one MMA reads and
writes: how many MMAs there are, and a figure to scale of A, B and C. MMA tiles
of A and B with the same k-step have the same colour; an MMA adds one of A
times one of B to one of C.

The shape must be one that the target has for the element type (default
target: sm_90a): mma.sync, wgmma or tcgen05.mma.)",
       define_tiles,
       {{"swz tiles --tile 256x256x64 --mma m128n256k16 --arch sm_100a", "8 MMAs"},
        {"swz tiles --tile 128x128x64 --mma m64n128k16 --highlight 'm-block 0; k-step 2'",
         "the MMAs of one step"}}},
      {"verify",
       "ask the GPU: compare probes with what swz predicts; exit 1 when it differs",
       R"(Launches small kernels on the GPU, each of which executes one instruction on
position codes, and compares where every element came from with what swz
predicts: wgmma operands by descriptor, and more with every probe of the table.

Needs an NVIDIA driver and NVRTC, found in the usual places or, as files, by
SWZ_LIBCUDA and SWZ_NVRTC; without them it says which is missing and exits with
3. --replay compares a recording instead, --compile-only and --emit-kernel need
no GPU.

A probe that cannot fail proves nothing: --planted NAME replaces swz's model by
one with a mistake, which must not be confirmed. Of operands: strides-swapped,
base-offset-added, mask-off-by-one, relative-xor, wrong-fragment,
wrong-identity. Of TMA: rows-packed, documented-rules. Of wavefronts:
no-pairing, stores-pair, pairs-at-any-distance, pairs-by-group,
idle-lanes-disagree, groups-of-32, no-broadcast.)",
       define_verify,
       {{"swz verify", "the suite for this GPU"},
        {"swz verify --quick --only wgmma", "a few seconds"},
        {"swz verify --replay tests/data/h200.jsonl", "what an H200 said, compared again"},
        {"swz verify --compile-only --arch sm_90a", "do the kernels compile?"}}},
      {"verify tma",
       "confirm on the GPU at hand where boxes land, what is refused, and the 128 bytes",
       R"(The probes tma and tensor-map of swz verify: random boxes of rank 1 to 5 are
loaded and compared byte for byte with swz tma place, fills and gaps included;
random arguments go to cuTensorMapEncodeTiled, and its verdicts and bytes are
compared with swz tma check and swz tma encode.)",
       define_verify_tma,
       {{"swz verify tma", "some 600 loads and 5,000 verdicts"},
        {"swz verify tma --seed 2 --all", "ten times as many others"}}},
      {"verify tile",
       "one layout, end to end on the GPU; exit 1 when it differs",
       R"(Puts a tile into shared memory, by the TMA boxes that swz plans or by the
addresses of swz place, lets wgmma read it by the words of swz desc, and checks
that every element is where it should be. Needs an sm_90 GPU.

On a mismatch a figure shows the elements that came from elsewhere.)",
       define_verify_tile,
       {{"swz verify tile --dtype bf16 --tile 128x64 --major k --swizzle 128B", "through TMA"},
        {"swz verify tile --dtype f16 --tile 64x128 --major mn --order k-first --via store", "without"}}},
      {"verify desc",
       "what a word really reads, asked of the GPU; exit 1 when swz map differs",
       R"(Fills shared memory with position codes, lets wgmma read one operand by the
word, and shows the bytes that every element came from, as swz map does.
Needs an sm_90 GPU.)",
       define_verify_desc,
       {{"swz verify desc 0x4000004000010042 --mma m64n64k16 --dtype f16 --operand a --major k", "one word"}}},
      {"tma check",
       "whether a tensor map is accepted, and every reason why not; exit 1 when refused",
       R"(Takes the arguments of cuTensorMapEncodeTiled and says what the driver says,
with what it does not say: every rule that is broken, the value and the bound,
whether NVIDIA documents the rule or the driver was seen to apply it, and the
nearest legal change. Names are those of the driver's enums, short ones (f16,
u8), or the numbers that dumps print.

What the documents forbid and the driver accepts is a remark.

--paste takes the arguments from the block that CUTLASS, TileLang, FlashInfer,
TensorRT-LLM, ThunderKittens or DeepGEMM printed when the call failed, with the
log around it, from a file or from standard input. --code, or the code in the
block, says whether the call failed because of its arguments: only 1 does.

--im2col takes the arguments of cuTensorMapEncodeIm2col, with --wide those of
cuTensorMapEncodeIm2colWide, of which no driver was asked: its rules are those
of cuda.h.)",
       define_tma_check,
       {{"swz tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1", "a stride that is refused"},
        {"swz tma check --dtype f32 --dims 4096,4096 --strides 16384 --box 256,230", "a box that is too large"},
        {"swz tma check --paste log.txt", "the block in a log"},
        {"kernel 2>&1 | swz tma check --paste", "the same from a pipe"},
        {"swz tma check --im2col --dims 64,56,56,8 --strides 128,7168,401408 --lower -1,-1 --upper -1,-1 "
         "--channels 64 --pixels 128",
         "the images of a 3x3 convolution"}}},
      {"tma encode",
       "the 128 bytes of a tensor map, as the driver writes them",
       R"(Takes the arguments of cuTensorMapEncodeTiled and prints the words that the
driver puts into the CUtensorMap. Arguments that the driver refuses are an
error.

--emit c prints the words as an array. --emit cuda prints a host function that
calls cuTensorMapEncodeTiled with these arguments; its parameter is the address.)",
       define_tma_encode,
       {{"swz tma encode --dtype bf16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B",
         "a GEMM operand"},
        {"swz tma encode --dtype f16 --dims 64,16,32 --strides 4096,128 --box 64,16,1 --emit cuda",
         "the call, to paste"}}},
      {"tma place",
       "where one copy puts the bytes of a box",
       R"(Takes the arguments of a tensor map, of which a box is enough, and shows the
box as the tensor numbers its chunks of 16 bytes beside the lines of shared
memory where the copy puts them: the distance of two rows, the bytes to
allocate, the bytes that the mbarrier counts, the gaps that are not written,
what is filled because it lies outside of the tensor, and whether an MMA reads
the box by descriptor.

The rule was measured on H200: 6,000 of 6,000 loads.)",
       define_tma_place,
       {{"swz tma place --dtype bf16 --box 32,8", "8 x 64 B without a swizzle: TMA none is not MMA none"},
        {"swz tma place --dtype bf16 --box 16,8 --swizzle 64B --base 0x400",
         "rows narrower than the swizzle leave gaps"},
        {"swz tma place --dtype bf16 --box 64,8 --swizzle 128B --dims 100,100 --start 64,96",
         "at the corner of a tensor"}}},
      {"tma plan",
       "the copies by which TMA makes a tile; exit 1 when it cannot",
       R"(Takes a tile, or any layout, and says which tensor map and which copies put its
elements there: the box, the coordinate and the SMEM offset of each copy, how
many bytes of global memory one line of a box asks for, and why it takes no
fewer copies. A map of higher rank that folds the operand into more dimensions
is shown when it takes fewer.

Of a layout it also says whether an MMA reads the result by descriptor, and if
not, the box that an MMA would read.

Coordinates are those of a tile that begins at element (0, 0) of the operand.)",
       define_tma_plan,
       {{"swz tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first", "16 copies, or 1"},
        {"swz tma plan --dtype bf16 --tile 128x64 --operand 8192x4096", "a tile of a larger operand"},
        {"swz tma plan --dtype bf16 --layout '(8,32):(32,1)'", "one box, but not what an MMA reads"}}},
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
