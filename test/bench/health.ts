/** What work costs other requests: the time of `/healthz`, and the memory of the web process. */
import { setTimeout as delay } from 'node:timers/promises';
import { askLoad } from '../load/http.ts';
import { percentile } from './figures.ts';
import { memoryOf } from './parts/memory.ts';
import type { Target } from './target.ts';

const SAMPLE_EVERY_MS = 20;

/** Does the work and samples beside it: the figures as text and as numbers. */
export async function besideHealth(
  { origin, product }: Pick<Target, 'origin' | 'product'>,
  work: () => Promise<unknown>,
): Promise<{ text: string; values: Record<string, number> }> {
  const web = async () => (await memoryOf(product)).byProcess.get('web') ?? NaN;
  const load = { origin, token: null, clients: 1, requests: 1, path: () => '/healthz' };
  const before = await web();
  let most = before;
  const health: number[] = [];
  const over = new AbortController();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      health.push(...(await askLoad(load)));
      most = Math.max(most, await web());
      await delay(SAMPLE_EVERY_MS);
    }
  })();
  const began = performance.now();
  let seconds = NaN;
  try {
    await work();
    seconds = (performance.now() - began) / 1000;
  } finally {
    over.abort();
    await sampling;
  }
  const [p50, p99, worst] = [
    percentile(health, 0.5),
    percentile(health, 0.99),
    Math.max(...health),
  ];
  const mib = most - before;
  return {
    text:
      `${seconds.toFixed(1)} s, /healthz p50 / p99 / worst ${p50.toFixed(0)} / ` +
      `${p99.toFixed(0)} / ${worst.toFixed(0)} ms of ${health.length}, web +${mib.toFixed(0)} MiB`,
    values: { seconds, p50, p99, worst, mib },
  };
}
