import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeOnSqlite } from '../support/context/sqlite-file.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { startProduct } from '../support/process/product.ts';

/** Owner, group and others of each file below the folder, as octal digits. */
async function modesIn(folder: string): Promise<Map<string, string>> {
  const modes = new Map<string, string>();
  for (const name of await readdir(folder, { recursive: true })) {
    const { mode } = await stat(join(folder, name));
    modes.set(name, (mode & 0o777).toString(8).padStart(3, '0'));
  }
  return modes;
}

async function run(folder: string): Promise<Map<string, string>> {
  const product = await startProduct({
    ...{ DATA_DIR: folder, TLS_SELF_SIGNED: 'true', READY_FILE: join(folder, 'ready.json') },
  });
  try {
    return await modesIn(folder);
  } finally {
    await product.stop();
  }
}

describeOnSqlite('files of DATA_DIR', () => {
  const folder = tempDir('each');

  it('are closed to the group and to others if they can enter the folder', async () => {
    await chmod(folder.path, 0o755);
    const modes = await run(folder.path);
    expect([...modes.keys()]).to.include.members([
      ...['mayfly.sqlite', 'mayfly.sqlite-wal', 'mayfly.sqlite-shm', 'redis', 'encryption-keys'],
      ...['operator-password', 'tls', 'ready.json'],
    ]);
    expect([...modes].filter(([, mode]) => !mode.endsWith('00'))).to.deep.equal([]);

    // as an earlier version left them
    for (const name of modes.keys()) {
      if (/^mayfly\.sqlite$|^redis$|^encryption-keys$/.test(name)) {
        await chmod(join(folder.path, name), name === 'redis' ? 0o755 : 0o644);
      }
    }
    const again = await run(folder.path);
    expect([...again].filter(([, mode]) => !mode.endsWith('00'))).to.deep.equal([]);
    expect((await stat(folder.path)).mode & 0o777, 'the folder itself').to.equal(0o755);
  });

  it('are closed to others only if the group can write to the folder', async () => {
    await chmod(folder.path, 0o775);
    const modes = await run(folder.path);
    expect([...modes].filter(([, mode]) => !mode.endsWith('0'))).to.deep.equal([]);
    expect(modes.get('mayfly.sqlite')).to.equal('640');
    expect(modes.get('ready.json')).to.equal('600');
  });
});
