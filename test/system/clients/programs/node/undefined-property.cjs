const orders = new Map([['A1', { customer: { name: 'bo' } }]]);

function customerOf(id) {
  return orders.get(id).customer.name;
}

console.log([1, 2].map((n) => customerOf(`A${n}`)));
