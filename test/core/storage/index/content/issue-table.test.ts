import type { FingerprintValue } from '../../../../../core/event/ids.js';
import { IssueState } from '../../../../../core/storage/index/content/issue-state.js';
import { IssueTable } from '../../../../../core/storage/index/content/issue-table.js';
import { issueHeader } from '../issue-header.js';

const fingerprintOf = (number: number): FingerprintValue => issueHeader(number).fingerprint;

describe('the table of issues', () => {
  it('finds each of many issues by app, service and fingerprint', () => {
    const table = new IssueTable();
    for (let number = 0; number < 5000; number += 1) table.add(new IssueState(issueHeader(number), number));
    for (let number = 0; number < 5000; number += 1) {
      expect(table.find('shop', 'cart', fingerprintOf(number))?.ordinal).toBe(number);
    }
    expect(table.find('shop', 'cart', fingerprintOf(5000))).toBeUndefined();
    expect(table.find('shop', 'till', fingerprintOf(7))).toBeUndefined();
    expect(table.find('office', 'cart', fingerprintOf(7))).toBeUndefined();
    expect(table.get(issueHeader(4999).issueId)?.ordinal).toBe(4999);
  });

  it('distinguishes fingerprints that differ in one character', () => {
    const table = new IssueTable();
    const digits = [...'0123456789abcdef'];
    const fingerprints = Array.from({ length: 32 }, (_, index) =>
      digits.slice(1).map((digit) => `${'0'.repeat(index)}${digit}${'0'.repeat(31 - index)}` as FingerprintValue),
    ).flat();
    for (const [ordinal, fingerprint] of fingerprints.entries()) {
      table.add(new IssueState({ ...issueHeader(ordinal), fingerprint }, ordinal));
    }
    const found = fingerprints.map((fingerprint) => table.find('shop', 'cart', fingerprint)?.ordinal);
    expect(found).toEqual([...fingerprints.keys()]);
  });

  it('distinguishes equal fingerprints by app and service, and returns those issues as related', () => {
    const table = new IssueTable();
    const services = [
      ['shop', 'cart'],
      ['shop', 'till'],
      ['office', 'cart'],
    ] as const;
    const issues = services.map(
      ([app, service], ordinal) =>
        new IssueState({ ...issueHeader(ordinal), fingerprint: fingerprintOf(0), app, service }, ordinal),
    );
    for (const issue of issues) table.add(issue);
    const [first, second, third] = issues;
    if (first === undefined) throw new Error('issue missing');
    expect(table.find('shop', 'till', fingerprintOf(0))).toBe(second);
    expect(table.related(first, 32)).toEqual([second, third]);
    expect(table.related(first, 1)).toEqual([second]);
  });
});
