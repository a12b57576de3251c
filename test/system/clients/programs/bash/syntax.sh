#!/bin/bash
echo "opening"
if [ "$1" = open ]; then
  echo "open"
done
