import config from '../jest.config.js';

export default { ...config, rootDir: '../..', roots: ['<rootDir>/test/system'], testPathIgnorePatterns: [] };
