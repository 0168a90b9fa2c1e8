/**
 * `test/long hostile`: hostile mail near the limits through every way that reads it. It prints what
 * takes 10 ms as it goes, then the ten longest synchronous pieces, and fails if one is above 20 ms
 * in the web process or 50 ms in the worker. With `--growth` it judges how the time grows instead.
 * With `--plant` it then plants faults, which must be reported too.
 */
import { Worker } from 'node:worker_threads';
import { INLINE_PARSE_MS } from '../../api/serve.ts';
import type { Overrides } from '../../core/context.ts';
import { TASKS } from '../../core/reading-tasks.ts';
import { positive, readCommandLine } from '../support/command-line.ts';
import { judgeGrowth } from './growth.ts';
import type { HangWatch } from './hang-thread.ts';
import { KINDS, type Kind } from './kinds.ts';
import { type Piece, isNotable, isTooLong, measurePieces } from './pieces.ts';
import { plant } from './planted.ts';
import { READERS, type Reader, isUsual } from './readers.ts';
import { inWorld } from './world.ts';

const USAGE = `usage: test/long hostile [--growth [--all]] [--bytes N]... [--kinds TEXT] [--readers TEXT] [--plant FAULT]...
  --growth   judges four times the input instead of milliseconds
  --all      judges every pair; without it, the readers that differ with all kinds
  --bytes    size of a mail; without it, those just below each limit for work in the process itself
  --kinds    only the kinds whose names have this text
  --readers  only the readers whose names have this text
  --plant    then makes the reading of header fields as slow as this fault, and judges it`;
/** Of the text of a mail that a task just reads in the process itself. */
const TASK_SIZES = TASKS.map(({ inlineSize }) => String(Math.floor(inlineSize * 0.95))).filter(
  (size) => size !== '0',
);
/** Those, and mail that is just parsed in web and in the worker. */
const SIZES = [...new Set([...TASK_SIZES, '350000', '1040000'])];
const HANG_SECONDS = { growth: 4, pieces: 120 };
const SHOWN = 10;

const asked = readCommandLine(
  USAGE,
  {
    options: {
      all: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      bytes: { type: 'string', multiple: true, default: SIZES },
      kinds: { type: 'string', default: '' },
      readers: { type: 'string', default: '' },
      plant: { type: 'string', multiple: true, default: [] },
    },
  },
  ({ values }) => ({ ...values, bytes: values.bytes.map(positive) }),
);
const write = (line: string) => process.stdout.write(`${line}\n`);
const kinds = [...KINDS].filter(([name]) => name.includes(asked.kinds));
const readers = READERS.filter(({ name }) => name.includes(asked.readers));

const names = ['harmless', ...KINDS.keys()].flatMap((kind) =>
  READERS.map(({ name }) => `${kind} x ${name}`),
);
const present = new Int32Array(new SharedArrayBuffer(8));
const limit = asked.growth ? HANG_SECONDS.growth : HANG_SECONDS.pieces;
const workerData: HangWatch = { present, names, limit };
const thread = new Worker(new URL('./hang-thread.ts', import.meta.url), { workerData });
const begin = (kind: string, reader: string) => {
  Atomics.store(present, 0, names.indexOf(`${kind} x ${reader}`));
  Atomics.add(present, 1, 1);
};

/** What is judged: pairs of these that the short form has, or all. */
interface Chosen {
  kinds: [string, Kind][];
  readers: readonly Reader[];
  all: boolean;
}

const growthFaults = ({ kinds, readers, all }: Chosen): Promise<string[]> => {
  const has: typeof isUsual = (...pair) => all || isUsual(...pair);
  return inWorld(true, {}, (world) => judgeGrowth(world, { kinds, readers, has }, begin));
};

const measureIn = async (
  process: Reader['process'],
  overrides: Overrides,
  { kinds, readers }: Chosen,
  sizes = asked.bytes,
): Promise<Piece[]> => {
  const pieces: Piece[] = [];
  const own = readers.filter((reader) => reader.process === process);
  const end = (piece: Piece) => {
    pieces.push(piece);
    if (isNotable(piece)) write(`${piece.excess.toFixed(1)} ms  ${piece.pair}`);
  };
  for (const bytes of sizes) {
    // A world for each size: mail that is stored makes later readers slower.
    const what = { kinds, readers: own, bytes };
    await inWorld(false, overrides, (world) => measurePieces(world, what, begin, end));
  }
  return pieces;
};
const pieceFaults = (pieces: Piece[]) =>
  pieces.filter(isTooLong).map(({ pair, excess }) => `${pair}: ${excess.toFixed(1)} ms`);

const plantedFaults = async (name: string): Promise<string[]> => {
  const { pair, bytes } = plant(name);
  const chosen = {
    kinds: [...KINDS].filter(([kind]) => kind === pair[0]),
    readers: READERS.filter((reader) => reader.name === pair[1]),
    all: true,
  };
  return bytes === undefined
    ? growthFaults(chosen)
    : pieceFaults(await measureIn('web', {}, chosen, [bytes]));
};

const faults: string[] = [];
const report = (found: string[]) => {
  for (const fault of found) write(`too slow: ${fault}`);
  faults.push(...found);
};
const chosen = { kinds, readers, all: asked.all };
if (asked.growth) report(await growthFaults(chosen));
else {
  const pieces = [
    ...(await measureIn('worker', {}, chosen)),
    ...(await measureIn('web', { inlineParseMs: INLINE_PARSE_MS }, chosen)),
  ];
  write(`The ${SHOWN} longest of ${pieces.length}:`);
  pieces.sort((a, b) => b.excess - a.excess);
  for (const { pair, excess } of pieces.slice(0, SHOWN)) write(`${excess.toFixed(1)} ms  ${pair}`);
  report(pieceFaults(pieces));
}
const { user, system } = process.cpuUsage();
write(
  `${kinds.length} kinds x ${readers.length} readers, ${((user + system) / 1e6).toFixed(1)} s of CPU`,
);
for (const name of asked.plant) report(await plantedFaults(name));
await thread.terminate();
process.exit(faults.length === 0 && kinds.length > 0 && readers.length > 0 ? 0 : 1);
