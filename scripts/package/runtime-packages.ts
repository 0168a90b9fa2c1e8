/** The packages of a package-lock.json (version 3) that the product loads. */
import * as z from 'zod';

const names = z.record(z.string(), z.string()).optional();
const lockfile = z.looseObject({
  lockfileVersion: z.literal(3),
  packages: z.record(
    z.string(),
    z.looseObject({ dependencies: names, optionalDependencies: names }),
  ),
});
type Packages = z.output<typeof lockfile>['packages'];

/**
 * Suggested by packages that work without them: plugins of Haraka that Mayfly does not load, and
 * addons that npm would compile where no binary fits.
 */
const NOT_NEEDED = /^(?:haraka-plugin-.*|msgpackr-extract|pg-cloudflare)$/;

/**
 * @param dependencies names of the packages that the product imports
 * @returns their places and those of what they depend on, such as `node_modules/a/node_modules/b`
 */
export function runtimePackages(lock: unknown, dependencies: string[]): string[] {
  const { packages } = lockfile.parse(lock);
  const kept = new Set<string>();
  const keep = (place: string, wanted: string[]) => {
    for (const name of wanted) {
      const found = resolvePlace(packages, place, name);
      if (found === null || kept.has(found)) continue;
      kept.add(found);
      keep(found, namesOf(packages[found]));
    }
  };
  keep('', dependencies);
  return [...kept].sort();
}

function namesOf({
  dependencies = {},
  optionalDependencies = {},
}: Packages[string] = {}): string[] {
  const isSuggested = (name: string) => name in optionalDependencies;
  return [
    ...Object.keys(dependencies).filter((name) => !isSuggested(name)),
    ...Object.keys(optionalDependencies).filter((name) => !NOT_NEEDED.test(name)),
  ];
}

/** Where Node.js finds a package from a place; null if it is not installed. */
function resolvePlace(packages: Packages, place: string, name: string): string | null {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (found in packages) return found;
    if (at === '') return null;
  }
}
