/**
 * A thread that connects to the test. While the test blocks its event loop, it removes an address
 * from the directory, waits for Redis to send its reports, and then sends a command on its
 * connection.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { workerData } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { openRecipientDirectory } from '../../../core/directory/recipients.ts';

export interface DeleteThenCommand {
  redisSocket: string;
  prefix: string;
  address: string;
  mailboxId: string;
  port: number;
  /** 1 while the event loop of the test is blocked, then 2. */
  state: Int32Array<SharedArrayBuffer>;
}

const { redisSocket, prefix, address, mailboxId, port, state } = workerData as DeleteThenCommand;
const redis = new Redis(redisSocket);
const connection = connect(port, '127.0.0.1');
await once(connection, 'connect');
connection.write('greeting');
Atomics.wait(state, 0, 0, 60_000);
await openRecipientDirectory(redis, prefix).remove({ address, mailboxId });
await new Promise((resolve) => connection.write('command', resolve));
Atomics.store(state, 0, 2);
Atomics.notify(state, 0);
connection.end();
redis.disconnect();
