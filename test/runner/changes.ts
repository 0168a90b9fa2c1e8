import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Has the id of the last commit that passed `./scripts/test --all`. */
export const WHOLE_AT = 'test/whole-at';
/** A test that was left out for longer finds its fault among too many commits. */
const MAX_BEHIND = 50;

export interface Changes {
  readonly since: string;
  readonly files: string[];
}

/**
 * The files that differ from the last commit that passed `./scripts/test --all`, those that are not
 * committed included. Null if the clone does not have this commit, or is none.
 * @throws if that commit is more than `maxBehind` commits behind.
 */
export function changesIn(root: string, maxBehind = MAX_BEHIND): Changes | null {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout : null;
  };
  const since = readFileSync(join(root, WHOLE_AT), 'utf8').trim();
  if (git('cat-file', '-e', `${since}^{commit}`) === null) return null;
  const behind = Number(git('rev-list', '--count', `${since}..HEAD`));
  if (behind > maxBehind) {
    throw new Error(
      `The commit in ${WHOLE_AT} is ${behind} commits behind, more than ${maxBehind}. ` +
        'Run ./scripts/test --all, then npm run test:record, and commit the file.',
    );
  }
  // With both names of a file that was renamed.
  const differing = git('diff', '--name-only', '--no-renames', '-z', since);
  const added = git('ls-files', '--others', '--exclude-standard', '-z');
  if (differing === null || added === null) return null;
  return { since, files: `${differing}${added}`.split('\0').filter((file) => file !== '') };
}
