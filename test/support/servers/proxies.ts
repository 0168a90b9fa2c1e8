/** Real reverse proxies in front of the service, with a timeout of 60 s without a byte. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTempDir } from '../context/temp-dir.ts';
import { eventually } from '../mocha/eventually.ts';
import { startProgram } from '../process/programs.ts';
import { freePort } from './free-port.ts';

export interface Proxy {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly close: () => Promise<void>;
}

interface Kind {
  readonly title: string;
  /** The arguments that start it in the foreground. */
  readonly command: (file: string) => string[];
  /** @param more directives of the location */
  readonly config: (folder: string, port: number, upstream: string, more: string) => string;
}

const nginx: Kind = {
  // Its own default is a timeout of 60 s, and a buffer for responses.
  title: 'nginx',
  command: (file) => ['nginx', '-c', file, '-e', 'stderr', '-g', 'daemon off;'],
  config: (folder, port, upstream, more) => `
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://${upstream}; ${more} }
  }
}
`,
};

const haproxy: Kind = {
  title: 'HAProxy',
  command: (file) => ['haproxy', '-db', '-f', file],
  config: (_folder, port, upstream) => `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend web
  bind 127.0.0.1:${port}
  default_backend mayfly
backend mayfly
  server one ${upstream}
`,
};

export const proxies = { nginx, haproxy };

/**
 * @param upstream `HOST:PORT` of the service
 * @param more directives of nginx beside `proxy_pass`
 */
export async function openProxy(kind: Kind, upstream: string, more = ''): Promise<Proxy> {
  const folder = await makeTempDir();
  const file = join(folder.path, 'proxy.conf');
  const port = await freePort();
  await writeFile(file, kind.config(folder.path, port, upstream, more).trimStart());
  const [program = '', ...args] = kind.command(file);
  // Debian has servers where only the path of root leads to.
  const running = startProgram(program, args, {
    ...process.env,
    PATH: `${process.env.PATH ?? ''}:/usr/sbin`,
  });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(`${kind.title} to listen: ${running.output()}`, async () => {
    const response = await fetch(`${origin}/healthz`).catch(() => null);
    return response?.status === 200;
  });
  return {
    origin,
    close: async () => {
      await running.stop();
      await folder.remove();
    },
  };
}
