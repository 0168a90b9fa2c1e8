/** F14: faults of webhook receivers, and crashes of the worker during a call. */
import { eventually } from '../support/mocha/eventually.ts';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup, Situation } from './harness/fault.ts';
import type { Behavior } from './harness/owed.ts';

const CALLS = 5;

/** Resolves when the receiver has `more` further calls. */
const calls = async ({ bench }: Situation, more = CALLS): Promise<void> => {
  const { receiver } = bench.owed;
  const enough = receiver.received.length + more;
  await eventually(`${more} calls`, () => receiver.received.length >= enough);
};

const goesWrong = (how: string, behavior: Behavior): Fault => ({
  id: 'F14',
  title: `webhook receivers ${how}`,
  inject: (situation) => situation.bench.owed.misbehave(behavior, () => calls(situation)),
});

const faults: Fault[] = [
  goesWrong('do not respond', () => undefined),
  { ...goesWrong('answer with 500', (_req, res) => res.writeHead(500).end()), slow: true },
  {
    ...goesWrong('redirect', (req, res) => res.writeHead(302, { Location: req.url }).end()),
    slow: true,
  },
  { ...goesWrong('reset the connection', (req) => req.socket.destroy()), slow: true },
  goesWrong('send their response slowly', (_req, res) => {
    res.writeHead(500);
    const dripping = setInterval(() => res.write('.'), 100);
    res.on('close', () => {
      clearInterval(dripping);
    });
  }),
  goesWrong('send an endless response', (_req, res) => {
    res.writeHead(500);
    const pour = () => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536)));
    };
    res.on('drain', pour);
    pour();
  }),
  {
    id: 'F14',
    title: 'the worker is killed while it waits for a receiver',
    inject: async (situation) => {
      const { owed, kill } = situation.bench;
      await owed.misbehave(
        () => undefined,
        async () => {
          await calls(situation, 1);
          await kill('worker');
        },
      );
    },
  },
  {
    id: 'F14',
    title: 'the worker is killed after the response of a receiver, before it is recorded',
    inject: async (situation) => {
      const { bench } = situation;
      let isDead = false;
      const answerToTheDead: Behavior = (_req, res) => {
        if (isDead) return;
        isDead = true;
        bench.product().kill('worker', 'SIGSTOP');
        res.writeHead(204).end();
      };
      await bench.owed.misbehave(answerToTheDead, async () => {
        await calls(situation, 1);
        await bench.kill('worker');
      });
    },
  },
  {
    id: 'F14',
    title: 'everything is stopped and started while retries are due',
    slow: true,
    inject: async (situation) => {
      const { bench } = situation;
      await bench.owed.misbehave(
        (_req, res) => res.writeHead(503).end(),
        async () => {
          await calls(situation);
          bench.product().child.kill('SIGTERM');
          await bench.startAgain();
        },
      );
    },
  },
];

export const receiverGroup: FaultGroup = {
  title: 'faults of webhook receivers',
  openBench,
  faults,
};
