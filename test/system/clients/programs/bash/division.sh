#!/bin/bash
set -e
share() {
  echo $(($1 / $2))
}
each=$(share 40 0)
echo "$each"
