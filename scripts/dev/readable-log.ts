/** Log lines for a person: `12:01:02.345 warn  api  request failed status=503`. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const LEVELS: Record<string, Style> = {
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'dim',
};

/** Fields that the prefix of the line has, or that differ in every line. */
const LEFT_OUT = new Set(['process', 'pid', 'timestamp', 'level', 'message', 'subsystem']);

/** Returns a line of JSON of the log in readable form, and any other line as it is. */
export function readable(line: string): string {
  const entry = parse(line);
  if (!entry) return line;
  const { timestamp, level, message, subsystem } = entry;
  const time = wordOf(timestamp).slice(11, 23);
  const name = wordOf(level);
  const fields = Object.entries(entry).filter(([key]) => !LEFT_OUT.has(key));
  return [
    styleText('dim', time),
    styleText(LEVELS[name] ?? 'reset', name.padEnd(5)),
    ...(subsystem === undefined ? [] : [styleText('cyan', wordOf(subsystem))]),
    wordOf(message),
    ...fields.map(([key, value]) => `${styleText('dim', `${key}=`)}${textOf(value)}`),
  ].join(' ');
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{"')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An error is shown with its stack, on lines of its own. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'stack' in value)
    return `\n${String(value.stack)}`;
  return JSON.stringify(value);
}
