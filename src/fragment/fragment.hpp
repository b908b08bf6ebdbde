// SPDX-License-Identifier: Apache-2.0
// Fragment: the part of a tile that is in the registers of each thread, as a map (thread, value) -> (row, column).
//
// The thread index and the value index are each counted through their steps, first step fastest. Each step moves the
// coordinate by a fixed amount. So a fragment is data, and its map is a layout.
//
//   mma.m16n8k16 D:  threads {4: 2 columns} {8: 1 row}      values {2: 1 column} {2: 8 rows}
//   thread 5 = 1 + 4*1, value 3 = 1 + 2*1:  row 1 + 8 = 9, column 2 + 1 = 3
//   tv_layout: ((4,8),(2,2)):((32,1),(16,8)) at (5,3) = 57 = 9 + 3*16
//
// Rows and columns are those of the matrices in PTX: A is M x K, B is K x N, D is M x N. For ldmatrix and stmatrix they
// are rows in memory and elements of a row, with the matrices one below the other, so that row r is the one whose
// address lane r supplies. For tcgen05.ld and st they are lanes and columns of tensor memory (tmem_access.hpp).
//
// One law explains them: a warp has an 8 x 4e block in 8 groups of 4 lanes. Group g has line g, and its lane t has the
// elements e*t .. e*t + e-1, which fill one register (e = 32 / bits; f64: e = 1). Larger fragments repeat that block:
//
//   A   lines are rows:     8 x 4e, again 8 rows further, then 4e columns further
//   B   lines are columns:  4e x 8, again 4e rows further
//   D   lines are rows:     8 x 8 (e = 2 for every type), again 8 rows further, then 8 columns further
//   wgmma: the same in each warp, 16 rows further from warp to warp
//
//   mma.m16n8k32 of s8, A: e = 4. Lane 6 is t 2 of g 1, value 13 = 1 + 4*(1 + 2*1): row 1 + 8, column 8 + 1 + 16.
//
// m8n8k4 of f16 (Volta) does not follow the law; its six maps are rows of steps.
//
// Of a sparse MMA, A has the kept elements as its columns, and e an index for each of them (sparse.hpp). The scale
// factors of a block-scaled MMA are M x blocks for A and blocks x N for B (block_scaled.hpp). Both are in some lanes
// only, which a selector names:
//
//   mma.m16n8k64 kind::mxf4nvf4, scale_vec::4X, SFA:  threads {2: 8 rows} {2: the selector} {8: 1 row}   values {4: 1 block}
//   with thread-id 1, lane 14 = 2 + 4*3 has row 3 and lane 15 has row 11; lanes 12 and 13 are not read
//
// Invariants (tested for every row of src/arch/instruction, and every formula of the documents): the map is one to one
// onto rows x columns. Only in m8n8k4 of f16 do `tiles` = 4 threads share a coordinate: each belongs to another of the
// four MMAs of the warp.
// Source: PTX ISA 9.1, 9.7.14.5 and 9.7.15.5.1.1; the row of the instruction names its section. Measured on H200: every
// operand in registers of every instruction that sm_90a has (swz verify).
//
// A fragment can also be found by its name, as a person or a PTX listing writes it (find.cpp):
//
//   find_fragment({.name = "ldmatrix.x4.trans"})
//   find_fragment({.name = "mma.m16n8k16", .dtype = "bf16", .operand = Operand::a})
//   find_fragment({.name = "wgmma.m64n64k16", .operand = Operand::d})
//   find_fragment({.name = "tcgen05.ld.16x256b.x4"})
//   find_fragment({.name = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", .operand = Operand::d})
//
// Parts that do not change the map may stay in the name: sync, aligned, shared, kind::..., m8n8 and b16 of ldmatrix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/block_scaled_mma.hpp"
#include "arch/dtype.hpp"
#include "arch/instruction.hpp"
#include "layout/layout.hpp"

