import { resolve } from 'node:path';
import { expect } from 'chai';
import { ConfigError, readConfig } from '../../core/config.js';
import { generateKeyring } from '../../core/keyring.js';

describe('configuration', () => {
  it('has defaults for everything', () => {
    const config = readConfig({}, 'web');
    expect(config.http).to.deep.equal({ port: 3000, publicUrl: 'http://localhost:3000' });
    expect(config.smtp.port).to.equal(2525);
    expect(config.dataDir).to.equal(resolve('data'));
    expect(config.redis).to.equal(resolve('data/redis/redis.sock'));
    expect(config.messageTtlMs).to.equal(86_400_000);
    expect(config.smtp.tls).to.equal(null);
    expect(config.rateLimits).to.deep.equal({ free: 120, pro: 1200, authFailures: 100 });
    expect(config.trustProxy).to.equal(0);
  });

  it('takes an empty variable as unset', () => {
    expect(readConfig({ PORT: '', REDIS_URL: '' }, 'web').http.port).to.equal(3000);
  });

  it('is frozen', () => {
    expect(Object.isFrozen(readConfig({}, 'web'))).to.equal(true);
  });

  it('reports every bad variable at once, by name', () => {
    const bad = {
      PORT: '70000',
      SMTP_PORT: 'x',
      REDIS_URL: 'http://x',
      DATABASE_URL: 'mysql://x',
      LOG_LEVEL: 'loud',
      ENCRYPTION_KEYS: 'k1:short',
      MAIL_DOMAIN: 'no domain',
    };
    let caught: unknown;
    try {
      readConfig(bad, 'web');
    } catch (error) {
      caught = error;
    }
    expect(caught).to.be.instanceOf(ConfigError);
    const { faults, message } = caught as ConfigError;
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).to.deep.equal(
      Object.keys(bad).sort(),
    );
    expect(message).not.to.contain('short');
  });

  it('wants both TLS files or none', () => {
    expect(() => readConfig({ TLS_CERT_FILE: 'a.pem' }, 'smtp')).to.throw('TLS_KEY_FILE');
  });

  it('wants a keyring in production where secrets are handled, and not elsewhere', () => {
    expect(() => readConfig({ NODE_ENV: 'production' }, 'web')).to.throw('ENCRYPTION_KEYS');
    expect(readConfig({ NODE_ENV: 'production' }, 'smtp').keyring).to.equal(null);
    const keys = { NODE_ENV: 'production', ENCRYPTION_KEYS: generateKeyring() };
    expect(readConfig(keys, 'web').keyring).to.have.length(1);
  });

  it('moves the socket of a deep data directory to a short path, the same each time', () => {
    const deep = { DATA_DIR: `/${'d'.repeat(60)}/${'e'.repeat(60)}` };
    const { redis } = readConfig(deep, 'web');
    expect(Buffer.byteLength(redis)).to.be.below(108);
    expect(readConfig(deep, 'worker').redis).to.equal(redis);
  });
});
