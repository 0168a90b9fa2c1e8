/**
 * Subjects of replies and of forwarded mail. A prefix that a mail client has set, in any of its
 * languages, is not repeated.
 */

/** "Re" of mail clients in other languages: German, Nordic, Polish, Portuguese and others. */
const REPLY =
  /^(?:re|aw|antw|antwort|sv|vs|vá|odp|res|r|rif|ynt|bls|atb|απ|回复|回覆|答复|返信) ?(?:\[\d{1,3}\]|\(\d{1,3}\))? ?[:：]/iu;
const FORWARD =
  /^(?:fwd?|wg|vb|vl|vid|tr|rv|enc|pd|doorst|i|továbbítás|iltp|προωθ|转发|轉寄|転送) ?[:：]/iu;

/** @returns the subject with "Re: " before it, unless it is that of a reply already */
export function replySubject(subject: string): string {
  return withPrefix('Re:', REPLY, subject);
}

/** @returns the subject with "Fwd: " before it, unless it is that of a forwarded mail already */
export function forwardSubject(subject: string): string {
  return withPrefix('Fwd:', FORWARD, subject);
}

function withPrefix(prefix: string, present: RegExp, subject: string): string {
  const line = subject.replace(/[\r\n\0]+/g, ' ').trim();
  return present.test(line) ? line : `${prefix} ${line}`.trimEnd();
}
