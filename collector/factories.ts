import type { Logger } from 'pino';
import { areSettingsOf, type ReceiverSettings, type ReceiverSettingsByType } from '../config/receiver-settings.js';
import type { QueryExtensionSettings, StoreExporterSettings } from '../config/settings.js';
import { Fault } from '../core/event/fault.js';
import type { FailureActions, FailureChanges, FailureReader } from '../core/reader.js';
import { type EventStore, openEventStore } from '../core/storage/event-store.js';
import type { GroupingRules } from '../core/storage/regroup/store-groupings.js';
import type { Component } from './component.js';
import { createStoreExporter } from './exporters/store-exporter.js';
import { createQueryExtension } from './extensions/query-extension.js';
import type { ServerPool } from './http/server-pool.js';
import type { Consumer } from './pipeline.js';
import type { RegroupJobs } from './query/regroup-jobs.js';
import { createEventsReceiver } from './receivers/events/events-receiver.js';
import { createFileLogReceiver } from './receivers/file-log/file-log-receiver.js';
import { createOtlpReceiver } from './receivers/otlp/otlp-receiver.js';
import { createSentryReceiver } from './receivers/sentry/sentry-receiver.js';
import type { Ledger } from './telemetry/ledger.js';

/** What every component may use. */
export interface Surroundings {
  readonly servers: ServerPool;
  readonly ledger: Ledger;
  /** Carries the component's id. */
  readonly logger: Logger;
}

/** A receiver as the service sees it. */
export interface Receiver extends Component {
  /** Where events are sent, with the real ports once started; a receiver that listens nowhere says what it follows. */
  readonly urls: readonly string[];
}

/** A processor as the service sees it. */
export interface Processor extends Component, Consumer {}

/** An exporter as the service sees it. */
export interface Exporter extends Component, Consumer {
  /** Absolute path of the folder in which it keeps events. */
  readonly directory: string;
  /** For how long events are kept, in words. */
  readonly keeps: string;
  /** Reads what it keeps; only between `start` and `shutdown`, like the two below. */
  reader(): FailureReader;
  /** Acts on the issues of what it keeps. */
  actions(): FailureActions;
  /** Tells which of them change. */
  changes(): FailureChanges;
  /** Groups what it keeps otherwise. */
  regrouping(): Pick<EventStore, 'regroup' | 'grouper'>;
}

/** An extension as the service sees it. */
export interface Extension extends Component {
  /** Base address, with the real port once started. */
  readonly url: string;
}

type Build<Settings, Needs, Built> = (id: string, settings: Settings, needs: Surroundings & Needs) => Built;
type Factories<Settings, Needs, Built> = Readonly<Record<string, Build<Settings, Needs, Built>>>;

/** What a receiver gets: the consumer that it hands events to, and the reader of what the first exporter keeps. */
interface ReceiverNeeds {
  readonly consumer: Consumer;
  /** Only between the exporters' start and shutdown, which is all of a receiver's life. */
  readonly reader: () => FailureReader;
}

/** Receivers by type. */
export const RECEIVERS: Factories<ReceiverSettings, ReceiverNeeds, Receiver> = {
  events: receiverOf('events', (id, settings, { consumer, servers, ledger }) =>
    createEventsReceiver({ id, settings, consumer, servers, account: ledger.account(id) }),
  ),
  file_log: receiverOf('file_log', (id, settings, { consumer, reader, ledger, logger }) =>
    createFileLogReceiver({ id, settings, consumer, reader, logger, account: ledger.account(id) }),
  ),
  otlp: receiverOf('otlp', (id, settings, { consumer, servers, ledger, logger }) =>
    createOtlpReceiver({ id, settings, consumer, servers, logger, account: ledger.account(id) }),
  ),
  sentry: receiverOf('sentry', (id, settings, { consumer, servers, ledger, logger }) =>
    createSentryReceiver({ id, settings, consumer, servers, logger, account: ledger.account(id) }),
  ),
};

/** Processors by type, none yet. A processor gets the consumer after it. */
export const PROCESSORS: Factories<unknown, { consumer: Consumer }, Processor> = {};

/** Exporters by type. An exporter gets the rules of the user for grouping. */
export const EXPORTERS: Factories<StoreExporterSettings, { groupingRules: GroupingRules | undefined }, Exporter> = {
  store: (_id, settings, { logger, groupingRules }) =>
    createStoreExporter({ settings, logger, ...(groupingRules && { groupingRules }), openStore: openEventStore }),
};

/** What an extension gets: the ways to what the first exporter keeps, only between its start and its shutdown. */
interface ExtensionNeeds {
  readonly reader: () => FailureReader;
  readonly actions: () => FailureActions;
  readonly changes: () => FailureChanges;
  /** Of what the first exporter keeps, one for all extensions. */
  readonly regroupings: RegroupJobs;
  /** As `Stats.endpoints`. */
  readonly endpoints: () => Readonly<Record<string, string>>;
}

/** Extensions by type. */
export const EXTENSIONS: Factories<QueryExtensionSettings, ExtensionNeeds, Extension> = {
  query: (id, settings, { reader, actions, changes, regroupings, endpoints, servers, ledger }) =>
    createQueryExtension({ id, settings, reader, actions, changes, regroupings, endpoints, servers, ledger }),
};

/** A factory of one type of receiver as one of any. */
function receiverOf<Type extends keyof ReceiverSettingsByType>(
  type: Type,
  build: Build<ReceiverSettingsByType[Type], ReceiverNeeds, Receiver>,
): Build<ReceiverSettings, ReceiverNeeds, Receiver> {
  return (id, settings, needs) => {
    if (areSettingsOf(type, id, settings)) return build(id, settings, needs);
    throw new Fault('COMPONENT_UNKNOWN', `the settings of ${id} are not those of a receiver ${type}`);
  };
}
