import type { Options } from './arguments.ts';
import type { Command } from './command.ts';
import { GLOBAL } from './options.ts';

export function helpOf({ name, words, summary, options, examples }: Command): string {
  const usage = ['mayfly', name, words, '[OPTION...]'].filter(Boolean).join(' ');
  return [
    `Usage: ${usage}`,
    '',
    `${summary}.`,
    '',
    'Options:',
    ...linesOf({ ...options, ...GLOBAL }),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
  ].join('\n');
}

export function overviewOf(commands: readonly Command[]): string {
  const width = commands.reduce((most, { name }) => Math.max(most, name.length), 0);
  return [
    'Usage: mayfly COMMAND [OPTION...]',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'mayfly COMMAND --help prints options and examples.',
    'Set MAYFLY_URL and MAYFLY_TOKEN, or run "mayfly login".',
    'Exit codes: 0 done, 1 no message (for none: a message), 2 wrong usage, 3 refused, 4 unavailable.',
  ].join('\n');
}

function linesOf(options: Options): string[] {
  const rows = Object.entries(options).map(([name, { short, value, help }]) => {
    const left = `${short === undefined ? '    ' : `-${short}, `}--${name}`;
    return [value === undefined ? left : `${left} ${value}`, help] as const;
  });
  const width = rows.reduce((most, [left]) => Math.max(most, left.length), 0);
  return rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`);
}
