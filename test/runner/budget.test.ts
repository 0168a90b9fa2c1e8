import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { type Form, type Share, judge, readBudget, recorded } from './budget.ts';
import { type Lap, figuresOf } from './figures.ts';

const SHARE: Share = {
  total: 100,
  starts: 25,
  waits: 10,
  files: { 'test/listed.test.ts': { seconds: 8, reason: 'renders 40 pages' } },
};
const LAP = {
  stage: 'parts',
  file: 'test/one.test.ts',
  seconds: 1,
  servers: {},
  starts: 0,
  waited: 0,
};
/** A run within the budget, with these laps. */
const figures = (laps: Partial<Lap>[], loops = [0.05]) =>
  figuresOf({ laps: laps.map((lap) => ({ ...LAP, ...lap })), loops }, 0.05);
const many = (seconds: number) =>
  Array.from({ length: 100 }, (_, n) => ({ file: `test/${n}.test.ts`, seconds: seconds / 100 }));
const slowServers = [{ servers: { redis: 150, browser: 60 } }];

describe('the budget of the tests', () => {
  const above = 'above 5 s, and is not in test/budget.json';
  const whole = 'test/one.whole.test.ts';
  /** What is planted, what is said of it in the short form, and in the long one if it differs. */
  const planted: [what: string, laps: Partial<Lap>[], short?: string, long?: string][] = [
    ['nothing', [{}]],
    ['the total', many(100)],
    ['1.4 times the total', many(140), 'warning: 1.4 times', 'fault: 1.4 times'],
    ['2.1 times the total', many(210), 'fault: 2.1 times'],
    ['2.1 times the total in servers', slowServers, 'fault: 2.1 times'],
    ['a file of 5 s', [{ seconds: 5 }]],
    ['a file of 6 s', [{ seconds: 6 }], `warning: ${above}`, `fault: ${above}`],
    ['6 s in two runs', [{ seconds: 3 }, { seconds: 3 }], `warning: ${above}`, `fault: ${above}`],
    ['a file of 11 s', [{ seconds: 11 }], `fault: ${above}`],
    ['5 s on each database', [{ seconds: 5 }, { seconds: 5, stage: 'postgres' }]],
    ['a listed file of 30 s', [{ file: 'test/listed.test.ts', seconds: 30 }]],
    ['a whole file of 10 s', [{ file: whole, seconds: 10 }]],
    [
      'a whole file of 11 s',
      [{ file: whole, seconds: 11 }],
      'warning: above 10',
      'fault: above 10',
    ],
    ['25 starts', [{ starts: 20 }, { starts: 5 }]],
    ['26 starts', [{ starts: 21 }, { starts: 5 }], 'fault: started 26 times'],
    ['a wait of 10 s', [{ waited: 10 }]],
    ['a wait of 11 s', [{ waited: 11 }], 'fault: waits 11.0 s'],
    ['a wait of 20 s in a whole file', [{ file: whole, waited: 20 }]],
    ['a wait of 21 s there', [{ file: whole, waited: 21 }], 'fault: waits 21.0 s, above 20 s'],
    ['a wait of 11 s in a slow file', [{ file: 'test/one.slow.test.ts', waited: 11 }]],
  ];
  for (const [what, laps, short = '', long = short] of planted) {
    for (const [form, said] of Object.entries({ short, long }) as [Form, string][]) {
      const [level = '', text = ''] = said.split(': ');
      it(`has ${said || 'nothing'} to say of ${what} in the ${form} form`, () => {
        const { warnings, faults } = judge(figures(laps), SHARE, form);
        expect([warnings.length, faults.length]).to.deep.equal(
          ['warning', 'fault'].map((one) => Number(level === one)),
        );
        expect([...warnings, ...faults].join()).to.include(text);
      });
    }
  }

  it('fails for a file without a reason', () => {
    const files = { 'test/listed.test.ts': { seconds: 8, reason: ' ' } };
    expect(judge(figures([{}]), { ...SHARE, files }, 'short').faults).to.deep.equal([
      'test/budget.json gives no reason for test/listed.test.ts',
    ]);
  });

  it('only warns of CPU time without a recorded total', () => {
    const run = figures([{ seconds: 50 }]);
    const { warnings, faults } = judge(run, { ...SHARE, total: null }, 'long');
    expect([warnings.length, faults.length]).to.deep.equal([2, 0]);
  });

  it('counts time in units of the median of the loop', () => {
    const run = figures([{ seconds: 32, servers: { redis: 4 } }], [9, 0.1, 0.2]);
    expect(run).to.include({ slowness: 4, total: 9 });
    expect(Object.fromEntries(run.kinds)).to.deep.equal({ short: 8, redis: 1 });
  });

  it('is recorded with its reasons', () => {
    const reason = 'sends 1,000 mails';
    const away = { seconds: 20, reason: 'left out of this run' };
    const nine = { seconds: 9, reason };
    const files = {
      'test/away.whole.test.ts': away,
      'test/cheap.test.ts': nine,
      'test/near.test.ts': nine,
    };
    const long = { ...SHARE, files: { 'test/dear.test.ts': { seconds: 40, reason } } };
    const old = { loop: 0.05, short: { ...SHARE, files }, long };
    const taken = { dear: 12.34, cheap: 3, near: 4, new: 6 };
    const laps = Object.entries(taken).map(([name, seconds]) => ({
      file: `test/${name}.test.ts`,
      seconds,
    }));
    expect(recorded(old, 'short', figures(laps))).to.deep.equal({
      ...old,
      short: {
        ...SHARE,
        total: 25.3,
        files: {
          'test/away.whole.test.ts': away,
          'test/dear.test.ts': { seconds: 12.3, reason },
          'test/near.test.ts': { seconds: 4, reason },
          'test/new.test.ts': { seconds: 6, reason: '' },
        },
      },
    });
  });

  it('lists files that exist', () => {
    const { short, long } = readBudget();
    for (const name of Object.keys({ ...short.files, ...long.files })) {
      expect(existsSync(join(ROOT, name.replace(/ on PostgreSQL$/, ''))), name).to.equal(true);
    }
  });
});
