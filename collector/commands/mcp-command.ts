import type { Argv } from 'yargs';
import { type CliContext, flag, text } from './command-line.js';

/** Adds the command for coding assistants; it is imported when it is called. */
export function addMcpCommand(cli: Argv, context: CliContext): void {
  const { defaultUrl, streams, done, version } = context;
  cli.command(
    'mcp',
    'Serve issues and events to a coding assistant (MCP over standard input and output)',
    (command) =>
      command
        .option('url', text(`Collector to read (default: ${defaultUrl}, else the local data folder)`))
        .option('data', text('Data folder to read without a collector'))
        .conflicts('url', 'data')
        .option('token-file', text('File with the token (default: FAULTLINE_TOKEN); one that may act allows writing'))
        .option('allow-writes', flag('Offer tools that change issues also without a token'))
        .example('$0 mcp --data ./faultline-data', ''),
    async ({ url, data, tokenFile, allowWrites }) => {
      const [{ runMcp }, { TOKEN_VARIABLE }] = await Promise.all([
        import('./mcp.js'),
        import('../../core/http-reader/collector-token.js'),
      ]);
      const hasToken = tokenFile !== undefined || (process.env[TOKEN_VARIABLE] ?? '') !== '';
      const openReader = () => (allowWrites ? context.openStore : context.openReader)({ url, data, tokenFile });
      const mayWrite = allowWrites || hasToken;
      done(await runMcp({ version, openReader, mayWrite, stdin: process.stdin, ...streams }));
    },
  );
}
