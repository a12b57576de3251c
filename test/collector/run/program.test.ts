import { programName } from '../../../collector/run/program.js';

describe('the name of a command', () => {
  it.each([
    [['/usr/bin/till'], undefined, 'till'],
    [['./till.sh', 'x'], 'shop', 'till'],
    [['node', 'server.js'], 'shop', 'shop'],
    [['npm', 'run', 'start'], 'shop', 'shop'],
    [['node', 'src/server.mjs'], undefined, 'server'],
    [['node', '--import', './otel.js', 'server.js'], undefined, 'node'],
    [['python3.12', '/srv/till.py'], 'shop', 'till'],
    [['python', '-m', 'http.server'], undefined, 'http.server'],
    [['java', '-jar', 'target/till-1.2.jar'], undefined, 'till-1.2'],
    [['sh', '-c', 'exit 1'], undefined, 'sh'],
    [['7z'], undefined, '7z'],
    [['/'], undefined, '/'],
  ])('is, for %j in package %s, %s', (command, packageName, name) => {
    expect(programName(command, packageName)).toBe(name);
  });
});
