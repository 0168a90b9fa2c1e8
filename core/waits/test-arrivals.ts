/** Tests new messages for a waiting request, one reading after the other. */
import type { Contents } from '../matching/contents.ts';
import type { Criterion } from '../matching/criteria.ts';

/** Messages of a reading whose summary is enough; of others, one may be as large as a mail. */
const AT_ONCE = 100;
/** With more, the request looks at all that is there. */
const MOST_WAITING = 1000;

export interface ArrivalTests {
  /** Messages that are added while others are tested are tested together. */
  add: (messageId: string) => void;
  /** Messages that are not tested yet are forgotten. */
  end: () => void;
}

/** @param wake called if a message matches, or may match because it cannot be read now */
export function testArrivals(
  contents: Contents,
  criteria: readonly Criterion[],
  wake: () => void,
): ArrivalTests {
  const isShort = criteria.every(({ need }) => need === 'summary' || need === 'claim');
  const waiting = new Set<string>();
  let isTesting = false;

  const hasMatch = async (ids: string[]) => {
    const rows = ids.map((id) => ({ id, bodyBytes: 0 }));
    for await (const { tested } of contents.test(rows, criteria)) {
      if (tested?.failed.length === 0) return true;
    }
    return false;
  };
  const testAll = async () => {
    isTesting = true;
    while (waiting.size > 0) {
      const ids = [...waiting].slice(0, isShort ? AT_ONCE : 1);
      for (const id of ids) waiting.delete(id);
      if (await hasMatch(ids).catch(() => true)) wake();
    }
    isTesting = false;
  };

  return {
    add(messageId) {
      waiting.add(messageId);
      if (waiting.size > MOST_WAITING) {
        waiting.clear();
        wake();
      } else if (!isTesting) void testAll();
    },
    end() {
      waiting.clear();
    },
  };
}
