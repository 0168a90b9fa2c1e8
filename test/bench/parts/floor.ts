/**
 * A bare Haraka that accepts every recipient and discards every mail: what the SMTP process of any
 * product on Haraka costs at least.
 */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../core/root.ts';
import { makeTempDir } from '../../support/context/temp-dir.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { processesBelow } from '../accounting/processes.ts';
import { cpuAMail, showCpu, usageOf } from '../accounting/usage.ts';
import { type Figure } from '../figures.ts';
import { openSession, sendLoad } from '../../load/smtp.ts';

const HARAKA = join(ROOT, 'node_modules/Haraka/');
/** Haraka reads these sections without defaults of its own. */
const CONNECTION = 'config/connection.ini';
const WARM_UP_MAILS = 1000;
const MAILS = 5000;

/** 906 is OK in haraka-constants. */
const DISCARD = `
exports.hook_lookup_rdns = (next) => next(906, 'NXDOMAIN');
exports.hook_rcpt = (next) => next(906);
exports.hook_queue = (next) => next(906);
`;

interface Load {
  body: string;
  connections: number;
  newConnectionEach: boolean;
}

export async function floorFigures(loads: { kept: Load; ownEach: Load }): Promise<Figure[]> {
  return onBareHaraka(async (port, pid) => {
    const cost = async (work: string, load: Load): Promise<Figure> => {
      const send = (mails: number) =>
        sendLoad({ ...load, port, mails, recipient: () => 'load@bench.example' });
      await send(WARM_UP_MAILS);
      const before = await usageOf(await processesBelow(pid, 'haraka'));
      await send(MAILS);
      const cpu = cpuAMail(before, await usageOf(await processesBelow(pid, 'haraka')), MAILS);
      return { work: `bare Haraka, ${work}: CPU a mail`, result: showCpu(cpu), values: cpu };
    };
    return [
      await cost('2 KB, kept connections', loads.kept),
      await cost('2 KB, a connection each', loads.ownEach),
    ];
  });
}

async function onBareHaraka<Result>(
  work: (port: number, pid: number) => Promise<Result>,
): Promise<Result> {
  const folder = await makeTempDir();
  const port = await freePort();
  const files = {
    'config/smtp.ini': `listen=127.0.0.1:${port}\nnodes=0\n`,
    'config/plugins': 'discard\n',
    'config/log.ini': '[main]\nlevel=warn\n',
    'config/me': 'bench.example\n',
    'plugins/discard.js': DISCARD,
  };
  await mkdir(join(folder.path, 'config'));
  await mkdir(join(folder.path, 'plugins'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  await copyFile(join(HARAKA, CONNECTION), join(folder.path, CONNECTION));
  const haraka = spawn(process.execPath, [join(HARAKA, 'bin/haraka'), '-c', folder.path], {
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => haraka.once('exit', resolve));
  try {
    await eventually('the bare Haraka', async () => {
      const session = await openSession(port).catch(() => null);
      await session?.quit();
      return session !== null;
    });
    return await work(port, haraka.pid ?? 0);
  } finally {
    haraka.kill('SIGKILL');
    await exited;
    await folder.remove();
  }
}
