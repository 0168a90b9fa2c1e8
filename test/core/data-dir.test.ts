import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  operatorPasswordFile,
  storedKeyring,
  storedOperatorPassword,
} from '../../core/data-dir.js';
import { parseKeyring } from '../../core/keyring.js';
import { type TempDir, makeTempDir } from '../support/temp-dir.js';

describe('a data directory', () => {
  let folder: TempDir;
  let dataDir: string;

  beforeEach(async () => {
    folder = await makeTempDir();
    dataDir = join(folder.path, 'not', 'there', 'yet');
  });
  afterEach(() => folder.remove());

  it('makes a keyring once', () => {
    expect(parseKeyring(storedKeyring(dataDir))).to.have.length(1);
    expect(storedKeyring(dataDir)).to.equal(storedKeyring(dataDir));
  });

  it('makes a password for the operator once, in a file for its owner alone', async () => {
    const password = storedOperatorPassword(dataDir);
    expect(password).to.match(/^[\w-]{32}$/);
    expect(storedOperatorPassword(dataDir)).to.equal(password);
    expect((await stat(operatorPasswordFile(dataDir))).mode & 0o777).to.equal(0o600);
    expect(storedOperatorPassword(folder.path)).not.to.equal(password);
  });

  it('takes the password that somebody put there', async () => {
    await writeFile(operatorPasswordFile(folder.path), 'of my own\n');
    expect(storedOperatorPassword(folder.path)).to.equal('of my own');
  });
});
