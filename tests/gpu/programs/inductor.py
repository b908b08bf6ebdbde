# SPDX-License-Identifier: Apache-2.0
"""What torch.compile makes of pointwise functions, reductions, scans and sorts."""

import itertools

import torch
import torch.nn.functional as F

torch.manual_seed(0)
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


FUNCTIONS = {
    "softmax": lambda x: torch.softmax(x, -1), "softmax_columns": lambda x: torch.softmax(x, 0),
    "log_softmax": lambda x: torch.log_softmax(x, -1), "sum_rows": lambda x: x.sum(-1), "sum_columns": lambda x: x.sum(0),
    "sum_all": lambda x: x.sum(), "amax": lambda x: x.amax(-1), "argmax": lambda x: x.argmax(-1),
    "argmin_columns": lambda x: x.argmin(0), "var_mean": lambda x: torch.var_mean(x, -1), "std_columns": lambda x: x.std(0),
    "norm": lambda x: x / x.norm(dim=-1, keepdim=True), "prod": lambda x: x[:, :64].prod(-1), "any": lambda x: (x > 2).any(-1),
    "cumsum": lambda x: x.cumsum(-1), "cumsum_columns": lambda x: x.cumsum(0), "cummax": lambda x: x.float().cummax(-1)[0],
    "cumprod": lambda x: x[:, :128].cumprod(-1), "logcumsumexp": lambda x: x.float().logcumsumexp(-1),
    "sort": lambda x: x[:, :256].sort(-1)[0], "sort_stable": lambda x: x[:, :512].sort(-1, stable=True),
    "transpose_add": lambda x: x.t().contiguous() + 1, "transpose_scale": lambda x: (x.t() * 2).contiguous(),
    "layer_norm": lambda x: F.layer_norm(x, (x.shape[-1],)), "rms_norm": lambda x: F.rms_norm(x, (x.shape[-1],)),
    "gelu_sum": lambda x: F.gelu(x).sum(-1), "logsumexp": lambda x: x.logsumexp(-1), "median_like": lambda x: x[:, :128].sort(-1)[0][:, 64],
    "histogram_like": lambda x: (x[:, :, None] > torch.linspace(-2, 2, 8, device="cuda")).sum(0), "roll": lambda x: x.roll(1, -1) + x,
    "softmax_drop": lambda x: (torch.softmax(x, -1) * (x > 0)).sum(0), "mean_sub": lambda x: x - x.mean(0),
}
SHAPES = [(64, 1024), (500, 333), (16, 4096)]


def calls():
    for (name, function), shape, dtype in itertools.product(FUNCTIONS.items(), SHAPES, ("f32", "bf16")):
        if dtype != "f32" and shape != SHAPES[0]:
            continue
        x = random(*shape, dtype=TYPES[dtype])
        compiled = torch.compile(function, dynamic=False)
        yield f"{name}_{shape}_{dtype}", lambda x=x, f=compiled: f(x)
        torch._dynamo.reset()
