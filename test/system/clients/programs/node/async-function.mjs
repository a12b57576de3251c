import { readFile } from 'node:fs/promises';

async function loadPrices(folder) {
  return JSON.parse(await readFile(`${folder}/prices.json`, 'utf8'));
}

async function start() {
  await loadPrices('/nonexistent/shop');
}

start();
