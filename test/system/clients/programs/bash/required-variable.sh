#!/bin/bash
: "${SHOP_DATABASE:?is not set, see deploy.md}"
echo "never printed"
