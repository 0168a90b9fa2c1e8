import { expect } from 'chai';
import { Writable } from 'node:stream';
import winston from 'winston';
import { openLog } from '../../core/log.ts';

describe('log', () => {
  const open = (logPrefix = '') => {
    const written: string[] = [];
    const log = openLog({ logLevel: 'info', role: 'web', logPrefix });
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        written.push(String(chunk));
        done();
      },
    });
    log.clear().add(new winston.transports.Stream({ stream: sink }));
    return { log, written };
  };

  it('writes JSON lines with complete errors', () => {
    const { log, written } = open();
    const cause = Object.assign(new Error('inner'), { code: 'EIO' });
    log.child({ subsystem: 'test' }).error('it broke', { error: new Error('outer', { cause }) });
    log.debug('not at this level');
    expect(written).to.have.length(1);
    const line = JSON.parse(written[0] ?? '') as {
      error: { message: string; stack: string; cause: object };
    };
    expect(line).to.include({
      level: 'error',
      message: 'it broke',
      subsystem: 'test',
      process: 'web',
    });
    expect(line.error).to.include({ message: 'outer' });
    expect(line.error.stack).to.contain('log.test');
    expect(line.error.cause).to.include({ message: 'inner', code: 'EIO' });
  });

  it('writes the prefix before each line', () => {
    const { log, written } = open('web |');
    log.info('ready');
    expect(written[0]).to.match(/^web \| \{.*"message":"ready".*\}\n$/);
  });

  for (const level of ['warn', 'error'] as const) {
    it(`writes 60 lines of a kind at ${level} a minute, then how many were left out`, () => {
      const { log, written } = open();
      const other = level === 'warn' ? 'error' : 'warn';
      const now = performance.now.bind(performance);
      const began = now();
      const repeat = (count: number) => {
        for (let n = 0; n < count; n += 1) {
          log.child({ subsystem: 'ingest' })[level]('job failed', { jobId: `${n}` });
        }
      };
      try {
        repeat(100);
        expect(written).to.have.length(60);
        log[level]('job failed'); // of another subsystem
        log.child({ subsystem: 'ingest' })[other]('job failed');
        expect(written).to.have.length(62);
        performance.now = () => began + 61_000;
        repeat(1);
        expect(JSON.parse(written.at(-1)!)).to.include({ jobId: '0', leftOut: 40 });
      } finally {
        performance.now = now;
      }
    });
  }

  it('writes a line for each quarantined mail', () => {
    const { log, written } = open();
    for (let n = 0; n < 100; n += 1) log.error('mail quarantined', { ingestId: `${n}` });
    expect(written).to.have.length(100);
  });
});
