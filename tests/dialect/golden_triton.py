#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Triton's own answers (its MLIR parser, to_linear_layout and Gluon classes; no GPU) with swz.

    PYTHONPATH=build/triton python3 -B tests/dialect/golden_triton.py --swz build/dev/swz

Three comparisons, from a fixed seed:
  encodings   the same function at every coordinate, and refused where Triton refuses or aborts
  Gluon       the same encodings as Python classes
  written     what swz writes for random layouts is read by Triton as that function
Each Triton question runs in a child process, because Triton aborts on some encodings.
"""
import argparse
import itertools
import json
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile

MODULE = '''module attributes {"ttg.num-ctas" = %d : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", \
"ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%%a: %s) { tt.return }
}
'''
TYPES = {'shared': '!ttg.memdesc<%sx%s, #e, #ttg.shared_memory, mutable>',
         'register': 'tensor<%sx%s, #e>',
         'tensor': '!ttg.memdesc<%sx%s, #e, #ttng.tensor_memory, mutable>'}
WIDTHS = {'f16': 16, 'f32': 32, 'f64': 64, 'i8': 8}
NAMES = {'f16': 'f16', 'f32': 'f32', 'f64': 'f64', 'i8': 's8'}

# Triton refuses these and swz reads them, with a note: the reason, and the rule of the note.
READ_BY_SWZ_ALONE = {
    'old spelling': 'triton-old-spelling',
}


class Triton:
    """Triton's judgement of one encoding: ('map', [...]) or ('refused', why)."""

    def __init__(self):
        from triton._C.libtriton import gluon_ir, ir, nvidia
        self.ir = ir
        self.context = ir.context()
        ir.load_dialects(self.context)
        nvidia.load_dialects(self.context)
        self.builder = gluon_ir.GluonOpBuilder(self.context)
        self.file = tempfile.NamedTemporaryFile(suffix='.mlir')
        self.worker = None
        from triton.experimental.gluon.language import _layouts
        from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout
        self.classes = dict(vars(_layouts), TensorMemoryLayout=TensorMemoryLayout,
                            TensorMemoryScalesLayout=TensorMemoryScalesLayout)

    def judge(self, case):
        if case['notation'] == 'gluon':
            layout = eval(case['text'], self.classes)
        else:
            layout = self.parsed(case)
        if case.get('is_spelled'):
            return repr(layout)
        kind = type(layout).__name__
        if kind == 'PaddedSharedLayout':  # to_linear_layout has no padding and aborts
            layout._to_ir(self.builder)
            return padded_map(layout, case['shape'])
        linear = self.builder.to_linear_layout(layout._to_ir(self.builder), list(case['shape']))
        if case['kind'] == 'shared':
            return shared_map(linear.offset_bases, linear.block_bases, case['shape'], padding=[])
        if case['kind'] == 'register':
            return register_map(linear, case['shape'])
        return tensor_map(linear, case['shape'])

    def parsed(self, case):
        spelled = TYPES[case['kind']] % ('x'.join(map(str, case['shape'])), case['dtype'])
        with open(self.file.name, 'w') as f:
            f.write('#e = %s\n' % case['text'] + MODULE % (case.get('ctas', 1), spelled))
        module = self.ir.parse_mlir_module(self.file.name, self.context)
        value = module.get_function('f').args(0)
        if case['kind'] == 'register':
            return self.builder.get_gluon_layout_from_tensor(value)
        return self.builder.get_gluon_layout_from_memdesc(value)

    def ask(self, case):
        """By a child process, which is replaced when Triton aborts in it. What Triton prints is not shown."""
        if self.worker is None:
            self.worker = Worker(self)
        answer = self.worker.ask(case)
        if answer is None:
            self.worker = None
            return ('refused', 'aborts')
        return answer


class Worker:
    def __init__(self, triton):
        questions, self.questions = os.pipe()
        self.answers, answers = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            os.close(self.questions)
            os.close(self.answers)
            self.work(triton, os.fdopen(questions, 'rb'), os.fdopen(answers, 'wb'))
        os.close(questions)
        os.close(answers)
        self.questions, self.answers = os.fdopen(self.questions, 'wb'), os.fdopen(self.answers, 'rb')

    @staticmethod
    def work(triton, questions, answers):
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        try:
            while True:
                case = pickle.load(questions)
                try:
                    answer = ('map', triton.judge(case))
                except Exception as e:  # pylint: disable=broad-except
                    answer = ('refused', f'{type(e).__name__}: {e}')
                pickle.dump(answer, answers)
                answers.flush()
        finally:
            os._exit(0)

    def ask(self, case):
        try:
            pickle.dump(case, self.questions)
            self.questions.flush()
            return pickle.load(self.answers)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            os.waitpid(self.process, 0)
            return None


