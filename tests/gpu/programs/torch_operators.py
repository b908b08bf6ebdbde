# SPDX-License-Identifier: Apache-2.0
"""torch's own kernels and those of the libraries that it brings (cuBLAS, cuDNN, cuFFT, cuSOLVER), eager, forward and backward."""

import torch
import torch.nn.functional as F


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda").to(dtype).requires_grad_(dtype.is_floating_point)


def both_ways(call):
    def run():
        out = call()
        out = out[0] if isinstance(out, (tuple, list)) else out
        if out.requires_grad:
            out.float().sum().backward()
    return run


def rows():
    for dtype in (torch.float32, torch.bfloat16):
        for width in (96, 1000, 4096, 20000):
            x = random(64, width, dtype=dtype)
            w, b = random(width, dtype=dtype), random(width, dtype=dtype)
            labels = torch.randint(0, width, (64,), device="cuda")
            tag = f"{width}_{dtype}"
            yield f"softmax_{tag}", both_ways(lambda x=x: x.softmax(-1))
            yield f"log_softmax_{tag}", both_ways(lambda x=x: x.log_softmax(0))
            yield f"layer_norm_{tag}", both_ways(lambda x=x, w=w, b=b: F.layer_norm(x, w.shape, w, b))
            yield f"rms_norm_{tag}", both_ways(lambda x=x, w=w: F.rms_norm(x, w.shape, w))
            yield f"cross_entropy_{tag}", both_ways(lambda x=x, y=labels: F.cross_entropy(x, y))
            yield f"sum_{tag}", both_ways(lambda x=x: x.sum(0))
            yield f"var_{tag}", both_ways(lambda x=x: x.var(-1))
            yield f"norm_{tag}", both_ways(lambda x=x: x.norm(dim=-1))
            for name in ("argmax", "max", "sort", "median", "cumsum", "cumprod", "logcumsumexp", "mode", "kthvalue", "topk"):
                words = {"kthvalue": (3, -1), "topk": (5, -1)}.get(name, (-1,))
                yield f"{name}_{tag}", lambda x=x, name=name, words=words: getattr(x.detach(), name)(*words)


def products():
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.complex64):
        for m, n, k in ((512, 512, 512), (64, 1024, 256), (1000, 200, 300), (2048, 2048, 1024)):
            a, b = (torch.randn(*s, device="cuda", dtype=torch.float32).to(dtype) for s in ((m, k), (k, n)))
            tag = f"{m}_{n}_{k}_{dtype}"
            yield f"mm_{tag}", lambda a=a, b=b: a @ b
            yield f"mm_t_{tag}", lambda a=a, b=b: a.t().contiguous().t() @ b.t().contiguous().t()
            yield f"bmm_{tag}", lambda a=a, b=b: a.expand(4, *a.shape) @ b.expand(4, *b.shape)
            yield f"addmm_{tag}", lambda a=a, b=b: torch.addmm(b[0], a, b)
            yield f"mv_{tag}", lambda a=a, b=b: a @ b[:, 0]
    torch.backends.cuda.matmul.allow_tf32 = True
    a = torch.randn(1024, 1024, device="cuda")
    yield "mm_tf32", lambda: a @ a
    i = torch.randint(-9, 9, (1024, 1024), device="cuda", dtype=torch.int8)
    yield "mm_int8", lambda: torch._int_mm(i, i.t())
    e = a.to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    yield "mm_fp8", lambda: torch._scaled_mm(e, e.t(), one, one, out_dtype=torch.bfloat16)
    rows_scale, columns_scale = torch.ones(1024, 1, device="cuda"), torch.ones(1, 1024, device="cuda")
    yield "mm_fp8_rows", lambda: torch._scaled_mm(e, e.t(), rows_scale, columns_scale, out_dtype=torch.bfloat16)


def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for head in (32, 64, 128, 256):
            q, k, v = (random(2, 4, 256, head, dtype=dtype) for _ in range(3))
            for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION):
                for causal in (False, True):
                    def run(q=q, k=k, v=v, backend=backend, causal=causal):
                        with sdpa_kernel(backend):
                            F.scaled_dot_product_attention(q, k, v, is_causal=causal).float().sum().backward()
                    yield f"sdpa_{backend.name}_{head}_{causal}_{dtype}", run


