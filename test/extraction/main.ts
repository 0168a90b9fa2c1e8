/**
 * `test/long extraction [--held-out] [--mistakes] [--git OWNER/NAME=GIT_DIRECTORY ...]`:
 * measures extraction on mails of public projects. Rules are developed on one set; the other, of
 * other projects, is looked at only with `--held-out`, and each look is added to a log.
 */
import { execFileSync } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { readCommandLine } from '../support/command-line.ts';
import { hamSamples } from './ham.ts';
import { appwriteSamples } from './projects/appwrite.ts';
import { keycloakSamples } from './projects/keycloak.ts';
import { kratosSamples } from './projects/kratos.ts';
import { matrixSamples } from './projects/matrix-authentication-service.ts';
import { wordingSamples } from './projects/wordings.ts';
import { type Sample, isListed } from './sample.ts';
import { type Verdict, judge, percent, scoreOf } from './score.ts';
import { SOURCES, type Source, folderOf } from './sources.ts';

const LOG = 'test/extraction/held-out-log.md';
const SHOWN_MISTAKES = 100;

const USAGE = `usage: test/long extraction [--held-out] [--mistakes] [--git OWNER/NAME=GIT_DIRECTORY]...
  --held-out  reads the held-out set instead of the development set, and logs the run
  --mistakes  lists the wrong answers of the development set
  --git       reads a project from a git directory on this machine`;

const { clones, isHeldOut, showsMistakes } = readCommandLine(
  USAGE,
  {
    options: {
      'held-out': { type: 'boolean', default: false },
      mistakes: { type: 'boolean', default: false },
      git: { type: 'string', multiple: true, default: [] },
    },
  },
  ({ values }) => ({
    clones: new Map(values.git.map(cloneOf)),
    isHeldOut: values['held-out'],
    showsMistakes: values.mistakes,
  }),
);

try {
  await evaluate();
} catch (error) {
  process.stderr.write(
    `extract:evaluate: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}

function cloneOf(option: string): [name: string, folder: string] {
  const at = option.indexOf('=');
  if (at < 1) throw new TypeError(`--git takes OWNER/NAME=GIT_DIRECTORY, not ${option}.`);
  return [option.slice(0, at), option.slice(at + 1)];
}

async function evaluate(): Promise<void> {
  const parts: [Source, (folder: string) => Promise<Sample[]>][] = isHeldOut
    ? [
        [SOURCES.kratos, kratosSamples],
        [SOURCES.matrix, matrixSamples],
        [SOURCES.ham, hamSamples],
      ]
    : [
        [SOURCES.keycloak, keycloakSamples],
        [SOURCES.appwrite, appwriteSamples],
      ];
  const samples: Sample[] = [];
  for (const [source, read] of parts) samples.push(...(await read(await folderOf(source, clones))));
  if (isHeldOut) samples.push(...wordingSamples());
  const verdicts = samples.map(judge);
  const lines = report(verdicts);
  process.stdout.write(`${isHeldOut ? 'held out' : 'development'}\n${lines.join('\n')}\n`);
  if (!isHeldOut) process.stdout.write(`\n${byLanguage(verdicts).join('\n')}\n`);
  if (showsMistakes && !isHeldOut) process.stdout.write(`\n${mistakes(verdicts).join('\n')}\n`);
  if (isHeldOut) await note(lines);
}

function report(all: Verdict[]): string[] {
  const own = all.filter(({ sample }) => sample.project === 'wordings');
  const verdicts = all.filter((each) => !own.includes(each));
  const rows: [string, Verdict[]][] = [
    [
      'right code, listed languages',
      verdicts.filter(({ sample }) => sample.asks === 'code' && isListed(sample.language)),
    ],
    [
      'right code, other languages',
      verdicts.filter(({ sample }) => sample.asks === 'code' && !isListed(sample.language)),
    ],
    ['right link', verdicts.filter(({ sample }) => sample.asks === 'link')],
    [
      'no code in notices',
      verdicts.filter(({ sample }) => sample.asks === 'nothing' && sample.project !== 'ham'),
    ],
    ['no code in ham', verdicts.filter(({ sample }) => sample.project === 'ham')],
    ['right code, own wordings', own.filter(({ sample }) => sample.asks === 'code')],
    ['no code in own wordings', own.filter(({ sample }) => sample.asks === 'nothing')],
  ];
  return rows
    .filter(([, of]) => of.length > 0)
    .flatMap(([name, of]) => [
      `${name.padEnd(30)} ${percent(scoreOf(of.map(({ isRight }) => isRight)))}`,
      `${'  regular expression'.padEnd(30)} ${percent(scoreOf(of.map(({ naiveIsRight }) => naiveIsRight)))}`,
    ]);
}

function byLanguage(verdicts: Verdict[]): string[] {
  const asking = verdicts.filter(({ sample }) => sample.asks !== 'nothing');
  const names = [...new Set(asking.map(({ sample }) => sample.language))].sort();
  return names.map((name) => {
    const of = asking.filter(({ sample }) => sample.language === name);
    return `  ${name.padEnd(8)} ${percent(scoreOf(of.map(({ isRight }) => isRight)))}`;
  });
}

function mistakes(verdicts: Verdict[]): string[] {
  return verdicts
    .filter(({ isRight }) => !isRight)
    .slice(0, SHOWN_MISTAKES)
    .map(({ sample, found }) => {
      const [code] = found.codes;
      const [link] = found.links;
      const answer = sample.asks === 'link' ? link : code;
      return `${sample.project} ${sample.language} ${sample.layout} ${sample.asks}: ${sample.subject} -> ${JSON.stringify(answer)}`;
    });
}

/** Each look at the held-out results, with date and commit. */
async function note(lines: string[]): Promise<void> {
  const commit = execFileSync('git', ['describe', '--always', '--dirty']).toString().trim();
  const fence = '```';
  await appendFile(
    LOG,
    `\n## ${new Date().toISOString()}, ${commit}\n\n${fence}text\n${lines.join('\n')}\n${fence}\n`,
  );
}
