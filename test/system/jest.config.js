import { availableParallelism } from 'node:os';
import config from '../jest.config.js';

export default {
  ...config,
  rootDir: '../..',
  roots: ['<rootDir>/test/system'],
  testPathIgnorePatterns: [],
  runner: '<rootDir>/test/helpers/light-runner.js',
  // A third of the time of these tests is waiting for programs and disks.
  maxWorkers: availableParallelism() + 1,
};
