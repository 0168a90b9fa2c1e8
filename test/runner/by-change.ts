/**
 * Tests that take seconds and depend on few paths. The short form of the tests leaves each out
 * while its paths are as in the commit that last passed `./scripts/test --all`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Dependent {
  readonly title: string;
  /** The file of the tests, or of one of them. */
  readonly file: string;
  /** The only test of the file that is left out. All of them without a value. */
  readonly test?: string;
  /** Files and folders that can break the tests, besides the file of the tests. */
  readonly paths: readonly string[];
}

/** Paths that all of them depend on. */
export const COMMON = ['package-lock.json', 'scripts/node-versions', 'scripts/test', 'test/runner'];

const PROCESSES = ['test/support/process/product.ts', 'test/support/process/process.ts'];

/** What starts the packed service, and its first workspace. */
const PACKED_SERVICE = [
  ...['packages/client/src', 'scripts/mayfly.ts', 'scripts/supervise', 'scripts/cli'],
  ...['core/config', 'core/process', 'core/workspaces', 'Procfile'],
  'docs/continuous-integration.md',
];

/** docs/developing.md shows this table. */
export const DEPENDENTS: readonly Dependent[] = [
  {
    title: 'moving',
    file: 'test/e2e/moving.whole.test.ts',
    paths: [
      ...['scripts/move', 'db', 'core/blobs', 'core/config', 'core/instance', 'core/intake'],
      ...['core/queue', 'core/redis', 'core/secrets', 'test/faults/harness', ...PROCESSES],
    ],
  },
  {
    title: 'backup on PostgreSQL',
    file: 'test/e2e/backup.whole.test.ts',
    test: 'restores PostgreSQL',
    paths: [
      ...['docs/backup-and-restore.md', 'scripts/backup', 'db', 'core/blobs', 'core/config'],
      ...PROCESSES,
    ],
  },
  {
    title: 'dev',
    file: 'test/scripts/dev.whole.test.ts',
    paths: [
      ...['scripts/dev', 'scripts/supervise', 'dashboard/vite.config.ts', 'api/app.ts'],
      'api/outside-api.ts',
      ...['haraka-plugin/replies.ts', 'Procfile', 'package.json', ...PROCESSES],
    ],
  },
  {
    title: 'build',
    file: 'test/scripts/build.whole.test.ts',
    paths: [
      ...['scripts/build', 'scripts/checksum', 'scripts/use-node'],
      'test/support/process/buildable-project.ts',
    ],
  },
  {
    title: 'check',
    file: 'test/scripts/check.whole.test.ts',
    paths: ['scripts/check', 'scripts/checksum', 'scripts/step', 'scripts/use-node'],
  },
  {
    title: 'packed clients',
    file: 'test/scripts/packed-clients.whole.test.ts',
    paths: ['packages', 'openapi.yaml', 'scripts/build', '.npmrc', 'package.json', 'LICENSE'],
  },
  {
    title: 'startMayfly',
    file: 'test/packages/server.whole.test.ts',
    paths: [...PACKED_SERVICE, 'packages/python', 'test/support/process/pytest.ts'],
  },
  {
    title: 'set-ups of test runners',
    file: 'test/packages/set-ups.whole.test.ts',
    paths: PACKED_SERVICE,
  },
  {
    title: 'recipes for CI',
    file: 'test/docs/continuous-integration.whole.test.ts',
    paths: [...PACKED_SERVICE, 'examples/ci', 'test/support/docs', ...PROCESSES],
  },
  {
    title: 'install',
    file: 'test/scripts/install.whole.test.ts',
    paths: ['scripts/install', 'test/support/process/bare-machine.ts'],
  },
  {
    title: 'test:only',
    file: 'test/scripts/test-only.whole.test.ts',
    paths: ['scripts/test-only', 'scripts/use-node', 'scripts/use-memory'],
  },
  {
    title: 'image',
    file: 'test/scripts/image.whole.test.ts',
    paths: [
      ...['Dockerfile', '.dockerignore', 'scripts/stage', 'scripts/package', 'scripts/bundle.mjs'],
      ...['scripts/build', 'Procfile', 'package.json'],
    ],
  },
  {
    title: 'pytest',
    file: 'test/packages/pytest.slow.test.ts',
    paths: [
      ...['packages/python', 'openapi.yaml', 'api', 'core/waits', 'core/messages', 'core/matching'],
      ...['test/support/process/pytest.ts', 'test/support/service.ts'],
    ],
  },
  {
    title: 'memory',
    file: 'test/e2e/memory.whole.test.ts',
    paths: [
      ...['core/mime', 'core/intake', 'core/ingest', 'core/blobs', 'core/process', 'jobs'],
      ...['haraka-plugin', 'test/bench/parts/memory.ts', 'test/load', ...PROCESSES],
    ],
  },
];

/** The tests that depend on none of these changed files, given from the root of the repository. */
export function unaffectedBy(changed: readonly string[]): Dependent[] {
  return DEPENDENTS.filter(
    ({ file, paths }) =>
      !changed.some((one) =>
        [file, ...paths, ...COMMON].some((path) => one === path || one.startsWith(`${path}/`)),
      ),
  );
}

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
