/** `npm run bench`: starts the product as `up` does, in a folder of its own, and measures it from outside. */
import { cpus, loadavg } from 'node:os';
import { startProduct } from '../../test/support/product.js';
import { restClient } from '../../test/support/rest-client.js';
import { table } from './figures.js';
import { intakeLatency, intakeRate } from './intake.js';
import { memoryFigures } from './memory.js';

const product = await startProduct({ PLAN_PRO_MAILBOXES: '0' });
try {
  const { smtpPort, domain } = product;
  const target = { smtpPort, domain, rest: restClient(product.apiUrl, product.token ?? '') };
  const kb2 = { bytes: 2048, connections: 20 };
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1) ?? '?'} before; load generator included\n`,
  );
  await intakeRate(target, 'warm-up', { ...kb2, mails: 1000, newConnectionEach: false });
  const figures = [
    await intakeRate(target, '2 KB, 20 kept connections', {
      ...kb2,
      mails: 5000,
      newConnectionEach: false,
    }),
    await intakeRate(target, '2 KB, a connection each', {
      ...kb2,
      mails: 3000,
      newConnectionEach: true,
    }),
    ...(await intakeLatency(target)),
    ...(await memoryFigures(product)),
  ];
  process.stdout.write(`${table(figures)}\n`);
} finally {
  await product.stop();
}
