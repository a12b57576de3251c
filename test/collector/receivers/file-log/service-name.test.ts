import { serviceNameOf } from '../../../../collector/receivers/file-log/container-path.js';

describe('the service of a log file', () => {
  it.each([
    ['/var/log/api.log', 'api'],
    ['/var/log/api.log.1', 'api'],
    ['/var/log/api.log.12.gz', 'api'],
    ['/var/log/api-20261121.log', 'api'],
    ['/var/log/api.log-20261121', 'api'],
    ['/var/log/api.2026-11-21.log', 'api'],
    ['/var/log/api.2026-11-21T10-30-00.log', 'api'],
    ['/var/log/api.prod.log', 'api.prod'],
    ['/var/log/syslog', 'syslog'],
    ['/var/log/.log', '.log'],
  ])('is named by its file without extension and rotation: %s', (path, name) => {
    expect(serviceNameOf(path)).toBe(name);
  });
});
