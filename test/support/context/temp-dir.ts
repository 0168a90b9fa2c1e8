import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempDir {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** A temporary folder. Its path is short enough for a socket inside it. */
export async function makeTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'mayfly-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
