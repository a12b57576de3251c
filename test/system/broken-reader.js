/**
 * Runs the built terminal with a reader whose second list makes a component throw, which a real collector cannot cause.
 */
import { runBrowse } from '../../tui/commands/browse.js';

let lists = 0;
const never = new Promise(() => undefined);
const reader = {
  async listIssues() {
    lists += 1;
    // An invalid row.
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
