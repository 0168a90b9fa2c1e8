/**
 * Merges texts in the Prometheus exposition format
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). All lines of a metric must be in
 * one group, below one HELP and one TYPE line.
 */

const NAME = /^# HELP (\S+) /;

/**
 * Merges several texts. The metrics of each are groups separated by empty lines, as prom-client
 * writes them.
 */
export function mergeExpositions(texts: string[]): string {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    for (const group of text.split('\n\n')) {
      const [help = '', type = '', ...samples] = group.trim().split('\n');
      const name = NAME.exec(help)?.[1];
      if (name === undefined) continue;
      const lines = groups.get(name);
      if (lines) lines.push(...samples);
      else groups.set(name, [help, type, ...samples]);
    }
  }
  return [...groups.values()].map((lines) => `${lines.join('\n')}\n`).join('\n');
}
