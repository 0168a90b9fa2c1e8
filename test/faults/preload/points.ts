/** Places at which a process can be told to die; `die-at-points.ts` says where each of them is. */
import { join } from 'node:path';

export type Role = 'smtp' | 'worker' | 'web';

export type Point =
  /** smtp: the final dot is read, nothing is kept yet. */
  | 'nothing kept'
  /** smtp: the bytes of a mail are kept, its job is not. */
  | 'bytes kept'
  /** smtp: the job is added, the client has no answer yet. */
  | 'job added'
  /** worker: the bytes are loaded, not parsed. */
  | 'bytes loaded'
  /** worker: the bytes of mails that share a job are loaded, none is parsed. */
  | 'group loaded'
  /** worker, web: the rows of several mails are written, not committed. */
  | 'group before commit'
  /** worker: several mails are committed, their raw bytes still kept. */
  | 'group before ack'
  /** smtp, worker: a blob is written, but does not have its name yet. */
  | 'draft written'
  /** smtp, worker: a blob is there, and nothing else of what belongs to it. */
  | 'blob written'
  /** worker, web: the rows of a mail are written, not committed. */
  | 'before commit'
  /** worker, web: they are committed, and nothing after that has happened. */
  | 'after commit'
  /** worker: the jobs of its deliveries are added, its raw bytes still kept. */
  | 'before ack'
  /** worker: the raw bytes are forgotten, the ingest job has not ended. */
  | 'after ack';

/** The variable that names the folder of orders to die. */
export const ORDERS_VARIABLE = 'FAULTS_ORDERS';

/** The variable that names the file that says by how much the clock is moved. */
export const CLOCK_VARIABLE = 'FAULTS_CLOCK';

/** The file whose presence tells the process of this role to die at this point, once. */
export function orderFile(folder: string, role: Role, point: Point): string {
  return join(folder, `${role} ${point}`);
}
