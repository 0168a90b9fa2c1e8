/** The hottest functions of V8 CPU profiles. */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const HOTTEST = 10;

const profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
    }),
  ),
  samples: z.array(z.number()),
});

/** For each non-idle profile below the folder: the distribution of its samples over functions. */
export async function hottestPlaces(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true });
  const summaries: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.cpuprofile')).sort()) {
    const text = await readFile(join(folder, file), 'utf8');
    summaries.push(`${file}\n${summary(profile.parse(JSON.parse(text)))}`);
  }
  return summaries.join('\n');
}

function summary({ nodes, samples }: z.infer<typeof profile>): string {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, place(callFrame)]));
  const counts = new Map<string, number>();
  for (const id of samples) {
    const at = places.get(id) ?? '?';
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const busy = samples.length - (counts.get('(idle)') ?? 0);
  counts.delete('(idle)');
  const hottest = [...counts].sort(([, a], [, b]) => b - a).slice(0, HOTTEST);
  const lines = hottest.map(([at, count]) => `  ${((count * 100) / busy).toFixed(1)} %  ${at}`);
  return [`  busy ${((busy * 100) / samples.length).toFixed(0)} % of the time`, ...lines].join(
    '\n',
  );
}

function place({
  functionName,
  url,
  lineNumber,
}: z.infer<typeof profile>['nodes'][number]['callFrame']) {
  if (url === '') return functionName;
  const file = url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : url;
  return `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}
