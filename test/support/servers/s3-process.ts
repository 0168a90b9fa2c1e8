/** The process of an S3-compatible test server; see s3.ts. */
const servers = {
  s3rver: () => import('s3rver'),
  '@20minutes/s3rver': () => import('@20minutes/s3rver'),
};

interface Options {
  kind: keyof typeof servers;
  port: number;
  directory: string;
  serviceEndpoint: string;
  bucket: string;
}

const { kind, bucket, ...options } = JSON.parse(process.argv[2] ?? '') as Options;
const { default: S3rver } = await servers[kind]();
const server = new S3rver({
  ...options,
  address: '127.0.0.1',
  silent: true,
  configureBuckets: [{ name: bucket }],
});
await server.run();
process.send?.('ready');
process.on('disconnect', () => process.exit());
