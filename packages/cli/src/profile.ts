import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './arguments.ts';

/** What `mayfly login` keeps. */
export interface Profile {
  url: string;
  token: string;
}

export function profilePath(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'mayfly', 'profile.json');
}

/** Null without a profile. @throws {UsageError} for a file that is no profile. */
export async function readProfile(env: NodeJS.ProcessEnv): Promise<Profile | null> {
  const path = profilePath(env);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { url, token } = JSON.parse(text) as Partial<Profile>; // each field is looked at
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {
    // Reported below.
  }
  throw new UsageError(`${path} is not a profile. Run "mayfly login" again.`);
}

/** Only its owner can read the file. @returns its path. */
export async function writeProfile(env: NodeJS.ProcessEnv, profile: Profile): Promise<string> {
  const path = profilePath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, '', { mode: 0o600 });
  await chmod(path, 0o600);
  await writeFile(path, `${JSON.stringify(profile, null, 2)}\n`);
  return path;
}
