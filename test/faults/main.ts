/**
 * The long form of the fault tests: every fault separately, several times, under more load. An
 * argument selects groups by a part of their title, in any case. Prints the counts; exits with 1 if
 * anything went wrong, with 2 if no group has such a title.
 */
import { allGroups } from './groups.ts';
import type { Finding } from './harness/oracle.ts';
import { type Result, runGroup } from './harness/run-group.ts';

const LONG = { connections: 8, pauseMs: 20, largeEvery: 20, around: 100 };
const ROUNDS = 3;
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

const wanted = (process.argv[2] ?? '').toLowerCase();
const groups = allGroups.filter(({ title }) => title.toLowerCase().includes(wanted));
if (groups.length === 0) {
  const titles = allGroups.map(({ title }) => `  ${title}`).join('\n');
  console.error(`No group has "${wanted}" in its title. The groups are:\n${titles}`);
  process.exit(2);
}
const results: Result[] = [];
for (const group of groups) {
  const reason = await group.cannot?.();
  if (reason) {
    console.log(`left out: ${group.title} (${reason})`);
    continue;
  }
  for (let round = 1; round <= ROUNDS; round += 1) {
    console.log(`${group.title}, round ${round}`);
    const run = await runGroup(group, group.faults, LONG);
    for (const { fault, wrong } of run) if (wrong) console.log(`  ${fault.title}: ${wrong}`);
    results.push(...run);
  }
}
console.log(`\n${table(results)}`);
process.exit(results.every(({ wrong }) => wrong === null) ? 0 : 1);

/** The counts of each fault as a Markdown table. */
function table(results: Result[]): string {
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
