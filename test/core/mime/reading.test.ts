import { expect } from 'chai';
import { AppError } from '../../../core/errors.ts';
import { type ParsePool, openParsePool } from '../../../core/mime/parser-pool.ts';
import { openReading } from '../../../core/mime/reading.ts';
import type { Task } from '../../../core/mime/task.ts';
import { bodyText } from '../../../core/messages/body.ts';
import { programPath } from '../../support/process/process.ts';

const reader = { workspaceId: 'one', gone: new AbortController().signal };
const LARGE = { text: null, html: '<p>a'.repeat(250_000) };
const open: typeof openParsePool = (timeoutMs, options) =>
  openParsePool(timeoutMs, { script: programPath('core/parser-child'), ...options });

describe('reading of stored mail', () => {
  let pool: ParsePool;
  afterEach(() => {
    pool.close();
  });

  it('is refused if it takes too much time or memory, for this request only', async () => {
    for (const [limit, opened] of [
      ['time', open(1)],
      ['memory', open(60_000, { heapMb: 16 })],
    ] as const) {
      pool = opened;
      const run = openReading(pool).run(reader, bodyText, () => LARGE);
      const refused = await run.catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(AppError);
      expect(refused).to.include({ code: 'unavailable', status: 503 });
      expect(String(refused)).to.contain(`took too much ${limit}`);
      if (limit === 'time') pool.close();
    }
    const smaller = { text: null, html: '<p>a'.repeat(20_000) };
    const text = await openReading(pool).run(reader, bodyText, () => smaller);
    expect(text.subarray(0, 4).toString()).to.equal('a\n\na');
  });

  it('holds no input while it waits for its turn', async () => {
    pool = open(60_000);
    const reading = openReading(pool);
    const ends: (() => void)[] = [];
    const hold = () => reading.inTurn(reader, () => new Promise<void>((end) => ends.push(end)));
    const held = [hold(), hold()];
    let loads = 0;
    const inChild: Task<number, number> = {
      name: 'none',
      sizeOf: () => 1,
      inlineSize: 0,
      run: (n) => n,
    };
    const waiting = reading.run(reader, inChild, () => (loads += 1)).catch(String);
    await new Promise((resolve) => setImmediate(resolve));
    expect(loads).to.equal(1); // to learn that it is large
    for (const end of ends) end();
    await Promise.all(held);
    expect(await waiting).to.contain('no task none');
    expect(loads).to.equal(2);
  });
});
