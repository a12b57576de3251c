import type { Argv } from 'yargs';
import { type CliContext, flag, text, texts } from '../command-line.js';

/** Adds the command `gate`. */
export function addGateCommand(cli: Argv, { streams, done, openReader, defaultUrl }: CliContext): void {
  const one = (describe: string) => ({ ...text(describe), nargs: 1 });
  cli.command(
    'gate',
    'Judge a release by its failures: exit code 3 for a breach, 70 without a verdict',
    (command) =>
      command
        .option('release', { ...one('Release to judge'), demandOption: true })
        .option('compare', { ...one('Release that --max-rate compares with (default: previous)'), default: 'previous' })
        .option('for', { ...one('How long to watch (default: 10m)'), default: '10m' })
        .option('max-new', one('Most new issues (default: 0 if no other rule is given)'))
        .option('max-rate', one('Most events per hour, as a multiple of the compared release: 2x'))
        .option('min-crash-free', one('Least percent of sessions without a crash'))
        .option('query', { ...texts('No issue of the release may match; repeat for several'), nargs: 1 })
        .option('report', { ...texts('github, junit, sarif, json or markdown, with =FILE; repeat'), nargs: 1 })
        .option('dry-run', flag('Report, and exit with 0'))
        .option('url', { ...one(`Collector to read (default: ${defaultUrl})`), default: defaultUrl })
        .option('token-file', text('File with the token (default: FAULTLINE_TOKEN)'))
        .example('$0 gate --release v2.4.1 --for 1s', '')
        .example('$0 gate --release v2.4.1 --for 10m --max-new 0 --max-rate 2x', ''),
    async ({ url, tokenFile, query, report, dryRun, ...options }) => {
      const { runGate } = await import('./gate.js');
      const reader = await openReader({ url, tokenFile });
      try {
        const { release, compare, maxNew, maxRate, minCrashFree } = options;
        const limits = { maxNew, maxRate, minCrashFree, queries: query };
        const rest = { reports: report, isDryRun: dryRun, reader, env: process.env };
        done(await runGate({ release, compare, for: options.for, ...limits, ...rest, ...streams }));
      } finally {
        await reader.close();
      }
    },
  );
}
