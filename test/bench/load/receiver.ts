/** The bench's side of its webhook receiver. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Arrival, Asked, Said } from './receiver-process.js';

const PROCESS = fileURLToPath(new URL('./receiver-process.js', import.meta.url));
const WITHIN_MS = 300_000;

/**
 * It answers at once, it takes 9.5 s for that, or it takes everything and never answers. A quiet one answers
 * at once, too, but what comes to it is no arrival.
 */
export type Behaviour = 'healthy' | 'slow' | 'dead' | 'quiet';

export interface Receiver {
  url: (behaviour: Behaviour, name: string) => string;
  /** What has come since the last time, once it is so many. @throws when that takes too long. */
  arrivals: (count: number) => Promise<Arrival[]>;
  stop: () => void;
}

/** Starts the receiver process. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(PROCESS);
  const heard = async (): Promise<Said> => {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const [said] = (await once(child, 'message', { signal })) as [Said];
    return said;
  };
  const listening = await heard();
  if (!('port' in listening)) throw new Error('the receiver did not say where it listens');
  return {
    url: (behaviour, name) => `http://127.0.0.1:${listening.port}/${behaviour}/${name}`,
    arrivals: async (count) => {
      const answer = heard();
      child.send({ count } satisfies Asked);
      const said = await answer;
      return 'arrivals' in said ? said.arrivals : [];
    },
    stop: () => {
      child.disconnect();
    },
  };
}
