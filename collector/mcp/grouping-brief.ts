import { type Brief, type BriefOptions, composeBrief } from '../../core/brief/brief.js';
import { briefLine, pairLine } from '../../core/brief/event-brief.js';
import { shownValue } from '../../core/explain/explained-line.js';
import type { GroupingComparison } from '../../generated/reader-answers.js';

/** Why two events are one issue or two; values of parts, and the rule that would change it, are texts of events. */
export function groupingBrief(comparison: GroupingComparison, options: BriefOptions): Brief {
  const { same, a, b, equal, differ, suggestion, note } = comparison;
  const facts = [
    `${same ? 'One issue' : 'Two issues'}: ${equal.length} parts are equal, ${differ.length} differ.`,
    eventLine(a),
    eventLine(b),
  ];
  const used = equal.filter(({ used }) => used);
  const differing = differ.flatMap((part) => [
    pairLine(`${part.part} of a${part.used_a ? '' : ' (unused)'}`, shownValue(part.a)),
    pairLine(`${part.part} of b${part.used_b ? '' : ' (unused)'}`, shownValue(part.b)),
  ]);
  const rule = suggestion === null ? [] : [pairLine(suggestion.purpose, JSON.stringify(suggestion.rule))];
  const sections = [
    { name: 'facts', part: 0, lines: facts.map(briefLine) },
    { name: 'differing parts', part: 1, share: 0.5, title: 'Different:', lines: differing },
    { name: 'rules', part: 1, share: 0.3, title: 'A rule that changes it:', lines: rule },
    {
      name: 'equal parts',
      part: 1,
      share: 0.5,
      title: 'Equal:',
      lines: used.map(({ part, value }) => pairLine(part, shownValue(value))),
    },
    { name: 'notes', part: 1, lines: note === null ? [] : [pairLine('note', note)] },
  ];
  return composeBrief({ parts: [{ from: 'server' }, { from: 'event' }], sections, next: '' }, options);
}

function eventLine({ event_id: eventId, issue_id: issueId, version }: GroupingComparison['a']): string {
  return `Event ${eventId} of issue ${issueId}, rules version ${version}.`;
}
