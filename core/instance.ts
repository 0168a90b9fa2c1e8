/**
 * The instance: the one service that a database, a Redis and a blob store belong to together, by an id made at the
 * first start on the database.
 */
import { claimForInstance, instanceOf, setInstanceState } from '../db/instance.js';
import type { Store } from '../db/store.js';
import { AppError } from './errors.js';
import { newId } from './ids.js';

/**
 * The id of the instance that the database belongs to, which is made where there is none. From now on the database
 * is in use, and nothing is copied into it any more.
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
      'the database has been copied in part only: run npm run move again until it says that all is there',
    );
  }
  if (row.state === 'copied') await store.ask(setInstanceState, 'live');
  return row.instanceId;
}
