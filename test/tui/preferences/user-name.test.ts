import { userInfo } from 'node:os';
import { userName } from '../../../tui/preferences/user-name.js';

describe('the default actor', () => {
  it('is the user of the environment', () => {
    expect(userName({ USER: '', LOGNAME: 'ada' })).toBe('ada');
  });

  it('is otherwise the account of the process', () => {
    expect(userName({})).toBe(userInfo().username);
  });
});
