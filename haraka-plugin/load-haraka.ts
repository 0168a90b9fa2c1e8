import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../core/root.ts';
import { replaceUnusedModules } from './unused-modules.ts';

/**
 * Loads the modules of Haraka with its instance folder (`config/`, `plugins/`). They are loaded
 * late because they read their configuration on load. Haraka's entry point is not used: it installs
 * signal and exception handlers.
 */
export function loadHaraka(instance: string): Haraka.Modules {
  /* eslint-disable no-restricted-properties -- Haraka reads these settings from the environment
     only */
  process.env.HARAKA = instance;
  process.env.HARAKA_LOGS_SUPPRESS = 'true'; // suppresses output that its modules write on load
  /* eslint-enable no-restricted-properties */
  const require = createRequire(join(ROOT, 'package.json'));
  const load = createRequire(require.resolve('Haraka/package.json'));
  replaceUnusedModules(load);
  const mime = load('haraka-email-message/lib/logger') as { lognotice: () => void };
  mime.lognotice = () => undefined; // suppresses a notice on stdout about an optional package
  const reader = load('haraka-config/lib/reader') as { watch_files: boolean };
  reader.watch_files = false; // settings apply until a restart, like all settings of Mayfly
  const { version } = load('./package.json') as Pick<Haraka.Modules, 'version'>;
  const { Connection } = load('./connection') as { Connection: { prototype: Haraka.Connection } };
  const { Transaction } = load('./transaction') as {
    Transaction: { prototype: Haraka.Transaction };
  };
  return {
    version,
    logger: load('./logger') as Haraka.Modules['logger'],
    server: load('./server') as Haraka.Server,
    plugins: load('./plugins') as Haraka.Plugins,
    connection: Connection.prototype,
    transaction: Transaction.prototype,
    tlsSocket: load('./tls_socket') as Haraka.TlsSocket,
    utils: load('haraka-utils') as Haraka.Modules['utils'],
    netUtils: load('haraka-net-utils') as Haraka.Modules['netUtils'],
  };
}
