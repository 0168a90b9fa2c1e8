/** The SMTP process: Haraka with the Mayfly plugin. */
import { dirname, join } from 'node:path';
import { STOP_WITHIN_MS, closeInOrder } from '../core/closers.ts';
import type { Config } from '../core/config/config.ts';
import type { FrontContext } from '../core/context.ts';
import { openByteBudget } from '../core/limits/byte-budget.ts';
import type { Logger } from '../core/log.ts';
import { startReporting } from '../core/metrics/shared-reports.ts';
import { openFrontContext } from '../core/open-front-context.ts';
import { type RunningProcess, runProcess } from '../core/process/run-process.ts';
import { ROOT, programFile } from '../core/root.ts';
import { ensureSelfSigned } from '../core/tls/self-signed.ts';
import { openAuthCommands } from './auth/exchange.ts';
import { openLogins } from './auth/login.ts';
import { ACCEPT_TIMEOUT_MS } from './hooks/data.ts';
import { createHooks } from './hooks/hooks.ts';
import { openConnectionLimits } from './limits.ts';
import { startListeners } from './listener.ts';
import { loadHaraka } from './load-haraka.ts';
import { matchLogLevel } from './log-bridge.ts';
import { applyPatches } from './patches/apply.ts';
import { prepareTls } from './starttls.ts';

const MAX_RATE_CHECK_MS = 5_000;
const CATCHER_CHECK_MS = 1_000;
/** The folder of `config/` and `plugins/`. */
const INSTANCE = dirname(join(ROOT, programFile('haraka-plugin/server')));

async function serve(config: Config, log: Logger): Promise<RunningProcess> {
  const front = await openFrontContext(config, log, {
    redisCommandTimeoutMs: ACCEPT_TIMEOUT_MS,
  });
  try {
    const { smtp } = config;
    const connections = openConnectionLimits(smtp);
    const haraka = loadHaraka(INSTANCE);
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
    const catcherCheck = warnOfMissingCatcher(front);
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
        catcherCheck.stop();
        certificate.close();
        for (const listener of listeners) listener.close();
        const steps = [() => connections.drain(), () => reporting.stop(), () => front.close()];
        await closeInOrder(steps, log, STOP_WITHIN_MS);
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
}

/**
 * Logs a warning if CATCH_ALL_MAILBOX does not exist. Its mail is rejected with 550 until it
 * exists. At a first start the recipient directory is incomplete until a worker is ready.
 */
function warnOfMissingCatcher({
  config,
  directory,
  log,
}: Pick<FrontContext, 'config' | 'directory' | 'log'>): { stop: () => void } {
  const { catchAll } = config.smtp;
  let timer: NodeJS.Timeout | undefined;
  const check = async (mailbox: string): Promise<void> => {
    try {
      if (await directory.isComplete()) {
        if ((await directory.catcherOf(mailbox, mailbox)) === null) {
          log.warn('CATCH_ALL_MAILBOX does not exist: mail without AUTH is not caught', {
            mailbox,
          });
        }
        return;
      }
    } catch {
      // Redis is away: the next check asks again.
    }
    timer = setTimeout(() => void check(mailbox), CATCHER_CHECK_MS);
  };
  if (catchAll?.isNamed) void check(catchAll.mailbox);
  return {
    stop: () => {
      clearTimeout(timer);
    },
  };
}

runProcess('smtp', serve);
