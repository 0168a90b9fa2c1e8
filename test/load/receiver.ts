/** The parent side of the webhook receiver. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Arrival, Asked, Said } from './receiver-process.ts';

const PROCESS = fileURLToPath(new URL('./receiver-process.ts', import.meta.url));
const WITHIN_MS = 300_000;

/**
 * Responds at once, responds after 9.5 s, or never responds. A quiet one responds at once without
 * counting arrivals.
 */
export type Behavior = 'healthy' | 'slow' | 'dead' | 'quiet';

export interface Receiver {
  url: (behavior: Behavior, name: string) => string;
  /** New arrivals since the last call, once there are `count`. @throws on timeout. */
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
  if (!('port' in listening)) throw new Error('the receiver did not report its port');
  return {
    url: (behavior, name) => `http://127.0.0.1:${listening.port}/${behavior}/${name}`,
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
