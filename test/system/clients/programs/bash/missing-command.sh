#!/bin/bash
set -e
echo "printing labels"
shop-label-printer --all
