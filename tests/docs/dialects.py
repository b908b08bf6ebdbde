# SPDX-License-Identifier: Apache-2.0
"""docs/dialects.md: the table of dialects as a page. evidence.py compares and writes it.

Every fact comes from `swz translate --list -f json`; only the words between are here.
"""

HEADS = {"mode": "mode", "bytes": "Swizzle on bytes", "wgmma": "wgmma word", "tcgen05": "tcgen05 word",
         "driver": "driver", "driver_name": "CU_TENSOR_MAP_SWIZZLE_", "cute_atom": "CuTe atom K_ / MN_",
         "triton": "Triton", "tilelang": "TileLang", "mosaic": "Mosaic", "mojo": "Mojo", "nvfuser": "nvFuser"}


def cell(value):
    return "–" if value in (None, "") else str(value).replace("|", "\\|")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return lines + ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]


def section(row):
    """One dialect; what is not written yet has no example."""
    needs = f"swz asks for {row['needs']}" if row["needs"] else "a text says all that is needed"
    out = ["", f"## {row['title']}", "", f"`--from {row['name']}`. Numbers count {row['unit']}; {needs}."]
    if row["example"]:
        out += ["", "```text", row["example"], "```"]
    if row["rules"]:
        out += ["", row["rules"].strip()]
    if row["source"]:
        out += ["", f"Source: {row['source']}."]
    return out


def page(listing):
    """The page from the JSON of `swz translate --list`."""
    out = ["# Dialects", "",
           "Written by `sh scripts/evidence` from `swz translate --list`. Do not edit it.", "",
           "Every command that takes a layout reads these notations, and `swz translate` writes one in all others",
           "([guide](guide.md#from-a-triton-kernel-to-a-cute-layout)). What a project cannot express is refused, never",
           "approximated. Coordinates are (row, col) of the array as the project declares it, offsets count elements where",
           "no unit is named.", ""]
    out += table(["dialect", "project", "counts", "asks for"],
                 [[f"`{row['name']}`", row["title"], row["unit"], row["needs"]] for row in listing["dialects"]])
    out += ["", "## One table of names", "",
            "A number is ambiguous: the same one names another mode in another project.", ""]
    out += table(HEADS.values(), [[row[key] for key in HEADS] for row in listing["mode_names"]])
    out += ["", "## Swizzle<B,M,S> spelled", ""]
    out += table(["project", "spelling", "order and unit", "evidence", "source"],
                 [[row["where"], f"`{row['text']}`", row["meaning"], row["evidence"], row["source"]]
                  for row in listing["swizzle_spellings"]])
    for row in listing["dialects"]:
        out += section(row)
    return "\n".join(out) + "\n"
