/** The SMTP process: Haraka with the Mayfly plugin. */
import { fileURLToPath } from 'node:url';
import { openByteBudget } from '../core/limits/byte-budget.js';
import { STOP_WITHIN_MS, closeInTurn } from '../core/closers.js';
import { ensureSelfSigned } from '../core/tls/ensure-self-signed.js';
import { openFrontContext } from '../core/open-front-context.js';
import type { FrontContext } from '../core/context.js';
import type { Config } from '../core/config/config.js';
import type { Logger } from '../core/log.js';
import type { Running } from '../core/process/run-process.js';
import { startReporting } from '../core/metrics/reporting.js';
import { openAuthCommands } from './auth/exchange.js';
import { openLogins } from './auth/login.js';
import { ACCEPT_TIMEOUT_MS } from './hooks/data.js';
import { createHooks } from './hooks/hooks.js';
import { startListeners } from './listener.js';
import { loadHaraka } from './load-haraka.js';
import { matchLogLevel } from './log-bridge.js';
import { openConnections } from './limits/connections.js';
import { applyPatches } from './patches/apply.js';
import { prepareTls } from './starttls.js';

const MAX_RATE_CHECK_MS = 5_000;

export async function serve(config: Config, log: Logger): Promise<Running> {
  const front = await openFrontContext(config, log, {
    redisCommandTimeoutMs: ACCEPT_TIMEOUT_MS,
  });
  try {
    const { smtp } = config;
    const connections = openConnections(smtp);
    const haraka = loadHaraka(fileURLToPath(new URL('.', import.meta.url)));
    const logins = openLogins(front);
    const auth = openAuthCommands(front, logins);
    applyPatches(haraka, smtp, front.metrics.smtp, auth);
    matchLogLevel(haraka, log);
    if (smtp.tls?.isSelfSigned) ensureSelfSigned(smtp.tls, smtp.hostname);
    const certificate = prepareTls(haraka, smtp.tls, log);

    const { server, plugins } = haraka;
    const byteBudget = openByteBudget(smtp.maxReceivingBytes);
    server.notes = { mayfly: createHooks({ front, connections, logins, auth, byteBudget }) };
    plugins.server = server;
    plugins.load_plugins(smtp.tls ? ['tls', 'mayfly'] : ['mayfly']);
    const listeners = await startListeners(haraka, config);
    for (const listener of listeners) {
      certificate.onChange((options) => listener.setSecureContext?.(options));
    }
    await warnOfMissingCatcher(front);
    const rateCheck = setInterval(
      () => {
        connections.dropSlow(performance.now());
      },
      Math.min(MAX_RATE_CHECK_MS, smtp.stallMs / 4),
    );

    const reporting = startReporting(front);
    return {
      stop: async () => {
        clearInterval(rateCheck);
        certificate.close();
        for (const listener of listeners) listener.close();
        const steps = [() => connections.drain(), () => reporting.stop(), () => front.close()];
        await closeInTurn(steps, log, STOP_WITHIN_MS);
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
}

/**
 * Logs a warning if CATCH_ALL_MAILBOX does not exist. Its mail is rejected with 550 until it
 * exists.
 */
async function warnOfMissingCatcher({
  config,
  directory,
  log,
}: Pick<FrontContext, 'config' | 'directory' | 'log'>): Promise<void> {
  const { catchAll } = config.smtp;
  if (!catchAll?.isNamed || !(await directory.isComplete())) return;
  const mailboxId = await directory.catcherOf(catchAll.mailbox, catchAll.mailbox);
  if (mailboxId === null) {
    log.warn('CATCH_ALL_MAILBOX does not exist: mail without AUTH is not caught', {
      mailbox: catchAll.mailbox,
    });
  }
}
