/**
 * What a data directory keeps for its owner outside production: the keyring, made once on first use.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateKeyring } from './keyring.js';

/** The keyring text kept in `dataDir`; the first process to ask makes it, and all get the same. */
export function storedKeyring(dataDir: string): string {
  const path = join(dataDir, 'encryption-keys');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${generateKeyring()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path); // fails where another process was first, and so never replaces a key in use
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}