def number(coordinate, shape):
    n = 0
    for c, extent in zip(coordinate, shape):
        n = n * extent + c
    return n


def walk(bases, rank):
    """Every value of the bits, with where it goes."""
    places = [(0,) * rank]
    for basis in bases:
        places += [tuple(a ^ b for a, b in zip(p, basis)) for p in places]
    return places


def shared_map(offset, block, shape, padding):
    size = 1
    for extent in shape:
        size *= extent
    result = [None] * size
    moving = [(1 << k, b) for k, b in enumerate(offset) if any(b)]
    spots = [(0, (0,) * len(shape))]
    for bit, basis in moving:
        spots += [(x | bit, tuple(a ^ b for a, b in zip(p, basis))) for x, p in spots]
    for cta in walk([b for b in block if any(b)], len(shape)):
        for x, place in spots:
            y = x + sum(x // interval * amount for interval, amount in padding)
            result[number([a ^ b for a, b in zip(place, cta)], shape)] = y
    return result


def padded_map(layout, shape):
    return shared_map(layout.offset_bases, layout.cga_layout, shape, layout.interval_padding_pairs)


def register_map(linear, shape):
    rank = len(shape)
    values = walk(linear.reg_bases, rank)
    threads = walk(list(linear.lane_bases) + list(linear.warp_bases), rank)
    ctas = walk(linear.block_bases, rank)
    return [number([a ^ b ^ c for a, b, c in zip(v, t, cta)], shape) for cta in ctas for t in threads for v in values]


def tensor_map(linear, shape):
    """(lane, column) of the first copy of each element."""
    result = [None] * (shape[0] * shape[1])
    for lane, a in reversed(list(enumerate(walk(linear.rows, 2)))):
        for column, b in reversed(list(enumerate(walk(linear.cols, 2)))):
            result[number([x ^ y for x, y in zip(a, b)], shape)] = [lane, column]
    return result


# ---- what is drawn

def text_of(numbers):
    return '[' + ', '.join(text_of(n) if isinstance(n, (list, tuple)) else str(n) for n in numbers) + ']'


def swizzled(vec, per_phase, max_phase, order, more=''):
    return '#ttg.swizzled_shared<{vec = %s, perPhase = %s, maxPhase = %s, order = %s%s}>' % (
        vec, per_phase, max_phase, text_of(order), more)


def nvmma(swizzle, bits, transposed=False, more=''):
    return '#ttg.nvmma_shared<{swizzlingByteWidth = %s, transposed = %s, elementBitWidth = %s%s}>' % (
        swizzle, str(transposed).lower(), bits, more)


def padded(pairs, order, shape):
    return '#ttg.padded_shared<[%s] {order = %s, shape = %s}>' % (
        ', '.join('%s:+%s' % p for p in pairs), text_of(order), text_of(shape))


def blocked(size, threads, warps, order, more=''):
    return '#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s%s}>' % (
        text_of(size), text_of(threads), text_of(warps), text_of(order), more)


def mma(version, warps, shape, more=''):
    return '#ttg.nvidia_mma<{versionMajor = %s, versionMinor = 0, warpsPerCTA = %s%s, instrShape = %s}>' % (
        version, text_of(warps), more, text_of(shape))


def dot(operand, parent, k_width):
    return '#ttg.dot_op<{opIdx = %s, parent = %s%s}>' % (
        operand, parent, '' if k_width is None else ', kWidth = %s' % k_width)


def sliced(dim, parent):
    return '#ttg.slice<{dim = %s, parent = %s}>' % (dim, parent)


def linear(registers, lane, warp, block=()):
    return '#ttg.linear<{register = %s, lane = %s, warp = %s, block = %s}>' % tuple(
        map(text_of, (registers, lane, warp, block)))


def bits_of(shape):
    return [[1 << k if i == d else 0 for i in range(len(shape))]
            for d, extent in enumerate(shape) for k in range(extent.bit_length() - 1)]


def shared_cases(rng):
    def one(text, shape, dtype='f16', **more):
        yield dict(text=text, shape=shape, dtype=dtype, kind='shared', notation='mlir', **more)

    for vec, per, phases in itertools.product([1, 2, 4, 8, 16], [1, 2, 4], [1, 2, 4, 8]):
        shape = rng.choice([[16, 16], [32, 64], [64, 32], [128, 8], [8, 128], [64, 64]])
        yield from one(swizzled(vec, per, phases, rng.choice([[1, 0], [0, 1]])), shape)
    for _ in range(20):
        shape = [1 << rng.randrange(5) for _ in range(3)]
        yield from one(swizzled(1 << rng.randrange(4), 1 << rng.randrange(3), 1 << rng.randrange(4),
                                rng.sample(range(3), 3)), shape)
    for vec, per, phases in [(3, 1, 8), (0, 1, 8), (5, 2, 4), (6, 1, 4), (1, 3, 4), (1, 1, 3), (7, 5, 6), (12, 1, 8)]:
        yield from one(swizzled(vec, per, phases, [1, 0]), [16, 32])
    for vec, per, phases, order, shape in [(1, 0, 8, [1, 0], [8, 8]), (1, 1, 0, [1, 0], [8, 8]),
                                           (-1, 1, 8, [1, 0], [8, 8]), (1, 1, 8, [0, 0], [8, 8]),
                                           (1, 1, 8, [1, 2], [8, 8]), (1, 1, 8, [1, 0], [6, 8]),
                                           (1, 1, 8, [1, 0], [0, 8]), (1, 1, 8, [1, 0], [8]),
                                           (1, 1, 8, [1, 0], [48, 64]), (1, 1, 8, [], [8, 8]),
                                           (99999999999, 1, 8, [1, 0], [8, 8])]:
        yield from one(swizzled(vec, per, phases, order), shape)
    for text in ['#ttg.swizzled_shared<{vec = 8, maxPhase = 4, order = [1, 0]}>',
                 '#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4}>',
                 '#ttg.swizzled_shared<{vec = 8, vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>',
                 '#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0], extra = 1}>',
                 '#ttg.swizzled_share<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>']:
        yield from one(text, [16, 16])
    for cga, ctas, shape in [('[[1, 0]]', 2, [16, 16]), ('[[0, 1]]', 2, [16, 16]), ('[[1, 0], [0, 1]]', 4, [32, 32]),
                             ('[[2, 0], [1, 0]]', 4, [64, 16]), ('[[0, 0]]', 2, [16, 16]), ('[[2, 0]]', 2, [16, 16])]:
        yield from one(swizzled(4, 1, 4, [1, 0], ', CGALayout = ' + cga), shape, ctas=ctas)
        yield from one(nvmma(32, 16, more=', CGALayout = ' + cga), [64, 64], ctas=ctas)

    for bits, dtype in [(8, 'i8'), (16, 'f16'), (32, 'f32'), (64, 'f64')]:
        for swizzle in [0, 32, 64, 128]:
            for transposed in [False, True]:
                for _ in range(3):
                    shape = [1 << rng.randrange(2, 9), 1 << rng.randrange(2, 9)]
                    yield from one(nvmma(swizzle, bits, transposed), shape, dtype)
    for swizzle, transposed, shape in [(0, False, [512, 512]), (0, True, [512, 512]), (0, False, [2, 1024]),
                                       (128, False, [512, 128]), (32, True, [64, 512]), (64, False, [8, 1024])]:
        yield from one(nvmma(swizzle, 16, transposed), shape)
    for _ in range(24):
        shape = [1 << rng.randrange(1, 5), 1 << rng.randrange(1, 4), 1 << rng.randrange(3, 7)]
        yield from one(nvmma(rng.choice([0, 32, 64]), 16, False, ', rank = 3'), shape)
        shape = [shape[2], shape[1], shape[0]]
        yield from one(nvmma(rng.choice([0, 32, 64]), 16, True, ', rank = 3'), shape)
    for shape, transposed in [([16, 64], False), ([16, 128], False), ([64, 16], True), ([16, 32], False),
                              ([128, 32], True)]:
        yield from one(nvmma(128, 8, transposed, ', fp4Padded = true'), shape, 'i8')
    for text, shape in [(nvmma(16, 16), [64, 64]), (nvmma(96, 16), [64, 64]), (nvmma(128, 12), [64, 64]),
                        (nvmma(128, 16), [4, 64]), (nvmma(128, 16), [64, 32]), (nvmma(64, 8, more=', fp4Padded = true'), [16, 64]),
                        (nvmma(128, 16), [128]), (nvmma(128, 16, more=', rank = 1'), [128]),
                        (nvmma(0, 16, more=', rank = 1'), [128]), (nvmma('true', 16), [64, 64]),
                        (nvmma(128, 16).replace('false', 'maybe'), [64, 64]), (nvmma(128, 16).replace('false', '1'), [64, 64]),
                        ('#ttg.nvmma_shared<{swizzlingByteWidth = 128, elementBitWidth = 16}>', [64, 64]),
                        (nvmma(128, 16, more=', rank = 4'), [2, 2, 16, 64]), (nvmma(128, 16, True, ', rank = 3'), [64, 8, 4])]:
        yield from one(text, shape)

    # Triton does not initialise what these leave out, and answers one way or the other: swz refuses.
    for text in ['#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false}>',
                 '#ttg.nvmma_shared<{transposed = false, elementBitWidth = 16}>']:
        yield from one(text, [64, 64], is_uninitialised=True)

    for _ in range(40):
        shape = [1 << rng.randrange(2, 7), 1 << rng.randrange(2, 7)]
        intervals = rng.sample(range(1, 10), rng.randrange(1, 3))
        yield from one(padded([(1 << i, 1 << rng.randrange(0, 5)) for i in intervals], rng.choice([[1, 0], [0, 1]]), shape),
                       shape)
        bases = bits_of(shape)
        rng.shuffle(bases)
        yield from one('#ttg.padded_shared<[%d:+%d] {offset = %s, block = []}>' % (
            1 << rng.randrange(1, 8), 1 << rng.randrange(4), text_of(bases)), shape)
    for pairs, order, shape, of in [([(48, 8)], [1, 0], [64, 64], None), ([(64, 6)], [1, 0], [64, 64], None),
                                    ([(64, 0)], [1, 0], [64, 64], None), ([(64, 8), (64, 4)], [1, 0], [64, 64], None),
                                    ([(0, 4)], [1, 0], [64, 64], None), ([], [1, 0], [64, 64], None),
                                    ([(64, 8)], [0, 0], [64, 64], None), ([(64, 8)], [1, 0], [64, 32], [64, 64]),
                                    ([(64, 8)], [1, 0], [60, 64], None), ([(64, 8)], [2, 1, 0], [2, 16, 16], None),
                                    ([(1, 1)], [1, 0], [8, 8], None), ([(64, 8)], [0], [64], None)]:
        yield from one(padded(pairs, order, shape), of or shape)
    for bases in ['[[0, 1], [0, 2], [1, 1], [2, 0]]', '[[0, 1], [0, 2], [0, 0], [2, 0], [1, 0]]',
                  '[[0, 1], [0, 2], [1, 0]]', '[[0, 1], [0, 2], [1, 0], [1, 0]]', '[[0, 1], [0, 3], [1, 0], [2, 0]]',
                  '[[0, 1], [0, 2], [1, 0], [4, 0]]']:
        yield from one('#ttg.padded_shared<[4:+2] {offset = %s, block = []}>' % bases, [4, 4])
        yield from one('#ttg.shared_linear<{offset = %s}, alignment = 16>' % bases, [4, 4])
    for pairs in ['4:2', '4: +2', '4 :+2', '4:+ 2', '4:-2', '+4:+2', '4+2', '(4:+2)', '4:+2 8:+2', '4:+2,', '']:
        yield from one('#ttg.padded_shared<[%s] {order = [1, 0], shape = [4, 4]}>' % pairs, [4, 4])
    yield from one('#ttg.padded_shared<[4:+2] {offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}>', [4, 4])
    yield from one('#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [4, 4], CGALayout = []}>', [4, 4])

    for _ in range(60):
        shape = [1 << rng.randrange(1, 6) for _ in range(rng.choice([1, 2, 2, 2, 3]))]
        bases = bits_of(shape)
        rng.shuffle(bases)
        for _ in range(rng.randrange(4)):  # mix some rows: still a bijection
            i, j = rng.randrange(len(bases)), rng.randrange(len(bases))
            if i != j:
                bases[i] = [a ^ b for a, b in zip(bases[i], bases[j])]
        if rng.random() < 0.2:
            bases.insert(rng.randrange(len(bases)), [0] * len(shape))
        block = []
        if rng.random() < 0.2 and all(bases) and any(bases[-1]):
            block = [bases.pop()]
        if not bases:
            continue
        yield from one('#ttg.shared_linear<{offset = %s%s}, alignment = %d>' % (
            text_of(bases), ', block = ' + text_of(block) if block else '', 1 << rng.randrange(3, 9)), shape,
            ctas=2 if block else 1)
    for text in ['#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}>',
                 '#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}, alignment = 3>',
                 '#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}, alignment = 0>',
                 '#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1], [2, 0]]}, alignment = 16>',
                 '#ttg.shared_linear<{offset = [[0, 1], [0, -2], [1, 0], [2, 0]]}, alignment = 16>',
                 '#ttg.shared_linear<{offset = []}, alignment = 16>']:
        yield from one(text, [4, 4])

    for text in ['#ttg.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], hasLeadingOffset = false}>',
                 '#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = true}>',
                 swizzled(8, 1, 4, [1, 0], ', CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]')]:
        yield from one(text, [64, 64], alone='old spelling')


def register_cases(rng):
    def one(text, shape, dtype='f16', **more):
        yield dict(text=text, shape=shape, dtype=dtype, kind='register', notation='mlir', **more)

    def random_blocked(rank):
        lanes, threads = 5, [1] * rank
        for _ in range(lanes):
            threads[rng.randrange(rank)] *= 2
        warps = [1] * rank
        for _ in range(rng.choice([0, 2, 2, 3])):
            warps[rng.randrange(rank)] *= 2
        return blocked([1 << rng.randrange(3) for _ in range(rank)], threads, warps, rng.sample(range(rank), rank))

    for _ in range(50):
        rank = rng.choice([1, 2, 2, 2, 3])
        text, shape = random_blocked(rank), [1 << rng.randrange(8 - rank) for _ in range(rank)]
        yield from one(text, shape)
        if rank > 1:
            dim = rng.randrange(rank)
            yield from one(sliced(dim, text), [e for d, e in enumerate(shape) if d != dim])
            yield from one(dot(rng.randrange(2), text, None), shape)
    for _ in range(60):
        version = rng.choice([2, 3])
        warps = rng.choice([[4, 1], [2, 2], [1, 4], [8, 1], [1, 1], [4, 2]])
        text = mma(version, warps, [16, 8] if version == 2 else [16, 8 << rng.randrange(6), 16])
        shape = [1 << rng.randrange(3, 8), 1 << rng.randrange(3, 8)]
        yield from one(text, shape, rng.choice(['f16', 'f32']))
        yield from one(dot(0 if version == 3 else rng.randrange(2), text, 1 << rng.randrange(4)), shape)
        dim = rng.randrange(2)
        yield from one(sliced(dim, text), [shape[1 - dim]])
    for text, shape in [(mma(2, [1, 4, 1], [1, 16, 8]), [2, 64, 64]), (mma(2, [2, 2, 1], [1, 16, 8]), [4, 64, 64]),
                        (dot(0, mma(2, [2, 2, 1], [1, 16, 8]), 2), [4, 64, 64]), (mma(2, [2, 2], [16, 16]), [64, 64]),
                        (dot(1, mma(2, [2, 2, 1], [1, 16, 8]), 2), [4, 64, 64]), (mma(2, [1, 4], [32, 16]), [64, 64]),
                        (mma(3, [4, 1], [16, 8]), [64, 64]), (mma(3, [4, 1], [64, 64, 16]), [64, 64]),
                        (mma(1, [4, 1], [16, 8]), [64, 64]), (mma(5, [4, 1], [16, 8]), [64, 64]),
                        (mma(3, [4, 1], [16, 24, 16]), [64, 64]), (mma(2, [4], [16, 8]), [64, 64]),
                        (mma(2, [4, 1], [16, 8, 16]), [64, 64]), (mma(2, [3, 1], [16, 8]), [64, 64]),
                        (mma(2, [4, 1], [16, 4]), [64, 64]), (mma(2, [4, 1], [4, 8]), [64, 64]),
                        (mma(2, [0, 4], [16, 8]), [64, 64]), (mma(2, [4, 1], [16, 8]), [64]),
                        (mma(2, [4, 1], [16, 8]), [64, 48]), (mma(3, [1, 4, 1], [1, 16, 64, 16]), [2, 64, 64]),
                        (dot(0, mma(2, [2, 2], [16, 8]), 3), [64, 64]), (dot(0, mma(2, [2, 2], [16, 8]), 0), [64, 64]),
                        (dot(0, mma(2, [2, 2], [16, 8]), None), [64, 64]), (dot(2, mma(2, [2, 2], [16, 8]), 2), [64, 64]),
                        (dot(1, mma(3, [4, 1], [16, 64, 16]), 2), [64, 64]),
                        (dot(0, blocked([1, 8], [4, 8], [4, 1], [1, 0]), 2), [64, 64]),
                        (dot(0, dot(0, mma(2, [2, 2], [16, 8]), 2), 2), [64, 64]),
                        (sliced(2, blocked([1, 8], [4, 8], [4, 1], [1, 0])), [64]),
                        (sliced(-1, blocked([1, 8], [4, 8], [4, 1], [1, 0])), [64]),
                        (sliced(0, blocked([1, 8], [4, 8], [4, 1], [1, 0])), [64, 64]),
                        (sliced(0, sliced(0, blocked([1, 1, 4], [1, 4, 8], [4, 1, 1], [2, 1, 0]))), [32]),
                        (blocked([1, 3], [4, 8], [4, 1], [1, 0]), [64, 64]), (blocked([1, 0], [4, 8], [4, 1], [1, 0]), [64, 64]),
                        (blocked([1, 8], [4, 8], [4], [1, 0]), [64, 64]), (blocked([1, 8], [4, 8], [4, 1], [0, 0]), [64, 64]),
                        (blocked([1, 8], [4, 8], [4, 1], [1, 0]), [64, 48]), (blocked([8], [32], [4], [0]), [64, 64]),
                        (blocked([1, 8], [4, 8], [4, 1], [1, 0], ', foo = 3'), [64, 64])]:
        yield from one(text, shape)
    for cga, ctas in [('[[1, 0]]', 2), ('[[0, 1], [1, 0]]', 4), ('[[2, 0], [1, 0]]', 4), ('[[0, 0]]', 2), ('[[2, 0]]', 2)]:
        yield from one(blocked([1, 8], [4, 8], [4, 1], [1, 0], ', CGALayout = ' + cga), [64, 64], ctas=ctas)
        yield from one(mma(3, [4, 1], [16, 32, 16], ', CGALayout = ' + cga), [256, 64], ctas=ctas)
    for _ in range(40):
        shape = [1 << rng.randrange(3, 6), 1 << rng.randrange(3, 6)]
        bases = bits_of(shape)
        rng.shuffle(bases)
        bases += [[0, 0]] * max(0, 7 - len(bases))
        text = linear(bases[7:], bases[:5], bases[5:7])
        factors = [1, 1] if rng.random() < 0.5 else [rng.choice([1, 2]), rng.choice([1, 2, 0.5])]
        yield from one(text, [int(e * f) for e, f in zip(shape, factors)])
    lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]
    for registers, lanes, warps, shape in [([[0, 1], [0, 3]], lane, [[8, 0], [16, 0]], [32, 16]),
                                           ([[0, 1], [1, 2]], lane, [[8, 0], [16, 0]], [32, 16]),
                                           ([[0, 1], [0, 2], [0, 0]], lane, [[8, 0], [16, 0]], [32, 16]),
                                           ([[0, 1], [0, 1]], lane, [[8, 0], [16, 0]], [32, 16]),
                                           ([[0, 1], [0, 2]], lane[:4], [[8, 0], [16, 0]], [32, 16]),
                                           ([], lane, [[8, 0], [16, 0]], [32, 16]),
                                           ([[0, 1], [0, 2]], lane, [[8, 0], [32, 0]], [64, 16])]:
        yield from one(linear(registers, lanes, warps), shape)


