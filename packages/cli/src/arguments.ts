import { parseArgs } from 'node:util';

/** A command line that cannot be carried out: exit code 2. */
export class UsageError extends Error {}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** May be repeated. */
  readonly multiple?: true;
  /** What stands for the value in the help. */
  readonly value?: string;
  /** The values that it takes. */
  readonly choices?: readonly string[];
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The options and words after a command. */
export class Arguments {
  readonly #values: Readonly<Record<string, unknown>>;
  /** The words that are not options. */
  readonly words: readonly string[];

  constructor(values: Readonly<Record<string, unknown>>, words: readonly string[]) {
    this.#values = values;
    this.words = words;
  }

  has(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** @throws {UsageError} without the option. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw new UsageError(`--${name} is missing.`);
    if (/^\.{1,2}$/.test(value)) throw new UsageError(`--${name} must be a name, not "." or "..".`);
    return value;
  }

  texts(name: string): string[] | undefined {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  /** @throws {UsageError} unless the value is a whole number. */
  seconds(name: string): number | undefined {
    return this.number(name, 'a whole number of seconds');
  }

  /** @throws {UsageError} unless the value is a whole number. */
  number(name: string, wanted = 'a whole number'): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^\d+$/.test(value)) throw new UsageError(`--${name} takes ${wanted}, not "${value}".`);
    return Number(value);
  }

  /** The seconds that a command waits. @throws {UsageError} above an hour, too. */
  wait(name: 'timeout' | 'within'): number | undefined {
    const seconds = this.seconds(name) ?? 0;
    if (seconds > MOST_SECONDS)
      throw new UsageError(`--${name} takes seconds, at most ${MOST_SECONDS}, not ${seconds}.`);
    return this.seconds(name);
  }

  /**
   * Options of a key and a value. @throws {UsageError} for another form, and for a key that is
   * given twice.
   */
  pairs(name: 'header' | 'label'): Record<string, string> | undefined {
    const texts = this.texts(name);
    if (!texts) return undefined;
    const pairs = new Map<string, [string, string]>();
    for (const text of texts) {
      const [, key, value] = /^([^=:]+)[=:]\s*(.*)$/s.exec(text) ?? [];
      if (key === undefined || value === undefined)
        throw new UsageError(`--${name} takes ${FORMS[name]}, not "${text}".`);
      // Names of header fields are equal in any case.
      const id = name === 'header' ? key.toLowerCase() : key;
      if (pairs.has(id)) throw new UsageError(`--${name} gives "${key}" twice.`);
      pairs.set(id, [key, value]);
    }
    return Object.fromEntries(pairs.values());
  }
}

const MOST_SECONDS = 3600;
const FORMS = { header: 'NAME:VALUE', label: 'KEY=VALUE' };

/**
 * @throws {UsageError} for an unknown option, a missing value, a word that is no name, or more
 * words than `mostWords`.
 */
export function parseArguments(args: string[], options: Options, mostWords: number): Arguments {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const extra = positionals[mostWords];
    if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
    // A variable that is not set leaves an empty word.
    if (positionals.some((word) => /^\.{0,2}$/.test(word)))
      throw new UsageError('An argument must not be empty, "." or "..".');
    return new Arguments(values, positionals);
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    throw new UsageError(faultOf(error.message));
  }
}

/** The text of an error of `parseArgs`, without its advice about words that begin with a dash. */
function faultOf(message: string): string {
  const [, option] = VALUE_IS_MISSING.exec(message) ?? [];
  if (option !== undefined)
    return `${option} takes a value. Write ${option}=VALUE if the value begins with a dash.`;
  return message.replace(/\.\s+To specify a positional.*$/s, '.');
}

const VALUE_IS_MISSING =
  /^Option '(?:-\w, )?(--?[\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/;
