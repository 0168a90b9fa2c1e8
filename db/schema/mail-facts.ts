/** What the columns of JSON hold of a mail. */

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
  autoSubmitted: string | null;
  listId: string | null;
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
  recipients: {
    address: string | null;
    /** An action, a disposition, or a type of feedback, in lower case. */
    action: string | null;
    /** RFC 3463. */
    status: string | null;
    diagnostic: string | null;
  }[];
}

/** The event of an attached calendar. */
export interface CalendarEvent {
  method: string | null;
  summary: string | null;
  /** ISO 8601, with or without time and offset. */
  start: string | null;
  end: string | null;
  organizer: Person | null;
}

export interface AttachmentFacts {
  /** Value of Content-Disposition, in lower case. */
  disposition: string | null;
  /** Whether the attachment is shown in the body. */
  isInline: boolean;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Parameters of Content-Type. */
  charset: string | null;
  method: string | null;
  /** Content-Description. */
  description: string | null;
}
