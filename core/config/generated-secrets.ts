/**
 * What a data directory keeps for its owner outside production: the keyring and the operator's password,
 * each made once on first use.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { generateKeyring } from '../secrets/keyring.js';

const PASSWORD_BYTES = 24;

/** The keyring text kept in `dataDir`; the first process to ask makes it, and all get the same. */
export function storedKeyring(dataDir: string): string {
  return storedSecret(join(dataDir, 'encryption-keys'), generateKeyring);
}

/** The operator's password kept in `dataDir`, the same for all who ask. */
export function storedOperatorPassword(dataDir: string): string {
  return storedSecret(operatorPasswordFile(dataDir), newOperatorPassword);
}

/** A password that nobody guesses. */
export function newOperatorPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

/** Where {@link storedOperatorPassword} keeps it. */
export function operatorPasswordFile(dataDir: string): string {
  return join(dataDir, 'operator-password');
}

function storedSecret(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${make()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path); // fails where another process was first, and so never replaces a secret in use
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  flushFolder(dirname(path)); // or a power cut could take the name of a secret that is in use by then
  return readFileSync(path, 'utf8').trim();
}

/** Makes a folder with its parents, and flushes the entry of each that is new. */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = folder; at.length >= first.length; at = dirname(at)) flushFolder(dirname(at));
}

function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
