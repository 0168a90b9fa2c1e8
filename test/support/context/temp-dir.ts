import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempDir {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** A folder of the test's own, with a path short enough for a socket inside it. */
export async function makeTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'mayfly-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
