import { expect } from 'chai';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import { ConnectionFailure } from '../../../db/postgres/connections.ts';
import { retrySerialization, isUnavailable, postgresFailure } from '../../../db/postgres/retry.ts';
import { DatabaseUnavailable, UnstorableError } from '../../../db/errors.ts';
import { rejection } from '../../support/mocha/rejection.ts';

const reported = (code: string) =>
  Object.assign(new pg.DatabaseError('each word of this text is ignored', 0, 'error'), { code });

describe('a PostgreSQL error', () => {
  for (const code of ['57P01', '08006', '53300', '57014', '28P01', '40001', '40P01']) {
    it(`with SQLSTATE ${code} means unavailable`, () => {
      const error = postgresFailure(new DrizzleQueryError('select', [], reported(code)));
      expect(error).to.be.an.instanceof(DatabaseUnavailable);
    });
  }

  for (const code of ['23505', '22P05']) {
    it(`with SQLSTATE ${code} means a rejected row`, () => {
      expect(postgresFailure(reported(code))).to.be.an.instanceof(UnstorableError);
    });
  }

  it('of the connection means unavailable, with the reason as cause', () => {
    const cause = new Error('Connection terminated unexpectedly');
    const error = postgresFailure(new ConnectionFailure('lost', { cause }));
    expect(error).to.be.an.instanceof(DatabaseUnavailable);
    expect(error).to.have.property('cause', cause);
  });

  it('is retried a few times for the removal of a row that is referred to', async () => {
    let runs = 0;
    const work = (failures: number) =>
      retrySerialization(() => {
        runs += 1;
        return runs <= failures ? Promise.reject(reported('23503')) : Promise.resolve('done');
      });
    expect(await work(3)).to.equal('done');
    runs = 0;
    expect(await rejection(work(Infinity))).to.be.an.instanceof(UnstorableError);
    expect(runs).to.be.at.most(10);
  });

  it('is retried for serialization failures only', async () => {
    let runs = 0;
    const work = (code: string) =>
      retrySerialization(() => {
        runs += 1;
        return runs < 3 ? Promise.reject(reported(code)) : Promise.resolve('done');
      });
    expect(await work('40001')).to.equal('done');
    expect(runs).to.equal(3);
    runs = 0;
    await rejection(work('57P01'));
    expect(runs).to.equal(1);
  });
});

describe('a programming error', () => {
  const errors = [
    new TypeError('each is not a function'),
    new RangeError('Expected a timeout'),
    new Error('timeout'),
    new Error('Connection terminated'),
    Object.assign(new TypeError('The argument is wrong'), { code: 'ERR_INVALID_ARG_TYPE' }),
    reported('42P01'),
    reported('42601'),
  ];
  for (const error of errors) {
    it(`passes unchanged: ${error.name} "${error.message}" ${'code' in error ? error.code : ''}`, async () => {
      expect(postgresFailure(error)).to.equal(error);
      expect(isUnavailable(error)).to.equal(false);
      expect(await rejection(retrySerialization(() => Promise.reject(error)))).to.equal(error);
    });
  }
});
