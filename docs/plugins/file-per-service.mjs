// An exporter that appends events as lines of JSON to a file per service. A batch may come again: lines with one event_id are one event.
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_NAME = 60;

/** A file name for a service. Events name services, so everything but letters, digits, `-` and `_` is encoded. */
export function fileName(service) {
  const encoded = Buffer.from(service.slice(0, MAX_NAME), 'utf8').toString('latin1');
  return `${encoded.replace(/[^\w-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}.ndjson`;
}

/** @type {import('faultline/plugin').Plugin['exporters']} */
export const exporters = {
  file_per_service: {
    description: 'Appends events to a file per service.',
    stability: 'alpha',
    schema: {
      type: 'object',
      required: ['directory'],
      properties: { directory: { type: 'string', format: 'file-path', description: 'Folder of the files.' } },
    },
    create({ directory }) {
      return {
        destination: directory,
        async start() {
          await mkdir(directory, { recursive: true });
        },
        // What this throws, for example ENOSPC, is logged, and the batch comes again.
        async consume({ events }) {
          const files = new Map();
          for (const { normalized } of events) {
            const name = fileName(normalized.service);
            if (!files.has(name)) files.set(name, []);
            files.get(name).push(`${JSON.stringify(normalized)}\n`);
          }
          for (const [name, lines] of files) {
            const file = await open(join(directory, name), 'a', 0o600);
            try {
              await file.write(lines.join(''));
              await file.datasync();
            } finally {
              await file.close();
            }
          }
          return events.map(() => ({ kind: 'stored' }));
        },
      };
    },
  },
};
