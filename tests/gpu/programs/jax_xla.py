# SPDX-License-Identifier: Apache-2.0
"""What XLA makes of JAX programs: transposes, reductions, sorts, scans and Triton products."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

TYPES = [jnp.float32, jnp.bfloat16, jnp.uint8, jnp.float16, jnp.int32]
FUNCTIONS = {
    "transpose": lambda x: x.T + 1, "transpose_3d": lambda x: x.reshape(x.shape[0], -1, 8).transpose(0, 2, 1) * 2,
    "transpose_210": lambda x: x.reshape(-1, 16, x.shape[1] // 16).transpose(2, 1, 0) + 1, "sum_rows": lambda x: x.astype(jnp.float32).sum(-1),
    "sum_columns": lambda x: x.astype(jnp.float32).sum(0), "sum_all": lambda x: x.astype(jnp.float32).sum(), "max_rows": lambda x: x.max(-1),
    "argmax": lambda x: x.argmax(-1), "argmax_columns": lambda x: x.argmax(0), "softmax": lambda x: jax.nn.softmax(x.astype(jnp.float32)),
    "softmax_columns": lambda x: jax.nn.softmax(x.astype(jnp.float32), axis=0), "var": lambda x: x.astype(jnp.float32).var(-1),
    "sort": lambda x: jnp.sort(x, -1), "sort_columns": lambda x: jnp.sort(x, 0), "argsort": lambda x: jnp.argsort(x, -1),
    "cumsum": lambda x: jnp.cumsum(x.astype(jnp.float32), -1), "cummax": lambda x: jax.lax.cummax(x, 1), "top_k": lambda x: jax.lax.top_k(x, 8)[0],
    "histogram": lambda x: jnp.zeros(64, jnp.int32).at[jnp.abs(x.astype(jnp.int32)) % 64].add(1), "transpose_sum": lambda x: x.T.astype(jnp.float32).sum(-1),
    "norm": lambda x: x.astype(jnp.float32) / jnp.linalg.norm(x.astype(jnp.float32), axis=-1, keepdims=True), "logsumexp": lambda x: jax.nn.logsumexp(x.astype(jnp.float32), -1),
}
PRODUCTS = [(512, 512, 512), (128, 256, 1024), (200, 136, 328)]


def calls():
    source = np.random.default_rng(0)
    for (name, function), dtype, shape in itertools.product(FUNCTIONS.items(), TYPES, ((256, 1024), (130, 336))):
        if shape != (256, 1024) and dtype not in (jnp.float32, jnp.uint8):
            continue
        x = jnp.asarray(source.integers(0, 50, shape), dtype)
        yield f"{name}_{shape}_{dtype.__name__}", lambda x=x, f=jax.jit(function): jax.block_until_ready(f(x))
    for (m, n, k), dtype in itertools.product(PRODUCTS, (jnp.float16, jnp.bfloat16, jnp.float32)):
        a, b = jnp.asarray(source.normal(size=(m, k)), dtype), jnp.asarray(source.integers(-5, 5, (k, n)), jnp.int8)
        yield f"mixed_{m}_{n}_{k}_{dtype.__name__}", lambda a=a, b=b, f=jax.jit(lambda a, b: jax.nn.relu(a @ b.astype(a.dtype))): jax.block_until_ready(f(a, b))
