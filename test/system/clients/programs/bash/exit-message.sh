#!/bin/bash
fail() {
  echo "ERROR: $1" >&2
  exit 3
}
fail "the backup has no orders"
