/** The packed packages, installed into an empty project. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';

export interface Tarballs {
  client: string;
  cli: string;
}

export async function packAll({ folder, checkout, run }: Machine): Promise<Tarballs> {
  const printed = await run(checkout, 'scripts/pack-clients', folder);
  const of = (name: string) => {
    const [file] = new RegExp(`^mayfly-${name}-\\S+\\.tgz$`, 'm').exec(printed) ?? [];
    if (file === undefined) throw new Error(`scripts/pack-clients does not pack ${name}`);
    return join(folder, file);
  };
  return { client: of('client'), cli: of('cli') };
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
