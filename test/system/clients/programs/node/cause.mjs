function priceOf(article) {
  const price = { cup: 4 }[article];
  if (price === undefined) throw new RangeError(`no price for ${article}`);
  return price;
}

function place(article) {
  try {
    return priceOf(article);
  } catch (error) {
    throw new Error('the order was not placed', { cause: error });
  }
}

place('saucer');
