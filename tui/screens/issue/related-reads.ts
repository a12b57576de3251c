import { issueRows } from '../../state/row-kinds.js';
import type { StateRead } from '../../state/terminal-state.js';
import { changingIssue } from './changing-issue.js';
import type { IssueScreen } from './issue-state.js';

const MAX_RELATED = 100;
/** Fingerprints of a group that are looked for elsewhere. */
const MAX_FINGERPRINTS = 32;

/** The issues with the same fingerprint elsewhere, when they are looked at for the first time. */
export function missingRelated(screen: IssueScreen): StateRead[] {
  return screen.pane === 'related' && screen.related === undefined ? [readRelated(screen)] : [];
}

/** Reads the issues that have a fingerprint of this one, without itself. */
export function readRelated({ key, issue, detail }: IssueScreen): StateRead {
  const fingerprints = detail?.fingerprints.slice(0, MAX_FINGERPRINTS) ?? [issue.fingerprint];
  return {
    name: `related ${key}`,
    perform: async (reader) => {
      const query = `fingerprint:[${fingerprints.join(', ')}]`;
      const page = await reader.listIssues({ query, limit: MAX_RELATED });
      const related = page.issues.filter(({ issue_id }) => issue_id !== issue.issue_id);
      const { isSame } = issueRows('last_seen');
      return changingIssue(key, (screen) => {
        const isUnchanged =
          screen.related?.length === related.length &&
          screen.related.every((one, place) => {
            const now = related[place];
            return now !== undefined && one.issue_id === now.issue_id && isSame(one, now);
          });
        return isUnchanged ? screen : { ...screen, related };
      });
    },
  };
}
