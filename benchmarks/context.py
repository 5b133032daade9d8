"""Measures warm, edited and restored contexts through the product, and prints the tables.

    python -m benchmarks.context [--quick] [--backend openvino] [--json]

The same as ``contenox bench --report local-node``, on the starter model, which is made if need be.
"""

import sys

from app.cli.main import main
from app.composition import build_services


def run() -> int:
    services = build_services()
    try:
        services.ensure_starter(lambda _progress: None)
    finally:
        services.close()
    return main(["bench", "--report", "local-node", *sys.argv[1:]], build_services)


if __name__ == "__main__":
    sys.exit(run())
