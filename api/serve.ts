/** One web process at work: the application on its port. */
import type { Server } from 'node:http';
import type { Config } from '../core/config.js';
import { openContext } from '../core/context.js';
import type { Running } from '../core/entry.js';
import { AppError } from '../core/errors.js';
import type { Logger } from '../core/log.js';
import { startReporting } from '../core/report-metrics.js';
import { createApp } from './app.js';
import { createHttpServer } from './http-server.js';
import { orderlyStop } from './orderly-stop.js';

/** Resolves once it listens. @throws {AppError} `unavailable`, with a text for the operator, when it cannot. */
export async function serve(config: Config, log: Logger): Promise<Running> {
  const context = await openContext(config, log);
  const server = createHttpServer(createApp(context), log.child({ subsystem: 'api' }), config.http);
  const finish = orderlyStop(server);
  await listen(server, config.http.port, config.bindHost);
  const reporting = startReporting(context);
  return {
    stop: async () => {
      // Streams have no end of their own to wait for.
      context.eventHub.close();
      await finish();
      await reporting.stop();
      await context.close();
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const text =
        error.code === 'EADDRINUSE' ? `port ${port} (PORT) is already in use` : error.message;
      reject(new AppError('unavailable', text, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}
