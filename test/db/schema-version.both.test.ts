import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { DatabaseUnavailable } from '../../db/errors.ts';
import { migrateStore, openStore } from '../../db/open.ts';
import { OLDEST_CODE, SCHEMA } from '../../db/schema/version.ts';
import { schemaVersion } from '../../db/statements/instance.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { service } from '../support/service.ts';

describe('the schema of a database', () => {
  const test = service({ once: true });

  const become = async (version: number, oldestCode: number) => {
    const { db } = test.context.store;
    await db.update(db.t.schemaVersions).set({ version, oldestCode });
  };
  const open = async () => {
    const store = await openStore(test.config);
    await store.close();
  };

  // PostgreSQL databases of tests are used again.
  afterEach(() => become(SCHEMA, OLDEST_CODE));

  it('is that of the code, or a newer one that names this code', async () => {
    await open();
    await become(SCHEMA + 3, SCHEMA);
    await open();
    await test.api.get('/readyz', null).expect(200);
  });

  it('is too old for the code, which names the command', async () => {
    await become(SCHEMA - 1, OLDEST_CODE);
    const error = await rejection(open());
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect((error as Error).message).to.equal(
      `the database has schema ${SCHEMA - 1}, and this version of Mayfly needs ${SCHEMA}: run npm run migrate`,
    );
    await migrateStore(test.config, ROOT);
    await open();
  });

  it('is too new for the code, and migrating with that does not change it', async () => {
    await become(SCHEMA + 3, SCHEMA + 1);
    await migrateStore(test.config, ROOT);
    const [row] = await test.context.store.query(schemaVersion);
    expect(row).to.include({ version: SCHEMA + 3, oldestCode: SCHEMA + 1 });
    const error = await rejection(open());
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect((error as Error).message).to.contain('start the version that migrated the database');
  });

  it('changes under a running process, which is not ready until it fits again', async () => {
    await become(SCHEMA + 1, SCHEMA + 1);
    const { body } = await test.api.get('/readyz', null).expect(503);
    expect(body).to.include({ status: 'unavailable', database: 'unavailable' });
    await become(SCHEMA + 1, SCHEMA);
    await test.api.get('/readyz', null).expect(200);
  });

  for (const dialect of ['sqlite', 'postgres']) {
    it(`only grows on ${dialect} with migrations that leave older code ready`, async () => {
      const folder = join(ROOT, 'db/migrations', dialect);
      const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
      expect(files).to.have.length(SCHEMA);
      for (const name of files.slice(OLDEST_CODE)) {
        const text = await readFile(join(folder, name), 'utf8');
        expect(text, name).to.not.match(/\b(?:DROP (?:TABLE|COLUMN)|RENAME|SET NOT NULL)\b/i);
      }
    });
  }
});
