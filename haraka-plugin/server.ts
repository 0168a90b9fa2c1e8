/** The SMTP process: Haraka with one plugin, ours. */
import { openByteRoom } from '../core/byte-room.js';
import { openFrontContext } from '../core/context.js';
import { runProcess } from '../core/entry.js';
import { startReporting } from '../core/report-metrics.js';
import { refuseBareLineFeeds } from './bare-line-feeds.js';
import { readBodiesInBulk } from './bulk-lines.js';
import { checkCommands } from './commands.js';
import { countRefusals } from './count-refusals.js';
import { harden } from './harden.js';
import { boundInput } from './input.js';
import { listen } from './listener.js';
import { loadHaraka } from './load-haraka.js';
import { matchLogLevel } from './log-bridge.js';
import { limitErrors } from './misconduct.js';
import { openSessions } from './sessions.js';
import { takeShortcuts } from './shortcuts.js';
import { prepareTls } from './starttls.js';

const MAX_PACE_CHECK_MS = 5_000;

runProcess('smtp', async (config, log) => {
  const front = await openFrontContext(config, log);
  try {
    const { smtp } = config;
    const sessions = openSessions(smtp);
    const haraka = loadHaraka(__dirname);
    harden(haraka);
    readBodiesInBulk(haraka);
    refuseBareLineFeeds(haraka);
    boundInput(haraka);
    checkCommands(haraka);
    countRefusals(haraka, front.metrics.smtp);
    limitErrors(haraka, smtp);
    takeShortcuts(haraka, smtp.hostname);
    matchLogLevel(haraka, log);
    prepareTls(haraka, smtp.tls);

    const { server, plugins } = haraka;
    server.notes = { mayfly: { front, sessions, room: openByteRoom(smtp.maxReceivingBytes) } };
    plugins.server = server;
    plugins.load_plugins(smtp.tls ? ['tls', 'mayfly'] : ['mayfly']);
    const listener = await listen(haraka, config);
    const paceCheck = setInterval(
      () => {
        sessions.dropSlow(performance.now());
      },
      Math.min(MAX_PACE_CHECK_MS, smtp.stallMs / 4),
    );

    const reporting = startReporting(front);
    return {
      stop: async () => {
        clearInterval(paceCheck);
        listener.close();
        await sessions.drain();
        await reporting.stop();
        await front.close();
      },
    };
  } catch (error) {
    await front.close();
    throw error;
  }
});
