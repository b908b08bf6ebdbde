# SPDX-License-Identifier: Apache-2.0
"""Pallas kernels of JAX itself, through Triton and through Mosaic GPU."""

import itertools

import jax
import jax.numpy as jnp


def triton():
    from jax.experimental.pallas.ops.gpu import attention, layer_norm, rms_norm, softmax
    for t, d, causal in itertools.product((256, 512), (64, 128), (False, True)):
        q, k, v = (jax.random.normal(jax.random.key(i), (1, t, 2, d), jnp.float16) for i in range(3))
        f = jax.jit(lambda q, k, v, causal=causal: attention.mha(q, k, v, segment_ids=None, causal=causal))
        yield f"mha_{t}_{d}_{causal}", lambda f=f, q=q, k=k, v=v: jax.block_until_ready(f(q, k, v))
        g = jax.jit(jax.grad(lambda q, k, v, causal=causal: attention.mha(q, k, v, segment_ids=None, causal=causal).astype(jnp.float32).sum(), (0, 1, 2)))
        yield f"mha_grad_{t}_{d}_{causal}", lambda f=g, q=q, k=k, v=v: jax.block_until_ready(f(q, k, v))
    for width in (512, 1024):
        x, w = jax.random.normal(jax.random.key(0), (64, width)), jnp.ones(width)
        yield f"layer_norm_{width}", lambda x=x, w=w: jax.block_until_ready(jax.vmap(layer_norm.layer_norm, (0, None, None))(x, w, w))
        yield f"rms_norm_{width}", lambda x=x, w=w: jax.block_until_ready(jax.vmap(rms_norm.rms_norm, (0, None, None))(x, w, w))
        yield f"softmax_{width}", lambda x=x: jax.block_until_ready(softmax.softmax(x))


def mosaic():
    from jax.experimental.pallas.ops.gpu import attention_mgpu, hopper_matmul_mgpu
    for m, n, k in ((256, 256, 256), (512, 256, 512)):
        a, b = (jax.random.normal(jax.random.key(i), shape, jnp.float16) for i, shape in enumerate(((m, k), (k, n))))
        for tile_m, tile_n, tile_k, stages in itertools.product((64, 128), (64, 128), (64,), (2, 4)):
            def run(a=a, b=b, tm=tile_m, tn=tile_n, tk=tile_k, s=stages):
                config = hopper_matmul_mgpu.TuningConfig(tile_m=tm, tile_n=tn, tile_k=tk, max_concurrent_steps=s)
                c = jnp.zeros((a.shape[0], b.shape[1]), a.dtype)
                return jax.block_until_ready(hopper_matmul_mgpu.matmul(a, b, c, config))
            yield f"mgpu_matmul_{m}_{n}_{k}_{tile_m}_{tile_n}_{tile_k}_{stages}", run
    for width in (64, 128):
        q, k, v = (jax.random.normal(jax.random.key(i), (1, 512, 2, width), jnp.float16) for i in range(3))
        yield f"mgpu_attention_{width}", lambda q=q, k=k, v=v: jax.block_until_ready(attention_mgpu.attention(
            q, k, v, attention_mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2)))


def calls():
    yield from triton()
    yield from mosaic()
