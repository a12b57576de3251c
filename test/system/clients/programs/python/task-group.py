import asyncio
async def bad():
    raise ValueError("bad task")
async def main():
    async with asyncio.TaskGroup() as tg:
        tg.create_task(bad())
asyncio.run(main())
