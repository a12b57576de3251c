import type { LogRecord, RecordGroup, RecordResource, RecordScope } from './log-record.js';

interface OpenGroup {
  readonly resource: RecordResource;
  readonly scopes: { readonly scope: RecordScope; readonly records: LogRecord[] }[];
  readonly byScope: Map<string, LogRecord[]>;
}

/** Records by their resource and scope, each in the order of its first record. */
export class RecordGroups {
  readonly #groups = new Map<string, OpenGroup>();

  add(record: LogRecord): void {
    const { resource, scope } = record;
    const key = JSON.stringify([[...resource.attributes], resource.schemaUrl]);
    const group: OpenGroup = this.#groups.get(key) ?? { resource, scopes: [], byScope: new Map() };
    this.#groups.set(key, group);
    const scopeKey = JSON.stringify([scope.name, scope.version, [...scope.attributes], scope.schemaUrl]);
    const known = group.byScope.get(scopeKey);
    if (known !== undefined) {
      known.push(record);
      return;
    }
    const records = [record];
    group.byScope.set(scopeKey, records);
    group.scopes.push({ scope, records });
  }

  get groups(): readonly RecordGroup[] {
    return [...this.#groups.values()];
  }
}
