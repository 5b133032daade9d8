"""Fetch and verify 1 GiB from loopback, against ``curl`` to a file, in turns in one run.

    python benchmarks/download.py [--mib 1024] [--pairs 7] [--folder DIR] [--json FILE]

The ratio is curl's time over ours; ours hashes every byte and asks the disk to keep it, curl does
neither. The goal is at least 0.8, with memory that doesn't grow with the file.
"""

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.models.download_disk import DiskGuard
from app.models.fetch import Fetcher, Wanted
from app.models.fetch_stop import StopSwitch
from app.models.hub_endpoint import HubEndpoint

MIB = 1 << 20


def main() -> None:
    arguments = _arguments()
    curl = shutil.which("curl")
    if curl is None:
        raise SystemExit("This benchmark compares with curl, which is not installed.")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        root = Path(folder)
        digest = _make(root / "source.bin", arguments.mib)
        ours: list[tuple[float, float, int]] = []
        curls: list[tuple[float, float]] = []
        ready, child_end = multiprocessing.get_context("spawn").Pipe()
        server = multiprocessing.get_context("spawn").Process(
            target=serve, args=(root / "source.bin", child_end), daemon=True
        )
        server.start()
        try:
            url = ready.recv()
            for _ in range(arguments.pairs):
                curls.append(_curl(curl, url, root / "curl.bin"))
                ours.append(_ours(url, root / "ours.bin", arguments.mib * MIB, digest))
        finally:
            server.terminate()
            server.join()
    _report(arguments, curls, ours)


def serve(source: Path, ready: Connection) -> None:
    """A plain file server with ranges, in a process of its own."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            """Nothing is printed."""

        def do_GET(self) -> None:
            size = source.stat().st_size
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.flush()
            with source.open("rb") as file, contextlib.suppress(ConnectionError):
                self.connection.sendfile(file)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ready.send(f"http://127.0.0.1:{server.server_address[1]}")
    server.serve_forever()


class _Nobody:
    """Listens to nothing."""

    def kept(self, count: int) -> None:
        """See ``FetchListener``."""

    def received(self, count: int) -> None:
        """See ``FetchListener``."""


def fetch_once(url: str, target: Path, size_bytes: int, digest: str, answer: Connection) -> None:
    """One fetch in a process of its own, so that its peak memory is its own."""
    import psutil

    process = psutil.Process()
    before = process.memory_info().rss
    wanted = Wanted(
        repository="a/b", commit="0" * 40, path="x.bin", size_bytes=size_bytes, sha256=digest
    )
    wall, cpu = time.perf_counter(), time.process_time()
    with Fetcher(HubEndpoint(url=url), DiskGuard(0), lambda *_: None) as fetcher:
        fetcher.fetch(wanted, target, StopSwitch(), _Nobody())
    spent = (time.perf_counter() - wall, time.process_time() - cpu)
    answer.send((*spent, _peak_bytes(), before))


def _peak_bytes() -> int:
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _ours(url: str, target: Path, size_bytes: int, digest: str) -> tuple[float, float, int]:
    context = multiprocessing.get_context("spawn")
    answer, child_end = context.Pipe()
    child = context.Process(target=fetch_once, args=(url, target, size_bytes, digest, child_end))
    child.start()
    child_end.close()
    wall, cpu, peak, _ = answer.recv()
    child.join()
    target.unlink()
    return float(wall), float(cpu), int(peak)


def _curl(curl: str, url: str, target: Path) -> tuple[float, float]:
    started, cpu_before = time.perf_counter(), _children_cpu_s()
    subprocess.run(
        [curl, "--silent", "--fail", "--noproxy", "*", "--output", str(target), f"{url}/x"],
        check=True,
    )
    spent = time.perf_counter() - started, _children_cpu_s() - cpu_before
    target.unlink()
    return spent


def _children_cpu_s() -> float:
    """CPU seconds of the children that ended; 0 on Windows, which doesn't add them up."""
    times = os.times()
    return times.children_user + times.children_system


def _make(path: Path, mib: int) -> str:
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for _ in range(mib):
            piece = os.urandom(MIB)
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def _report(
    arguments: argparse.Namespace,
    curls: list[tuple[float, float]],
    ours: list[tuple[float, float, int]],
) -> None:
    mb = arguments.mib * MIB / 1e6
    ratios = [curl / wall for (curl, _), (wall, _, _) in zip(curls, ours, strict=True)]
    result = {
        "benchmark": "download",
        "size_mib": arguments.mib,
        "pairs": arguments.pairs,
        "curl_mb_per_s": round(mb / statistics.median(wall for wall, _ in curls), 1),
        "curl_cpu_s_per_gb": round(statistics.median(cpu for _, cpu in curls) / mb * 1000, 2),
        "fetch_mb_per_s": round(mb / statistics.median(wall for wall, _, _ in ours), 1),
        "fetch_cpu_s_per_gb": round(statistics.median(cpu for _, cpu, _ in ours) / mb * 1000, 2),
        "ratio_median": round(statistics.median(ratios), 3),
        "ratios": [round(ratio, 3) for ratio in ratios],
        "peak_rss_mb": round(max(peak for _, _, peak in ours) / 1e6, 1),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
    }
    print(f"{'curl to a file':<28}{result['curl_mb_per_s']:>9} MB/s")
    print(f"{'fetch, hash, fsync':<28}{result['fetch_mb_per_s']:>9} MB/s")
    print(f"{'ratio (median of pairs)':<28}{result['ratio_median']:>9}")
    print(f"{'CPU of curl':<28}{result['curl_cpu_s_per_gb']:>9} s/GB")
    print(f"{'CPU of the fetch':<28}{result['fetch_cpu_s_per_gb']:>9} s/GB")
    print(f"{'peak memory of the fetch':<28}{result['peak_rss_mb']:>9} MB")
    print(json.dumps(result))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--folder", type=Path, default=None, help="where the files lie")
    parser.add_argument("--json", type=Path, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    main()
