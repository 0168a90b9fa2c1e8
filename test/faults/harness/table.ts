import type { Finding } from './oracle.ts';
import type { Result } from './run-group.ts';

const COUNTS: [heading: string, name: keyof Finding][] = [
  ['sent', 'sent'],
  ['250s', 'accepted'],
  ['put off', 'refused'],
  ['no answer', 'unanswered'],
  ['visible', 'visible'],
  ['duplicates', 'duplicates'],
  ['lost', 'lost'],
  ['half', 'half'],
  ['changed', 'changed'],
  ['receiver missing', 'untold'],
];

/** The counts of each fault as a Markdown table. */
export function table(results: Result[]): string {
  const head = ['fault', 'what happens', ...COUNTS.map(([heading]) => heading), 'seconds', ''];
  const rows = results.map(({ fault, finding, seconds, wrong }) => [
    fault.id,
    fault.title,
    ...COUNTS.map(([, name]) => (finding ? String(finding[name]) : '-')),
    seconds.toFixed(1),
    wrong ?? 'ok',
  ]);
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
