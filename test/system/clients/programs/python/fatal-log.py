import logging
import sys

logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
logging.getLogger("shop.till").critical("till 7 cannot be opened, giving up")
sys.exit(3)
