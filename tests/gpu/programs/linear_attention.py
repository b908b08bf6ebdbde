# SPDX-License-Identifier: Apache-2.0
"""flash-linear-attention: chunked, recurrent and fused operators, forward and backward."""

import importlib
import itertools

import torch
import torch.nn.functional as F



def random(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype).requires_grad_()


def backward(out):
    first = out[0] if isinstance(out, tuple) else out
    first.float().sum().backward()


def gates(*shape):
    return F.logsigmoid(torch.randn(*shape, device="cuda")).requires_grad_()


def operators(b, t, h, d, dtype):
    q, k, v = (random(b, t, h, d, dtype=dtype) for _ in range(3))
    beta = torch.rand(b, t, h, device="cuda").to(dtype).requires_grad_()
    unit = F.normalize(k.float(), dim=-1).to(dtype).detach().requires_grad_()
    g, gk = gates(b, t, h), gates(b, t, h, d)
    u = random(h, d, dtype=dtype)
    yield "simple_gla", "chunk_simple_gla", lambda f: f(q, k, v, g=g)
    yield "simple_gla", "fused_recurrent_simple_gla", lambda f: f(q, k, v, g=g)
    yield "simple_gla", "parallel_simple_gla", lambda f: f(q, k, v, g=g)
    yield "gla", "chunk_gla", lambda f: f(q, k, v, gk)
    yield "gla", "fused_recurrent_gla", lambda f: f(q, k, v, gk)
    yield "retention", "chunk_retention", lambda f: f(q, k, v)
    yield "retention", "parallel_retention", lambda f: f(q, k, v)
    yield "retention", "fused_recurrent_retention", lambda f: f(q, k, v)
    yield "delta_rule", "chunk_delta_rule", lambda f: f(q, unit, v, beta)
    yield "delta_rule", "fused_recurrent_delta_rule", lambda f: f(q, unit, v, beta)
    yield "gated_delta_rule", "chunk_gated_delta_rule", lambda f: f(q, unit, v, g, beta)
    yield "linear_attn", "chunk_linear_attn", lambda f: f(q, k, v)
    yield "linear_attn", "fused_chunk_linear_attn", lambda f: f(q, k, v)
    yield "rwkv6", "chunk_rwkv6", lambda f: f(q, k, v, gk, u)
    yield "rwkv6", "fused_recurrent_rwkv6", lambda f: f(q, k, v, gk, u)
    yield "kda", "chunk_kda", lambda f: f(q, unit, v, gk, beta)
    yield "attn", "parallel_attn", lambda f: f(q, k, v)
    yield "forgetting_attn", "parallel_forgetting_attn", lambda f: f(q, k, v, g)
    yield "hgrn", "chunk_hgrn", lambda f: f(random(b, t, h * d), gates(b, t, h * d))
    yield "hgrn", "fused_recurrent_hgrn", lambda f: f(random(b, t, h * d), gates(b, t, h * d))
    yield "gsa", "chunk_gsa", lambda f: f(q, k, v, random(b, t, h, 64), gates(b, t, h, 64))
    yield "path_attn", "parallel_path_attn", lambda f: f(q, k, v, unit, beta, g)
    yield "comba", "chunk_comba", lambda f: f(q, unit, v, unit, g, beta)
    yield "generalized_delta_rule", "chunk_dplr_delta_rule", lambda f: f(q, k, v, unit, -unit, gk)


def calls():
    for (d, dtype), t in itertools.product(((64, torch.bfloat16), (128, torch.bfloat16), (64, torch.float32)), (192,)):
        for module, name, call in operators(1, t, 2, d, dtype):
            def run(module=module, name=name, call=call):
                backward(call(getattr(importlib.import_module(f"fla.ops.{module}"), name)))
            yield f"{name}_{d}_{dtype}", run
    for name, call in (("rms_norm", lambda m, x, w: m.rms_norm(x, w, None)), ("layer_norm", lambda m, x, w: m.layer_norm(x, w, w))):
        x, w = random(64, 1024), random(1024)
        yield name, lambda call=call, x=x, w=w: backward(call(importlib.import_module("fla.modules.layernorm"), x, w))
