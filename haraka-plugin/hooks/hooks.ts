/** The Haraka hooks of the plugin. Haraka registers each `hook_NAME` method. */
import constants from 'haraka-constants';
import type { FrontContext } from '../../core/context.ts';
import { errorText } from '../../core/errors.ts';
import { SpoolFullError } from '../../core/intake/spool-room.ts';
import { writeBatcher } from '../../core/redis/client.ts';
import { loginOf } from '../auth/exchange.ts';
import { envelopeOf } from '../envelope.ts';
import { bridgeLog } from '../log-bridge.ts';
import { resetErrors } from '../patches/replies.ts';
import { MAX_MAIL_BYTES } from '../raw-sink.ts';
import * as replies from '../replies.ts';
import { acceptMail, openMailLog } from './data.ts';
import { type HookDependencies, replyToLoggedIn, replyToMail } from './mail.ts';
import { replyToRcpt } from './rcpt.ts';

const MAX_RECEIVED_FIELDS = 100;

type AddressAndParameters = [Haraka.Address, Haraka.EsmtpParameters];

export function createHooks(runtime: HookDependencies) {
  const { front, connections } = runtime;
  const {
    accepted,
    acceptedBytes,
    acceptSeconds,
    connections: connectionGauge,
  } = front.metrics.smtp;
  const asyncHook = asyncHooks(front);
  const mailLog = openMailLog(front);
  const rateVerdict = async ({ remote }: Haraka.Connection) => {
    const standing = await front.rateLimits.countMail(remote.ip);
    return standing?.exceeded ? replies.tooMuchMail : replies.senderOk;
  };
  const limitRate = asyncHook(rateVerdict);
  const mailOfLogin = asyncHook<AddressAndParameters>(async (connection, [address, parameters]) => {
    const login = loginOf(connection);
    if (login?.kind !== 'credential') return replies.authRevoked;
    const verdict = await replyToLoggedIn(runtime, login, connection, address, parameters);
    return verdict === replies.senderOk ? rateVerdict(connection) : verdict;
  });

  return {
    hook_log: bridgeLog(front.log),

    /** The first hook of a connection. It skips the reverse DNS lookup, which nothing uses. */
    hook_lookup_rdns(next: Haraka.Next, connection: Haraka.Connection) {
      // On ports 465 and 587 Haraka requires its own authentication, which also permits relaying.
      if (connection.server.notes.requiresAuth) connection.local.port = 0;
      const isWelcome = connections.open(connection);
      connectionGauge.set(connections.count());
      if (isWelcome) next(constants.ok, 'NXDOMAIN');
      else next(replies.tooManyConnections.code, replies.tooManyConnections.reply);
    },

    hook_disconnect(next: Haraka.Next, connection: Haraka.Connection) {
      connections.closed(connection);
      connectionGauge.set(connections.count());
      const { last_response: reply, remote } = connection;
      if (reply?.startsWith('421 ')) {
        front.log.info('connection closed', { remote: remote.ip, reply: reply.trimEnd() });
      }
      next();
    },

    /** RFC 1870: Haraka would announce `SIZE 0`, because its own limit is not set. */
    hook_capabilities(next: Haraka.Next, connection: Haraka.Connection) {
      connection.capabilities = connection.capabilities.map((line) =>
        line.startsWith('SIZE ') ? `SIZE ${MAX_MAIL_BYTES}` : line,
      );
      if (runtime.auth.isOffered(connection)) connection.capabilities.push('AUTH PLAIN LOGIN');
      next();
    },

    hook_mail(
      next: Haraka.Next,
      connection: Haraka.Connection,
      [address, parameters]: AddressAndParameters,
    ) {
      if (loginOf(connection)?.kind === 'credential') {
        mailOfLogin(next, connection, [address, parameters]);
        return;
      }
      const verdict = replyToMail(runtime, connection, address, parameters);
      if (verdict === replies.senderOk && front.config.smtp.ratePerIp > 0) {
        limitRate(next, connection, null);
      } else {
        next(verdict.code, verdict.reply);
      }
    },

    hook_rcpt: asyncHook<AddressAndParameters>((connection, [address, parameters]) =>
      replyToRcpt(front, connection, address, parameters),
    ),

    /** Handled here and not in `queue`, which has fixed reply codes. */
    hook_data_post: asyncHook(async (connection) => {
      const mail = envelopeOf(connection);
      if (!connection.transaction || !mail) return replies.tryLater;
      if (mail.sink.isTooBig) return replies.tooBig;
      if (mail.sink.isHeaderTooLarge) return replies.headerTooLarge;
      if (mail.sink.isOverBudget) return replies.overByteBudget;
      if (mail.sink.receivedFields > MAX_RECEIVED_FIELDS) return replies.mailLoop;
      mail.ingestId = await acceptMail(front, connection.transaction.mail_from.address, mail);
      return replies.continueHooks;
    }),

    hook_queue(next: Haraka.Next, connection: Haraka.Connection) {
      const mail = envelopeOf(connection);
      if (!mail?.ingestId) {
        next();
        return;
      }
      resetErrors(connection);
      const { sink, endedAt } = mail;
      accepted.inc();
      acceptedBytes.inc(sink.bytes);
      next(constants.ok, `2.0.0 Accepted as ${mail.ingestId}`);
      if (endedAt !== null) acceptSeconds.observe((performance.now() - endedAt) / 1000);
      mailLog.accepted(connection, mail, mail.ingestId);
    },

    /** Runs at the end of every mail: after its reply, at RSET, and when the connection closes. */
    hook_reset_transaction(next: Haraka.Next, connection: Haraka.Connection) {
      const mail = envelopeOf(connection);
      if (mail?.refusal && !mail.ingestId) mailLog.refused(connection, mail, mail.refusal);
      next();
    },
  };
}

/**
 * Turns asynchronous functions into Haraka hooks. Haraka does not handle promises: a rejection
 * would end the process, and a hook that does not call `next` blocks its client. The wrapper
 * therefore calls `next` exactly once and replies to every error with 451. While the connection to
 * Redis is lost, it replies with 451 at once.
 */
function asyncHooks({ redis, log }: Pick<FrontContext, 'redis' | 'log'>) {
  const batchWrites = writeBatcher(redis);
  const fault = (error: unknown): replies.Verdict => {
    if (error instanceof SpoolFullError) return replies.queueFull;
    log.warn('SMTP 451: backend unavailable', { fault: errorText(error) });
    return replies.tryLater;
  };
  return <Parameters>(
      decide: (connection: Haraka.Connection, parameters: Parameters) => Promise<replies.Verdict>,
    ): Haraka.Hook<Parameters> =>
    (next, connection, parameters) => {
      if (redis.status !== 'ready') {
        next(replies.tryLater.code, replies.tryLater.reply);
        return;
      }
      batchWrites();
      decide(connection, parameters)
        .catch(fault)
        .then((verdict) => {
          next(verdict.code, verdict.reply);
        })
        .catch((error: unknown) => {
          log.error('Haraka failed to send the reply', { error });
          connection.disconnect();
        });
    };
}
