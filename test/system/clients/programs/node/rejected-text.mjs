function pay(amount) {
  return Promise.reject(`card declined for ${amount}`);
}

pay(40);
