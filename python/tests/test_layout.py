# SPDX-License-Identifier: Apache-2.0
"""Layout and its adapters: the same function from every source."""

import itertools
import pickle
import random

import pytest

import swz

SW128 = "Sw<3,3,3> o 0 o (64,64):(64,1)"


def offsets(layout):
    return [int(layout.map[r][c]) for r, c in itertools.product(range(layout.shape[0]), range(layout.shape[1]))]


def test_forms_and_commands(command):
    a = swz.layout("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", "64x64", "bf16")
    assert a.cute == str(a) == SW128
    assert a.triton() == a.to("triton") == a.forms.triton
    assert a.triton((128, 64)).startswith("#ttg.nvmma_shared")
    assert a.banks(access="ldmatrix.x4").to_dict() == command(
        "banks", "--layout", a.text, "--shape", "64x64", "--dtype", "bf16", "--access", "ldmatrix.x4"
    )
    assert a.place().to_dict() == command("place", "--layout", a.text, "--shape", "64x64", "--dtype", "bf16")
    assert a.descriptors(arch="sm_90a").to_dict() == command(
        "desc", "--from", a.text, "--shape", "64x64", "--dtype", "bf16", "--arch", "sm_90a"
    )
    assert a.diff("tile_to_shape(K_SW128<bf16>, (64,64))")
    assert not a.diff("(64,64):(64,1)")
    assert a.svg(title="A").startswith("<svg")
    assert a._repr_svg_() in a._repr_html_()
    assert "<code>Sw&lt;3,3,3> o 0 o (64,64):(64,1)</code>" in a._repr_html_()
    assert pickle.loads(pickle.dumps(a)).cute == a.cute
    assert eval(repr(a), {"swz": swz}).cute == a.cute
    with pytest.raises(AttributeError):
        a.shape = (1, 1)
    with pytest.raises(swz.Error, match="fortran is not a notation"):
        a.to("fortran")
    with pytest.raises(swz.Error, match="thunderkittens has no text"):
        swz.layout("(48,40):(40,1)", dtype="f16").to("thunderkittens")


def test_the_dialect_is_said_where_several_read_the_text():
    with pytest.raises(swz.Error, match="mojo"):
        _ = swz.layout("Swizzle(3, 3, 3)", (64, 64), "f16").cute
    mojo = swz.layout("Swizzle(3, 3, 3)", (64, 64), "f16", dialect="mojo")
    assert mojo.cute == SW128
    assert mojo.diff(SW128, dtype="f16")


def test_map_of_registers():
    a = swz.layout("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>",
                   (16, 8))
    assert [int(n) for n in a.map[1]] == [2, 3, 66, 67]  # D of m16n8: thread 1 holds (0,2), (0,3), (8,2), (8,3)


def test_map_without_numpy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    assert swz.layout("(2,3):(3,1)").map == ((0, 1, 2), (3, 4, 5))


