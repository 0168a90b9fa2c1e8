/** One line of the result: what was measured, and the value. */
export interface Figure {
  work: string;
  result: string;
  /** The same as numbers, for further computation. */
  values?: Record<string, number>;
}

/** The percentile of the values; `part` is 0.5 for the median. */
export function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

export function median(values: number[]): number {
  return percentile(values, 0.5);
}

/** The 50th, 95th and 99th percentile of times in milliseconds, as text and as numbers. */
export function spread(took: number[]): { text: string; values: Record<string, number> } {
  const [p50, p95, p99] = [median(took), percentile(took, 0.95), percentile(took, 0.99)];
  const text = [p50, p95, p99].map((value) => value.toFixed(1)).join(' / ');
  return { text: `p50 / p95 / p99 ${text} ms`, values: { p50, p95, p99 } };
}

/** Operations per second, if the work performs `count` of them. */
export async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (count * 1000) / (performance.now() - start);
}

/** The results of consecutive runs. */
export async function times<Result>(runs: number, run: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < runs) results.push(await run());
  return results;
}

export function table(figures: Figure[]): string {
  const width = Math.max(...figures.map(({ work }) => work.length));
  return figures.map(({ work, result }) => `${work.padEnd(width)}  ${result}`).join('\n');
}
