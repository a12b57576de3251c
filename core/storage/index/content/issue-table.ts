import type { FingerprintValue, IssueId } from '../../../event/ids.js';
import type { IssueState } from './issue-state.js';

/** All issues, by ordinal, by id, and by app, service and fingerprint, which every event looks up. */
export class IssueTable {
  readonly #inOrder: IssueState[] = [];
  readonly #byId = new Map<IssueId, IssueState>();
  /** By app, then service. */
  readonly #services = new Map<string, Map<string, Map<FingerprintValue, IssueState>>>();

  /** By ordinal; it may grow during an iteration. */
  get inOrder(): readonly IssueState[] {
    return this.#inOrder;
  }

  get(id: IssueId): IssueState | undefined {
    return this.#byId.get(id);
  }

  find(app: string, service: string, fingerprint: FingerprintValue): IssueState | undefined {
    return this.#services.get(app)?.get(service)?.get(fingerprint);
  }

  /** Adds an issue, whose ordinal must be the number of issues before it. */
  add(issue: IssueState): void {
    this.#inOrder.push(issue);
    this.#byId.set(issue.issueId, issue);
    const ofApp = this.#services.get(issue.app) ?? new Map<string, Map<FingerprintValue, IssueState>>();
    const ofService = ofApp.get(issue.service) ?? new Map<FingerprintValue, IssueState>();
    this.#services.set(issue.app, ofApp.set(issue.service, ofService.set(issue.fingerprint, issue)));
  }

  /** Issues with the same fingerprint in other apps and services, at most `limit`. */
  related(issue: IssueState, limit: number): IssueState[] {
    const related: IssueState[] = [];
    for (const ofApp of this.#services.values()) {
      for (const ofService of ofApp.values()) {
        const other = ofService.get(issue.fingerprint);
        if (other !== undefined && other !== issue) related.push(other);
        if (related.length === limit) return related;
      }
    }
    return related;
  }
}
