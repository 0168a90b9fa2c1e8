import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../../core/config/config.ts';
import { closeToOthers } from '../../../core/process/file-access.ts';
import { tempDir } from '../../support/context/temp-dir.ts';

const FILES = ['mayfly.sqlite', 'mayfly.sqlite-wal', 'encryption-keys', 'another'];

describe('the files of DATA_DIR', () => {
  const folder = tempDir('each');
  const modeOf = async (name: string) => (await stat(join(folder.path, name))).mode & 0o777;

  /** Modes of files that others can read, and of a new one, once a process has started. */
  const modes = async (modeOfFolder: number) => {
    for (const name of FILES) {
      await writeFile(join(folder.path, name), '');
      await chmod(join(folder.path, name), 0o664);
    }
    await chmod(folder.path, modeOfFolder);
    const umask = process.umask(0o022);
    try {
      closeToOthers(readConfig({ DATA_DIR: folder.path }, 'script'));
      await writeFile(join(folder.path, 'new'), '');
    } finally {
      process.umask(umask);
    }
    expect(await modeOf('.'), 'the folder itself').to.equal(modeOfFolder);
    return Promise.all([...FILES, 'new'].map(modeOf));
  };

  it('are closed to the group and to others, also those of an earlier version', async () => {
    expect(await modes(0o755)).to.deep.equal([0o600, 0o600, 0o600, 0o664, 0o600]);
  });

  it('are closed to others only if the group can write to the folder', async () => {
    expect(await modes(0o775)).to.deep.equal([0o660, 0o660, 0o660, 0o664, 0o640]);
  });
});
