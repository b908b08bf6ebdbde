// SPDX-License-Identifier: Apache-2.0
#include "arch/mistake.hpp"

namespace swz {
namespace {

constexpr std::string_view word = "map", loop = "decode, map, kernel", dump = "identify", registers = "identify --of";

constexpr MistakeRow rows[] = {
    {mistake::strides_exchanged, "map, identify, verify", "LBO and SBO are exchanged"},
    {mistake::relative_swizzle, "map, identify, verify",
     "the swizzle was counted from the beginning of the tile instead of from address 0"},
    {mistake::element_unit_swizzle, "map, identify",
     "the numbers of a byte swizzle were applied to element indices, or the other way round"},
    {mistake::other_mode, "map, identify",
     "the data and the word, or the lines and their swizzle, have different modes"},

    {"fields-in-bytes", word, "bytes were written into fields that count 16 bytes: >> 4 is missing"},
    {"fields-shifted-twice", word, "a count of 16 bytes was shifted by 4 once more"},
    {"strides-in-elements", word, "LBO and SBO were counted in elements"},
    {"base-offset", word, "the base offset is not that of the pattern of these bytes"},
    {"start-address", word, "the start address is that of another place"},
    {"lbo", word, "LBO is not the step of these bytes"},
    {"sbo", word, "SBO is not the step of these bytes"},
    {"major", word, "the word is right for the other major"},
    {"other-block", word, "the word reads another block of the tile"},
    {"stacking-order", word, "the atoms are stacked in the other order"},
    {"tile-major", word, "the word is for a tile with the other major"},
    {"other-swizzle", word, "the elements have another swizzle than the mode of the word"},

    {"advance-constant", loop, "the start address does not advance"},
    {"advance-in-elements", loop, "elements were taken for bytes"},
    {"advance-elements-unshifted", loop, "elements were added to the field, which counts 16 bytes"},
    {"advance-unshifted", loop, "bytes were added to the field without >> 4"},
    {"advance-shifted-twice", loop, "bytes were shifted by 4 twice"},
    {"advance-past-atom", loop, "a word starts past the line of its atom"},
    {"advance-of-other-major", loop, "the advance is right for the other major"},
    {"advance-strides-exchanged", loop, "the advance takes SBO where LBO is stepped over, or LBO for SBO"},
    {"advance-packed", loop, "the advance is that of packed atoms, which these are not"},
    {"advance-step-count", loop, "the advance is a wrong number of strides"},
    {"advance-by-rows", loop, "the advance goes to other rows of the same k"},
    {"advance-overlaps", loop, "MMAs of this many rows read bytes of the next step"},
    {"advance-wrapped", loop, "a start address passed the end of its field of 14 bits"},
    {"advance-repeats", loop, "a word starts where an earlier one does"},
    {"advance-short", loop, "MMAs start inside the K that another one reads"},
    {"advance-skips", loop, "some of K is left out between two steps"},
    {"advance", loop, "the advance is not right, and no known mistake explains it"},

    {"pitch", dump, "lines, groups of 8 lines or blocks have steps that no mode has"},
    {"chunk-order", dump, "each line has its own chunks, in another order"},
    {mistake::transposed, "identify", "blocks of 8 x 8 elements, or the fragment, are transposed"},
    {"byte-order", dump, "the bytes of each element are reversed"},
    {mistake::stale, "identify", "a block, a copy or a register was not written"},
    {mistake::wrong_lane, "identify", "one lane stored, or holds, what belongs to another"},
    {"register-order", registers, "registers are exchanged in every thread"},
    {"warp-order", registers, "warps hold the fragments of each other"},
    {"element-order", registers, "elements are exchanged inside registers"},
    {"wrong-warp", registers, "one warp holds what belongs to another"},
    {"other-fragment", registers, "the registers hold the fragment of another instruction or operand"},
};

}  // namespace

std::span<const MistakeRow> mistakes() { return rows; }

}  // namespace swz
