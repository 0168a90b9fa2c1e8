/** Entry point of the SMTP process: Haraka with the Mayfly plugin. */
import { openByteBudget } from '../core/limits/byte-budget.js';
import { STOP_WITHIN_MS, closeInTurn } from '../core/closers.js';
import { openFrontContext } from '../core/open-front-context.js';
import { runProcess } from '../core/process/run-process.js';
import { startReporting } from '../core/metrics/reporting.js';
import { ACCEPT_TIMEOUT_MS } from './hooks/data.js';
import { startListener } from './listener.js';
import { loadHaraka } from './load-haraka.js';
import { matchLogLevel } from './log-bridge.js';
import { openConnections } from './limits/connections.js';
import { applyPatches } from './patches/apply.js';
import { prepareTls } from './starttls.js';

const MAX_RATE_CHECK_MS = 5_000;

runProcess('smtp', async (config, log) => {
  const front = await openFrontContext(config, log, {
    redisCommandTimeoutMs: ACCEPT_TIMEOUT_MS,
  });
  try {
    const { smtp } = config;
    const connections = openConnections(smtp);
    const haraka = loadHaraka(__dirname);
    applyPatches(haraka, smtp, front.metrics.smtp);
    matchLogLevel(haraka, log);
    prepareTls(haraka, smtp.tls);

    const { server, plugins } = haraka;
    server.notes = {
      mayfly: { front, connections, byteBudget: openByteBudget(smtp.maxReceivingBytes) },
    };
    plugins.server = server;
    plugins.load_plugins(smtp.tls ? ['tls', 'mayfly'] : ['mayfly']);
    const listener = await startListener(haraka, config);
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
        listener.close();
        const steps = [() => connections.drain(), () => reporting.stop(), () => front.close()];
        await closeInTurn(steps, log, STOP_WITHIN_MS);
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
});
