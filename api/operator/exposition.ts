/**
 * Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/), as far as texts of it
 * have to be put together: all lines of a metric must stand in one group, below one HELP and one TYPE.
 */

const NAME = /^# HELP (\S+) /;

/** One text of several. The metrics of each are groups with an empty line between them, as prom-client writes them. */
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
