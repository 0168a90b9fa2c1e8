/** READY_FILE: says to other programs that Mayfly is ready, and how to use it. */
import { accessSync, constants, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { errorText } from '../../core/errors.ts';
import type { FirstWorkspace } from '../cli/existing-workspace.ts';
import { type Listening, ownAddresses, ownSmtpUrl } from './own-addresses.ts';
import { StartError } from './supervisor.ts';

/**
 * Removes the file of a `up` that was killed.
 * @throws {StartError} if the file cannot be written later: a first start must not fail after it
 *   has created the token.
 */
export function prepareReadyFile(path: string): void {
  try {
    removeReadyFile(path);
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw fault(path, error);
  }
}

export function removeReadyFile(path: string): void {
  rmSync(path, { force: true });
}

/**
 * Writes the file at once, readable for its owner only. What is unknown is null.
 * @throws {StartError}
 */
export function writeReadyFile(
  path: string,
  place: Listening & Pick<Config, 'mailDomain'>,
  { token, credential }: FirstWorkspace,
): void {
  const { http, api } = ownAddresses(place);
  const content = {
    url: http,
    api,
    mcp: `${http}/mcp`,
    domain: place.mailDomain,
    smtpUrl: credential && ownSmtpUrl(place, credential),
    token,
  };
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw fault(path, error);
  }
}

function fault(path: string, error: unknown): StartError {
  return new StartError(
    `READY_FILE "${path}" cannot be written (${errorText(error)}). Set it to a file in a folder that exists.`,
  );
}
