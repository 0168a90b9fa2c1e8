/** Judges how the time of each reader grows with each kind of mail, and what a mail leaves. */
import { FULL_LIMITS } from '../../core/mime/parse-limits.ts';
import { harmless, type Kind } from './kinds.ts';
import { cpuOf, growth, least } from './measure.ts';
import { type Reader, hasManyItems } from './readers.ts';
import { type Stored, type World, storeBeside } from './world.ts';

/** Smaller bytes of the two sizes. */
const BYTES = 4 * 1024;
/** Of a pair with many short lines or parts: work for each two of them does not show in less. */
const BYTES_OF_MANY = 32 * 1024;
/** Of the mail whose cost every mail has. */
const SMALL_BYTES = 1024;
const WARM_UPS = 2;
/** For the mail of one kind and all readers of it. */
const MOST_LOG_LINES = 5;
const MOST_VALUES = 400;

/**
 * @param has whether to judge a pair, by the names and the numbers of its kind and its reader
 * @param begin is told of each run of a pair before its work
 * @returns what grows too fast or is too much
 */
export async function judgeGrowth(
  world: World,
  {
    kinds,
    readers,
    has,
  }: {
    kinds: [string, Kind][];
    readers: readonly Reader[];
    has: (kind: string, reader: string, numbers: [number, number]) => boolean;
  },
  begin: (kind: string, reader: string) => void,
): Promise<string[]> {
  const stored = (reader: Reader, raw: Buffer): Promise<Stored> =>
    (reader.prepare ?? storeBeside)(world, raw);
  const costs = async (reader: Reader, mail: Stored) => cpuOf(() => reader.run(world, mail));
  const always = new Map<Reader, number>();
  const small = harmless(SMALL_BYTES);
  const shared = await storeBeside(world, small);
  for (const reader of readers) {
    const cost = async () => {
      begin('harmless', reader.name);
      return costs(reader, (await reader.prepare?.(world, small)) ?? shared);
    };
    always.set(reader, await least(WARM_UPS, cost));
  }
  const faults: string[] = [];
  for (const [k, [kind, make]] of kinds.entries()) {
    begin(kind, 'ingest');
    const [lines, values] = [world.logged(), await world.values()];
    const large = make(4 * BYTES);
    const first = await storeBeside(world, large);
    if (first.attachments.length > FULL_LIMITS.parts) {
      faults.push(`${kind}: ${first.attachments.length} rows of attachments`);
    }
    for (const [r, reader] of readers.entries()) {
      if (!has(kind, reader.name, [k, r])) continue;
      const smaller = hasManyItems(kind, reader.name) ? BYTES_OF_MANY : BYTES;
      let isFirst = reader.prepare === undefined && smaller === BYTES;
      const found = await growth(smaller, async (bytes) => {
        begin(kind, reader.name);
        const mail = isFirst ? first : await stored(reader, make(bytes));
        isFirst = false;
        return (await costs(reader, mail)) - (always.get(reader) ?? 0);
      });
      if (found !== null) faults.push(`${kind} x ${reader.name}: ${found}`);
    }
    const [moreLines, moreValues] = [world.logged() - lines, (await world.values()) - values];
    if (moreLines > MOST_LOG_LINES) faults.push(`${kind}: ${moreLines} lines in the log`);
    if (moreValues > MOST_VALUES) faults.push(`${kind}: ${moreValues} values in Redis`);
  }
  return faults;
}
