/**
 * Secrets stored in the data directory outside production: the keyring and the operator password,
 * each generated on first use.
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
import { generateKeyring } from '../secrets/keyring.ts';

const PASSWORD_BYTES = 24;

/** The keyring stored in `dataDir`. The first process generates it; all processes get the same. */
export function storedKeyring(dataDir: string): string {
  return storedSecret(join(dataDir, 'encryption-keys'), generateKeyring);
}

/** The operator password stored in `dataDir`, the same for all processes. */
export function storedOperatorPassword(dataDir: string): string {
  return storedSecret(operatorPasswordFile(dataDir), newOperatorPassword);
}

/** Generates a random password. */
export function newOperatorPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url');
}

/** Path of the file with {@link storedOperatorPassword}. */
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
    linkSync(draft, path); // fails if another process was first, so it never replaces a secret in use
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  flushFolder(dirname(path)); // otherwise a power failure could remove a secret that is already in use
  return readFileSync(path, 'utf8').trim();
}

/** Creates a folder with its parents and flushes the entry of each new one. */
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
