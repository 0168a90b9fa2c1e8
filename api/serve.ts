/** A web process: the application listening on its port. */
import type { Server } from 'node:http';
import type { Config } from '../core/config/config.ts';
import { STOP_WITHIN_MS, closeInOrder } from '../core/closers.ts';
import { openContext } from '../core/open-context.ts';
import type { RunningProcess } from '../core/process/run-process.ts';
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { startReporting } from '../core/metrics/shared-reports.ts';
import { createApp } from './app.ts';
import { createHttpServer, gracefulStop } from './http/server.ts';
import { installMessageClasses } from './http/express-prototypes.ts';

/** Requests of others wait for it. */
export const INLINE_PARSE_MS = 16;

/**
 * Resolves once it listens. @throws {AppError} `unavailable` with a text for the operator if
 * it cannot listen.
 */
export async function serve(config: Config, log: Logger): Promise<RunningProcess> {
  const context = await openContext(config, log, { inlineParseMs: INLINE_PARSE_MS });
  const app = createApp(context);
  const classes = installMessageClasses(app);
  const server = createHttpServer(app, classes, log.child({ subsystem: 'api' }), config.http);
  const finish = gracefulStop(server);
  await listen(server, config.http.port, config.bindHost);
  const reporting = startReporting(context);
  return {
    stop: () =>
      closeInOrder(
        [
          () => {
            context.events.hub.close(); // event streams do not end by themselves
          },
          finish,
          () => reporting.stop(),
          () => context.close(),
        ],
        log,
        STOP_WITHIN_MS,
      ),
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
