def discount(price, percent):
    assert 0 <= percent <= 100, f"discount of {percent} percent"
    return price * (100 - percent) / 100


discount(40, 120)
