# SPDX-License-Identifier: Apache-2.0
"""Liger's kernels: norms, losses, rotary embeddings, forward and backward."""

import importlib

import torch


def random(*shape, dtype):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype).requires_grad_()


def backward(out):
    first = out[0] if isinstance(out, tuple) else out
    if first.requires_grad:
        first.float().sum().backward()


def calls():
    def function(module, name):
        return getattr(importlib.import_module(f"liger_kernel.ops.{module}"), name).apply

    for dtype in (torch.bfloat16, torch.float32):
        for width in (512, 1000, 4096):
            x, w, b = random(64, width, dtype=dtype), random(width, dtype=dtype), random(width, dtype=dtype)
            y = random(64, width, dtype=dtype)
            labels = torch.randint(0, width, (64,), device="cuda")
            tag = f"{width}_{dtype}"
            yield f"rms_{tag}", lambda x=x, w=w: backward(function("rms_norm", "LigerRMSNormFunction")(x, w, 1e-6))
            yield f"layer_{tag}", lambda x=x, w=w, b=b: backward(function("layer_norm", "LigerLayerNormFunction")(x, w, b, 1e-6))
            yield f"swiglu_{tag}", lambda x=x, y=y: backward(function("swiglu", "LigerSiLUMulFunction")(x, y))
            yield f"geglu_{tag}", lambda x=x, y=y: backward(function("geglu", "LigerGELUMulFunction")(x, y))
            yield f"cross_{tag}", lambda x=x, l=labels: backward(function("cross_entropy", "LigerCrossEntropyFunction")(x, l, None, -100, 0.0, 0.0, "mean", None, False))
            yield f"softmax_{tag}", lambda x=x: backward(function("softmax", "LigerSoftmaxFunction")(x))
            yield f"sparsemax_{tag}", lambda x=x: backward(function("sparsemax", "LigerSparsemaxFunction")(x, -1))
            yield f"kl_{tag}", lambda x=x, y=y: backward(function("kl_div", "LigerKLDivLossFunction")(x.log_softmax(-1), y.softmax(-1), "batchmean", False, 1e-10))
            yield f"jsd_{tag}", lambda x=x, y=y: backward(function("jsd", "LigerJSDFunction")(x.log_softmax(-1), y.log_softmax(-1)))
            yield f"tvd_{tag}", lambda x=x, y=y: backward(function("tvd", "LigerTVDLossFunction")(x.softmax(-1), y.softmax(-1)))
            yield f"dyt_{tag}", lambda x=x, w=w, b=b: backward(function("dyt", "LigerDyTFunction")(x, torch.ones(1, device="cuda").requires_grad_(), w, b))
        g = random(8, 64, 128, dtype=dtype)
        yield f"group_{dtype}", lambda g=g, dtype=dtype: backward(function("group_norm", "LigerGroupNormFunction")(g, random(64, dtype=dtype), random(64, dtype=dtype), 64, 8, 1e-6))
