/**
 * Patterns that modules build from constants when they are loaded. Modules have no effects on
 * import, so each is loaded with a `RegExp` that notes what it is called with, and from where.
 */
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Pattern } from './literals.ts';

export interface Constructed extends Pattern {
  /** `file:line:column` of the call. */
  place: string;
}

/** Loads the modules in this process. `RegExp` stays replaced. */
export async function constructedBy(files: readonly string[]): Promise<Constructed[]> {
  const found: Constructed[] = [];
  const note = (made: RegExp, below: (...args: never[]) => unknown) => {
    const [file, line, column] = callerOf(below);
    if (file === '' || file.includes('node_modules/')) return made;
    const { source, flags } = made;
    found.push({ file, line, place: `${file}:${line}:${column}`, source, flags });
    return made;
  };
  const handler: ProxyHandler<RegExpConstructor> = {
    construct: function construct(target, [pattern, flags]: [string | RegExp, string?]) {
      return note(new target(pattern, flags), construct);
    },
    apply: function apply(target, _this, [pattern, flags]: [string | RegExp, string?]) {
      return note(target(pattern, flags), apply);
    },
  };
  globalThis.RegExp = new Proxy(RegExp, handler);
  for (const file of files) await import(pathToFileURL(resolve(file)).href);
  return found;
}

/** File, line and column of what called the function. Type stripping keeps both numbers. */
function callerOf(below: (...args: never[]) => unknown): [string, number, number] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  const trace = { stack: '' };
  Error.captureStackTrace(trace, below);
  Error.stackTraceLimit = limit;
  const [, url = '', line, column] =
    /\(?(file:\S+?):(\d{1,9}):(\d{1,9})\)?$/.exec(trace.stack) ?? [];
  const file = url === '' ? '' : relative('.', fileURLToPath(url.replace(/\?.*$/, '')));
  return [file, Number(line), Number(column)];
}
