"""Small helpers that environments use."""

import re


def run_async_safely(coro):
    """The result of a coroutine, also where a loop already runs: it then gets a thread."""
    # Not every worker has a loop, and this module is loaded by all of them.
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coro)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, coro).result()


def convert_to_ws_url(url: str) -> str:
    scheme, separator, rest = url.rstrip("/").partition("://")
    known = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
    if separator and scheme in known:
        return f"{known[scheme]}://{rest}"
    return "ws://" + url.rstrip("/")


def hf_space_subdomain(repo_id: str) -> str:
    return re.sub("[^a-z0-9]", "-", repo_id.lower())
