import { statSync } from 'node:fs';

/** Suites that take 10 s or more, slowest first. */
const SLOW = [
  /\/test\/core\/storage\/safety\//,
  /\/test\/(crash|main)\//,
  /\/test\/core\/storage\/(verify|.*\/crash\.test)/,
];

/** Runs the slow suites first, then the largest files, so that no worker starts a long suite at the end. */
// biome-ignore lint/style/noDefaultExport: jest needs the default export.
export default class SlowFirst {
  sort(tests) {
    const ranked = tests.map((test) => ({ test, rank: rankOf(test.path), bytes: statSync(test.path).size }));
    return ranked.sort((a, b) => a.rank - b.rank || b.bytes - a.bytes).map(({ test }) => test);
  }

  /** For `--onlyFailures`: results of earlier runs are not stored, so all tests run. */
  allFailedTests(tests) {
    return tests;
  }

  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, index) => index % shardCount === shardIndex - 1);
  }

  cacheResults() {}
}

function rankOf(path) {
  const rank = SLOW.findIndex((pattern) => pattern.test(path));
  return rank < 0 ? SLOW.length : rank;
}
