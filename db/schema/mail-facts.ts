/** What the columns of JSON hold of a mail. The parser returns the same types. */

/** An address of a header field, with its display name. */
export interface Person {
  address: string;
  name: string | null;
}

/** Facts that summaries show and searches compare. They have bounded sizes. */
export interface MessageFacts {
  /** Time of the Date field, ISO 8601 in UTC. */
  date: string | null;
  sender: Person | null;
  /** Message-IDs have angle brackets. */
  inReplyTo: string | null;
  threadId: string | null;
  replyTo: Person[];
  /** Keyword of RFC 3834 section 5, in lower case. */
  autoSubmitted: string | null;
  /** Identifier of RFC 2919, without angle brackets. */
  listId: string | null;
  /** Of the field X-Tags. Absent if none. */
  tags?: string[];
}

/** Facts that whole messages show. */
export interface MailDetails {
  references: string[];
  to: Person[];
  cc: Person[];
  bcc: Person[];
  /** Those of each attachment, by position. */
  attachments: AttachmentFacts[];
  report: Report | null;
  event: CalendarEvent | null;
}

/** A report about another mail. */
export interface Report {
  kind: 'bounce' | 'receipt' | 'feedback';
  recipients: ReportRecipient[];
}

/** What a report says of a recipient; each is null if it does not say it. */
export interface ReportRecipient {
  address: string | null;
  /** In lower case: an action, a disposition, or a type of feedback. */
  action: string | null;
  /** RFC 3463. */
  status: string | null;
  diagnostic: string | null;
}

/** The event of an attached calendar. */
export interface CalendarEvent {
  /** In upper case, such as REQUEST. */
  method: string | null;
  summary: string | null;
  /**
   * ISO 8601: in UTC, or a date of a whole day, or without offset if the calendar names no zone
   * that it defines or the IANA database has.
   */
  start: string | null;
  end: string | null;
  organizer: Person | null;
}

export interface AttachmentFacts {
  /** Value of Content-Disposition (RFC 2183), in lower case. */
  disposition: string | null;
  /** Shown in the body: its disposition is `inline`, or the HTML refers to it. */
  isInline: boolean;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Parameter `charset` of Content-Type. */
  charset: string | null;
  /** Parameter `method` of a calendar (RFC 5546 section 1.4), in upper case. */
  method: string | null;
  /** Content-Description (RFC 2045 section 8). */
  description: string | null;
  /** URLs by which the HTML shows the part without naming its Content-ID. Absent if none. */
  urls?: string[];
}
