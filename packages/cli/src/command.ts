import type { Mayfly } from '@mayfly/client';
import type { Arguments, Options } from './arguments.ts';
import type { Profile } from './profile.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface Call {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /**
   * The client with the URL and token of the options, the environment or the profile. @throws
   * {UsageError}
   */
  readonly connect: () => Promise<Mayfly>;
  /** The URL and token that `connect` uses. @throws {UsageError} without a token. */
  readonly login: () => Promise<Profile>;
}

export interface Command {
  /** One or two words: `mailbox create`. */
  readonly name: string;
  /** The words after the name, for the help. */
  readonly words?: string;
  /** How many words it takes at most. */
  readonly mostWords?: number;
  readonly summary: string;
  readonly options: Options;
  readonly examples: readonly string[];
  readonly run: (call: Call) => Promise<void>;
}
