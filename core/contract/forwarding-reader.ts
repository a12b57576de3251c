import type {
  Access,
  EventDetail,
  EventPage,
  EventSearchPage,
  EventsSummary,
  FieldValues,
  GroupingComparison,
  IssueCounts,
  IssueDetail,
  IssuePage,
  IssuesSince,
  RejectedPage,
  ReleaseDetail,
  Releases,
  Stats,
  Suggestions,
} from '../../generated/reader-answers.js';
import type { EventId, IssueId } from '../event/ids.js';
import type {
  EventListOptions,
  EventSummaryOptions,
  FailureReader,
  FieldValueOptions,
  IssueCountOptions,
  IssueListOptions,
  IssuesSinceOptions,
} from './reader.js';

/** Forwards every call to another reader; a subclass changes some of them. Closing it closes that reader. */
export class ForwardingReader implements FailureReader {
  protected readonly reader: FailureReader;

  constructor(reader: FailureReader) {
    this.reader = reader;
  }

  listIssues(options?: IssueListOptions): Promise<IssuePage> {
    return this.reader.listIssues(options);
  }

  countIssues(options?: IssueCountOptions): Promise<IssueCounts> {
    return this.reader.countIssues(options);
  }

  listValues(options: FieldValueOptions): Promise<FieldValues> {
    return this.reader.listValues(options);
  }

  listIssuesSince(options: IssuesSinceOptions): Promise<IssuesSince> {
    return this.reader.listIssuesSince(options);
  }

  listReleases(options?: Pick<IssueListOptions, 'limit'>): Promise<Releases> {
    return this.reader.listReleases(options);
  }

  getRelease(name: string): Promise<ReleaseDetail | undefined> {
    return this.reader.getRelease(name);
  }

  getIssue(issueId: IssueId): Promise<IssueDetail | undefined> {
    return this.reader.getIssue(issueId);
  }

  listEvents(issueId: IssueId, options?: EventListOptions): Promise<EventPage | undefined> {
    return this.reader.listEvents(issueId, options);
  }

  summarizeEvents(issueId: IssueId, options?: EventSummaryOptions): Promise<EventsSummary | undefined> {
    return this.reader.summarizeEvents(issueId, options);
  }

  searchEvents(options?: EventListOptions): Promise<EventSearchPage> {
    return this.reader.searchEvents(options);
  }

  getEvent(eventId: EventId): Promise<EventDetail | undefined> {
    return this.reader.getEvent(eventId);
  }

  listRejected(options?: EventListOptions): Promise<RejectedPage> {
    return this.reader.listRejected(options);
  }

  explain(a: string, b: string): Promise<GroupingComparison> {
    return this.reader.explain(a, b);
  }

  suggestions(options?: { service?: string }): Promise<Suggestions> {
    return this.reader.suggestions(options);
  }

  stats(): Promise<Stats> {
    return this.reader.stats();
  }

  access(): Promise<Access> {
    return this.reader.access();
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}
