import { checkSettings } from '../../../../collector/service/check-settings.js';
import { callingSettings } from './calling-collector.js';

function check(url: string, ...sets: string[]) {
  const settings = callingSettings('/nowhere', url, 'exporters.webhook.allow_private_addresses=false', ...sets);
  return checkSettings(settings).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the settings of a webhook', () => {
  it('are valid with a public address, a query and a secret', () => {
    const secret = 'exporters.webhook.signing_secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(check('https://hooks.example.com/x', 'exporters.webhook.query=is:open level:error', secret)).toEqual([]);
    expect(check('https://hooks.example.com/x', 'exporters.webhook.signing_secret=a plain text of 16')).toEqual([]);
    expect(check('https://[2606:4700::1111]/x')).toEqual([]);
  });

  it('are refused if they could never work, without printing the address', () => {
    expect(check('http://10.1.2.3/s3cret')).toEqual([
      'exporters.webhook.endpoint: 10.1.2.3 is not a public address, and is not called. If it is meant, set allow_private_addresses: true.',
    ]);
    expect(check('https://hooks.example.com/x', 'exporters.webhook.query=is:nothing')).toEqual([
      expect.stringMatching(/^exporters\.webhook\.query: Query, column 4: /),
    ]);
    expect(check('https://hooks.example.com/x', 'exporters.webhook.signing_secret=whsec_dG9vIHNob3J0')).toEqual([
      expect.stringMatching(/^exporters\.webhook\.signing_secret: has a key of less than 16 bytes/),
    ]);
  });
});
