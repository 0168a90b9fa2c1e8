/**
 * The only way to replace a method of Haraka: the types of Haraka's objects are read-only. Haraka keeps no promise about
 * its internal methods. After an upgrade that renames a method or changes its parameters, a patch of that method would
 * have no effect or would drop an argument, so the process refuses to start.
 */
import { AppError } from '../../core/errors.js';

type Owners = Haraka.PatchedObjects;

/**
 * Replaces `haraka[owner][name]`.
 * @param arity the number of parameters of the method that the patch was written for.
 * @param replacement makes the new method; it gets the method that is there now, which may be an earlier patch's.
 * @throws {AppError} `unavailable` when there is no such method, or its number of parameters is another.
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
 * Takes `haraka[owner][name]` away; the arguments and errors are those of {@link replaceMethod}.
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
    `Haraka ${version} does not fit haraka-plugin/patches: ${label} ${found}, the patch needs a function with ` +
      `${parameters(arity)}. Install the version of Haraka that package-lock.json names, or change the patch.`,
  );
}

const parameters = (count: number) => (count === 1 ? '1 parameter' : `${count} parameters`);
