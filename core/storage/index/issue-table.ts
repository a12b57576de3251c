import type { FingerprintValue, IssueId } from '../../event/ids.js';
import type { IssueState } from './issue-state.js';

type IssuesByFingerprint = Map<FingerprintValue, IssueState>;

/** All issues, by the order of first arrival, by id, and by what tells them apart. */
export class IssueTable {
  readonly #inOrder: IssueState[] = [];
  /** Of the issues before `#idsEnd`: ids are asked for by readers only, and loading does not wait for this. */
  readonly #byId = new Map<IssueId, IssueState>();
  #idsEnd = 0;
  // Nested instead of one map with joined keys: the joined keys alone would weigh 10 MB at 100,000 issues.
  readonly #byService = new Map<string, Map<string, IssuesByFingerprint>>();

  /** By ordinal; it grows while it is looked at. */
  get inOrder(): readonly IssueState[] {
    return this.#inOrder;
  }

  get(id: IssueId): IssueState | undefined {
    for (; this.#idsEnd < this.#inOrder.length; this.#idsEnd += 1) {
      const issue = this.#inOrder[this.#idsEnd];
      if (issue !== undefined) this.#byId.set(issue.issueId, issue);
    }
    return this.#byId.get(id);
  }

  find(app: string, service: string, fingerprint: FingerprintValue): IssueState | undefined {
    return this.#byService.get(app)?.get(service)?.get(fingerprint);
  }

  /** Takes a new issue, whose ordinal must be the number of those before it. */
  add(issue: IssueState): void {
    this.#inOrder.push(issue);
    const ofApp = this.#byService.get(issue.app) ?? new Map<string, IssuesByFingerprint>();
    const ofService = ofApp.get(issue.service) ?? new Map<FingerprintValue, IssueState>();
    ofService.set(issue.fingerprint, issue);
    this.#byService.set(issue.app, ofApp.set(issue.service, ofService));
  }

  /** Issues of other apps and services with the same fingerprint, at most `limit`. */
  related(issue: IssueState, limit: number): IssueState[] {
    const related: IssueState[] = [];
    for (const ofApp of this.#byService.values()) {
      for (const ofService of ofApp.values()) {
        const found = ofService.get(issue.fingerprint);
        if (found !== undefined && found !== issue) related.push(found);
        if (related.length === limit) return related;
      }
    }
    return related;
  }
}
