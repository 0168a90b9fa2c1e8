import fs from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import {
  operatorPasswordFile,
  storedKeyring,
  storedOperatorPassword,
} from '../../../core/config/generated-secrets.ts';
import { parseKeyring } from '../../../core/secrets/keyring.ts';
import { tempDir } from '../../support/context/temp-dir.ts';

describe('a data directory', () => {
  const folder = tempDir('each');
  let dataDir: string;

  beforeEach(async () => {
    dataDir = join(folder.path, 'not', 'there', 'yet');
  });

  it('gets one keyring', () => {
    expect(parseKeyring(storedKeyring(dataDir))).to.have.length(1);
    expect(storedKeyring(dataDir)).to.equal(storedKeyring(dataDir));
  });

  it('gets one operator password, in a file readable only by its owner', async () => {
    const password = storedOperatorPassword(dataDir);
    expect(password).to.match(/^[\w-]{32}$/);
    expect(storedOperatorPassword(dataDir)).to.equal(password);
    expect((await stat(operatorPasswordFile(dataDir))).mode & 0o777).to.equal(0o600);
    expect(storedOperatorPassword(folder.path)).not.to.equal(password);
  });

  it('flushes the folder of a new secret, and the folders created for it', () => {
    const { fsyncSync, linkSync } = fs;
    const calls: string[] = [];
    fs.fsyncSync = (handle) => {
      calls.push(fs.readlinkSync(`/proc/self/fd/${handle}`));
      fsyncSync(handle);
    };
    fs.linkSync = (from, to) => {
      calls.push('link');
      linkSync(from, to);
    };
    syncBuiltinESMExports();
    try {
      storedKeyring(dataDir);
    } finally {
      Object.assign(fs, { fsyncSync, linkSync });
      syncBuiltinESMExports();
    }
    const linked = calls.indexOf('link');
    const parents = [dirname(dataDir), dirname(dirname(dataDir)), folder.path];
    expect(calls.slice(0, linked)).to.include.members(parents);
    expect(calls.slice(linked + 1)).to.deep.equal([dataDir]);
  });

  it('keeps a password that the operator stored there', async () => {
    await writeFile(operatorPasswordFile(folder.path), 'of my own\n');
    expect(storedOperatorPassword(folder.path)).to.equal('of my own');
  });
});
