/** Points at which a process can crash; `die-at-points.ts` defines each. */
import { join } from 'node:path';

export type Role = 'smtp' | 'worker' | 'web';

export type Point =
  /** smtp: the final dot is read, nothing is stored yet. */
  | 'nothing kept'
  /** smtp: the bytes of a mail are stored, its job is not. */
  | 'bytes kept'
  /** smtp: the job is added, the client has no reply yet. */
  | 'job added'
  /** worker: the bytes are loaded, not parsed. */
  | 'bytes loaded'
  /** worker: the bytes of mails that share a job are loaded, none is parsed. */
  | 'group loaded'
  /** worker, web: the rows of several mails are written, not committed. */
  | 'group before commit'
  /** worker: several mails are committed, their raw bytes still kept. */
  | 'group before ack'
  /** smtp, worker: a blob is written, but not renamed yet. */
  | 'draft written'
  /** smtp, worker: a blob is stored, and nothing that refers to it. */
  | 'blob written'
  /** worker, web: the rows of a mail are written, not committed. */
  | 'before commit'
  /** worker, web: they are committed, and nothing after that is done. */
  | 'after commit'
  /** worker: the jobs of its deliveries are added, its raw bytes still stored. */
  | 'before ack'
  /** worker: the raw bytes are deleted, the ingest job has not ended. */
  | 'after ack';

/** The variable that names the folder of crash orders. */
export const ORDERS_VARIABLE = 'FAULTS_ORDERS';

/** The variable that names the file with the offset of the clock in milliseconds. */
export const CLOCK_VARIABLE = 'FAULTS_CLOCK';

/** The file whose presence makes the process of this role crash at this point, once. */
export function orderFile(folder: string, role: Role, point: Point): string {
  return join(folder, `${role} ${point}`);
}
