import { spawn } from 'node:child_process';
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
    // A process of a parallel run and an interrupted run do not reach their end. The test reports
    // an error of the start.
    void started.then(
      (product) =>
        process.once('exit', () => {
          leave(product);
        }),
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

/** Ends within 10 s: a process that nobody waits for still counts as there after its end. */
const REMOVE_ONCE_ENDED =
  'n=0; while [ $n -lt 100 ] && kill -0 "$0"; do n=$((n+1)); sleep 0.1; done; rm -rf "$1"';

/** Ends the product without waiting: a shell removes its folder once it has ended. */
function leave({ child, dataDir }: Product): void {
  if (child.exitCode !== null || !child.kill('SIGTERM')) return;
  const options = { detached: true, stdio: 'ignore' } as const;
  spawn('sh', ['-c', REMOVE_ONCE_ENDED, String(child.pid), dataDir], options).unref();
}
