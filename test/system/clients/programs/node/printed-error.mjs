async function sync(stock) {
  throw new TypeError(`stock ${stock} is not a list`);
}

sync('teapots').catch((error) => {
  console.error('sync failed:', error);
  process.exitCode = 4;
});
