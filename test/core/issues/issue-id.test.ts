import fc from 'fast-check';
import { v5 } from 'uuid';
import type { FingerprintValue } from '../../../core/event/ids.js';
import { toIssueId } from '../../../core/event/ids.js';
import { issueIdOf } from '../../../core/issues/issue-id.js';

const fingerprint = '0123456789abcdef0123456789abcdef' as FingerprintValue;

describe('an issue id', () => {
  it('never changes for the same app, service and fingerprint', () => {
    expect(issueIdOf({ app: 'shop', service: 'api', fingerprint })).toBe('3e2933e6-a3e8-5a87-a695-7f77845b52ca');
  });

  it('is a UUID of version 5', () => {
    const id = issueIdOf({ app: 'shop', service: 'api', fingerprint });
    expect(toIssueId(id)).toBe(id);
    expect(id[14]).toBe('5');
  });

  it('equals the RFC 9562 value of the namespace and the JSON text for any names', () => {
    const name = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(name, name, (app, service) => {
        const text = JSON.stringify([app, service, fingerprint]);
        expect(issueIdOf({ app, service, fingerprint })).toBe(v5(text, 'ed1ff3b7-8202-5f37-a9bf-ee2850309e6a'));
      }),
    );
  });

  it('differs for names that are equal when concatenated', () => {
    const ids = [
      issueIdOf({ app: 'a', service: 'b,c', fingerprint }),
      issueIdOf({ app: 'a,b', service: 'c', fingerprint }),
      issueIdOf({ app: 'a","b', service: 'c', fingerprint }),
      issueIdOf({ app: 'a\0b', service: 'c', fingerprint }),
      issueIdOf({ app: 'a', service: 'b\0c', fingerprint }),
      issueIdOf({ app: '', service: 'a', fingerprint }),
      issueIdOf({ app: 'a', service: '', fingerprint }),
      issueIdOf({ app: '\ud800', service: '', fingerprint }),
      issueIdOf({ app: '\ud801', service: '', fingerprint }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
