# SPDX-License-Identifier: Apache-2.0
"""swz: shared-memory layouts of NVIDIA tensor cores, decoded and computed.

    >>> import swz
    >>> swz.decode(0x4000004000010042).fields[0].value
    1056
    >>> swz.layout("Sw<3,3,3> o 0 o (64,64):(64,1)", dtype="bf16").to("triton")
    '#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>'

Every command of swz is a function (swz.commands); swz.layout takes a layout of any project. Answers are mappings with
attributes and show themselves as text and pictures; what swz refuses is swz.Error.
"""

from ._answer import Answer, Record
from ._errors import Error
from ._layout import Layout, layout
from ._process import binary
from ._scales import Scales, scales
from ._testing import assert_conflict_free, assert_same
from .commands import *  # noqa: F403
from .commands import __all__ as _commands
from .commands import __version__ as __version__

__all__ = [
    "Answer",
    "Error",
    "Layout",
    "Record",
    "Scales",
    "assert_conflict_free",
    "assert_same",
    "binary",
    "layout",
    "scales",
    *_commands,
]


def load_ipython_extension(shell: object) -> None:
    """%load_ext swz"""
    from ._notebook import load

    load(shell)
