import type { LinkKind } from '@mayfly/client';
import type { Arguments } from './arguments.ts';
import { UsageError } from './usage-error.ts';

export const LINK_KINDS: readonly LinkKind[] = [
  'verify',
  'signIn',
  'reset',
  'invite',
  'unsubscribe',
  'preferences',
  'viewOnline',
  'legal',
  'social',
  'other',
];

/**
 * The kind of link that an option names; undefined without the option. @throws {UsageError} for
 * another text.
 */
export function linkKindOf(args: Arguments, option: string): LinkKind | undefined {
  const wanted = args.text(option);
  if (wanted === undefined) return undefined;
  const kind = LINK_KINDS.find((known) => known === wanted);
  if (kind === undefined) throw new UsageError(`--${option} is one of ${LINK_KINDS.join(', ')}.`);
  return kind;
}
