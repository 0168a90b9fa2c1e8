/** Faults that the programs must find, in the reading of header fields. */
import { headersJson } from '../../core/messages/read-header.ts';

/** Long enough for a pattern that is exponential; no harmless mail of the test has it. */
const SIGN = 'a'.repeat(40);
const LOOP_MS = 200;

interface Fault {
  /** Kind and reader in which it must be found. */
  pair: [string, string];
  /** Of the mail in which the longest piece shows it; without it, the growth does. */
  bytes?: number;
  work: (text: string) => void;
}

const LONG_NAME: Fault['pair'] = ['address: a stray bracket', 'Mailpit headers'];
const FAULTS: Record<string, Fault> = {
  exponential: {
    pair: LONG_NAME,
    work: (text) => void new RegExp(`(${['a', 'a'].join('|')})*$`).test(text),
  },
  quadratic: {
    pair: LONG_NAME,
    work: (text) => void new RegExp('a+!').test(text.slice(0, text.length / 2)),
  },
  /** Little for each pair of lines: 16 KiB of short lines take 2 ms. */
  lines: {
    pair: ['header: many fields', 'headers'],
    work: (text) => {
      const { length } = text.split('\n');
      for (let pair = 0; pair < length ** 2; pair += 1) Math.sqrt(pair);
    },
  },
  loop: {
    pair: LONG_NAME,
    bytes: 14_000,
    work: (text) => {
      const before = process.threadCpuUsage();
      const isSpent = () => process.threadCpuUsage(before).user > LOOP_MS * 1000;
      while (text.includes(SIGN) && !isSpent());
    },
  },
};
const { run } = headersJson;

/** Makes the reading of header fields as slow as a fault of this name, in place of another. */
export function plant(name: string): Fault {
  const fault = FAULTS[name];
  if (!fault) throw new TypeError(`no fault ${name}`);
  const slow: typeof run = (input) => {
    fault.work(input.raw.toString('latin1'));
    return run(input);
  };
  Object.assign(headersJson, { run: slow });
  return fault;
}
