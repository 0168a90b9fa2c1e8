/** F8: faults of the S3 server. */
import { startS3 } from '../support/servers/s3.ts';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup, Situation } from './harness/fault.ts';
import { mailIsPutOff } from './harness/put-off.ts';
import { type S3Proxy, type Trouble, openS3Proxy } from './harness/s3-proxy.ts';

let proxy: S3Proxy;

const goesWrong = (
  trouble: Trouble,
  how: string,
  during: (situation: Situation) => Promise<unknown> = (situation) => mailIsPutOff(situation, true),
): Fault => ({
  id: 'F8',
  title: `the blob store ${how}`,
  inject: (situation) => proxy.whileIn(trouble, () => during(situation)),
});

const faults: Fault[] = [
  goesWrong('refuse', 'refuses connections'),
  { ...goesWrong('fail', 'answers 500'), slow: true },
  goesWrong('reset', 'resets the connection in the middle of an object'),
  goesWrong('lose', 'reports success for an object that it does not store'),
  { ...goesWrong('slow', 'is slow', ({ load }) => load.accepted(5)), slow: true },
  { ...goesWrong('hang', 'accepts requests and does not respond'), slow: true },
];

export const blobStoreGroup: FaultGroup = {
  title: 'faults of the blob store',
  load: { largeEvery: 2 },
  openBench: () =>
    openBench({
      prepare: async () => {
        const s3 = await startS3();
        proxy = await openS3Proxy(s3.config.endpoint!);
        const undo = async () => {
          await proxy.close();
          await s3.remove();
        };
        return { env: { ...s3.env, S3_ENDPOINT: proxy.endpoint }, undo };
      },
    }),
  faults,
};
