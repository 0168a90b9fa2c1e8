/** What recheck finds about patterns, kept in a file because an analysis takes up to seconds. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { checkSync } from 'recheck';
import type { Pattern } from './literals.ts';

/** Milliseconds. What takes longer is unknown, and needs a bound on its input. */
const MAX_ANALYSIS = 60_000;

export const written = ({ source, flags }: Pick<Pattern, 'source' | 'flags'>) =>
  `/${source}/${flags}`;

/** Names a pattern in a line of a list. */
export const checksumOf = (pattern: Pick<Pattern, 'source' | 'flags'>) =>
  createHash('sha256').update(written(pattern)).digest('hex').slice(0, 16);

/** `linear`, or what recheck says instead. */
function analyze({ source, flags }: Pick<Pattern, 'source' | 'flags'>): string {
  const found = checkSync(source, flags, { timeout: MAX_ANALYSIS });
  if (found.status === 'safe') return 'linear';
  return found.status === 'vulnerable' ? found.complexity.summary : `unknown (${found.error.kind})`;
}

/** Verdicts by checksum, kept in dist/ for the next run. */
export async function openVerdicts(file: string) {
  const kept = await readFile(file, 'utf8').catch(() => '{}');
  const verdicts = new Map<string, unknown>(Object.entries(JSON.parse(kept) as object));
  return {
    of(pattern: Pattern): string {
      const known = verdicts.get(checksumOf(pattern));
      if (typeof known === 'string') return known;
      const verdict = analyze(pattern);
      verdicts.set(checksumOf(pattern), verdict);
      return verdict;
    },
    async save(): Promise<void> {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify(Object.fromEntries(verdicts)));
    },
  };
}
