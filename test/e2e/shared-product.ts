import { type Product, startProduct } from '../support/process/product.js';
import { atEndOfRun } from '../support/mocha/end-of-run.js';

let shared: Promise<Product> | undefined;

/**
 * The product of the tests that need no settings of their own. They use mailboxes of their own, and leave all processes
 * running. Its webhooks may lead to this machine, and are retried soon.
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
    atEndOfRun(async () => (await started).stop());
  }
  return shared;
}
