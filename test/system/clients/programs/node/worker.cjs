const { Worker, isMainThread } = require('node:worker_threads');

function count(lines) {
  return lines.map((line) => BigInt(line));
}

if (isMainThread) new Worker(__filename);
else count(['4', 'seven']);
