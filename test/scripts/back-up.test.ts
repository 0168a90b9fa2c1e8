import { writeFileSync } from 'node:fs';
import { readFile, readdir, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { asAppError } from '../../core/errors.ts';
import { backUp } from '../../scripts/backup/back-up.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { attachmentMail } from '../support/mail/attachment-mail.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { service } from '../support/service.ts';

const LARGE = attachmentMail([{ name: 'a.bin', bytes: Buffer.alloc(1_500_000, 'x') }]);

describe('npm run backup', () => {
  const test = service({ mailboxes: ['kept'] });
  const dir = tempDir('each');
  const target = () => join(dir.path, 'backup');
  const messagesIn = (path: string) => {
    const copy = new Database(path, { readonly: true });
    const { count } = copy.prepare('select count(*) as count from messages').get() as {
      count: number;
    };
    copy.close();
    return count;
  };
  const writeSecrets = async () => {
    for (const name of ['encryption-keys', 'operator-password']) {
      await writeFile(join(test.context.config.dataDir, name), name);
    }
  };

  it('copies database and blobs, for the owner only', async () => {
    await test.receive('kept', LARGE);
    await writeSecrets();
    const backup = await backUp(test.context.config, target(), false);
    const { blobs, ...rest } = backup;
    expect(rest).to.deep.equal({ folder: target(), database: 'mayfly.sqlite', secrets: [] });
    expect(blobs).to.be.greaterThan(1);
    expect((await readdir(target())).sort()).to.deep.equal(['blobs', 'mayfly.sqlite']);
    expect((await stat(target())).mode & 0o777).to.equal(0o700);
    expect(messagesIn(join(target(), 'mayfly.sqlite'))).to.equal(1);
    const below = (root: string) => readdir(join(root, 'blobs'), { recursive: true });
    expect((await below(target())).sort()).to.deep.equal(
      (await below(test.context.config.dataDir)).sort(),
    );
    expect(await readdir(dir.path)).to.deep.equal(['backup']);
  });

  it('copies the keys with --with-keys', async () => {
    await writeSecrets();
    const { secrets } = await backUp(test.context.config, target(), true);
    expect(secrets).to.deep.equal(['encryption-keys', 'operator-password']);
    expect(await readFile(join(target(), 'encryption-keys'), 'utf8')).to.equal('encryption-keys');
  });

  it('ends while others write to the database, and has the blob of each row', async () => {
    const { database, dataDir } = test.context.config;
    if (database.kind !== 'sqlite') throw new Error('the test needs SQLite');
    const other = new Database(database.path);
    other.exec('create table rows (blob text, bytes blob)');
    const insert = other.prepare('insert into rows values (?, zeroblob(500000))');
    let writes = 0;
    let isDone = false;
    const writeOn = () => {
      if (isDone || writes === 100) return;
      writes += 1;
      writeFileSync(join(dataDir, 'blobs', `blob-${writes}`), '');
      insert.run(`blob-${writes}`); // more pages than one step copies by default
      setImmediate(writeOn);
    };
    writeOn();
    await backUp(test.context.config, target(), false);
    isDone = true;
    other.close();
    expect(writes).to.be.lessThan(100);
    const copy = new Database(join(target(), 'mayfly.sqlite'), { readonly: true });
    const rows = copy.prepare('select blob from rows').pluck().all();
    copy.close();
    expect(rows).to.include('blob-1');
    expect(await readdir(join(target(), 'blobs'))).to.include.members(rows);
  });

  it('fails if another program locks the database', async () => {
    const path = join(dir.path, 'locked.sqlite');
    const lock = new Database(path);
    lock.exec('create table rows (n); begin exclusive');
    const locked = { ...test.context.config, database: { kind: 'sqlite', path } as const };
    expect(String(await rejection(backUp(locked, target(), false)))).to.include('locked');
    lock.close();
    expect(await readdir(dir.path)).to.deep.equal(['locked.sqlite']);
  });

  it('refuses a folder that exists, is in DATA_DIR or in none, and keys that are not there', async () => {
    const { config } = test.context;
    await mkdir(target());
    const refused = async (to: string, withKeys = false) => {
      const error = await rejection(backUp(config, to, withKeys));
      expect(asAppError(error)?.code).to.equal('invalid_request');
      return String(error);
    };
    expect(await refused(target())).to.include('exists');
    expect(await refused(join(config.dataDir, 'backup'))).to.include('is in DATA_DIR');
    expect(await refused(join(dir.path, 'no/backup'))).to.include('does not exist');
    expect(await refused(join(dir.path, 'new'), true)).to.include('ENCRYPTION_KEYS');
    expect(await readdir(target())).to.deep.equal([]);
    expect(await readdir(dir.path)).to.deep.equal(['backup']);
  });

  it('leaves nothing if the database cannot be read', async () => {
    const path = join(dir.path, 'broken.sqlite');
    await writeFile(path, 'no database'.repeat(1000));
    const broken = { ...test.context.config, database: { kind: 'sqlite', path } as const };
    expect(String(await rejection(backUp(broken, target(), false)))).to.include('not a database');
    expect(await readdir(dir.path)).to.deep.equal(['broken.sqlite']);
  });
});
