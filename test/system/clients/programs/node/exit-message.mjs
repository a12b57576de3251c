if (process.env.SHOP_DATABASE === undefined) {
  console.error('error: SHOP_DATABASE is not set');
  process.exit(2);
}
