# SPDX-License-Identifier: Apache-2.0
"""What torch.compile makes of products, convolutions and attention, by its Triton templates."""

import itertools

import torch
import torch._inductor.config as config
import torch.nn.functional as F

from inductor import TYPES, random


def products():
    for name, m, n, k in [("square", 512, 512, 512), ("thin", 64, 512, 1024), ("odd", 200, 136, 328), ("tall", 1024, 64, 256)]:
        for dtype in ("f16", "bf16", "f32"):
            a, b = random(m, k, dtype=TYPES[dtype]), random(k, n, dtype=TYPES[dtype])
            for layout, left, right in (("nn", a, b), ("nt", a, b.t().contiguous().t()), ("tn", a.t().contiguous().t(), b)):
                yield f"mm_{name}_{dtype}_{layout}", lambda x=left, y=right: torch.relu(x @ y)
    a, b = random(8, 128, 64, dtype=torch.bfloat16), random(8, 64, 256, dtype=torch.bfloat16)
    yield "bmm", lambda: torch.bmm(a, b)
    x, y = (torch.randint(-100, 100, shape, device="cuda", dtype=torch.int8) for shape in ((256, 256), (256, 512)))
    yield "int8", lambda: torch._int_mm(x, y)
    f8 = random(256, 256).to(torch.float8_e4m3fn), random(512, 256).to(torch.float8_e4m3fn).t()
    one = torch.ones((), device="cuda")
    yield "fp8", lambda: torch._scaled_mm(*f8, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    image, filters = random(4, 32, 32, 32, dtype=torch.float16), random(64, 32, 3, 3, dtype=torch.float16)
    yield "conv", lambda: F.conv2d(image, filters, padding=1)


def attention():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    causal = create_block_mask(lambda b, h, q, k: q >= k, None, None, 512, 512, device="cuda")
    for heads, width, dtype in itertools.product((2, 4), (64, 128), (torch.float16, torch.bfloat16)):
        q, k, v = (random(1, heads, 512, width, dtype=dtype).requires_grad_() for _ in range(3))
        compiled = torch.compile(flex_attention, dynamic=False)
        for mask in (None, causal):
            yield f"flex_{heads}_{width}_{dtype}_{mask is None}", lambda q=q, k=k, v=v, mask=mask, f=compiled: f(q, k, v, block_mask=mask).sum().backward()


def calls():
    config.max_autotune_gemm_backends = "TRITON"
    config.max_autotune_conv_backends = "TRITON"
    config.max_autotune_gemm = True
    for name, function in products():
        compiled = torch.compile(function, dynamic=False)
        yield name, compiled
        torch._dynamo.reset()
    config.max_autotune_gemm = False
    yield from attention()
