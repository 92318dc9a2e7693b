"""Follows an analysis without a limit until it is deep enough. Cancelling the task stops it."""

import asyncio
import sys

from kibitzer_client import AsyncKibitzer

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"


async def follow(client: AsyncKibitzer, deep_enough: asyncio.Event) -> None:
    """Prints the lines of the analysis."""
    async for line in client.analysis(fen="startpos", infinite=True):
        if line["type"] == "info":
            print(f"depth {line['depth']}:", *line["lines"][0]["pv_san"])
            if line["depth"] >= 10:
                deep_enough.set()


async def main() -> None:
    """Cancels the analysis at depth 10, or after 30 s."""
    deep_enough = asyncio.Event()
    async with AsyncKibitzer(URL) as client:
        task = asyncio.create_task(follow(client, deep_enough))
        await asyncio.wait_for(deep_enough.wait(), 30)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    print("cancelled")


asyncio.run(main())
