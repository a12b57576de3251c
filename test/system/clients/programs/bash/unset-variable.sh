#!/bin/bash
set -u
deploy() {
  echo "deploying to $SHOP_TARGET_HOST"
}
deploy