def tensor_cases():
    text = '#ttng.tensor_memory_encoding<blockM = %d, blockN = %d, colStride = %d>'
    for (m, n, stride), shape, dtype in [((128, 64, 1), [128, 64], 'f32'), ((128, 64, 1), [128, 128], 'f32'),
                                         ((128, 64, 1), [256, 64], 'f32'), ((128, 64, 1), [64, 64], 'f32'),
                                         ((64, 64, 1), [64, 64], 'f32'), ((64, 64, 1), [128, 64], 'f32'),
                                         ((64, 32, 1), [256, 64], 'f32'), ((64, 32, 1), [64, 64], 'f32'),
                                         ((128, 64, 2), [128, 64], 'f16'), ((128, 64, 1), [128, 64], 'f16'),
                                         ((128, 64, 4), [128, 64], 'i8'), ((128, 64, 2), [128, 64], 'f32'),
                                         ((32, 64, 1), [128, 64], 'f32'), ((128, 48, 1), [128, 64], 'f32'),
                                         ((128, 64, 3), [128, 64], 'i8'), ((128, 1024, 1), [128, 1024], 'f32'),
                                         ((128, 512, 1), [128, 512], 'f32'), ((128, 64, 1), [128, 4], 'i8')]:
        yield dict(text=text % (m, n, stride), shape=shape, dtype=dtype, kind='tensor', notation='mlir')
    for shape, dtype in [([128, 64], 'i8'), ([128, 4], 'i8'), ([64, 4], 'i8'), ([256, 8], 'i8'), ([32, 4], 'i8'),
                         ([128, 64], 'f32'), ([128, 16], 'i8')]:
        yield dict(text='#ttng.tensor_memory_scales_encoding<>', shape=shape, dtype=dtype, kind='tensor', notation='mlir')