def test_functions():
    assert swz.layout(lambda r, c: r * 65 + c, (64, 64)).cute == "(64,64):(65,1)"
    swizzled = swz.layout(lambda r, c: r * 64 + (c ^ (r % 8 * 8)), (64, 64), "bf16")
    assert swizzled.cute == SW128
    with pytest.raises(swz.Error, match="does not say the shape"):
        swz.layout(lambda r, c: 0)
    with pytest.raises(swz.Error, match="neither strides with one swizzle nor an XOR"):
        swz.layout(lambda r, c: r * 64 + (c + r) % 64, (64, 64))
    with pytest.raises(swz.Error, match="an array of 16777216 elements"):
        swz.layout(lambda r, c: 0, (4096, 4096))
    padded = swz.layout(lambda r, c: (r // 4 * 4 + r % 4) * 33 + c, (12, 32))
    assert padded.cute == "(12,32):(33,1)"
    nested = swz.layout(lambda r, c: r % 4 * 32 + r // 4 * 1024 + c, (12, 32))
    assert nested.cute == "((4,3),32):((32,1024),1)"
    with pytest.raises(TypeError):
        swz.layout(lambda r, c: r / 2, (4, 4))
    assert swz.layout(SW128).diff(lambda r, c: r * 64 + (c ^ (r % 8 * 8)))
    assert not swz.layout(SW128).diff(lambda r, c: r * 64 + c)


def test_an_array_and_a_function_have_one_shape():
    a = swz.layout(lambda r, c: r * 8 + c, (4, 8))
    with pytest.raises(swz.Error, match=r"shape \(4, 8\), not \(8, 8\)"):
        a.triton((8, 8))
    with pytest.raises(swz.Error, match="arrays of different shape: 4,8 and 8,4"):
        a.diff(lambda r, c: r * 4 + c, shape=(8, 4))


def test_what_cute_cannot_say():
    a = swz.layout("row*32 + (col + row) % 32", (32, 32), "f32", dialect="c")
    with pytest.raises(swz.Error, match="cute has no text for this layout"):
        _ = a.cute
    assert str(a) == a.text == "c: row*32 + (col + row) % 32"
    assert int(a.map[3][31]) == 3 * 32 + 2
    with pytest.raises(swz.Error, match="not one swizzle after a layout"):
        a.banks(access="ld.shared.b32 columns")
    assert a._repr_svg_() is a._repr_html_() is None


def test_three_dimensions():
    a = swz.layout(lambda i, j, k: i * 32 + (j * 4 + k ^ i * 4), (4, 8, 4))
    for i, j, k in itertools.product(range(4), range(8), range(4)):
        assert int(a.map[i][j][k]) == i * 32 + (j * 4 + k ^ i * 4)


def test_random_functions_are_read_as_they_are():
    draw = random.Random(7)
    for _ in range(50):
        rows, columns = 1 << draw.randint(0, 5), 1 << draw.randint(0, 5)
        bits = [draw.getrandbits(10) for _ in range(10)]
        moves = [0] * 10

        def offset(r, c, bits=bits, moves=moves):
            value = 0
            for bit in range(5):
                value ^= (bits[bit] if r >> bit & 1 else 0) ^ (bits[5 + bit] if c >> bit & 1 else 0)
            return value

        layout = swz.layout(offset, (rows, columns))
        assert offsets(layout) == [offset(r, c) for r, c in itertools.product(range(rows), range(columns))]


def test_what_is_no_layout():
    with pytest.raises(swz.Error, match="int is not a layout"):
        swz.layout(3)
    with pytest.raises(swz.Error, match="is not a shape"):
        swz.layout("(8,8):(8,1)", "8 by 8")


def test_numpy():
    numpy = pytest.importorskip("numpy")
    array = numpy.zeros((64, 80), numpy.float16)[:, :64]
    layout = swz.layout(array)
    assert (layout.cute, layout.dtype) == ("(64,64):(80,1)", "f16")
    assert isinstance(layout.map, numpy.ndarray)
    assert layout.map[2, 3] == 163
    assert swz.layout(array.T).cute == "(64,64):(1,80)"
    with pytest.raises(swz.Error, match="negative stride"):
        swz.layout(array[::-1])
    fields = numpy.zeros(8, numpy.dtype([("a", numpy.int8), ("b", numpy.int32)]))["b"]
    with pytest.raises(swz.Error, match="not multiples of the 4 bytes"):
        swz.layout(fields)
    for shape in ((), (0, 4)):
        with pytest.raises(swz.Error, match="has no layout"):
            swz.layout(numpy.zeros(shape))
    types = {r.name: r.memory_bits for r in swz.arch("dtype").dtypes}
    for name in ("float16", "float32", "float64", "int8", "uint16", "uint64", "bool", "complex64", "complex128"):
        one = numpy.zeros((4, 8), name)
        assert types[swz.layout(one).dtype] == 8 * one.itemsize
    assert swz.place(tile="8x64", dtype=numpy.float16) == swz.place(tile="8x64", dtype="f16")
    assert swz.place(tile="8x64", dtype=numpy.dtype("float16")) == swz.place(tile="8x64", dtype="f16")
    f32 = numpy.zeros((32, 32), numpy.float32)
    assert not swz.banks(layout=f32, access="transpose", strict=True)
    as_text = swz.banks(layout="(32,32):(32,1)", dtype="f32", access="transpose")
    assert swz.banks(layout=f32, access="transpose") == as_text


def test_torch_is_known_by_what_it_has():
    class Tensor:  # a stand-in with the three methods that are asked: torch itself is 800 MB
        shape, dtype = (4, 8), "torch.bfloat16"

        def stride(self):
            return (1, 4)

        def element_size(self):
            return 2

        def data_ptr(self):
            return 0

    layout = swz.layout(Tensor())
    assert (layout.cute, layout.dtype, layout.shape) == ("(4,8):(1,4)", "bf16", (4, 8))


def test_pycute():
    pycute = pytest.importorskip("pycute")
    draw = random.Random(5)
    for _ in range(50):
        shape = tuple(draw.choice([2, 3, 4, (2, 3), (4, 2)]) for _ in range(2))
        theirs = pycute.Layout(shape, pycute.prefix_product(shape, draw.randint(1, 3)))
        extents = [pycute.size(theirs[i]) for i in range(2)]
        offsets = swz.layout(theirs).map
        assert all(int(offsets[r][c]) == theirs(r, c) for r, c in itertools.product(*map(range, extents)))


def test_tensor_layouts():
    tensor_layouts = pytest.importorskip("tensor_layouts")
    draw = random.Random(3)
    for _ in range(50):
        shape = tuple(draw.choice([2, 3, 4, (2, 3), (4, 2)]) for _ in range(2))
        theirs = tensor_layouts.Layout(shape)
        if draw.random() < 0.5:
            theirs = tensor_layouts.compose(tensor_layouts.Swizzle(1, draw.randint(0, 1), 2), theirs)
        extents = [tensor_layouts.size(tensor_layouts.mode(getattr(theirs, "inner", theirs), i)) for i in range(2)]
        ours = swz.layout(theirs, tuple(extents))
        assert offsets(ours) == [int(theirs(r, c)) for r, c in itertools.product(*map(range, extents))]


def test_gluon():
    gluon = pytest.importorskip("triton.experimental.gluon.language")
    theirs = gluon.SwizzledSharedLayout(vec=8, per_phase=1, max_phase=8, order=[1, 0])
    assert swz.layout(theirs, (64, 64), "f16").cute == SW128
    theirs = gluon.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
    assert swz.layout(theirs, (64, 64)).cute == SW128
    theirs = gluon.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    assert swz.layout(theirs, (32, 16)).translation.kind == "register"


def test_cute_dsl():
    cute = pytest.importorskip("cutlass.cute")
    cutlass = pytest.importorskip("cutlass")
    assert swz.place(tile="8x64", dtype=cutlass.BFloat16) == swz.place(tile="8x64", dtype="bf16")
    texts = []

    @cute.jit
    def collect():
        layout = cute.make_layout((8, 64), stride=(64, 1))
        texts.append(swz.layout(layout).cute)
        swizzle = cute.make_swizzle(3, 3, 3)
        texts.append(swz.layout(cute.make_composed_layout(swizzle, 0, layout)).cute)

    collect()
    assert texts == ["(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"]


def test_assertions():
    swz.assert_same("(8,8):(8,1)", "make_layout((8,8), LayoutRight{})")
    with pytest.raises(AssertionError, match="56 of 64 coordinates differ"):
        swz.assert_same("(8,8):(8,1)", "(8,8):(1,8)")
    swz.assert_conflict_free("(32,32):(33,1)", access="transpose", dtype="f32")
    with pytest.raises(AssertionError, match="32-way"):
        swz.assert_conflict_free("(32,32):(32,1)", access="transpose", dtype="f32")
