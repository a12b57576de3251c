import type { Logger } from 'pino';
import type { EventsReceiverSettings, QueryExtensionSettings, StoreExporterSettings } from '../config/settings.js';
import type { FailureReader } from '../core/reader.js';
import { openEventStore } from '../core/storage/event-store.js';
import type { Component } from './component.js';
import { createStoreExporter } from './exporters/store-exporter.js';
import { createQueryExtension } from './extensions/query-extension.js';
import type { ServerPool } from './http/server-pool.js';
import type { Consumer } from './pipeline.js';
import { createEventsReceiver } from './receivers/events/events-receiver.js';
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
  /** Where events are sent, with the real port once started. */
  readonly url: string;
}

/** A processor as the service sees it. */
export interface Processor extends Component, Consumer {}

/** An exporter as the service sees it. */
export interface Exporter extends Component, Consumer {
  /** Absolute path of the folder in which it keeps events. */
  readonly directory: string;
  /** For how long events are kept, in words. */
  readonly keeps: string;
  /** Reads what it keeps; only between `start` and `shutdown`. */
  reader(): FailureReader;
}

/** An extension as the service sees it. */
export interface Extension extends Component {
  /** Base address, with the real port once started. */
  readonly url: string;
}

type Build<Settings, Needs, Built> = (id: string, settings: Settings, needs: Surroundings & Needs) => Built;
type Factories<Settings, Needs, Built> = Readonly<Record<string, Build<Settings, Needs, Built>>>;

/** Receivers by type. A receiver gets the consumer that it hands events to. */
export const RECEIVERS: Factories<EventsReceiverSettings, { consumer: Consumer }, Receiver> = {
  events: (id, settings, { consumer, servers, ledger }) =>
    createEventsReceiver({ id, settings, consumer, servers, account: ledger.account(id) }),
};

/** Processors by type, none yet. A processor gets the consumer after it. */
export const PROCESSORS: Factories<unknown, { consumer: Consumer }, Processor> = {};

/** Exporters by type. */
export const EXPORTERS: Factories<StoreExporterSettings, unknown, Exporter> = {
  store: (_id, settings, { logger }) => createStoreExporter({ settings, logger, openStore: openEventStore }),
};

/** Extensions by type. An extension gets the reader of what the first exporter keeps. */
export const EXTENSIONS: Factories<QueryExtensionSettings, { reader: () => FailureReader }, Extension> = {
  query: (id, settings, { reader, servers, ledger }) => createQueryExtension({ id, settings, reader, servers, ledger }),
};
