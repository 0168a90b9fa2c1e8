/**
 * Parses mutated mails, 100,000 by default, and mails of 1 MB in shapes that are slow for a parser
 * which is not linear. Exits with 1 at the first mail that does not hold what
 * `test/support/mail/mutated-mail.ts` demands, or that takes too long.
 */
import { parseInline, parseMail } from '../../core/mime/parse-mail.ts';
import { canonicalMail } from '../../core/mime/canonical/canonical-mail.ts';
import { INLINE_MS, parseCost } from '../../core/mime/parse-cost.ts';
import { FULL_LIMITS } from '../../core/mime/parse-limits.ts';
import { HOSTILE_SHAPES } from '../support/mail/hostile-shapes.ts';
import { checkMail, mutatedMails } from '../support/mail/mutated-mail.ts';

const MAX_RSS_MB = 1024;
const ROUNDS = 5;

interface Reader {
  read: (raw: Buffer) => unknown;
  maxCpuMs: number;
}

/** What is done with the bytes of a mail. */
const READERS: Record<string, Reader> = {
  'one form': { read: (raw) => canonicalMail(raw, FULL_LIMITS), maxCpuMs: 100 },
  // What the estimate leaves in the process that needs the mail.
  inline: {
    read: (raw) => (parseCost(raw) <= INLINE_MS ? parseInline(raw) : null),
    maxCpuMs: 50,
  },
  // As the worker: what exceeds the limits there is parsed by a child.
  parse: { read: async (raw) => (await parseInline(raw)) ?? (await parseMail(raw)), maxCpuMs: 250 },
};

const [count = '100000', seed = '1'] = process.argv.slice(2);
await parseInline(Buffer.from('Subject: warm\r\n\r\nup'));
let isSlow = false;
for (const [what, make] of Object.entries(HOSTILE_SHAPES)) {
  const raw = make(1_000_000);
  const times: string[] = [];
  for (const [reader, { read, maxCpuMs }] of Object.entries(READERS)) {
    const best = await cpuMs(() => read(raw), maxCpuMs / 2);
    isSlow ||= best > maxCpuMs;
    times.push(`${reader} ${best.toFixed(1)} ms${best > maxCpuMs ? ', too slow' : ''}`);
  }
  console.log(`${what}: ${times.join(', ')}`);
}
let checked = 0;
for (const raw of mutatedMails(Number(count), Number(seed))) {
  await checkMail(raw);
  checked += 1;
  if (checked % 10_000 === 0) console.log(`${checked} mails`);
}
const rss = process.memoryUsage.rss() / 1024 / 1024;
console.log(`${checked} mutated mails hold; ${rss.toFixed(0)} MB of memory`);
process.exitCode = isSlow || rss > MAX_RSS_MB ? 1 : 0;

/** The CPU time of the fastest round: a mail that is slow by its shape is slow in each. */
async function cpuMs(read: () => unknown, enough: number): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best > enough; round += 1) {
    const began = process.cpuUsage();
    await read();
    const { user, system } = process.cpuUsage(began);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
