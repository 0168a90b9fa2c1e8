import Database from 'better-sqlite3';
import { expect } from 'chai';
import { incrementalVacuum } from '../../../db/sqlite/store.ts';

describe('incremental vacuum', () => {
  const withFreePages = (autoVacuum: 'NONE' | 'INCREMENTAL') => {
    const connection = new Database(':memory:');
    connection.pragma(`auto_vacuum = ${autoVacuum}`);
    connection.exec('create table t (content blob)');
    const insert = connection.prepare('insert into t values (zeroblob(1000000))');
    for (let n = 0; n < 20; n += 1) insert.run();
    connection.exec('delete from t');
    return connection;
  };

  it('returns the number of truncated pages', () => {
    const connection = withFreePages('INCREMENTAL');
    const before = connection.pragma('page_count', { simple: true }) as number;
    expect(incrementalVacuum(connection, 20).count).to.equal(20);
    expect(connection.pragma('page_count', { simple: true })).to.equal(before - 20);
    connection.close();
  });

  it('truncates nothing in a file without auto_vacuum', () => {
    const connection = withFreePages('NONE');
    expect(connection.pragma('freelist_count', { simple: true })).to.be.greaterThan(4000);
    expect(incrementalVacuum(connection, 20).count).to.equal(0);
    connection.close();
  });
});
