/** Starts the packed service: a tarball, a folder with its content, or the installed package. */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { HOST, type ReadyService, UNTIL_INPUT_ENDS, start } from './run.ts';

const PROGRAM = 'dist/scripts/mayfly.js';

export async function startPackage(
  given: string | undefined,
  env: Record<string, string>,
): Promise<ReadyService> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-'));
  try {
    const program = await findPackage(given, folder);
    const readyFile = join(folder, 'ready.json');
    const { PATH, HOME, TMPDIR } = process.env;
    const command = ['sh', '-c', UNTIL_INPUT_ENDS, 'mayfly', folder];
    const { stop } = await start([...command, process.execPath, program, 'up'], {
      // Variables such as DATABASE_URL and PORT are those of the application under test.
      ...{ PATH, HOME, TMPDIR },
      ...{ BIND_HOST: HOST, PORT: '0', SMTP_PORT: '0', LOG_LEVEL: 'warn', ...env },
      ...{ DATA_DIR: join(folder, 'data'), READY_FILE: readyFile },
    });
    const ready = JSON.parse(await readFile(readyFile, 'utf8')) as { url: string; smtpUrl: string };
    return { url: ready.url, smtpPort: Number(new URL(ready.smtpUrl).port), stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The program of the packed service, which a tarball is unpacked for.
 * @param given a tarball or a folder; by default the installed package `mayfly`, otherwise
 *   `MAYFLY_PACKAGE`
 * @param folder gets the content of a tarball
 * @throws if there is none
 */
async function findPackage(given: string | undefined, folder: string): Promise<string> {
  const path = given ?? installed() ?? process.env.MAYFLY_PACKAGE;
  if (!path) {
    throw new Error(
      'There is no package of Mayfly. Install mayfly-VERSION.tgz, set MAYFLY_PACKAGE to it, or call startMayfly({ package }) or startMayfly({ image }).',
    );
  }
  const place = resolve(path);
  if (!existsSync(place)) throw new Error(`The package of Mayfly "${place}" does not exist.`);
  const isFolder = statSync(place).isDirectory();
  if (!isFolder) {
    await promisify(execFile)('tar', ['-xzf', place, '-C', folder]).catch((cause: unknown) => {
      throw new Error(`"${place}" is not a package of Mayfly: tar cannot unpack it.`, { cause });
    });
  }
  const program = join(isFolder ? place : join(folder, 'package'), PROGRAM);
  if (existsSync(program)) return program;
  throw new Error(`"${place}" is not a package of Mayfly: it has no ${PROGRAM}.`);
}

function installed(): string | undefined {
  try {
    const from = createRequire(join(process.cwd(), 'package.json'));
    return dirname(from.resolve('mayfly/package.json'));
  } catch {
    return undefined;
  }
}
