import asyncio


async def warehouse():
    await asyncio.Event().wait()


async def main():
    await asyncio.wait_for(warehouse(), timeout=0.01)


asyncio.run(main())
