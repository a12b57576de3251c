/**
 * Runs the built terminal over a reader whose second list breaks drawing: what a component throws then is a mistake of ours, which no collector can cause.
 */
import { runBrowse } from '../../dist/tui/commands/browse.js';

let lists = 0;
const never = new Promise(() => undefined);
const reader = {
  async listIssues() {
    lists += 1;
    // A row that is none.
    return { issues: lists > 1 ? [{ issue_id: 'x', trend: null }] : [], next_cursor: null, total: 0 };
  },
  countIssues: () => never,
  stats: () => never,
  access: async () => ({ actions: false }),
  sources: () => [],
  ownersOf: () => [],
  close: async () => undefined,
};
const { stdin, stdout, stderr, env } = process;
process.exitCode = await runBrowse({ openReader: async () => reader, env, stdin, stdout, stderr });
