/** The arrows of the house: config <- core <- {collector, tui}; only the command line (main.ts, cli.ts) knows both. */
const only = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** Folders of each room, the lowest first: a folder imports only those before it, so that no arrow runs back up and no two folders import each other. */
const LAYERS = {
  // text → values → tree → problems with file:line:column
  config: 'values yaml check',
  // an event, what it means, what it belongs to, what is asked of it; then the disk, other collectors, and several of them as one
  core: 'event normalize query fingerprint issues contract explain brief suggestions storage source-code http-reader merged',
  'core/fingerprint': 'message stack rules',
  // the disk, the record and its logs, the index, then what reads and changes both
  'core/storage':
    'files record dead-letters groupings lock actions index releases origins retention issue-queries regroup suggestions following verify event-queries changes triage',
  'core/storage/record': 'partitions io commits reader writer',
  'core/storage/index': 'documents segments content checkpoint',
  // what counts, what serves, the contract of components, the components, what runs them, the commands
  collector:
    'telemetry demo log-parsing http query component otlp nats mcp receivers extensions import processors exporters plugins service run gate commands',
  'collector/http': 'decompression messages endpoints tls server middleware',
  'collector/receivers': 'intake events file-log sentry otlp nats',
  'collector/receivers/otlp': 'decode mapping intake transport',
  'collector/receivers/sentry': 'mapping envelope',
  'collector/processors': 'event-processor attributes redaction sampling',
  'collector/exporters': 'sending otlp-http webhook nats',
  // cells and colours, what is read, the state, what draws it, the loop
  tui: 'text format terminal effects preferences readers state overlays components triage screens app commands',
  'tui/format': 'issue export',
  'tui/screens': 'status lists issue event',
};

const layers = Object.entries(LAYERS).flatMap(([room, names]) => {
  const folders = names.split(' ');
  return folders
    .slice(0, -1)
    .map((folder, place) =>
      only(
        `${room}/${folder}-is-below`,
        'The folders of a room import each other in one direction, see LAYERS.',
        { path: `^${room}/${folder}/` },
        { path: `^${room}/(${folders.slice(place + 1).join('|')})/` },
      ),
    );
});

module.exports = {
  forbidden: [
    ...layers,
    only(
      'no-cycles',
      'Data walks one way; a cycle means that a wall stands in the wrong place.',
      {},
      { circular: true },
    ),
    only(
      'config-knows-no-room',
      'Settings are read by all rooms and know none of them.',
      { path: '^config/' },
      { path: '^(core|collector|tui)/' },
    ),
    only(
      'core-knows-no-edge',
      'The core does not depend on what feeds it or reads it.',
      { path: '^core/' },
      { path: '^(collector|tui)/' },
    ),
    only(
      'collector-knows-no-terminal',
      'A sidecar runs without a screen; what both need lies in core.',
      { path: '^collector/' },
      { path: '^tui/' },
    ),
    only(
      'terminal-knows-no-collector',
      'The terminal reads through FailureReader, never through the process that collects.',
      { path: '^tui/' },
      { path: '^collector/' },
    ),
    only(
      'exporters-know-no-receiver',
      'What both speak of OTLP lies in collector/otlp, which neither owns.',
      { path: '^collector/(exporters|otlp)/' },
      { path: '^collector/receivers/' },
    ),
    only(
      'receivers-know-no-exporter',
      'What both speak of OTLP lies in collector/otlp, which neither owns.',
      { path: '^collector/(receivers|otlp)/' },
      { path: '^collector/exporters/' },
    ),
    only(
      'main-is-the-top',
      'Nothing imports the command line.',
      { pathNot: '^(main|cli)\\.ts$' },
      { path: '^(main|cli)\\.ts$' },
    ),
    only(
      'lowdb-in-storage',
      'The index on disk is the business of one room.',
      { pathNot: '^core/storage/' },
      { path: 'node_modules/lowdb' },
    ),
    only(
      'express-in-collector',
      'HTTP ends at the receivers.',
      { pathNot: '^collector/' },
      { path: 'node_modules/(express|@types/express)' },
    ),
    only(
      'ink-in-tui',
      'Importing Ink costs half a second: commands that print must never load it.',
      { pathNot: '^tui/' },
      { path: 'node_modules/(ink|react|@types/react)/' },
    ),
    only(
      'pure-normalize',
      'Normalize is a function of values: no clock, disk or network.',
      { path: '^core/normalize/' },
      { path: '^(fs|net|http|https|os|child_process|worker_threads|dgram|dns)(/|$)|^core/(storage|reader)|^config/' },
    ),
    only(
      'pure-fingerprint',
      'A fingerprint is a function of values: no clock, disk or network.',
      { path: '^core/fingerprint/' },
      { path: '^(fs|net|http|https|os|child_process|worker_threads|dgram|dns)(/|$)|^core/(storage|reader)|^config/' },
    ),
    only(
      'git-has-one-place',
      'Only run-git.ts knows how to start git in a repository that is not trusted; the others start what a person named.',
      { pathNot: '^(core/source-code/run-git|collector/(run|demo)/|tui/effects/(clipboard|editor))' },
      { path: '^child_process$' },
    ),
    only(
      'no-test-in-product',
      'What ships does not import its tests.',
      { path: '^(config|core|collector|tui|(main|cli)\\.ts)' },
      { path: '^test/' },
    ),
    only(
      'declared-packages',
      'A package that package.json does not name may be missing or change; the build bundles all but `dependencies`.',
      { path: '^(config|core|collector|tui|(main|cli)\\.ts)' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    only('resolves', 'An import that does not resolve fails at the first user.', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Parsed by @swc/core: TypeScript 7 has no interface for programs.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
