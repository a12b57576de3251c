#!/bin/bash
set -e
echo "copying the prices"
cp /nonexistent/prices.csv /tmp/
