/** F8: faults of the S3 server. */
import type { RequestListener } from 'node:http';
import { type TestS3, startS3 } from '../support/servers/s3.ts';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup, Situation } from './harness/fault.ts';
import { largeMailIsWhole } from './harness/large-mail.ts';
import { mailIsPutOff } from './harness/smtp-load.ts';

const SLOW_MS = 1000;

let s3: TestS3;

const refusesMeanwhile = async (during: () => Promise<unknown>) => {
  await s3.kill();
  try {
    await during();
  } finally {
    await s3.start();
  }
};
const largeIsPutOff = (situation: Situation) => mailIsPutOff(situation, true);

const answers = (
  how: string,
  answer: (serve: RequestListener) => RequestListener,
  during: (situation: Situation) => Promise<unknown> = largeIsPutOff,
): Fault => ({
  id: 'F8',
  title: `the blob store ${how}`,
  inject: (situation) => s3.misbehave(answer, () => during(situation)),
});

const fails: RequestListener = (req, res) => {
  req.resume();
  res.writeHead(500).end();
};
const resets: RequestListener = (req, res) => {
  req.once('data', () => res.destroy());
  if (req.method !== 'PUT') res.destroy();
};
const loses =
  (serve: RequestListener): RequestListener =>
  (req, res) => {
    if (req.method !== 'PUT') {
      serve(req, res);
      return;
    }
    req.resume();
    req.on('end', () => res.writeHead(200, { ETag: '"0"' }).end());
  };
const isSlow =
  (serve: RequestListener): RequestListener =>
  (req, res) =>
    void setTimeout(serve, SLOW_MS, req, res);

const ignoresExpect: (serve: RequestListener) => RequestListener = (serve) => serve;
const omitsLength =
  (serve: RequestListener): RequestListener =>
  (req, res) => {
    if (req.method !== 'HEAD') serve(req, res);
    else res.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end();
  };

const faults: Fault[] = [
  {
    id: 'F8',
    title: 'the blob store refuses connections',
    inject: (situation) => refusesMeanwhile(() => largeIsPutOff(situation)),
  },
  { ...answers('answers 500', () => fails), slow: true },
  answers('resets the connection in the middle of an object', () => resets),
  answers('reports success for an object that it does not store', loses),
  { ...answers('is slow', isSlow, ({ load }) => load.accepted(5)), slow: true },
  { ...answers('accepts requests and does not respond', () => () => undefined), slow: true },
];

const prepared = () =>
  openBench({
    prepare: async () => {
      s3 = await startS3();
      return { env: s3.env, undo: s3.remove };
    },
  });

export const blobStoreGroup: FaultGroup = {
  title: 'faults of the blob store',
  load: { largeEvery: 2 },
  openBench: prepared,
  faults,
};

/** A large mail is awaited, so there is no more of it than the worker stores meanwhile. */
export const oddBlobStoreGroup: FaultGroup = {
  title: 'odd answers of the blob store',
  openBench: prepared,
  faults: [
    answers('ignores Expect: 100-continue', ignoresExpect, ({ bench }) =>
      largeMailIsWhole(bench, 'expect'),
    ),
    answers('answers HEAD without a length', omitsLength, ({ bench }) =>
      largeMailIsWhole(bench, 'head'),
    ),
  ],
};
