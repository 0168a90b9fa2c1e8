import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ROOT } from '../../../core/root.ts';
import { ended, type Ended } from './programs.ts';

/** The commands of package.json. */
export const { scripts: npmScripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')));

/** Arguments of `sh` that run the command of `npm run NAME -- ARGUMENTS` as npm does. */
export function npmCommand(name: string, args: string[]): string[] {
  const command = npmScripts[name];
  if (command === undefined) throw new Error(`package.json has no script ${name}`);
  return ['-c', `${command} "$@"`, name, ...args];
}

/**
 * Runs the command of `npm run NAME -- ARGUMENTS` without npm, which takes longer than most
 * scripts. Servers of this process answer meanwhile.
 */
export async function npmScript(
  name: string,
  args: string[],
  { env, input = '' }: { env: NodeJS.ProcessEnv; input?: string },
): Promise<Ended> {
  return ended(spawn('sh', npmCommand(name, args), { cwd: ROOT, env }), input);
}
