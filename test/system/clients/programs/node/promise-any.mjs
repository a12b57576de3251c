async function ask(warehouse) {
  throw new Error(`${warehouse} does not respond`);
}

await Promise.any([ask('north'), ask('south')]);
