/**
 * `test/long executed`: the source files of each process that execute while one mail of 2 KB
 * arrives by SMTP in a new mailbox, is stored and is listed. The processes run from source. A file
 * counts if it executes for each of several mails, so that periodic tasks do not count.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { ROOT } from '../../core/root.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { startProduct } from '../support/process/product.ts';

const PROCESSES = ['smtp', 'worker', 'web'] as const;
type Process = (typeof PROCESSES)[number];
const MAILS = 3;
const MAIL = `From: a@elsewhere.example\r\nSubject: one\r\n\r\n${`${'x'.repeat(78)}\r\n`.repeat(25)}`;

const folder = await makeTempDir();
const procfile = join(folder.path, 'Procfile');
const text = await readFile(join(ROOT, 'Procfile'), 'utf8');
const preload = `--import ${join(import.meta.dirname, 'preload.ts')}`;
await writeFile(
  procfile,
  text.replace(/node (.*)dist\/(api|jobs|haraka-plugin)(\S+)\.js/g, `node $1${preload} $2$3.ts`),
);
const product = await startProduct({ EXECUTED_FOLDER: folder.path }, procfile);
try {
  const { rest } = product;
  const readings: Map<Process, string[]>[] = [];
  for (let n = 1; n <= MAILS; n += 1) {
    const name = `box-${n}`;
    await rest.createMailbox(name);
    await read(2 * n - 1);
    await product.send(name, [MAIL]);
    await eventually('the mail', async () => (await rest.messages(name)).length === 1);
    readings.push(await read(2 * n));
  }
  const different = new Set<string>();
  for (const name of PROCESSES) {
    const files = (readings[0]?.get(name) ?? []).filter((file) =>
      readings.every((reading) => reading.get(name)?.includes(file)),
    );
    console.log([`${name}: ${files.length} files`, ...files].join('\n  '));
    for (const file of files) different.add(file);
  }
  console.log(`${different.size} different files in all`);
} finally {
  await product.stop();
  await folder.remove();
}

/** The files of each process that have executed since the reading before. */
async function read(reading: number): Promise<Map<Process, string[]>> {
  const readings = PROCESSES.map(async (name): Promise<[Process, string[]]> => {
    product.kill(name, 'SIGUSR2');
    const file = join(folder.path, `${product.processes().get(name)}-${reading}.json`);
    const urls = await eventually(`the reading of ${name}`, async () => {
      const json = await readFile(file, 'utf8').catch(() => '');
      return json.endsWith(']') ? z.array(z.string()).parse(JSON.parse(json)) : null;
    });
    return [
      name,
      urls
        .filter((url) => url.startsWith('file:'))
        .map(pathOf)
        .filter(isSource),
    ];
  });
  return new Map(await Promise.all(readings));
}

function pathOf(url: string): string {
  return relative(ROOT, fileURLToPath(url));
}

function isSource(path: string): boolean {
  return !/^(?:\.\.|node_modules|test)/.test(path);
}
