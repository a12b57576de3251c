/** The arrows of the house: config <- core <- {collector, tui}; only main.ts knows both. */
const only = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
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
      'The core is the same whoever feeds it and whoever reads it.',
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
    only('main-is-the-top', 'Nothing imports the command line.', { pathNot: '^main\\.ts$' }, { path: '^main\\.ts$' }),
    only(
      'lowdb-in-storage',
      'The index on disk is the business of one room.',
      { pathNot: '^core/storage/' },
      { path: 'node_modules/lowdb' },
    ),
    only(
      'express-in-collector',
      "HTTP ends at the collector's door.",
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
      'no-test-in-product',
      'What ships does not import its tests.',
      { path: '^(config|core|collector|tui|main\\.ts)' },
      { path: '^test/' },
    ),
    only(
      'no-dev-dependency',
      'What ships runs on its own dependencies; a type-only import costs nothing at run time.',
      { path: '^(config|core|collector|tui|main\\.ts)', pathNot: '^config/generate-' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types' },
    ),
    only('resolves', 'An import that does not resolve fails at the first user.', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
