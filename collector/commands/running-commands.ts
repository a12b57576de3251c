import type { Argv } from 'yargs';
import { type CliContext, configOptions, flag, restoreDash, text, texts } from './command-line.js';

/** Adds the commands that run a collector; each is imported when it is called. */
export function addRunningCommands(cli: Argv, context: CliContext): void {
  addCollectCommand(cli, context);
  addSendCommand(cli, context);
  addRunCommand(cli, context);
  // Hidden: a gated `run` starts it.
  cli.command('run-collector', false, {}, async () => {
    const { runCollectorProcess } = await import('../run/collector-process.js');
    context.done(await runCollectorProcess());
  });
}

function addCollectCommand(cli: Argv, { streams, defaultDirectory, done, version }: CliContext): void {
  cli.command(
    'collect',
    'Run the collector',
    (command) =>
      configOptions(command)
        .option('data', { type: 'string', nargs: 1, describe: `Data folder (default: ${defaultDirectory})` })
        .option('port', {
          type: 'number',
          nargs: 1,
          describe: 'Port for events; gRPC has the one below, reading the one above (default: 4318)',
        })
        .example('$0 collect --data ./shop --port 5318', '')
        .example('$0 collect', 'with the defaults')
        .example('$0 collect --config faultline.yaml --data /var/lib/faultline', ''),
    async ({ config, set, data: directory, port }) => {
      // Express takes 40 ms to load: a turn of the event loop of its own.
      await import('express');
      const { runCollect } = await import('./collect.js');
      done(await runCollect({ config, set, directory, port, version, env: process.env, ...streams }));
    },
  );
}

function addSendCommand(cli: Argv, { streams, done }: CliContext): void {
  cli.command(
    'send [message]',
    'Send a test event',
    (command) =>
      command
        .positional('message', text('Message of the event'))
        .option('count', { type: 'number', describe: 'Number of events (default: 1, at most 1000)' })
        .option('file', text('Send the payloads of an NDJSON file; - is standard input'))
        .option('app', text('Application name (default: the service)'))
        .option('service', text('Service name (default: test)'))
        .option('env', text('Environment (default: development)'))
        .option('level', text('Level (default: error)'))
        .option('error-name', text('Error name (default: TestError)'))
        .option('url', text('Collector (default: FAULTLINE_URL, else http://localhost:4318)'))
        .conflicts('file', ['message', 'count', 'app', 'service', 'env', 'level', 'error-name'])
        .example('$0 send', '')
        .example('$0 send "disk almost full" --service worker --level warning --count 3', '')
        .example('$0 send --file failures.ndjson', ''),
    async ({ message, count, file, app, service, env, level, errorName, url }) => {
      const { runSend } = await import('./send.js');
      const fields = { app, service, env, level, errorName };
      const { stdin } = process;
      const named = file === undefined ? undefined : restoreDash(file);
      done(await runSend({ message, count, file: named, fields, url, env: process.env, stdin, ...streams }));
    },
  );
}

function addRunCommand(cli: Argv, { streams, defaultDirectory, done }: CliContext): void {
  cli.command(
    'run',
    'Run a program and collect the failures it prints',
    (command) =>
      command
        // All arguments after the two dashes belong to the program.
        .parserConfiguration({ 'nargs-eats-options': true, 'populate--': true })
        .usage('$0 run [options] -- PROGRAM [ARGS…]\n\nRun a program and collect the failures it prints')
        .option('app', text('Application name (default: the service)'))
        .option('service', text('Service name (default: the program)'))
        .option('env', text('Environment (default: FAULTLINE_ENV, NODE_ENV or development)'))
        .option('release', text('Release of the program'))
        .option('url', text('Collector (default: FAULTLINE_URL, http://localhost:4318, else its own)'))
        .option('data', text(`Data folder of its own collector (default: ${defaultDirectory})`))
        .option('fail-on', text('Exit with 3 on these failures: new, regressed, queries; separated by commas'))
        .option('baseline', text('File of the known issues'))
        .option('update-baseline', flag('Write the issues of this run to the baseline'))
        .option('report', { ...texts('github, junit, sarif, json or markdown, with =FILE; repeat'), nargs: 1 })
        .example(`$0 run -- node -e 'throw new Error("boom")'`, '')
        .example(`$0 run --fail-on new --baseline known.txt -- npm test`, ''),
    async ({ app, service, env, release, url, data, failOn, baseline, updateBaseline, report }) => {
      const { runRun } = await import('./run.js');
      const args = process.argv;
      done(
        await runRun({
          command: args.includes('--') ? args.slice(args.indexOf('--') + 1) : [],
          names: { app, service, env, release },
          url,
          directory: data,
          defaultDirectory,
          gate: { failOn, baseline, updateBaseline, reports: report },
          env: process.env,
          stdin: () => process.stdin,
          ...streams,
        }),
      );
    },
  );
}
