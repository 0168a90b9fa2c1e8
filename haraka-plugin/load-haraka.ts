import { Module, createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../core/root.ts';

/**
 * Modules that code of Haraka requires and that the service never uses: the module, and the one
 * that requires it. They took half of the CPU time of a start and 16 MiB.
 */
const UNUSED = [
  // Sends and relays mail. Loads a client of Redis.
  ['./outbound', './package.json'],
  // The public suffix list, for plugins that look up domains.
  ['haraka-tld', 'haraka-net-utils'],
  // Configuration files in YAML.
  ['yaml', 'haraka-config'],
  // Decodes header fields in ISO-2022-JP; the service keeps headers as bytes.
  ['encoding-japanese', 'libmime', 'haraka-email-message'],
] as const;

/**
 * Stands in for the store of what plugins found about a connection or a mail. No plugin of the
 * service reads it. A store for each connection and mail, which reads its configuration file and
 * formats what it is given, took a fifth of the CPU time of the process. It has only the methods
 * that Haraka calls; another one is a TypeError.
 */
class NoResults {
  add(): void {
    // Nothing is kept.
  }

  push(): void {
    // Nothing is kept.
  }
}

/**
 * Loads the modules of Haraka with its instance folder (`config/`, `plugins/`). They are loaded
 * late because they read their configuration on load. Haraka's entry point is not used: it installs
 * signal and exception handlers.
 */
export function loadHaraka(instance: string): Haraka.Modules {
  /* oxlint-disable no-restricted-properties -- Haraka reads these settings from the environment
     only */
  process.env.HARAKA = instance;
  process.env.HARAKA_LOGS_SUPPRESS = 'true'; // suppresses output that its modules write on load
  /* oxlint-enable no-restricted-properties */
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

/**
 * Replaces the unused modules by ones that throw when a property is read, so that an update of
 * Haraka that uses one of them fails at the start or in the tests. Replaces the store of results by
 * {@link NoResults}.
 *
 * @param load the `require` function of the package Haraka.
 * @throws if one of them does not exist.
 */
export function replaceUnusedModules(load: NodeJS.Require): void {
  for (const [name, ...requiredBy] of UNUSED) {
    const parent = requiredBy.reduceRight(
      (require, module) => createRequire(require.resolve(module)),
      load,
    );
    replace(load, parent.resolve(name), new Proxy({}, { get: refuse(name) }));
  }
  replace(load, load.resolve('haraka-results'), NoResults);
}

function replace(load: NodeJS.Require, path: string, exports: object): void {
  const replacement = new Module(path);
  replacement.exports = exports;
  replacement.loaded = true;
  load.cache[path] = replacement;
}

const refuse = (name: string) => (_target: object, property: string | symbol) => {
  throw new Error(
    `Mayfly replaces the module ${name} of Haraka, but "${String(property)}" is used. Remove the ` +
      'module from haraka-plugin/load-haraka.ts.',
  );
};
