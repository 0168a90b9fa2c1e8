import { resolve } from 'node:path';
import { expect } from 'chai';
import { ConfigError, readConfig } from '../../../core/config/config.ts';
import { generateKeyring } from '../../../core/secrets/keyring.ts';

describe('configuration', () => {
  it('has defaults for everything', () => {
    const config = readConfig({}, 'web');
    expect(config.http).to.include({ port: 3000, publicUrl: 'http://localhost:3000' });
    expect(config.smtp.port).to.equal(2525);
    expect(config.dataDir).to.equal(resolve('data'));
    expect(config.redis).to.equal(resolve('data/redis/redis.sock'));
    expect(config.messageTtlMs).to.equal(86_400_000);
    expect(config.smtp.tls).to.equal(null);
    expect(config.operatorPassword).to.equal(null);
    expect(config.rateLimits).to.deep.equal({
      free: 120,
      pro: 1200,
      authFailures: 100,
      storedBytes: 67_108_864,
    });
    expect(config.smtp).to.include({
      maxConnectionsPerIp: 100,
      maxRecipients: 1000,
      maxErrors: 20,
      ratePerIp: 0,
      minDataRate: 500,
      stallMs: 180_000,
      maxDataMs: 1_800_000,
    });
    expect(config.trustProxy).to.equal(0);
  });

  it('does not limit the time of a mail without a minimum rate, unless configured', () => {
    const maxDataMs = (env: Record<string, string>) => readConfig(env, 'smtp').smtp.maxDataMs;
    expect(maxDataMs({ SMTP_MIN_DATA_RATE: '0' })).to.equal(0);
    expect(maxDataMs({ SMTP_MIN_DATA_RATE: '0', SMTP_MAX_DATA_MS: '1000' })).to.equal(1000);
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', REDIS_URL: '' }, 'web').http.port).to.equal(3000);
  });

  it('removes whitespace at the ends of every value', () => {
    const keyring = generateKeyring();
    const config = readConfig(
      {
        PORT: ' 3100',
        BIND_HOST: '\t127.0.0.1 ',
        OPERATOR_PASSWORD: 'a password of an operator\n',
        ENCRYPTION_KEYS: `${keyring}\r\n`,
        DATABASE_URL: 'sqlite:/tmp/x.sqlite\n',
        REDIS_URL: 'redis://h/1\n',
        S3_BUCKET: 'mail\n',
        S3_REGION: 'eu-west-1 ',
        AWS_ACCESS_KEY_ID: 'id\n',
        AWS_SECRET_ACCESS_KEY: 'secret\n',
        SMTP_HOSTNAME: 'mx.example.com\n',
        MAIL_DOMAIN: ' \n',
      },
      'web',
    );
    expect(config).to.deep.include({
      bindHost: '127.0.0.1',
      operatorPassword: 'a password of an operator',
      database: { kind: 'sqlite', path: '/tmp/x.sqlite' },
      redis: 'redis://h/1',
      mailDomain: 'mayfly.localhost',
    });
    expect(config.http.port).to.equal(3100);
    expect(config.s3).to.deep.include({
      bucket: 'mail',
      region: 'eu-west-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    });
  });

  for (const url of [
    'https://example.com/mayfly',
    'https://example.com/mayfly/',
    'https://example.com/?a=b',
    'https://example.com/#a',
    'https://user@example.com/',
  ]) {
    it(`rejects PUBLIC_URL=${url}`, () => {
      expect(() => readConfig({ PUBLIC_URL: url }, 'web')).to.throw(
        ConfigError,
        'a host name or port of its own',
      );
    });
  }

  for (const url of ['https://example.com', 'http://[::1]:3000//', 'HTTP://EXAMPLE.COM:80/']) {
    it(`accepts PUBLIC_URL=${url}`, () => {
      expect(readConfig({ PUBLIC_URL: url }, 'web').http.publicUrl).not.to.match(/\/$/);
    });
  }

  it('is frozen', () => {
    expect(Object.isFrozen(readConfig({}, 'web'))).to.equal(true);
  });

  it('reports every invalid variable at once, by name', () => {
    const bad = {
      PORT: '70000',
      SMTP_PORT: 'x',
      REDIS_URL: 'http://x',
      DATABASE_URL: 'mysql://x',
      LOG_LEVEL: 'loud',
      ENCRYPTION_KEYS: 'k1:short',
      MAIL_DOMAIN: 'no domain',
      OPERATOR_PASSWORD: 'short',
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

  it('rejects a header timeout above the request timeout', () => {
    const longer = { HTTP_HEADERS_TIMEOUT_MS: '1001', HTTP_REQUEST_TIMEOUT_MS: '1000' };
    expect(() => readConfig(longer, 'web')).to.throw('HTTP_HEADERS_TIMEOUT_MS must not exceed');
    expect(readConfig({ HTTP_REQUEST_TIMEOUT_MS: '0' }, 'web').http.requestTimeoutMs).to.equal(0);
  });

  it('limits a header to 15 s, or to the request timeout', () => {
    const headersTimeout = (env: Record<string, string>) =>
      readConfig(env, 'web').http.headersTimeoutMs;
    expect(headersTimeout({})).to.equal(15_000);
    expect(headersTimeout({ HTTP_REQUEST_TIMEOUT_MS: '0' })).to.equal(15_000);
    expect(headersTimeout({ HTTP_REQUEST_TIMEOUT_MS: '1000' })).to.equal(1000);
    expect(headersTimeout({ HTTP_HEADERS_TIMEOUT_MS: '0' })).to.equal(0);
  });

  it('requires both TLS files or none', () => {
    expect(() => readConfig({ TLS_CERT_FILE: 'a.pem' }, 'smtp')).to.throw('TLS_KEY_FILE');
  });

  it('requires a keyring in production in processes that use secrets', () => {
    const withoutKeys = () => readConfig({ NODE_ENV: 'production' }, 'web');
    expect(withoutKeys).to.throw('ENCRYPTION_KEYS must be set in production');
    expect(readConfig({ NODE_ENV: 'production' }, 'smtp').keyring).to.equal(null);
    const keys = { NODE_ENV: 'production', ENCRYPTION_KEYS: generateKeyring() };
    expect(readConfig(keys, 'web').keyring).to.have.length(1);
  });

  describe('of the blob store', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const s3 = (env: NodeJS.ProcessEnv) => readConfig(env, 'web').s3;

    it('is the disk without S3_BUCKET, whatever other AWS variables contain', () => {
      expect(s3({})).to.equal(null);
      expect(s3({ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id' })).to.equal(null);
    });

    it('is a bucket of Amazon S3, found by its region', () => {
      const amazon = { bucket: 'mail', endpoint: null, region: 'eu-west-1', forcePathStyle: false };
      const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
      expect(s3({ S3_BUCKET: 'mail', S3_REGION: 'eu-west-1', ...keys })).to.deep.equal({
        ...amazon,
        credentials,
      });
      expect(s3({ S3_BUCKET: 'mail', AWS_REGION: 'eu-west-1' })).to.deep.equal({
        ...amazon,
        credentials: null,
      });
    });

    it('is a bucket of another server, with path style by default', () => {
      const env = { S3_BUCKET: 'mail', S3_ENDPOINT: 'http://minio:9000', ...keys };
      expect(s3(env)).to.include({ endpoint: 'http://minio:9000', forcePathStyle: true });
      expect(s3({ ...env, S3_FORCE_PATH_STYLE: 'false' })).to.include({ forcePathStyle: false });
    });

    for (const [fault, env] of Object.entries({
      'S3_ENDPOINT must be': { S3_BUCKET: 'mail', S3_ENDPOINT: 'minio:9000' },
      'S3_BUCKET must be': { S3_BUCKET: 'No Bucket', S3_REGION: 'x' },
      'S3_FORCE_PATH_STYLE must be': { S3_BUCKET: 'mail', S3_FORCE_PATH_STYLE: 'yes' },
      'S3_BUCKET requires S3_REGION': { S3_BUCKET: 'mail' },
      'S3_ENDPOINT is set, but S3_BUCKET is not': { S3_ENDPOINT: 'http://minio:9000' },
      'must be set together': { S3_BUCKET: 'mail', S3_REGION: 'x', AWS_ACCESS_KEY_ID: 'id' },
    })) {
      it(`is rejected: ${fault}`, () => {
        expect(() => s3(env)).to.throw(ConfigError, fault);
      });
    }
  });

  describe('of Redis behind TLS', () => {
    const REDIS_URL = 'rediss://:secret@redis.example:6380';
    const tls = (env: NodeJS.ProcessEnv) => readConfig({ REDIS_URL, ...env }, 'smtp').redisTls;
    const REDIS_CA_FILE = import.meta.filename;

    it('verifies the server, unless REDIS_TLS=require', () => {
      expect(tls({})).to.equal(null); // the default of Node
      expect(tls({ REDIS_TLS: 'verify' })).to.deep.equal({ rejectUnauthorized: true });
      expect(tls({ REDIS_TLS: 'require' })).to.deep.equal({ rejectUnauthorized: false });
      const withCa = tls({ REDIS_CA_FILE });
      expect(withCa).to.include({ rejectUnauthorized: true });
      expect(withCa?.ca).to.contain('of Redis behind TLS');
    });

    for (const [fault, env] of Object.entries({
      'REDIS_TLS must be verify or require': { REDIS_TLS: 'yes' },
      'REDIS_CA_FILE cannot be read': { REDIS_CA_FILE: '/nowhere.pem' },
      'REDIS_MIN_REPLICAS is set, but REDIS_URL is not': { REDIS_MIN_REPLICAS: '1', REDIS_URL: '' },
      'REDIS_TLS is set, but REDIS_URL does not start': { REDIS_TLS: 'require', REDIS_URL: '' },
    })) {
      it(`is rejected: ${fault}`, () => {
        expect(() => tls(env)).to.throw(ConfigError, fault);
      });
    }
  });

  it('replaces the socket path of a deep data directory by a short one, always the same', () => {
    const deep = { DATA_DIR: `/${'d'.repeat(60)}/${'e'.repeat(60)}` };
    const { redis } = readConfig(deep, 'web');
    expect(Buffer.byteLength(redis)).to.be.below(108);
    expect(readConfig(deep, 'worker').redis).to.equal(redis);
  });
});
