#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares TileLang's own layouts (no GPU, no torch) with swz.

    PYTHONPATH=build/tilelang python3 -B tests/dialect/golden_tilelang.py --swz build/dev/swz

Seven comparisons, from a fixed seed:
  named       make_…_layout of buffers: the same function at every coordinate, and refused where TileLang refuses
  printed     what TileLang prints of a layout, read back
  lambdas     random functions, as a Layout and as what it prints
  written     what swz writes for random layouts is made by TileLang as that function
  cute        TileLang's CuTe text of a layout, in bytes, read and written
  fragments   which thread holds what, of fragments as they print
  held        what swz writes for random layouts of registers is made by TileLang as that function
"""
import argparse
import ctypes
import itertools
import json
import os
import random
import subprocess
import sys
import types


def load(root):
    """TileLang's layouts without its __init__, which imports torch."""
    os.environ['TVM_LIBRARY_PATH'] = root + '/tilelang/lib'
    sys.path[:0] = [root, root + '/tilelang/3rdparty/tvm/python']
    for library in ('z3/lib/libz3.so', 'tilelang/lib/libstub_cuda.so', 'tilelang/lib/libstub_hip.so',
                    'tilelang/lib/libstub_ascendcl.so'):
        ctypes.CDLL(f'{root}/{library}', ctypes.RTLD_GLOBAL)
    sys.modules['psutil'] = types.ModuleType('psutil')  # TVM asks it for the number of cores when it compiles
    import tvm  # noqa: F401
    ctypes.CDLL(root + '/tilelang/lib/libtilelang.so', ctypes.RTLD_GLOBAL)
    for name in ('tilelang', 'tilelang.layout'):
        module = types.ModuleType(name)
        module.__path__ = [f'{root}/{name.replace(".", "/")}']
        sys.modules[name] = module
    from tilelang import _ffi_api
    from tilelang.layout.layout import Layout
    sys.modules['tilelang.layout'].Layout = Layout
    from tilelang.layout.fragment import Fragment
    from tvm import tirx
    return _ffi_api, Layout, Fragment, tirx


TYPES = {'float16': 'f16', 'bfloat16': 'bf16', 'float8_e4m3': 'e4m3', 'int8': 's8', 'float32': 'f32', 'float64': 'f64'}
BITS = {'float16': 16, 'bfloat16': 16, 'float8_e4m3': 8, 'int8': 8, 'float32': 32, 'float64': 64}
NAMED = ['make_full_bank_swizzled_layout', 'make_half_bank_swizzled_layout', 'make_quarter_bank_swizzled_layout']


class T:
    """The functions by which TIR prints operators."""

    bitwise_xor = staticmethod(lambda a, b: a ^ b)
    bitwise_or = staticmethod(lambda a, b: a | b)
    bitwise_and = staticmethod(lambda a, b: a & b)
    shift_left = staticmethod(lambda a, b: a << b)
    shift_right = staticmethod(lambda a, b: a >> b)


def values_of(expression, shape, names='_i _j _k _l'):
    """The value of TileLang's expression at each coordinate, row by row."""
    function = eval(f'lambda {", ".join(names.split()[:len(shape)])}: {expression}', {'T': T})
    return [int(function(*coordinate)) for coordinate in itertools.product(*map(range, shape))]


def map_of(layout, shape):
    """The offset of each coordinate, row by row, of what TileLang says of the layout."""
    return values_of(layout.get_linearized_forward_index(), shape)


