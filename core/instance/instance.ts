/**
 * The instance: the service that a database, a Redis and a blob store belong to. Its id is generated at the first
 * start on the database.
 */
import { claimForInstance, instanceOf, setInstanceState } from '../../db/statements/instance.js';
import type { Store } from '../../db/store.js';
import { AppError } from '../errors.js';
import { newId } from '../ids.js';

/**
 * The id of the instance that the database belongs to; generated where there is none. It marks the database as in use,
 * so `npm run move` no longer copies into it.
 * @throws {AppError} `unavailable` while another database is being copied into this one.
 */
export async function openInstance(store: Store): Promise<string> {
  let [row] = await store.ask(instanceOf);
  if (!row) {
    await store.ask(claimForInstance, newId('instance'), 'live');
    [row] = await store.ask(instanceOf);
  }
  if (!row) throw new Error('the database did not keep its instance');
  if (row.state === 'copying') {
    throw new AppError(
      'unavailable',
      'the copy of the database is incomplete: run npm run move again until it reports success',
    );
  }
  if (row.state === 'copied') await store.ask(setInstanceState, 'live');
  return row.instanceId;
}
