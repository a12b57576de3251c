import type { PipelineSettings, Settings } from '../../generated/settings.js';
import type { Component } from '../component.js';
import type { Extension, Surroundings } from '../factories.js';
import { unknownComponent } from './find-configured.js';
import type { Line } from './line.js';
import type { LineOptions } from './line-options.js';
import type { Part, PartOptions } from './part.js';

/** What the parts of one line are built from: the settings, and the line before, whose parts stay where theirs are equal. */
export class Blueprint {
  readonly settings: Settings;
  readonly options: LineOptions;
  readonly before: Line | undefined;
  readonly pipelines: readonly (readonly [string, PipelineSettings])[];
  readonly #authenticators = new Map<string, Part<Extension>>();

  constructor(settings: Settings, options: LineOptions, before: Line | undefined) {
    this.settings = settings;
    this.options = options;
    this.before = before;
    this.pipelines = Object.entries(settings.service.pipelines);
  }

  /** What the pipelines name in one of their lists, each once. */
  idsOf(list: 'receivers' | 'exporters'): string[] {
    return [...new Set(this.pipelines.flatMap(([, pipeline]) => pipeline[list]))];
  }

  /** The part of the line before that is what is asked for, or else a new one. */
  keptOr<Kind extends Component>(
    known: readonly Part<Kind>[] | undefined,
    spec: PartOptions,
    create: () => Part<Kind>,
  ): Part<Kind> {
    return known?.find((part) => part.isAsAsked(spec)) ?? create();
  }

  /** What a component may use. */
  around(id: string): Surroundings {
    return {
      ...this.options,
      logger: this.options.logger.child({ component: id }),
      authenticatorOf: ({ authenticator }) => {
        if (authenticator === undefined) return undefined;
        const known = this.#authenticators.get(authenticator)?.component.authenticator;
        if (known === undefined) throw unknownComponent('authenticator', authenticator);
        return known;
      },
    };
  }

  /** Has one decide who may call; before those are built that name it. */
  addAuthenticator(part: Part<Extension>): void {
    this.#authenticators.set(part.id, part);
  }

  /** Settings, and those of the authenticators that they name: where such a one is replaced, so is what asks it. */
  withAuthenticators(settings: unknown): readonly unknown[] {
    return [settings, namedAuthenticators(settings).map((id) => this.#authenticators.get(id)?.basis)];
  }
}

/** Ids of the authenticators that settings name, at whatever depth: every `authenticator` that is a text. */
function namedAuthenticators(settings: unknown): readonly string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([key, value]) =>
    key === 'authenticator' && typeof value === 'string' ? [value] : namedAuthenticators(value),
  );
}
