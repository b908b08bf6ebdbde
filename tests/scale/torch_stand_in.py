# SPDX-License-Identifier: Apache-2.0
"""As much of torch as the functions need that order scale factors, on numpy: torch for a CPU is 540 MB on PyPI.

Every type of torch is int64 here, so that each factor is a number of its own and `to` and `view` of a type change
nothing. `bytes_each` is what element_size() says.

    stand_in().zeros((2, 3))[:1]      a Tensor of 1 x 3
"""
import types

import numpy as np

INT = np.dtype(np.int64)


class Tensor(np.ndarray):
    bytes_each = 1
    device = "cpu"

    def __array_finalize__(self, other):
        self.bytes_each = getattr(other, "bytes_each", 1)

    def view(self, *shape):
        if isinstance(shape[0], (int, tuple)):
            return self.reshape(*shape)
        return self if shape[0] == INT else super().view(*shape)

    def permute(self, *axes):
        return np.ndarray.transpose(self, *axes)

    def transpose(self, *axes):
        return self.swapaxes(*axes) if len(axes) == 2 else np.ndarray.transpose(self, *axes)

    def contiguous(self):
        return self.copy(order="C")

    def flip(self, dims):
        return np.flip(self, dims)

    def unsqueeze(self, axis):
        return np.expand_dims(self, axis)

    def to(self, *_):
        return self

    def dim(self):
        return self.ndim

    def element_size(self):
        return self.bytes_each

    def copy_(self, other):
        self[...] = other
        return self

    cuda = to


def size_of(tensor, axis=None):
    return tensor.shape if axis is None else tensor.shape[axis]


def zeros(*shape, **_):
    return np.zeros(shape[0] if isinstance(shape[0], tuple) else shape, INT).view(Tensor)


def stand_in():
    torch = types.SimpleNamespace()
    torch.Tensor = Tensor
    torch.compiler = types.SimpleNamespace(is_compiling=lambda: False)
    torch.zeros = torch.empty = zeros
    torch.empty_like = lambda tensor: zeros(tensor.shape)
    torch.tensor = lambda values, **_: np.array(values, INT).view(Tensor)
    torch.arange = lambda count, **_: np.arange(count, dtype=INT).view(Tensor)
    torch.stack = lambda tensors, dim: np.stack(tensors, dim).view(Tensor)
    for name in "uint8 int int32 long half bfloat16 float32 float8_e4m3fn float8_e8m0fnu".split():
        setattr(torch, name, INT)
    return torch


Tensor.size = property(lambda self: lambda axis=None: size_of(self, axis))
