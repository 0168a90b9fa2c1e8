import { createRequire } from 'node:module';

/**
 * Haraka's modules, with the instance folder (`config/`, `plugins/`) that belongs to them. They are
 * loaded only now because they read their configuration as they load; and `server`, not Haraka's
 * own entry, because that one takes over signals and uncaught exceptions.
 */
export function loadHaraka(instance: string): Haraka.Modules {
  /* eslint-disable no-restricted-properties -- settings that Haraka takes from here only */
  process.env.HARAKA = instance;
  process.env.HARAKA_LOGS_SUPPRESS = 'true'; // lines that a module of its writes while it loads
  /* eslint-enable no-restricted-properties */
  const load = createRequire(require.resolve('Haraka/package.json'));
  const mime = load('haraka-email-message/lib/logger') as { lognotice: () => void };
  mime.lognotice = () => undefined; // a line about an optional package, on stdout
  const reader = load('haraka-config/lib/reader') as { watch_files: boolean };
  reader.watch_files = false; // settings hold until a restart, as all of ours do
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
