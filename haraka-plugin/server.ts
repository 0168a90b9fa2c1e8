/** The SMTP process: Haraka with one plugin, ours. */
import { openFrontContext } from '../core/context.js';
import { runProcess } from '../core/entry.js';
import { readBodiesInBulk } from './bulk-lines.js';
import { harden } from './harden.js';
import { listen } from './listener.js';
import { loadHaraka } from './load-haraka.js';
import { matchLogLevel } from './log-bridge.js';
import { openSessions } from './sessions.js';
import { takeShortcuts } from './shortcuts.js';
import { prepareTls } from './starttls.js';

const STALLED_CHECK_MS = 5_000;

runProcess('smtp', async (config, log) => {
  const front = await openFrontContext(config, log);
  try {
    const { smtp } = config;
    const sessions = openSessions(smtp.maxConnectionsPerIp);
    const haraka = loadHaraka(__dirname);
    harden(haraka);
    readBodiesInBulk(haraka);
    takeShortcuts(haraka, smtp.hostname);
    matchLogLevel(haraka, log);
    prepareTls(haraka, smtp.tls);

    const { server, plugins } = haraka;
    server.notes = { mayfly: { front, sessions } };
    plugins.server = server;
    plugins.load_plugins(smtp.tls ? ['tls', 'mayfly'] : ['mayfly']);
    const listener = await listen(haraka, config);
    const stalledCheck = setInterval(() => {
      sessions.dropStalled(Date.now());
    }, STALLED_CHECK_MS);

    return {
      stop: async () => {
        clearInterval(stalledCheck);
        listener.close();
        await sessions.drain();
        await front.close();
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
});
