/** The part of Haraka 3.3 that we use; Haraka has no types of its own. */
/* eslint-disable @typescript-eslint/consistent-type-imports, no-var -- an ambient file has no imports */

declare namespace Haraka {
  type Next = (code?: number, reply?: string | import('haraka-dsn').DSN) => void;
  type Hook<Parameters = unknown> = (
    next: Next,
    connection: Connection,
    parameters: Parameters,
  ) => void;

  interface Address {
    user: string;
    host: string;
    /** As the client wrote it; empty for the null sender. */
    address: string;
  }

  /** The socket, in the clear or behind TLS. */
  interface Client {
    pause: () => void;
    resume: () => void;
    /** Ends, and lets go of the socket once everything is written. */
    destroySoon: () => void;
    destroy: () => void;
    once: (event: 'close', listener: () => void) => void;
    write: (text: string) => void;
    /** Of a socket that Haraka can move to TLS. */
    targetsocket?: { writableLength?: number };
    writableLength?: number;
  }

  type EsmtpParameters = Record<string, string | null>;

  interface Transaction {
    uuid: string;
    rcpt_count: Connection['rcpt_count'];
    mail_from: Address;
    notes: {
      mayfly?: import('./envelope.js').Envelope;
      /** Set by Haraka just before it hands on a line that it has cut. */
      data_line_length_exceeded?: boolean;
    };
    message_stream: { destroy: () => void };
    /** Takes the next line, dots still stuffed. Haraka's own Received field comes first, as a string. */
    readonly add_data: (line: Buffer | string) => void;
    readonly end_data: (done: () => void) => void;
  }

  interface Connection {
    uuid: string;
    remote: { ip: string; closed: boolean };
    client: Client;
    transaction: Transaction | null;
    capabilities: string[];
    tls: { enabled: boolean };
    hello: { verb: string | null };
    local: { port: number };
    /** The listener that the client has connected to. */
    server: Listener;
    last_response: string | null;
    state: number;
    /** How command lines are decoded. */
    encoding: 'utf8' | 'binary';
    notes: {
      unknownRecipients?: number;
      errorCount?: import('./patches/error-limit.js').ErrorCount;
      dataRate?: import('./limits/data-rate.js').DataRate;
      isHeldBack?: boolean;
      isRefused?: boolean;
      auth?: import('./auth/exchange.js').AuthState;
    };
    /** Input that is read but not yet looked at. */
    current_data: Buffer | null;
    process_data: (data: Buffer) => void;
    _process_data: () => void;
    process_line: (line: Buffer) => void;
    cmd_internalcmd?: unknown;
    cmd_mail: (rest: string) => void;
    cmd_rcpt: (rest: string) => void;
    /** Takes a line of DATA, Haraka's own Received field as a string. */
    accumulate_data: (line: Buffer | string) => void;
    rcpt_incr: (recipient: Address, action: 'accept' | 'tempfail' | 'reject') => void;
    rcpt_count: Record<'accept' | 'tempfail' | 'reject', number>;
    respond: (
      code: number,
      text: string | string[] | import('haraka-dsn').DSN,
      then?: () => void,
    ) => void;
    disconnect: () => void;
  }

  interface LogItem {
    level: string;
    data: string;
  }

  type NetServer = import('node:net').Server;
  interface Listener extends NetServer {
    notes: Server['notes'] & { requiresAuth?: boolean };
    /** Of a listener with implicit TLS. */
    setSecureContext?: (options: { key: Buffer; cert: Buffer }) => void;
  }

  interface Server {
    cfg: { main: { smtps_port: number } };
    notes: { mayfly?: import('./runtime.js').Runtime };
    plugins: Plugins;
    get_smtp_server: (
      endpoint: { port: number },
      inactivityTimeoutMs: number,
    ) => Promise<Listener | undefined>;
  }

  interface Plugins {
    server: Server;
    load_plugins: (names: string[]) => void;
  }

  interface TlsOptions {
    isServer: true;
    key: Buffer;
    cert: Buffer;
    secureContext: import('node:tls').SecureContext;
    minVersion: 'TLSv1.2';
    requestCert: false;
    sessionIdContext: string;
  }

  interface TlsSocket {
    certsByHost: Record<string, Partial<TlsOptions>>;
    tls_valid?: boolean;
    cfg?: object;
    load_tls_ini: () => object;
  }

  /** The objects whose methods patches/ replaces. */
  interface PatchedObjects {
    /** The prototype of every connection. */
    connection: Connection;
    /** The prototype of every transaction. */
    transaction: Transaction;
    tlsSocket: TlsSocket;
    utils: { indexOfLF: (bytes: Buffer, max?: number) => number };
    netUtils: { get_primary_host_name: () => string };
  }

  /** Read-only: patches/replace-method.ts alone replaces methods. */
  type ReadonlyObjects = {
    readonly [Owner in keyof PatchedObjects]: Readonly<PatchedObjects[Owner]>;
  };

  interface Modules extends ReadonlyObjects {
    readonly version: string;
    readonly server: Server;
    readonly plugins: Plugins;
    readonly logger: { loglevel: number; levels: Record<string, number> };
  }

  /** What a patch of these objects takes. */
  type Patchable<Owner extends keyof PatchedObjects> = Pick<Modules, 'version' | Owner>;

  /** A method as code that may use `this`. */
  type MethodOf<Owner, Method> = Method extends (...args: infer Arguments) => infer Result
    ? (this: Owner, ...args: Arguments) => Result
    : never;
}

/** Haraka sets this for its plugins. */
declare var server: Haraka.Server;

declare module 'haraka-constants' {
  const constants: Record<'ok' | 'cont' | 'deny' | 'denysoft' | 'denysoftdisconnect', number> & {
    connection: {
      state: Record<'CMD' | 'DATA' | 'PAUSE' | 'PAUSE_SMTP' | 'DISCONNECTING', number>;
    };
  };
  export = constants;
}

declare module 'haraka-dsn' {
  class DSN {
    static create(code: number, text: string, subject: number, detail: number): DSN;
    code: number;
    reply: string;
  }
  namespace DSN {
    export { DSN };
  }
  export = DSN;
}
