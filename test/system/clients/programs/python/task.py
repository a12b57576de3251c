import asyncio


async def fetch_rate(currency):
    await asyncio.sleep(0)
    if currency == "XXX":
        raise LookupError(f"no rate for {currency}")
    return 1.0


async def convert():
    return await asyncio.gather(fetch_rate("EUR"), fetch_rate("XXX"))


asyncio.run(convert())
