/**
 * One of many processes that share a mailbox: claims messages until there are none, and prints
 * their ids, one a line. Repeats a request with its key while the service is away, so that a claim
 * whose response was lost is printed too. Arguments: the mailbox.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MayflyError, createClient } from '@mayfly/client';

const NONE_WITHIN_SECONDS = 10;
const AWAY_MS = 60_000;
const PAUSE_MS = 500;

const { api } = createClient();
const [name = ''] = process.argv.slice(2);

async function claim(): Promise<string[]> {
  const key = randomUUID();
  const giveUpAt = Date.now() + AWAY_MS;
  for (;;) {
    try {
      const { data } = await api.POST('/api/mailboxes/{name}/messages/claim', {
        params: { path: { name }, header: { 'Idempotency-Key': key } },
        body: { timeout: NONE_WITHIN_SECONDS },
      });
      return data?.claims.map(({ messageId }) => messageId) ?? [];
    } catch (error) {
      const isAway = error instanceof MayflyError && error.code === 'unavailable';
      if (!isAway || Date.now() > giveUpAt) throw error;
    }
    await delay(PAUSE_MS);
  }
}

for (let ids = await claim(); ids.length > 0; ids = await claim()) {
  process.stdout.write(`${ids.join('\n')}\n`);
}