def random_layouts(rng):
    """CuTe layouts of arrays and of (thread, value): (text, shape)."""
    for _ in range(120):  # shared memory
        shape = [1 << rng.randrange(1, 7), 1 << rng.randrange(1, 7)]
        places = list(range(sum(e.bit_length() - 1 for e in shape)))
        if rng.random() < 0.3:
            rng.shuffle(places)
        leaves = [[], []]
        for bit, place in enumerate(places):  # the columns first: row-major unless shuffled
            leaves[1 if bit < shape[1].bit_length() - 1 else 0].append(1 << place)
        layout = '((%s),(%s)):((%s),(%s))' % tuple(','.join(map(str, x)) for x in
                                                   ([2] * len(leaves[0]), [2] * len(leaves[1]), *leaves))
        b = rng.randrange(4)
        if b:
            layout = 'Sw<%d,%d,%d> o 0 o ' % (b, rng.randrange(5), rng.randrange(b, 5)) + layout
        elif rng.random() < 0.5:
            layout = '(%d,%d):(%d,1)' % (*shape, shape[1] + (1 << rng.randrange(6)))
        yield layout, shape, 'shared'
    for _ in range(120):  # registers
        shape = [1 << rng.randrange(3, 7), 1 << rng.randrange(3, 7)]
        strides = [1 << k for k in range(sum(e.bit_length() - 1 for e in shape))]
        if rng.random() < 0.7:
            rng.shuffle(strides)
        strides += [0] * max(0, 7 - len(strides))
        thread, value = strides[:7], strides[7:] or [0]
        layout = '((%s),(%s)):((%s),(%s))' % tuple(','.join(map(str, x)) for x in
                                                   ([2] * 7, [2] * len(value) if strides[7:] else [1], thread, value))
        yield layout, shape, 'register'


