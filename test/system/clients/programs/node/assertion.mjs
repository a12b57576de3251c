import assert from 'node:assert/strict';

function discount(price, percent) {
  assert(percent <= 100, `discount of ${percent} percent`);
  return (price * (100 - percent)) / 100;
}

discount(40, 120);
