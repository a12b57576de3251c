import { availableParallelism } from 'node:os';

// The React that the built command has; the development one takes longer to draw.
process.env.NODE_ENV = 'production';

export default {
  rootDir: '..',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  // Long tests, and those that need Debian's packages, have a configuration of their own.
  testPathIgnorePatterns: ['<rootDir>/test/system/'],
  // Plain Node instead of a sandbox per file: modules of the product load once per process. `tsx` compiles them.
  runner: '<rootDir>/test/helpers/light-runner.js',
  transform: {},
  // One more than cores: the tests wait for disks, and for processes of their own.
  maxWorkers: availableParallelism() + 1,
  setupFiles: ['<rootDir>/test/helpers/seed-properties.ts'],
  reporters: ['default', '<rootDir>/test/helpers/run-reporter.js'],
};
