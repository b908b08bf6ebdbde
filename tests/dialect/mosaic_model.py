# SPDX-License-Identifier: Apache-2.0
"""What JAX's Mosaic GPU says of a layout, by its own code and without a GPU.

Mosaic computes indices by emitting MLIR: arith.addi(a, b) and so on. Here these names are replaced by arithmetic on
numpy arrays, one element for each thread, so that its functions answer with numbers:

    shared_offsets([TileTransform((8, 64))], 128, (64, 64), 16)   TileTransform.transform_index, then the XOR that
                                                                  FragmentedArray.transfer_tiled applies
    register_numbers(WGMMA_LAYOUT, (64, 8))                       TiledLayout.thread_idxs
    tensor_addresses(tmem_default_layout(), (128, 64), 32)        the same, of lanes and columns

Nothing of the parsers and the checks is replaced. Needs PYTHONPATH as scripts/wheels mosaic prints it.
"""
import math
import types

import numpy as np

import jax.numpy as jnp
from jax._src import core as jax_core
from jax._src.lib import mosaic_gpu_dialect as attributes
from jax._src.pallas.mosaic_gpu import core as pallas
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.mosaic.gpu import fragmented_array as fa
from jax.experimental.mosaic.gpu import launch_context as lc
from jax.experimental.mosaic.gpu import layouts, tcgen05, utils
from jaxlib.mlir import ir



class Index(np.ndarray):
    type = None  # asked for, and then given to arith.constant


THREADS = np.arange(128).view(Index)