namespace swz {

struct Coordinate {
  int row = 0, column = 0;
  bool operator==(const Coordinate&) const = default;
};
constexpr Coordinate operator*(int times, Coordinate by) { return {times * by.row, times * by.column}; }

// `count` places, each one `move` after the one before it.
struct Step {
  int count = 1;
  Coordinate move;
};

// Which matrix of the instruction. memory is what ldmatrix reads and stmatrix writes. tmem is the window of tensor
// memory of tcgen05.ld and st. movmatrix has a (what a thread gives) and d (what it gets), both as coordinates of the
// source matrix. sfa and sfb are scale factors of A and B, e is the metadata of a sparse A.
enum class Operand { a, b, c, d, memory, tmem, sfa, sfb, e };

constexpr std::string_view to_string(Operand operand) {
  return name_in({"a", "b", "c", "d", "memory", "tmem", "sfa", "sfb", "e"}, operand);
}
// Of B and its scale factors the rows go along K.
constexpr bool is_k_by_n(Operand operand) { return operand == Operand::b || operand == Operand::sfb; }

// Where a value is in its thread. Registers have 32 bits, or 64 for 64-bit elements.
struct RegisterSlot {
  int index = 0;      // of the register in the operand's list
  int first_bit = 0;  // of the value in the register
  bool operator==(const RegisterSlot&) const = default;
};

struct Fragment {
  std::string name;  // "mma.m16n8k16", "ldmatrix.x4.trans": find_fragment accepts it
  Operand operand = Operand::a;
  std::string dtype;                        // of the elements; for ldmatrix and stmatrix the PTX type, "b16"
  int bits = 0;                             // of an element in its register, or of the container that it is in
  int value_first_bit = 0, value_bits = 0;  // in the container: e2m1 has bits 5-2 of 8; 0 for all bits
  int rows = 0, columns = 0;
  int tiles = 1;              // MMAs next to each other in one instruction, each with its own matrices
  int first_bit = 0;          // of value 0 in its register: 16 for the scale factors of byte-id 2
  int parts = 1, part = 0;    // of each four threads, only part `part` of so many is read
  int kept = 0, kept_of = 0;  // of a sparse A and e: so many columns for so many consecutive k; 0: a column is a k
  int block = 0;              // of a scaled A and B: consecutive k that share a scale factor
  std::vector<Step> thread_steps, value_steps;
  Availability availability;
  Source source;

  int threads() const;
  int values() const;  // elements per thread
  int register_bits() const { return bits > 32 ? bits : 32; }
  int registers() const { return (first_bit + values() * bits + register_bits() - 1) / register_bits(); }
  // Whether the instruction reads the registers of a thread.
  bool is_read(int thread) const { return thread % 4 / (4 / parts) == part; }
  // The first k of an element of A or B, and how many it may be: in a sparse A it is one of the chunk's.
  struct KRange {
    int first = 0, count = 1;
  };
  KRange k_of(Coordinate at) const;

  // The element of a value, for thread in [0, threads()) and value in [0, values()).
  Coordinate at(int thread, int value) const;
  // The register of a value, low bits first: register r has the values from r * (register_bits / bits) on.
  RegisterSlot slot(int value) const;
  // The bits of the value itself: for mma.m16n8k32 of e2m1, value 1 has bits 10-13 of register 0.
  int value_width() const { return value_bits == 0 ? bits : value_bits; }
  RegisterSlot value_slot(int value) const {
    const RegisterSlot container = slot(value);
    return {container.index, container.first_bit + value_first_bit};
  }
  // The number that CuTe gives an element: first extent fastest, row + column * rows. In CuTe B is N x K, so for B it
  // is column + row * columns.
  std::int64_t tile_index(Coordinate at) const;
};

// CuTe's TV layout: (thread, value) -> tile_index, ((thread steps),(value steps)):(...).
// Post: offset at (t, v) == f.tile_index(f.at(t, v)).
Layout tv_layout(const Fragment& f);

// The map (row, column), for B (column, row), -> thread + value * threads. It is CuTe's right inverse of the TV layout,
// in the shape of the matrix. For A of m16n8k8 it is ((8,2),(2,4)):((4,64),(32,1)). Post: tv(result(i)) == i for every
// tile_index i. If `tiles` threads share a coordinate, it gives the thread of the first MMA; of `parts`, of part 0.
Layout inverse_layout(const Fragment& f);

// The thread and the value that have an element.
struct Holder {
  int thread = 0, value = 0;
  bool operator==(const Holder&) const = default;
};
// The map (row, column) -> Holder of a fragment without a gap.
class FragmentInverse {
 public:
  explicit FragmentInverse(const Fragment& f) : fragment_(f), layout_(inverse_layout(f)) {}
  // The holder, for row in [0, rows) and column in [0, columns).
  Holder operator()(Coordinate at) const;