def images():
    for dtype in (torch.float32, torch.float16):
        x = random(4, 32, 56, 56, dtype=dtype)
        w, depthwise = random(64, 32, 3, 3, dtype=dtype), random(32, 1, 3, 3, dtype=dtype)
        last = x.detach().to(memory_format=torch.channels_last).requires_grad_()
        yield f"conv_{dtype}", both_ways(lambda x=x, w=w: F.conv2d(x, w, padding=1))
        yield f"conv_last_{dtype}", both_ways(lambda x=last, w=w: F.conv2d(x, w.to(memory_format=torch.channels_last), padding=1))
        yield f"depthwise_{dtype}", both_ways(lambda x=x, w=depthwise: F.conv2d(x, w, padding=1, groups=32))
        for name in ("batch_norm", "instance_norm"):
            yield f"{name}_{dtype}", both_ways(lambda x=x, name=name: getattr(F, name)(x, None, None, **({"training": True} if name == "batch_norm" else {})))
        yield f"batch_norm_last_{dtype}", both_ways(lambda x=last: F.batch_norm(x, None, None, training=True))
        yield f"group_norm_{dtype}", both_ways(lambda x=x: F.group_norm(x, 8))
        yield f"max_pool_{dtype}", both_ways(lambda x=last: F.max_pool2d(x, 3, 2))
        yield f"avg_pool_{dtype}", both_ways(lambda x=x: F.adaptive_avg_pool2d(x, 7))
        yield f"upsample_{dtype}", both_ways(lambda x=x: F.interpolate(x, scale_factor=2.0, mode="bilinear"))
        yield f"unfold_{dtype}", both_ways(lambda x=x: F.unfold(x, 3))
        yield f"reflect_{dtype}", both_ways(lambda x=x: F.pad(x, (1, 1, 1, 1), mode="reflect"))


def moves():
    for dtype in (torch.float32, torch.float16, torch.uint8):
        x = torch.randint(0, 200, (300, 1000), device="cuda").to(dtype)
        i = torch.randint(0, 300, (5000,), device="cuda")
        yield f"transpose_{dtype}", lambda x=x: x.t().contiguous()
        yield f"cat_{dtype}", lambda x=x: torch.cat([x, x, x[:, :500].repeat(1, 2)])
        yield f"unique_{dtype}", lambda x=x: x.unique(return_inverse=True)
        yield f"nonzero_{dtype}", lambda x=x: (x > 100).nonzero()
        yield f"masked_{dtype}", lambda x=x: x[x > 100]
        yield f"index_{dtype}", lambda x=x, i=i: x[i]
        if dtype.is_floating_point:
            yield f"histc_{dtype}", lambda x=x: torch.histc(x.float(), 64)
            yield f"index_put_{dtype}", lambda x=x, i=i: x.clone().index_put_((i,), x[i], accumulate=True)
            yield f"embedding_{dtype}", both_ways(lambda x=x.clone().requires_grad_(), i=i: F.embedding(i, x))
            yield f"embedding_bag_{dtype}", both_ways(lambda x=x.clone().requires_grad_(), i=i: F.embedding_bag(i.view(100, 50), x, mode="sum"))
    n = torch.randint(0, 500, (100000,), device="cuda")
    yield "bincount", lambda: torch.bincount(n)
    yield "sort_int64", lambda: n.sort()
    yield "sort_many", lambda: n.view(1000, 100).sort(stable=True)
    yield "randperm", lambda: torch.randperm(100000, device="cuda")
    yield "multinomial", lambda: torch.rand(64, 1000, device="cuda").multinomial(5)
    yield "cdist", both_ways(lambda x=random(100, 64): torch.cdist(x, x))
    yield "ctc", both_ways(lambda x=random(50, 16, 20): F.ctc_loss(x.log_softmax(2), n[:480].view(16, 30) % 19 + 1, [50] * 16, [20] * 16))
    yield "segment", lambda: torch.segment_reduce(torch.rand(1000, 64, device="cuda"), "sum", lengths=torch.full((10,), 100, device="cuda"))


def algebra():
    a = torch.randn(8, 64, 64, device="cuda")
    spd = a @ a.mT + torch.eye(64, device="cuda")
    for name in ("cholesky", "inv", "qr", "eigh", "svd", "lu_factor"):
        yield name, lambda name=name: getattr(torch.linalg, name)(spd)
    for n in (64, 128, 1000, 4096, 3 * 5 * 7 * 11):
        x = torch.randn(16, n, device="cuda")
        yield f"fft_{n}", lambda x=x: torch.fft.irfft(torch.fft.rfft(x), n=x.shape[-1])
    y = torch.randn(4, 128, 128, device="cuda")
    yield "fft2", lambda: torch.fft.fft2(y)
    for kind in (torch.nn.LSTM, torch.nn.GRU):
        cell = kind(64, 128, 2).cuda()
        x = random(20, 16, 64)
        yield kind.__name__, both_ways(lambda cell=cell, x=x: cell(x))


def calls():
    for family in (attention, products, rows, images, moves, algebra):
        yield from family()
