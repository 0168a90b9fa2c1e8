/** Types of the part of Haraka 3.3 that Mayfly uses; Haraka has no type declarations. */
/* oxlint-disable typescript/consistent-type-imports, no-var -- an ambient file has no imports */

declare namespace Haraka {
  type Next = (code?: number, reply?: string | import('haraka-dsn').DSN) => void;
  type Hook<Parameters = unknown> = (
    next: Next,
    connection: Connection,
    parameters: Parameters,
  ) => void;

  interface Address {
    /** As sent by the client, without brackets; empty for the null sender. */
    address: string;
    format: () => string;
  }

  /** The client socket, plain or TLS. */
  interface Client {
    pause: () => void;
    resume: () => void;
    /** Ends the connection and destroys the socket once pending data is written. */
    destroySoon: () => void;
    destroy: () => void;
    once: (event: 'close', listener: () => void) => void;
    write: (text: string) => void;
    /** Present if Haraka can upgrade the socket to TLS. */
    targetsocket?: Pick<import('node:net').Socket, 'writableLength' | 'cork' | 'uncork'>;
    writableLength?: number;
    /** False once this side is closed, or both are. */
    writable: boolean;
  }

  type EsmtpParameters = Record<string, string | null>;

  interface Transaction {
    uuid: string;
    rcpt_count: Connection['rcpt_count'];
    mail_from: Address;
    rcpt_to: Address[];
    notes: {
      mayfly?: import('./envelope.ts').Envelope;
      /** Set by Haraka before it passes on a piece of an overlong line. */
      data_line_length_exceeded?: boolean;
    };
    message_stream: { destroy: () => void };
    /**
     * Receives each line, dot-stuffed. The first one is Haraka's own Received field, as a string.
     */
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
    hello: { host: string | null; verb: string | null };
    /** Whether the client has sent EHLO. */
    esmtp: boolean;
    local: { port: number };
    /** The listener that accepted the connection. */
    server: Listener;
    last_response: string | null;
    state: number;
    notes: {
      unknownRecipients?: number;
      errorCount?: import('./patches/replies.ts').ErrorCount;
      dataRate?: import('./limits.ts').DataRate;
      isHeldBack?: boolean;
      /** Whether the client has closed its sending side. */
      isHalfClosed?: boolean;
      /** Releases the replies that wait for that of a pipelined command. */
      heldReplies?: NodeJS.Timeout;
      isRefused?: boolean;
      auth?: import('./auth/exchange.ts').AuthState;
    };
    /** Input that is read but not processed. */
    current_data: Buffer | null;
    process_data: (data: Buffer) => void;
    _process_data: () => void;
    process_line: (line: Buffer) => void;
    cmd_internalcmd?: unknown;
    cmd_mail: (rest: string) => void;
    cmd_rcpt: (rest: string) => void;
    init_transaction: (then: () => void) => void;
    /** Receives a line of DATA; Haraka's own Received field is a string. */
    accumulate_data: (line: Buffer | string) => void;
    rcpt_incr: (recipient: Address, action: 'accept' | 'tempfail' | 'reject') => void;
    rcpt_count: Record<'accept' | 'tempfail' | 'reject', number>;
    respond: (
      code: number,
      text: string | string[] | import('haraka-dsn').DSN,
      then?: () => void,
    ) => void;
    disconnect: () => void;
    /** Ends a connection that cannot go on. */
    fail: (error?: unknown, details?: unknown) => void;
  }

  interface LogItem {
    level: string;
    data: string;
  }

  type NetServer = import('node:net').Server;
  interface Listener extends NetServer {
    notes: Server['notes'] & { requiresAuth?: boolean };
    /** Of `net.Server`; its types do not declare it. */
    allowHalfOpen: boolean;
    /** Present on a listener with implicit TLS. */
    setSecureContext?: (options: { key: Buffer; cert: Buffer }) => void;
  }

  interface Server {
    cfg: { main: { smtps_port: number } };
    /** The hooks, which the plugin registers. */
    notes: { mayfly?: object };
    plugins: Plugins;
    get_smtp_server: (
      endpoint: { port: number },
      inactivityTimeoutMs: number,
    ) => Promise<Listener | undefined>;
  }

  interface Plugins {
    server: Server;
    load_plugins: (names: string[]) => void;
    run_hooks: (hook: string, connection: Connection, parameters: unknown) => void;
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

  /** Objects whose methods patches/ replaces. */
  interface PatchedObjects {
    /** The prototype of connections. */
    connection: Connection;
    /** The prototype of transactions. */
    transaction: Transaction;
    tlsSocket: TlsSocket;
    utils: { indexOfLF: (bytes: Buffer, max?: number) => number };
    netUtils: {
      get_primary_host_name: () => string;
      is_haproxy_allowed: (ip: string) => boolean;
    };
  }

  /** Read-only: only patches/replace-method.ts replaces methods. */
  type ReadonlyObjects = {
    readonly [Owner in keyof PatchedObjects]: Readonly<PatchedObjects[Owner]>;
  };

  interface Modules extends ReadonlyObjects {
    readonly version: string;
    readonly server: Server;
    readonly plugins: Plugins;
    readonly logger: { loglevel: number; levels: Record<string, number> };
  }

  /** The parameter of a patch for these objects. */
  type Patchable<Owner extends keyof PatchedObjects> = Pick<Modules, 'version' | Owner>;

  /** The method type with an explicit `this`. */
  type MethodOf<Owner, Method> = Method extends (...args: infer Arguments) => infer Result
    ? (this: Owner, ...args: Arguments) => Result
    : never;
}

/** Haraka defines this global for its plugins. */
declare var server: Haraka.Server;

declare module 'haraka-constants' {
  const constants: Record<'ok' | 'cont' | 'deny' | 'denysoft' | 'denysoftdisconnect', number> & {
    connection: {
      state: Record<
        'CMD' | 'DATA' | 'PAUSE' | 'PAUSE_DATA' | 'PAUSE_SMTP' | 'DISCONNECTING',
        number
      >;
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