 private:
  Fragment fragment_;
  Layout layout_;
};

// With 16x32bx2 of tensor memory one chooses where the threads of its second half have their columns. Some columns may
// then have no holder, or two.
bool has_gap(const Fragment& f);
// The same with the second half right after the first, which is one to one. Other fragments are unchanged.
Fragment without_gap(Fragment f);
// All holders of an element: in a fragment with a gap none, one or two; otherwise as FragmentInverse.
std::vector<Holder> holders_of(const Fragment& f, Coordinate at);

// "lane" for tensor memory, otherwise "row".
constexpr std::string_view row_word(Operand operand) { return operand == Operand::tmem ? "lane" : "row"; }

// The map as two C expressions of thread and value, written from the steps. For D of mma.m16n8k16:
//   row     thread / 4 + 8 * (value / 2)
//   column  2 * (thread % 4) + value % 2
// Post (tested for every fragment): the expressions, evaluated as C, give Fragment::at for every thread and value.
std::string row_rule(const Fragment& f);
std::string column_rule(const Fragment& f);

// Fragment::tile_index in the same way: "row + 16 * column".
std::string tile_index_rule(const Fragment& f);

// How A and B of m8n8k4 of f16 are passed; every other shape has A as .row and B as .col.
enum class OperandOrder { row, col };
struct OperandOrders {
  OperandOrder a = OperandOrder::row, b = OperandOrder::col;
  bool operator==(const OperandOrders&) const = default;
};
constexpr std::string_view to_string(OperandOrder order) { return order == OperandOrder::row ? "row" : "col"; }

// The fragment of an operand. `n` must be one that the row accepts; `dtype` is the element type of the operand itself.
// Not defined for B of wgmma.
Fragment mma_fragment(const MmaInstruction& row, int n, Operand operand, const DType& dtype, OperandOrders orders);

// One form of ldmatrix, stmatrix or movmatrix: a row, the number of matrices, and whether .trans is written.
struct MatrixForm {
  const MatrixInstruction* row = nullptr;
  int number = 1;
  bool transposed = false;
  bool operator==(const MatrixForm&) const = default;

  std::string name() const;  // "ldmatrix.x4.trans"
};
// Every form of every row.
std::vector<MatrixForm> matrix_forms();

// The fragment of `number` matrices. The operand is a or d for movmatrix, otherwise memory.
Fragment matrix_fragment(const MatrixInstruction& row, int number, bool transposed, Operand operand);

// "mma.m16n8k16", "ldmatrix.x4.trans", "stmatrix.m16n8.x2.trans.b8"
std::string shape_name(const MmaInstruction& row, int n);
std::string matrix_name(const MatrixInstruction& row, int number, bool transposed);

// No instruction of PTX has a name of nearly this length: longer names are not compared with those that exist.
inline constexpr std::size_t longest_fragment_name = 256;

struct FragmentRequest {
  std::string name;
  // The element type of A and B. Empty for any that the shape accepts, if the map does not depend on it. For c and d it
  // may also be an accumulator type that no A or B of the shape has.
  std::string dtype = {};
  // mma and wgmma need one; ldmatrix and stmatrix have none; movmatrix has d unless a is given.
  std::optional<Operand> operand = {};
  // The type of C and D. Empty for the first of the row, which is the widest.
  std::string accumulator = {};
  // For 16x32bx2: columns from the first half to the second.
  std::optional<int> split_offset = {};
  // For a block-scaled mma.sync, as far as the name does not give them: the kind, scale_vec 1, 2 or 4, the type of the
  // scale factors, and the ids that select their place; {0, 0} if not given.
  std::string kind = {};
  std::optional<int> scale_vec = {};
  std::string scale_type = {};
  std::optional<ScaleIds> sfa_ids = {}, sfb_ids = {};
  // For a sparse MMA: the sparsity selector.
  std::optional<int> selector = {};
};

// The fragment of a request. Throws Error with the nearest name and the list if it does not exist.
Fragment find_fragment(const FragmentRequest& request);

// The one fragment if an operand is given or there is only one; otherwise all that are in registers: a, b, c, d of mma,
// a and d of wgmma, a and d of movmatrix; e of a sparse MMA, sfa and sfb of a block-scaled one.
std::vector<Fragment> find_fragments(const FragmentRequest& request);

// Every name of a family; for wgmma m64nNk16, with N as a letter.
std::vector<std::string> fragment_names(InstructionFamily family);

}  // namespace swz