class Arith:
    """Of the dialect arith, what computes an index."""
    constant = staticmethod(lambda type, value: value)
    index_castui = staticmethod(lambda type, value: value)
    addi = staticmethod(lambda a, b: a + b)
    muli = staticmethod(lambda a, b: a * b)
    divui = staticmethod(lambda a, b: a // b)
    remui = staticmethod(lambda a, b: a % b)
    xori = staticmethod(lambda a, b: a ^ b)


class Never:
    """A type that nothing has."""


def fake_ir():
    anything = types.SimpleNamespace(get=lambda *a: None, get_signless=lambda *a: None)
    return types.SimpleNamespace(
        IntegerType=anything, IndexType=anything, FloatType=Never, Value=np.ndarray,
        IntegerAttr=types.SimpleNamespace(get=lambda *a: "another memory space"),
        MemRefType=lambda type: type, VectorType=types.SimpleNamespace(get=lambda shape, type: shape[0]))


for module in (fa, lc):
    module.arith = Arith
    module.c = lambda value, type: value
fa.ir = lc.ir = fake_ir()
fa.gpu = types.SimpleNamespace(thread_id=lambda dimension: THREADS, Dimension=types.SimpleNamespace(x=0))
fa.mgpu = types.SimpleNamespace(bitwidth=lambda type: type)
utils.arith = Arith
utils.thread_idx = lambda: THREADS
utils.memref_ptr = lambda ref: 0
utils.is_smem_ref = lambda ref: True
utils.getelementptr = lambda pointer, indices, vector: pointer + indices[0] * vector


class Ref:
    """A row-major array in shared memory; its element type is its width in bits."""

    def __init__(self, shape, bits):
        self.type, self.shape, self.element_type, self.memory_space = self, list(shape), bits, "shared"
        self.rank = len(shape)

    def get_strides_and_offset(self):
        return utils.get_contiguous_strides(self.shape), 0


class Refused(Exception):
    pass


def by_transfer(tile, swizzle, shape, bits):
    """The offset of each element by the code that loads registers from a tiled and swizzled array."""
    ref = Ref((*(s // t for s, t in zip(shape, tile)), *tile), bits)
    if shape[0] % 64 == 0 and shape[1] % 8 == 0 and tile[1] % 8 == 0 and tile[0] % 8 == 0:
        layout = fa.WGMMA_LAYOUT
    else:  # every thread holds everything
        layout = fa.TiledLayout(fa.Tiling(((8 // bits if bits < 8 else 1,),)), (fa.Replicated(4),), (fa.Replicated(32),),
                                -1)
    starts = register_starts(layout, shape)
    positions = np.arange(math.prod(layout.registers_shape(shape))).reshape(layout.registers_shape(shape))
    offsets = np.full(math.prod(shape), -1)
    for get, _, _, pointer in fa.FragmentedArray.transfer_tiled(ref, swizzle, layout, shape, optimized=False):
        start = starts[get(positions)]
        for k in range(layout.vector_length):
            offsets[start + k] = pointer + k
    assert (offsets >= 0).all()
    return offsets


def xor_of(swizzle, offsets, bits):
    """As transfer_tiled has it, of offsets in elements."""
    return offsets ^ (offsets // (1024 // bits) % (swizzle // 16) * (128 // bits))


def shared_offsets(transforms, swizzle, shape, bits):
    """Offsets in elements of an array in shared memory, row by row."""
    index, tiled = np.indices(shape), tuple(shape)
    index = tuple(index[d].ravel() for d in range(len(shape)))
    for t in transforms:
        if isinstance(t, lc.TileTransform) and len(t.tiling) > len(tiled):
            raise Refused("the tile has more dimensions than the array")
        if isinstance(t, lc.TransposeTransform) and sorted(t.permutation) != list(range(len(tiled))):
            raise Refused("not a permutation of the dimensions")
        if not all(size > 0 for size in getattr(t, "tiling", ())):
            raise Refused("a tile of size 0 or less")
        try:
            index, tiled = t.transform_index(index), t.transform_shape(tiled)
        except ValueError as error:
            raise Refused(str(error)) from None
    offsets = sum(i * s for i, s in zip(index, utils.get_contiguous_strides(tiled)))
    if swizzle is None or swizzle == 16:
        return offsets.tolist()
    # The same demand as that of an asynchronous copy: "require the last dimension of the slice to be exactly".
    try:
        pallas.SwizzleTransform(swizzle).transform_type(jax_core.ShapedArray(tiled, DTYPES[bits]))
    except ValueError as error:
        raise Refused(str(error)) from None
    swizzled = xor_of(swizzle, offsets, bits)
    if len(shape) == 2 and len(transforms) == 1 and len(getattr(transforms[0], "tiling", ())) == 2:
        assert (by_transfer(transforms[0].tiling, swizzle, tuple(shape), bits) == swizzled).all()
    return swizzled.tolist()


# The widths that numpy has; a type of 4 bits as well.
DTYPES = {4: jnp.dtype(jnp.int4), 8: jnp.dtype(jnp.int8), 16: jnp.dtype(jnp.bfloat16), 32: jnp.dtype(jnp.float32),
          64: np.dtype(np.float64)}


def pallas_transforms(transforms, shape, bits):
    """Pallas' transforms: its own checks, then what the lowering makes of them."""
    aval = jax_core.ShapedArray(tuple(shape), DTYPES[bits])
    swizzle, rest = None, []
    for t in transforms:
        try:
            aval = t.transform_type(aval)
        except (ValueError, AssertionError, ZeroDivisionError) as error:
            raise Refused(str(error) or "the tile does not divide the array") from None
        if isinstance(t, pallas.SwizzleTransform):
            if swizzle is not None:
                raise Refused("Found multiple SwizzleTransformAttr")
            swizzle = t.swizzle
        else:
            rest.append(pallas.to_gpu_transform(t))
    return rest, swizzle


def register_starts(layout, shape):
    """For each register (of the array of registers, flat) the number of its first element, a value a thread."""
    starts = []
    for index in layout.thread_idxs(tuple(shape)):
        number = 0
        for i, extent in zip(index, shape):
            number = number * extent + np.broadcast_to(i, THREADS.shape)
        starts.append(number)
    return np.array(starts)


def register_numbers(layout, shape):
    """The row-major number of each value, thread by thread; registers row-major, the vector inside each."""
    if isinstance(layout, fa.WGSplatFragLayout):
        raise Refused("a splat has one value for all elements")
    if isinstance(layout, fa.WGStridedFragLayout):
        if tuple(shape) != tuple(layout.shape):
            raise Refused("another shape")
        step, vector = 1, layout.vec_size
    else:
        try:
            layout.tiling.tile_shape(tuple(shape))
        except ValueError as error:
            raise Refused(str(error)) from None
        strides = layout.tiling.tile_strides(tuple(utils.get_contiguous_strides(shape)))
        step, vector = strides[layout.vector_dim], layout.vector_length
    values = [start + k * step for start in register_starts(layout, shape) for k in range(vector)]
    return np.array(values).T.ravel().tolist()


def tensor_addresses(layout, shape, bits):
    """The address of each element, row by row, in units of an element: the lanes are TiledLayout's threads, the columns
    its registers, each vector padded to 32 bits. Of copies the lowest lane."""
    if bits > 32:
        raise Refused("wider vectors are unsupported")  # TMEMLayout says so, check_type does not look
    try:
        layout.check_type(tuple(shape), bits)
        columns = layout.cols_in_shape(tuple(shape), bits)
    except ValueError as error:
        raise Refused(str(error)) from None
    if columns > tcgen05.TMEM_MAX_COLS:
        raise Refused("more columns than tensor memory has")
    numbers, vector, per_column = register_numbers(layout, shape), layout.vector_length, 32 // bits
    assert len(numbers) == 128 * columns * vector
    addresses = {}
    for at, number in enumerate(numbers):
        lane, value = divmod(at, columns * vector)
        addresses.setdefault(number, (lane * 65536 + value // vector) * per_column + value % vector)
    return [addresses[n] for n in range(math.prod(shape))]


def tiling_offsets(tiling, shape):
    """A Tiling as the order of an array in memory: the tiled array, row-major."""
    try:
        tiled = tiling.tile_shape(tuple(shape))
    except ValueError as error:
        raise Refused(str(error)) from None
    index = tiling.tile_indices(tuple(i.ravel() for i in np.indices(shape)))
    return sum(i * s for i, s in zip(index, utils.get_contiguous_strides(tiled))).tolist()


# What the texts of the cases, and what swz writes, may name.
NAMES = {
    "mgpu": mgpu, "fa": fa, "tcgen05": tcgen05, "jnp": jnp,
    "plgpu": types.SimpleNamespace(
        Layout=pallas.Layout, TilingTransform=pallas.TilingTransform, SwizzleTransform=pallas.SwizzleTransform,
        TransposeTransform=pallas.TransposeTransform, Tiling=fa.Tiling, Replicated=fa.Replicated,
        TMEMLayout=pallas.TMEMLayout),
    "TileTransform": lc.TileTransform, "TransposeTransform": lc.TransposeTransform,
    "TMEMLayout": tcgen05.TMEMLayout, "Tiling": fa.Tiling, "TiledLayout": fa.TiledLayout, "Replicated": fa.Replicated,
    "WGStridedFragLayout": fa.WGStridedFragLayout, "WGSplatFragLayout": fa.WGSplatFragLayout,
    "gathered": lambda **given: given,
} | {name: value for name, value in vars(fa).items() if name.endswith("_LAYOUT") or "_LAYOUT_" in name}


def layout_of(text):
    """A layout of registers or tensor memory in Python's or MLIR's spelling; raises Refused with the project's own message."""
    try:
        if text.startswith("#"):
            with ir.Context() as context:
                attributes.register_dialect(context)
                return layouts.from_layout_attr(ir.Attribute.parse(text))
        value = eval(text, dict(NAMES))  # texts of this test and what swz wrote
        return value.to_mgpu() if hasattr(value, "to_mgpu") else value
    except (ValueError, TypeError, NotImplementedError, ir.MLIRError, AssertionError, IndexError) as error:
        raise Refused(str(error)) from None


def transforms_of(text, shape, bits):
    """Transforms in Python's or MLIR's spelling: those of shared memory, and the swizzle."""
    if "#" in text:
        with ir.Context() as context:
            attributes.register_dialect(context)
            try:
                found = list(ir.ArrayAttr(ir.Attribute.parse(text if text[0] == "[" else f"[{text}]")))
            except ir.MLIRError as error:
                raise Refused(str(error)) from None
            swizzles = [a.swizzle for a in found if isinstance(a, attributes.SwizzleTransformAttr)]
            tiles = [lc.TileTransform(tuple(a.tiling)) for a in found if isinstance(a, attributes.TileTransformAttr)]
        if len(swizzles) > 1:
            raise Refused("Found multiple SwizzleTransformAttr")
        return tiles, swizzles[0] if swizzles else None
    try:
        given = eval(f"gathered({text})" if "=" in text else f"gathered(transforms=({text}))", dict(NAMES))
        transforms = given.get("transforms", given.get("gmem_transform"))
        transforms = transforms if isinstance(transforms, (list, tuple)) else (transforms,)
    except (ValueError, TypeError) as error:
        raise Refused(str(error)) from None
    if any(type(t).__module__.endswith("pallas.mosaic_gpu.core") for t in transforms):
        return pallas_transforms(transforms, shape, bits)
    swizzle = given.get("swizzle")
    if swizzle is not None:
        try:
            attributes.SwizzlingMode(swizzle)
        except ValueError as error:
            raise Refused(str(error)) from None
    return list(transforms), swizzle
