/** Rate and latency of claims by many workers, and whether a message is claimed twice. */
import { Agent } from 'node:http';
import { type Figure, spread } from '../figures.ts';
import { askJson } from '../../load/http.ts';
import { fillToClaim } from '../../load/mailboxes.ts';
import { settings } from '../settings.ts';
import { type Target, onProduct } from '../target.ts';

const WORKERS = 64;
const UNLIMITED = { RATE_LIMIT_PRO: '0', RATE_LIMIT_FREE: '0', LOG_REQUESTS: 'false' };

interface ClaimAnswer {
  claims: { messageId: string }[];
}

export function claimFigures(): Promise<Figure[]> {
  return onProduct(async (target) => {
    const figures: Figure[] = [];
    for (const size of settings.claims) figures.push(await claimAll(target, size));
    return figures;
  }, UNLIMITED);
}

async function claimAll(target: Target, size: number): Promise<Figure> {
  const name = `claims-${size}`;
  await fillToClaim(target, name, size);
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const took: number[] = [];
  const claimed: string[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, worker) => {
      for (;;) {
        const start = performance.now();
        const path = `/api/mailboxes/${name}/messages/claim`;
        const body = { timeout: 0, owner: `worker-${worker}` };
        const { claims } = await askJson<ClaimAnswer>(target, agent, path, body);
        if (claims.length === 0) return;
        took.push(performance.now() - start);
        claimed.push(...claims.map(({ messageId }) => messageId));
      }
    }),
  );
  const perSecond = (claimed.length * 1000) / (performance.now() - began);
  agent.destroy();
  const twice = claimed.length - new Set(claimed).size;
  const { text, values } = spread(took);
  return {
    work: `claims by ${WORKERS} workers, mailbox of ${size} messages`,
    result: `${perSecond.toFixed(0)}/s, ${text}, claimed ${claimed.length}, twice ${twice}`,
    values: { ...values, perSecond, twice },
  };
}
