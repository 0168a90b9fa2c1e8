/** Sets the times of the sample data, and replaces ports by host names. Only for the pictures. */
import { join } from 'node:path';
import Database from 'better-sqlite3';

const MINUTE = 60_000;
const HOOKS = [
  'https://hooks.harbour.example/mayfly',
  'https://staging.harbour.example/hooks/mail',
  'https://books.harbour.example/hooks/invoices',
];

export function backdate(dataDir: string): void {
  const database = new Database(join(dataDir, 'mayfly.sqlite'), { timeout: 5000 });
  const now = Date.now();
  const move = database.prepare(
    'update messages set received_at = ?, expires_at = ? where mail_id = ?',
  );
  const mails = database
    .prepare(
      'select mail_id as id from messages group by mail_id order by max(received_at) desc, mail_id desc',
    )
    .all() as { id: string }[];
  mails.forEach(({ id }, index) => {
    const received = now - age(index) * MINUTE;
    move.run(received, received + 1440 * MINUTE, id);
  });
  const hooks = database.prepare('select id, url from webhooks order by id').all() as {
    id: string;
    url: string;
  }[];
  hooks.forEach(({ id, url }, index) => {
    const name = HOOKS[index] ?? url;
    database.prepare('update webhooks set url = ? where id = ?').run(name, id);
    database.prepare('update delivery_attempts set url = ? where url = ?').run(name, url);
  });
  const deliveries = database
    .prepare(
      `select deliveries.id, received_at as received from deliveries
       join messages on messages.id = deliveries.message_id`,
    )
    .all() as { id: string; received: number }[];
  for (const { id, received } of deliveries) {
    const shift = now - received;
    database
      .prepare('update deliveries set created_at = created_at - ? where id = ?')
      .run(shift, id);
    database
      .prepare('update delivery_attempts set started_at = started_at - ? where delivery_id = ?')
      .run(shift, id);
  }
  database.prepare('update webhooks set created_at = created_at - ?').run(3 * 1440 * MINUTE);
  database
    .prepare(
      `update webhooks set failing_since =
         (select min(created_at) from deliveries where webhook_id = webhooks.id)
       where failing_since is not null`,
    )
    .run();
  database.close();
}

/** Age in minutes of a mail by its place in the list, newest first: below one day for 60 mails. */
function age(index: number): number {
  return Math.round(2 + 5 * index + 0.3 * index ** 2);
}
