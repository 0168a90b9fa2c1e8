import { Module, createRequire } from 'node:module';

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
      'module from haraka-plugin/unused-modules.ts.',
  );
};
