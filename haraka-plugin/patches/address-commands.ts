/**
 * MAIL and RCPT are read here and not by Haraka, whose grammar of addresses refuses senders and
 * recipients that applications use, and which keeps only the last of two equal parameters.
 */
import { foreignAddressFault, localPartOctets } from '../../core/addresses.ts';
import { envelopeOf } from '../envelope.ts';
import * as replies from '../replies.ts';
import { utf8Fault } from '../hooks/mail.ts';
import { replaceMethod } from './replace-method.ts';

/** What bounces and forwarders put before the `@` can be longer than the 64 octets of RFC 5321. */
const MAX_LOCAL_PART_OCTETS = 255;

const KEYWORDS = { mail: /^from:\s*/i, rcpt: /^to:\s*/i };
/** The path ends at the first `>` outside a quoted string. */
const BRACKETED = /^<((?:"(?:[^"\\]|\\.)*"|[^">])*)>(?=\s|$)/s;
/** With an unterminated quoted string, which is an error of the address. */
const UNTERMINATED = /^<(.*)>$/s;
const BARE = /^(\S*)/;
/** RFC 5321 section 4.1.1.3: a source route is ignored. */
const SOURCE_ROUTE = /^@[^:]*:/;
/** RFC 5321 section 4.1.2, esmtp-param; a missing value is an error of the parameter. */
const PARAMETER = /^([0-9A-Z][0-9A-Z-]*)(?:=([^=]*))?$/i;

interface Command {
  /** Without brackets and source route. */
  address: string;
  parameters: Haraka.EsmtpParameters;
}

type Modules = Haraka.Patchable<'connection'> & Pick<Haraka.Modules, 'plugins'>;

export function readAddressCommands(haraka: Modules): void {
  replaceMethod(haraka, 'connection', 'cmd_mail', 1, () => {
    return function (rest) {
      const command = mailFault(this) ?? read(KEYWORDS.mail, rest, this.esmtp);
      const fault = 'code' in command ? command : senderFault(command);
      if (fault || 'code' in command) {
        refuse(this, fault);
        return;
      }
      const from = addressOf(command);
      this.init_transaction(() => {
        if (this.transaction) this.transaction.mail_from = from;
        haraka.plugins.run_hooks('mail', this, [from, command.parameters]);
      });
    };
  });

  replaceMethod(haraka, 'connection', 'cmd_rcpt', 1, () => {
    return function (rest) {
      const mail = envelopeOf(this);
      const command = mail ? read(KEYWORDS.rcpt, rest, this.esmtp) : replies.mailFirst;
      const fault =
        'code' in command ? command : recipientFault(command, mail?.allowsUtf8 === true);
      if (fault || 'code' in command) {
        refuse(this, fault);
        return;
      }
      const to = addressOf(command);
      this.transaction?.rcpt_to.push(to);
      haraka.plugins.run_hooks('rcpt', this, [to, command.parameters]);
    };
  });
}

/** RFC 5321 section 4.1.4: MAIL during a mail is an error. The current mail continues. */
function mailFault({ transaction, hello }: Haraka.Connection): replies.Verdict | null {
  if (transaction) return replies.nestedMail;
  return hello.host ? null : replies.helloFirst;
}

/** Reads path and parameters; returns the reply if they are not understood. */
function read(keyword: RegExp, rest: string, hasExtensions: boolean): Command | replies.Verdict {
  const [begin] = keyword.exec(rest) ?? [];
  if (begin === undefined) return replies.pathSyntax;
  const text = rest.slice(begin.length).trimEnd();
  const [all = '', path = ''] =
    BRACKETED.exec(text) ?? UNTERMINATED.exec(text) ?? BARE.exec(text) ?? [];
  const parameters: Haraka.EsmtpParameters = {};
  for (const word of text.slice(all.length).split(' ')) {
    if (word === '') continue;
    const [, name, value = null] = PARAMETER.exec(word) ?? [];
    if (name === undefined) return replies.pathSyntax;
    if (!hasExtensions) return replies.badParameter;
    if (Object.hasOwn(parameters, name.toUpperCase())) return replies.repeatedParameter;
    parameters[name.toUpperCase()] = value;
  }
  return { address: path.replace(SOURCE_ROUTE, ''), parameters };
}

function senderFault({ address }: Command): replies.Verdict | null {
  return address === '' ? null : fault(address, replies.senderSyntax);
}

/** The hook replies to a missing path. */
function recipientFault({ address }: Command, allowsUtf8: boolean): replies.Verdict | null {
  if (address === '') return null;
  return (
    utf8Fault({ address }, allowsUtf8, replies.recipientSyntax.unicode) ??
    fault(address, replies.recipientSyntax)
  );
}

function fault(
  address: string,
  syntaxReplies: typeof replies.senderSyntax,
): replies.Verdict | null {
  const found = foreignAddressFault(address);
  if (found) return syntaxReplies[found];
  return localPartOctets(address) > MAX_LOCAL_PART_OCTETS ? syntaxReplies.tooLong : null;
}

const addressOf = ({ address }: Command): Haraka.Address => ({
  address,
  format: () => `<${address}>`,
});

function refuse(connection: Haraka.Connection, verdict: replies.Verdict | null): void {
  if (typeof verdict?.reply === 'object') connection.respond(verdict.reply.code, verdict.reply);
}
