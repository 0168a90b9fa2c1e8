/** Sets the times of the sample data, and replaces ports by host names. Only for the pictures. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sampleMails } from './sample-mails.ts';

const MINUTE = 60_000;
const HOOKS = [
  'https://hooks.harbour.example/mayfly',
  'https://staging.harbour.example/hooks/mail',
];

export function backdate(dataDir: string): void {
  const database = new Database(join(dataDir, 'mayfly.sqlite'), { timeout: 5000 });
  const now = Date.now();
  const move = database.prepare(
    `update messages set received_at = ?, expires_at = ?
     where mail_id in (select id from mails where message_id_header = ?)`,
  );
  for (const { to, minutesAgo } of sampleMails) {
    const received = now - minutesAgo * MINUTE;
    move.run(received, received + 1440 * MINUTE, `<${minutesAgo}.${to}@sample.example>`);
  }
  const hooks = database.prepare('select id, url from webhooks order by id').all() as {
    id: string;
    url: string;
  }[];
  hooks.forEach(({ id, url }, index) => {
    const name = HOOKS[index] ?? url;
    database.prepare('update webhooks set url = ? where id = ?').run(name, id);
    database.prepare('update delivery_attempts set url = ? where url = ?').run(name, url);
  });
  const rows = database.prepare('select id from deliveries order by id desc').all() as {
    id: string;
  }[];
  rows.forEach(({ id }, index) => {
    const shift = (2 + 9 * index) * MINUTE;
    database
      .prepare('update deliveries set created_at = created_at - ? where id = ?')
      .run(shift, id);
    database
      .prepare('update delivery_attempts set started_at = started_at - ? where delivery_id = ?')
      .run(shift, id);
  });
  database
    .prepare(
      'update webhooks set failing_since = failing_since - ? where failing_since is not null',
    )
    .run(43 * MINUTE);
  database.close();
}
