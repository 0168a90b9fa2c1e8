/** Measures the longest synchronous piece of each reader, with mail near the limits. */
import { harmless, type Kind } from './kinds.ts';
import { longestTurn } from './measure.ts';
import type { Reader } from './readers.ts';
import { type Stored, type World, storeBeside } from './world.ts';

export interface Piece {
  pair: string;
  process: Reader['process'];
  /** Milliseconds above those of harmless mail of equal size. */
  excess: number;
}

const LIMITS = { web: 20, worker: 50 };
/** Milliseconds of a piece that is written at once. */
const NOTABLE_MS = 10;
const RUNS = 3;

export function isTooLong({ process, excess }: Piece): boolean {
  return excess > LIMITS[process];
}

export function isNotable({ excess }: Piece): boolean {
  return excess > NOTABLE_MS;
}

/**
 * What seems too long is measured three times, of which the least counts.
 * @param begin is told of each pair before its work
 * @param end is told of each pair after it
 */
export async function measurePieces(
  world: World,
  { kinds, readers, bytes }: { kinds: [string, Kind][]; readers: readonly Reader[]; bytes: number },
  begin: (kind: string, reader: string) => void,
  end: (piece: Piece) => void,
): Promise<void> {
  const stored = (reader: Reader, raw: Buffer): Promise<Stored> =>
    (reader.prepare ?? storeBeside)(world, raw);
  const costs = (reader: Reader, mail: Stored) => longestTurn(() => reader.run(world, mail));
  const controls = new Map<Reader, number>();
  for (const reader of readers) {
    begin('harmless', reader.name);
    for (let run = 0; run < RUNS; run += 1) {
      const cost = await costs(reader, await stored(reader, harmless(bytes)));
      controls.set(reader, Math.min(cost, controls.get(reader) ?? Infinity));
    }
  }
  for (const [kind, make] of kinds) {
    begin(kind, 'ingest');
    const raw = make(bytes);
    const first = await storeBeside(world, raw);
    for (const reader of readers) {
      begin(kind, reader.name);
      const { process } = reader;
      let excess = Infinity;
      for (let run = 0; run < RUNS; run += 1) {
        const mail = run === 0 && !reader.prepare ? first : await stored(reader, raw);
        const cost = await costs(reader, mail).catch((error: unknown) => {
          throw new Error(`${kind} x ${reader.name}`, { cause: error });
        });
        excess = Math.min(excess, cost - (controls.get(reader) ?? 0));
        if (excess <= LIMITS[process]) break;
      }
      end({ pair: `${kind} x ${reader.name}, ${bytes} bytes`, process, excess });
    }
  }
}
