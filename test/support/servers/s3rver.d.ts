/** What we use of the two S3-compatible test servers, which come without types. */
declare module 's3rver' {
  interface StoredObject {
    bucket: string;
    key: string;
    content: Buffer | NodeJS.ReadableStream;
    metadata: Record<string, string>;
  }

  interface Store {
    getResourcePath(bucket: string, key: string, resource: 'object'): string;
    putMetadata(
      bucket: string,
      key: string,
      metadata: Record<string, string>,
      md5: string,
    ): Promise<void>;
    putObject(object: StoredObject): Promise<{ size: number; md5: string }>;
  }

  export default class S3rver {
    readonly store: Store;
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      serviceEndpoint: string;
      configureBuckets: { name: string }[];
    });
    run(): Promise<unknown>;
  }
}

declare module '@20minutes/s3rver' {
  export { default } from 's3rver';
}