def held_of(fragment, shape):
    """The number of the element in each value, thread by thread, of what TileLang says. None: a value without one, or threads
    that TileLang cannot count (pos_inf, of an XOR)."""
    if 'pos_inf' in str(fragment):
        return None
    copies = int(str(fragment).split('replicate: ')[1].split(',')[0])
    names = '_i _j _k _l'.split()[:len(shape)] + ['_rep']
    threads = values_of(fragment.thread, (*shape, copies), ' '.join(names))
    values = values_of(fragment.get_linearized_forward_index(), (*shape, 1), ' '.join(names))
    per_thread = max(values) + 1
    held = [None] * ((max(threads) + 1) * per_thread)
    for number, thread in enumerate(threads):
        held[thread * per_thread + values[number // copies]] = number // copies
    return None if None in held else held


class Cases:
    """Questions to swz with what TileLang answers: a map, or None where it refuses."""

    def __init__(self):
        self.lines, self.expected, self.of = [], [], []
        self.written = []  # name, shape, type and TileLang's text in bytes

    def append(self, group, text, expected, shape=None, dtype=None, more=()):
        line = ['translate', text, '--to', 'cute', '--map', *more]
        if shape:
            line += ['--shape', 'x'.join(map(str, shape))]
        if dtype:
            line += ['--dtype', TYPES[dtype]]
        self.lines.append(' '.join(quoted(word) for word in line))
        self.expected.append(expected)
        self.of.append(group)


def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"


def judged(make):
    try:
        return make()
    except Exception:  # pylint: disable=broad-except
        return None


def named_cases(cases, ffi, tirx, draw):
    shapes = [(8, 64), (64, 64), (64, 128), (128, 32), (16, 16), (4, 64), (6, 64), (12, 64), (64, 48), (64, 40),
              (64, 36), (32, 24), (2, 16, 64), (3, 8, 128), (2, 2, 8, 64), (64, 96), (7, 32), (1, 64)]
    for shape in shapes:
        for dtype in TYPES:
            buffer = tirx.decl_buffer(shape, dtype, scope='shared')
            made = {}
            for name in NAMED:
                made[f'{name}(buf)'] = lambda f=name: getattr(ffi, f)(buffer)
            k, pad = draw.random() < .5, draw.random() < .5
            made[f'make_swizzled_layout(buf, k_major={k}, allow_pad={pad})'] = \
                lambda: ffi.make_swizzled_layout(buffer, k, pad)
            made[f'tilelang.layout.make_wgmma_swizzled_layout(A_shared, k_major={k})'] = \
                lambda: ffi.make_wgmma_swizzled_layout(buffer, -1, k)
            made[f'T.annotate_layout({{A_shared: make_tcgen05mma_swizzled_layout(A_shared, k_major={k})}})'] = \
                lambda: ffi.make_tcgen05mma_swizzled_layout(buffer, -1, k)
            made['make_linear_layout(buf)'] = lambda: ffi.make_linear_layout(list(shape))
            for text, make in made.items():
                layout = judged(make)
                expected = None if layout is None else map_of(layout, shape)
                cases.append('named', text, expected, shape, dtype)
                if layout is not None and draw.random() < .15:
                    cases.append('printed', str(layout), expected, None, dtype)


def random_index(draw, names):
    """A random function of the coordinates, with operators that TileLang has."""
    terms = []
    for name in names:
        for _ in range(draw.randint(1, 2)):
            term = name
            if draw.random() < .5:
                term = f'({term} // {draw.choice([2, 3, 4, 8])})'
            if draw.random() < .5:
                term = f'({term} % {draw.choice([2, 4, 7, 8])})'
            if draw.random() < .6:
                term = f'{term} * {draw.choice([2, 3, 8, 16, 64])}'
            terms.append(term)
    return draw.choice([' + ', ' ^ ', ' + ']).join(f'({t})' for t in terms)


def lambda_cases(cases, Layout, draw):
    for _ in range(150):
        shape = tuple(draw.choice([4, 8, 12, 16, 32]) for _ in range(draw.choice([1, 2, 2, 2, 3])))
        names = ['i', 'j', 'k'][:len(shape)]
        body = ', '.join(random_index(draw, names) for _ in range(draw.randint(1, 3)))
        text = f'lambda {", ".join(names)}: [{body}]'
        layout = judged(lambda: Layout(list(shape), eval(text)))
        if layout is None:
            continue
        expected = map_of(layout, shape)
        cases.append('lambdas', f'Layout([{", ".join(map(str, shape))}], {text})', expected)
        cases.append('printed', str(layout), expected)


def cute_cases(cases, ffi, tirx):
    """TileLang's own CuTe text of its layouts, in bytes."""
    from tilelang.layout import _cute_ffi_api as cute
    for shape in ((64, 64), (8, 128), (64, 128), (128, 32), (16, 64), (8, 256)):
        for dtype in TYPES:
            buffer = tirx.decl_buffer(shape, dtype, scope='shared')
            for name in NAMED:
                layout = judged(lambda: getattr(ffi, name)(buffer))
                composed = None if layout is None else cute.composed_layout_from_tilelang(layout, None)
                if composed is not None:
                    text = str(cute.composed_layout_recast(composed, BITS[dtype], 8))
                    cases.append('cute', text, map_of(layout, shape), None, dtype, ('--from', 'tilelang'))
                    cases.written.append((f'{name}(buf)', shape, dtype, text))


def fragment_cases(cases, ffi, tirx, Fragment, draw):
    """What a kernel has: a small fragment, repeated over values and warps, and replicated."""
    atoms = [((16, 8), lambda i, j: (i % 8 * 4 + j // 2, i // 8 * 2 + j % 2)),
             ((8, 16), lambda i, j: (j % 8 * 4 + i // 2, j // 8 * 2 + i % 2)),
             ((16, 16), lambda i, j: (i % 8 * 4 + j % 8 // 2, j // 8 * 4 + i // 8 * 2 + j % 2)),
             ((6, 8), lambda i, j: ((i * 8 + j) % 24, (i * 8 + j) // 24)),
             ((8, 4), lambda i, j: (i ^ j, j)), ((4, 4), lambda i, j: (i, j * 2))]
    for _ in range(120):
        shape, function = draw.choice(atoms)
        fragment = Fragment(shape, forward_fn=function)
        for _ in range(draw.randint(0, 3)):
            if draw.random() < .3:
                made = judged(lambda: fragment.replicate(draw.choice([2, 4])))
            else:
                repeats = [draw.choice([1, 2, 3]), draw.choice([1, 2, 4])]
                on_threads, lower_first = draw.random() < .4, draw.random() < .5
                made = judged(lambda: fragment.repeat(repeats, on_threads, lower_first))
                if made is not None:
                    shape = tuple(n * r for n, r in zip(shape, repeats))
            fragment = fragment if made is None else made
        cases.append('fragments', str(fragment), held_of(fragment, shape))
    for name in ('make_gemm_fragment_8x8', 'make_gemm_fragment_8x8_transposed'):
        cases.append('fragments', f'tilelang.layout.{name}()', held_of(getattr(ffi, name)(), (8, 8)))
    for shape in ((2,), (3, 5)):
        fragment = ffi.make_fully_replicated_layout_fragment(list(shape), 64)
        for text in (str(fragment), 'make_fully_replicated_layout_fragment(buf, 64)'):
            cases.append('fragments', text, held_of(fragment, shape), shape)


def random_registers(draw):
    """Bases of a random layout of registers, with the shape of its array: each bit of a coordinate in a lane or a value."""
    shape = draw.choice([8, 16, 32]), draw.choice([8, 16, 64])
    bases = [[bit, 0] for bit in (1, 2, 4, 8, 16) if bit < shape[0]]
    bases += [[0, bit] for bit in (1, 2, 4, 8, 16, 32) if bit < shape[1]]
    draw.shuffle(bases)
    lanes, registers = bases[:5], bases[5:]
    warps = [[0, 0]] * draw.choice([0, 0, 1, 2]) + [registers.pop() for _ in range(draw.choice([0, 1, 1]))]
    draw.shuffle(warps)
    return f'{{register = {registers}, lane = {lanes}, warp = {warps}}}', shape


def random_layout(draw):
    """CuTe text of a random layout of rank 2, with a swizzle or padding, and the extents."""
    rows, columns = 1 << draw.randint(2, 6), 1 << draw.randint(3, 6)
    kind = draw.random()
    if kind < .4:
        b = draw.randint(1, 3)
        m = draw.randint(0, 3)
        return f'Sw<{b},{m},{draw.randint(b, 4)}> o 0 o ({rows},{columns}):({columns},1)', (rows, columns)
    if kind < .7:
        return f'({rows},{columns}):({columns + draw.choice([0, 1, 4, 8])},1)', (rows, columns)
    inner = 1 << draw.randint(1, 2)
    return (f'(({inner},{rows // inner}),{columns}):(({columns},{columns * inner + 8}),1)', (rows, columns))


def asked(swz, lines):
    run = subprocess.run([swz, 'batch', '-'], input='\n'.join(lines) + '\n', capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(lines), (len(answers), len(lines), run.stderr[-500:])
    return answers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--swz', required=True)
    parser.add_argument('--modules', default=os.environ.get('PYTHONPATH', '').split(':')[0])
    arguments = parser.parse_args()
    ffi, Layout, Fragment, tirx = load(os.path.abspath(arguments.modules))
    draw = random.Random(14)
    cases = Cases()
    named_cases(cases, ffi, tirx, draw)
    lambda_cases(cases, Layout, draw)
    cute_cases(cases, ffi, tirx)
    fragment_cases(cases, ffi, tirx, Fragment, draw)

    differences, agreed, refused = 0, {}, {}
    for line, expected, group, answer in zip(cases.lines, cases.expected, cases.of, asked(arguments.swz, cases.lines)):
        # 1: read, and CuTe has no text for it; 2: refused.
        got = answer['result']['map'] if answer['exit'] in (0, 1) else None
        if got != expected:
            differences += 1
            if differences <= 10:
                print(f'differs: {line}\n  TileLang: {str(expected)[:120]}\n  swz: {str(got or answer)[:200]}')
        elif expected is None:
            refused[group] = refused.get(group, 0) + 1
        else:
            agreed[group] = agreed.get(group, 0) + 1

    drawn = [random_layout(draw) for _ in range(150)]
    lines = [' '.join(map(quoted, ['translate', text, '--to', 'tilelang', '--map', '--dtype', 'f16']))
             for text, _ in drawn]
    for (text, shape), answer in zip(drawn, asked(arguments.swz, lines)):
        written = answer['result']['forms']['tilelang']
        buf = tirx.decl_buffer(shape, 'float16', scope='shared')
        names = {'Layout': Layout, 'buf': buf} | {name: getattr(ffi, name) for name in NAMED}
        if map_of(eval(written, names), shape) == answer['result']['map']:
            agreed['written'] = agreed.get('written', 0) + 1
        else:
            differences += 1
            print(f'differs: {text} as {written}')

    lines = [' '.join(map(quoted, ['translate', text, '--from', 'tilelang', '--to', 'cute', '--brief', '--shape',
                                   'x'.join(map(str, shape)), '--dtype', TYPES[dtype]]))
             for text, shape, dtype, _ in cases.written]
    forms = [answer['result']['forms']['cute'] for answer in asked(arguments.swz, lines)]
    lines = [' '.join(map(quoted, ['translate', form, '--to', 'tilelang', '--dtype', TYPES[dtype]]))
             for form, (_, _, dtype, _) in zip(forms, cases.written)]
    for (text, shape, dtype, expected), answer in zip(cases.written, asked(arguments.swz, lines)):
        notes = [note['message'] for note in answer['result']['notes'] if note['rule'] == 'tilelang-cute']
        if notes == [f'tilelang.layout.cute writes it in bytes: {expected}']:
            agreed['cute'] += 1
        else:
            differences += 1
            print(f'differs: {text} of {shape} {dtype}: {notes}, TileLang writes {expected}')

    drawn = [random_registers(draw) for _ in range(150)]
    lines = [' '.join(map(quoted, ['translate', text, '--from', 'bases', '--to', 'tilelang', '--map', '--shape',
                                   'x'.join(map(str, shape))])) for text, shape in drawn]
    for (text, shape), answer in zip(drawn, asked(arguments.swz, lines)):
        written = answer['result']['forms']['tilelang']
        made = eval(written, {'T': types.SimpleNamespace(Fragment=Fragment)})
        if held_of(made, shape) == answer['result']['map']:
            agreed['held'] = agreed.get('held', 0) + 1
        else:
            differences += 1
            print(f'differs: {text} as {written}')

    for group, count in agreed.items():
        print(f'{group}: {count} the same function, {refused.get(group, 0)} refused by both')
    print(f'{differences} differences')
    enough = sum(agreed.values()) >= 300
    return 0 if differences == 0 and enough else 1


if __name__ == '__main__':
    sys.exit(main())
