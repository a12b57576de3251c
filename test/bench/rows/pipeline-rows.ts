import type { Row } from '../row.js';
import { backendDownRows } from './backend-down-rows.js';
import { defaultProcessorsRow } from './default-processors-row.js';
import { mixedSoakRow } from './mixed-soak-row.js';
import { processorRows } from './processor-rows.js';
import { slowConnectionRows } from './slow-connection-rows.js';
import { stormRows } from './storm-rows.js';

/** Processors, a storm, and with `isLong` a mixed load, an exporter whose backend is down and slow connections. */
export async function* pipelineRows(folder: string, isLong: boolean): AsyncGenerator<Row[]> {
  yield await processorRows();
  yield [await defaultProcessorsRow(folder)];
  yield await stormRows(folder);
  if (!isLong) return;
  yield [await mixedSoakRow(folder)];
  yield await backendDownRows(folder);
  yield await slowConnectionRows(folder);
}
