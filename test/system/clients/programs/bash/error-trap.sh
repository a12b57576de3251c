#!/bin/bash
set -eE
trap 'echo "deploy.sh: line $LINENO: \"$BASH_COMMAND\" failed with $?" >&2' ERR
check() {
  grep -q ready /dev/null
}
check
