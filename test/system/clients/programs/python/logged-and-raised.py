import logging
def sync():
    return {}["till"]
try:
    sync()
except Exception:
    logging.exception("sync failed")
    raise
