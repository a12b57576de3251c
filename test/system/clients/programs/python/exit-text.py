import sys

print("reading shop.toml")
sys.exit("shop.toml: the setting 'currency' is missing")
