class OutOfStock extends Error {
  name = 'OutOfStock';
}

function reserve(article, wanted, stock) {
  if (wanted > stock[article]) throw new OutOfStock(`${article}: ${wanted} wanted, ${stock[article]} left`);
}

reserve('teapot', 12, { teapot: 3 });
