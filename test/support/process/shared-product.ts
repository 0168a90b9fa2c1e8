import { atEndOfRun } from '../mocha/end-of-run.ts';
import { type Product, startProduct } from './product.ts';

let shared: Promise<Product> | undefined;

/**
 * The product of tests that need no other settings, one for each mocha process. Tests use mailboxes
 * and workspaces of their own, and leave all processes running. Its webhooks can lead to this
 * machine, and are retried after 200 ms.
 */
export function sharedProduct(): Promise<Product> {
  if (shared === undefined) {
    const started = startProduct({
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_RETRY_SCHEDULE_MS: '200,200,200,200,200',
      WEBHOOK_TIMEOUT_MS: '5000',
    });
    shared = started;
    // An interrupted run does not reach its end. The test reports an error of the start.
    void started.then(
      ({ child }) => process.once('exit', () => child.kill('SIGTERM')),
      () => undefined,
    );
    atEndOfRun(() =>
      started.then(
        ({ stop }) => stop(),
        () => undefined,
      ),
    );
  }
  return shared;
}
