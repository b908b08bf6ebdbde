#!/usr/bin/env python3
"""Compares TileLang's own layouts (no GPU, no torch) with swz.

    PYTHONPATH=build/tilelang python3 -B tests/dialect/golden_tilelang.py --swz build/dev/swz

Five comparisons, from a fixed seed:
  named       make_…_layout of buffers: the same function at every coordinate, and refused where TileLang refuses
  printed     what TileLang prints of a layout, read back
  lambdas     random functions, as a Layout and as what it prints
  written     what swz writes for random layouts is made by TileLang as that function
  cute        TileLang's CuTe text of a layout, in bytes
"""
import argparse
import ctypes
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
    from tvm import tirx
    return _ffi_api, Layout, tirx


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


def map_of(layout, shape):
    """The offset of each coordinate, row by row, of what TileLang says of the layout."""
    names = ['_i', '_j', '_k', '_l'][:len(shape)]
    code = compile(f'lambda {", ".join(names)}: {layout.get_linearized_forward_index()}', 'layout', 'eval')
    function = eval(code, {'T': T})
    offsets = []
    coordinate = [0] * len(shape)
    for _ in range(product(shape)):
        offsets.append(int(function(*coordinate)))
        for d in reversed(range(len(shape))):
            coordinate[d] += 1
            if coordinate[d] < shape[d]:
                break
            coordinate[d] = 0
    return offsets


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


class Cases:
    """Questions to swz with what TileLang answers: a map, or None where it refuses."""

    def __init__(self):
        self.lines, self.expected, self.of = [], [], []

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
    ffi, Layout, tirx = load(os.path.abspath(arguments.modules))
    draw = random.Random(14)
    cases = Cases()
    named_cases(cases, ffi, tirx, draw)
    lambda_cases(cases, Layout, draw)
    cute_cases(cases, ffi, tirx)

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

    for group, count in agreed.items():
        print(f'{group}: {count} the same function, {refused.get(group, 0)} refused by both')
    print(f'{differences} differences')
    enough = sum(agreed.values()) >= 300
    return 0 if differences == 0 and enough else 1


if __name__ == '__main__':
    sys.exit(main())
