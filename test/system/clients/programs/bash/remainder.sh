set -u
x=$((7 % 0))
