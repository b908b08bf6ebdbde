# SPDX-License-Identifier: Apache-2.0
"""The hash by which the policy of the page lets the script of pictures run, as a browser works it out.

    python3 page/script_hash.py src/render/html.cpp        sha256-JIy…=
"""

import base64
import hashlib
import re
import sys
from pathlib import Path

source = Path(sys.argv[1]).read_text()
script = re.search(r'page_script = R"js\((.*?)\)js"', source, re.DOTALL)[1]
print("sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode())
