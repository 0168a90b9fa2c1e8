/**
 * The instance: the service to which a database, a Redis and a blob store belong. Its id is
 * generated at the first start on the database.
 */
import { assignInstance, instanceOf, setInstanceState } from '../../db/statements/instance.ts';
import type { Store } from '../../db/store.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';

/**
 * Returns the instance id of the database, generating it if needed. This marks the database as in
 * use, so `npm run move` no longer copies into it.
 * @throws {AppError} `unavailable` while another database is being copied into this one.
 */
export async function openInstance(store: Store): Promise<string> {
  let [row] = await store.query(instanceOf);
  if (!row) {
    await store.query(assignInstance, newId('instance'), 'live');
    [row] = await store.query(instanceOf);
  }
  if (!row) throw new Error('the database did not store the instance id');
  if (row.state === 'copying') {
    throw new AppError(
      'unavailable',
      'the copy of the database is incomplete: run npm run move again until it reports success',
    );
  }
  if (row.state === 'copied') await store.query(setInstanceState, 'live');
  return row.instanceId;
}
