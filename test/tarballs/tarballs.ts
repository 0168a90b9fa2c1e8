/** The packed packages, installed into an empty project. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';

/** Bytes that the tarball of the client may have: it is 15.8 KB with types and licence. */
const LARGEST_CLIENT = 40_000;

export interface Tarballs {
  client: string;
  cli: string;
}

/** @throws if the client is too large. */
export async function packAll({ folder, checkout, run }: Machine): Promise<Tarballs> {
  const printed = await run(checkout, 'scripts/pack-clients', folder);
  const of = (name: string) => {
    const [file] = new RegExp(`^mayfly-${name}-\\S+\\.tgz$`, 'm').exec(printed) ?? [];
    if (file === undefined) throw new Error(`scripts/pack-clients does not pack ${name}`);
    return join(folder, file);
  };
  const tarballs = { client: of('client'), cli: of('cli') };
  const { size } = await stat(tarballs.client);
  process.stdout.write(`@mayfly/client has ${size} bytes packed\n`);
  if (size >= LARGEST_CLIENT) throw new Error(`${size} bytes are too many: ${LARGEST_CLIENT}`);
  return tarballs;
}

/** A project with these packages. @returns its folder. */
export async function makeProject(
  { folder, run }: Machine,
  name: string,
  packages: string[],
): Promise<string> {
  const project = join(folder, name);
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  await run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...packages);
  return project;
}
