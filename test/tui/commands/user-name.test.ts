import { userInfo } from 'node:os';
import { userName } from '../../../tui/commands/user-name.js';

describe('the name with which actions are signed', () => {
  it('is the one of the environment', () => {
    expect(userName({ USER: '', LOGNAME: 'ada' })).toBe('ada');
  });

  it('is the account of the process where the environment holds none', () => {
    expect(userName({})).toBe(userInfo().username);
  });
});
