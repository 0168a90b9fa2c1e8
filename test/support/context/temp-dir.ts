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

/**
 * Registers hooks that make a temporary folder and remove it.
 * @param life of the folder: each test, or all tests of the suite
 */
export function tempDir(life: 'each' | 'all'): { readonly path: string } {
  let dir: TempDir | undefined;
  const make = async () => {
    dir = await makeTempDir();
  };
  const remove = () => dir?.remove();
  if (life === 'each') {
    beforeEach(make);
    afterEach(remove);
  } else {
    before(make);
    after(remove);
  }
  return {
    get path() {
      return dir?.path ?? '';
    },
  };
}