# ---- comparing

class Swz:
    def __init__(self, program):
        self.program = program

    def answers(self, commands):
        lines = ''.join(json.dumps(c) + '\n' for c in commands)
        done = subprocess.run([self.program, 'batch', '-'], input=lines, capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        if len(answers) != len(commands):
            sys.exit(f'swz batch answered {len(answers)} of {len(commands)} lines: {done.stderr[:300]}')
        return answers


def command(case, *more):
    return ['translate', case['text'], '--shape', 'x'.join(map(str, case['shape'])), '--dtype', NAMES[case['dtype']], *more]


def cute_value(text, coordinate):
    """(row, column) under shape:stride of two modes."""
    def leaves(part):
        return [int(n) for n in re.findall(r'\d+', part)]

    def modes(tuple_text):
        inside, parts, depth, begin = tuple_text[1:-1], [], 0, 0
        for i, c in enumerate(inside + ','):
            depth += (c == '(') - (c == ')')
            if c == ',' and depth == 0:
                parts.append(inside[begin:i])
                begin = i + 1
        return parts
    shape, stride = text.split(':')
    total = 0
    for part, step, at in zip(modes(shape), modes(stride), coordinate):
        for extent, s in zip(leaves(part), leaves(step)):
            total += at % extent * s
            at //= extent
    return total


def swz_tensor_map(case, result):
    per_column = 32 // WIDTHS[case['dtype']]
    places = [cute_value(result['forms']['cute'], (r, c)) for r in range(case['shape'][0]) for c in range(case['shape'][1])]
    return [[p // (65536 * per_column), p % (65536 * per_column)] for p in places]


def compare(triton, swz, cases, tally):
    answers = swz.answers([command(c, '--map') for c in cases])
    for case, answer in zip(cases, answers):
        what, says = triton.ask(case)
        title = f"{case['text']} of {'x'.join(map(str, case['shape']))} {case['dtype']}"
        if answer['exit'] != 0:
            if what == 'refused' or case.get('is_uninitialised'):
                tally['refused by both'] += 1
            else:
                tally['differ'] += 1
                print(f"DIFFER {title}: Triton reads it, swz says {answer['error']['message']}")
            continue
        if what == 'refused':
            rule = READ_BY_SWZ_ALONE.get(case.get('alone'))
            if rule and any(n['rule'] == rule for n in answer['result']['notes']):
                tally['read by swz alone, with its note'] += 1
            else:
                tally['differ'] += 1
                print(f'DIFFER {title}: swz reads it, Triton: {says[:200]}')
            continue
        result = answer['result']
        is_same = says == (swz_tensor_map(case, result) if case['kind'] == 'tensor' else result['map'])
        tally['agree' if is_same else 'differ'] += 1
        if not is_same:
            print(f'DIFFER {title}: another map')


def compare_gluon(triton, swz, cases, tally):
    """Every encoding that Triton takes, as Gluon prints it: swz reads the same function."""
    spelled = []
    for case in cases:
        what, says = triton.ask(dict(case, is_spelled=True))
        if what == 'map':
            spelled.append(dict(case, text=says, notation='gluon'))
    for case, answer in zip(spelled, swz.answers([command(c, '--map') for c in spelled])):
        what, says = triton.ask(case)
        if what == 'refused' and answer['exit'] == 2:
            tally['refused by both'] += 1
            continue
        same = answer['exit'] == 0 and what == 'map' and says == (
            swz_tensor_map(case, answer['result']) if case['kind'] == 'tensor' else answer['result']['map'])
        tally['agree in Gluon' if same else 'differ'] += 1
        if not same:
            print(f"DIFFER {case['text']} of {case['shape']}: Triton {str(says)[:90]}, swz {str(answer)[:200]}")


def compare_written(triton, swz, layouts, tally):
    commands = [['translate', text, '--shape', 'x'.join(map(str, shape)), '--dtype', 'f16', '--map']
                for text, shape, _ in layouts]
    for (text, shape, kind), answer in zip(layouts, swz.answers(commands)):
        if answer['exit'] != 0:
            tally['differ'] += 1
            print(f"DIFFER {text}: swz does not read it: {answer['error']['message']}")
            continue
        result = answer['result']
        for name in ('triton', 'gluon'):
            written = result['forms'][name]
            if written is None:
                tally['no form'] += 1
                continue
            case = dict(text=written, shape=shape, dtype='f16', kind=kind, notation='gluon' if name == 'gluon' else 'mlir')
            what, says = triton.ask(case)
            is_same = what == 'map' and says == result['map']
            tally['written and read back' if is_same else 'differ'] += 1
            if not is_same:
                print(f'DIFFER {text} of {shape}: {written}: {says if what == "refused" else "another map"}')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--swz', required=True)
    parser.add_argument('--seed', type=int, default=14)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    triton, swz = Triton(), Swz(options.swz)
    cases = list(shared_cases(rng)) + list(register_cases(rng)) + list(tensor_cases())
    tally = dict.fromkeys(['agree', 'agree in Gluon', 'refused by both', 'read by swz alone, with its note', 'written and read back',
                           'no form', 'differ'], 0)
    compare(triton, swz, cases, tally)
    compare_gluon(triton, swz, cases, tally)
    compare_written(triton, swz, list(random_layouts(rng)), tally)
    print(f'{len(cases)} encodings: ' + ', '.join(f'{n} {what}' for what, n in tally.items()))
    sys.exit(1 if tally['differ'] or tally['agree'] < 500 or tally['written and read back'] < 100 else 0)


if __name__ == '__main__':
    main()
