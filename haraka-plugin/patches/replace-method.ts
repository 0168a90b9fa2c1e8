/**
 * The only way to replace a method of Haraka: its types are read-only. Internal methods of Haraka
 * can change in any release. If an upgrade renames a method or changes its parameters, the process
 * refuses to start, because the patch would have no effect or drop an argument.
 */
import { AppError } from '../../core/errors.ts';

type Owners = Haraka.PatchedObjects;

/**
 * Replaces `haraka[owner][name]`.
 * @param arity number of parameters of the method that the patch was written for.
 * @param replacement creates the new method from the current one, which can be that of an earlier
 *   patch.
 * @throws {AppError} `unavailable` if the method does not exist or has another number of
 *   parameters.
 */
export function replaceMethod<Owner extends keyof Owners, Name extends keyof Owners[Owner]>(
  haraka: Haraka.Patchable<Owner>,
  owner: Owner,
  name: Name & string,
  arity: number,
  replacement: (
    original: Owners[Owner][Name],
  ) => Haraka.MethodOf<Owners[Owner], Owners[Owner][Name]>,
): void {
  const object: Owners[Owner] = haraka[owner];
  const original = object[name];
  checkMethod(haraka.version, `${owner}.${name}`, original, arity);
  setMember(object, name, replacement(original));
}

/**
 * Removes `haraka[owner][name]`. Arguments and errors are those of {@link replaceMethod}.
 * @throws {AppError} `unavailable`
 */
export function removeMethod<Owner extends keyof Owners>(
  haraka: Haraka.Patchable<Owner>,
  owner: Owner,
  name: keyof Owners[Owner] & string,
  arity: number,
): void {
  const object: Owners[Owner] = haraka[owner];
  checkMethod(haraka.version, `${owner}.${name}`, object[name], arity);
  setMember(object, name, undefined);
}

function setMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
}

function checkMethod(version: string, label: string, method: unknown, arity: number): void {
  if (typeof method === 'function' && method.length === arity) return;
  const found =
    typeof method === 'function' ? `has ${parameters(method.length)}` : 'is not a function';
  throw new AppError(
    'unavailable',
    `haraka-plugin/patches does not support Haraka ${version}: ${label} ${found}, the patch requires a function with ` +
      `${parameters(arity)}. Install the Haraka version of package-lock.json or update the patch.`,
  );
}

const parameters = (count: number) => (count === 1 ? '1 parameter' : `${count} parameters`);
