import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = 'dist/scripts/mayfly.js';

/**
 * The program of the packed service, which a tarball is unpacked for.
 * @param given a tarball or a folder; by default the installed package `mayfly`, otherwise
 *   `MAYFLY_PACKAGE`
 * @param folder gets the content of a tarball
 * @throws if there is none
 */
export async function findPackage(given: string | undefined, folder: string): Promise<string> {
  const path = given ?? installed() ?? process.env.MAYFLY_PACKAGE;
  if (!path) {
    throw new Error(
      'There is no package of Mayfly. Install mayfly-VERSION.tgz, set MAYFLY_PACKAGE to it, or call startMayfly({ package }) or startMayfly({ image }).',
    );
  }
  const place = resolve(path);
  if (!existsSync(place)) throw new Error(`The package of Mayfly "${place}" does not exist.`);
  if (statSync(place).isDirectory()) return programIn(place);
  await promisify(execFile)('tar', ['-xzf', place, '-C', folder]);
  return programIn(join(folder, 'package'));
}

function programIn(folder: string): string {
  const program = join(folder, PROGRAM);
  if (existsSync(program)) return program;
  throw new Error(`"${folder}" is not a package of Mayfly: it has no ${PROGRAM}.`);
}

function installed(): string | undefined {
  try {
    const from = createRequire(join(process.cwd(), 'package.json'));
    return dirname(from.resolve('mayfly/package.json'));
  } catch {
    return undefined;
  }
}
