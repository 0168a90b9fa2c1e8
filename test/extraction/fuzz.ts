/**
 * `test/long extraction-fuzz [SECONDS]`: hostile parts of 1 MiB, then random mixtures of their
 * pieces until the time is over. Fails if one extraction takes more than 1 s of CPU.
 */
import { extract } from '../../core/extraction/extract.ts';
import { HOSTILE_PAGES, HOSTILE_TEXTS } from '../core/extraction/hostile.ts';
import { mailParts } from '../core/extraction/mail-parts.ts';

const LIMIT_MS = 1000;
const SIZE = 1024 * 1024;
const seconds = Number(process.argv[2] ?? 30);
const seed = Date.now() % 2 ** 31;
let state = seed;
let slowest = { name: '', ms: 0 };
let count = 0;

const fixed: [string, string, 'text' | 'html'][] = [
  ...Object.entries(HOSTILE_TEXTS).map(
    ([name, text]) => [name, text, 'text'] as [string, string, 'text'],
  ),
  ...Object.entries(HOSTILE_PAGES).map(
    ([name, html]) => [name, html, 'html'] as [string, string, 'html'],
  ),
];
for (const [name, part, kind] of fixed) measure(`${kind}: ${name}`, part, kind);
const end = Date.now() + seconds * 1000;
while (Date.now() < end) {
  const part = mixture();
  measure('text: mixture', part, 'text');
  measure('html: mixture', part, 'html');
}
process.stdout.write(
  `${count} extractions, seed ${seed}; slowest ${slowest.ms.toFixed(0)} ms of CPU (${slowest.name})\n`,
);
process.exitCode = slowest.ms > LIMIT_MS ? 1 : 0;

function measure(name: string, part: string, kind: 'text' | 'html'): void {
  const mail = mailParts(
    kind === 'text' ? { text: part, subject: part.slice(0, 5000) } : { html: part },
  );
  const before = process.cpuUsage();
  extract(mail);
  const ms = process.cpuUsage(before).user / 1000;
  count++;
  if (ms > slowest.ms) slowest = { name, ms };
}

/** Short pieces of the hostile parts, repeated and joined. */
function mixture(): string {
  const pieces = Array.from({ length: 1 + random(4) }, () => {
    const [, part] = fixed[random(fixed.length)] ?? ['', ' '];
    return part.slice(0, 1 + random(40));
  });
  const piece = pieces.join('');
  return piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);
}

function random(limit: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}
