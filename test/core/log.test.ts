import { expect } from 'chai';
import { Writable } from 'node:stream';
import winston from 'winston';
import { openLog } from '../../core/log.ts';

describe('log', () => {
  it('writes JSON lines with complete errors', () => {
    const written: string[] = [];
    const log = openLog({ logLevel: 'info', role: 'web' });
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        written.push(String(chunk));
        done();
      },
    });
    log.clear().add(new winston.transports.Stream({ stream: sink }));
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
});
