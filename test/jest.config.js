import { availableParallelism } from 'node:os';

export default {
  rootDir: '..',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  // What needs Debian's packages runs by `npm run test:system` alone.
  testPathIgnorePatterns: process.env.FAULTLINE_SYSTEM_TESTS ? [] : ['<rootDir>/test/system/'],
  testEnvironment: 'node',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  // One more than cores: the tests wait for processes of their own, whose servers fill the cores in system tests.
  maxWorkers: availableParallelism() + (process.env.FAULTLINE_SYSTEM_TESTS ? 0 : 1),
  testSequencer: '<rootDir>/test/helpers/slow-first.js',
  // Modules of finished suites stay in a worker's memory: beyond this a new one is cheaper than its collections of garbage.
  workerIdleMemoryLimit: '700MB',
  // Only ends a test that hangs: walks over every crash point take a while on a busy machine.
  testTimeout: 600_000,
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/test/helpers/seeded-fast-check.js',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The React that the built command has; the development one takes longer to draw.
    '^react$': '<rootDir>/node_modules/react/cjs/react.production.js',
    '^react/jsx-runtime$': '<rootDir>/node_modules/react/cjs/react-jsx-runtime.production.js',
    '^(react-reconciler|scheduler)$': '<rootDir>/node_modules/$1/cjs/$1.production.js',
  },
  reporters: ['default', '<rootDir>/test/helpers/count-reporter.js'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic' } },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
