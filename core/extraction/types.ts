/** The shapes of an extraction: what is read, and what is found. */

/** The parts of a mail that extraction reads. */
export interface ExtractionInput {
  subject: string;
  text: string | null;
  html: string | null;
  /** Address of the From header. */
  from: string;
  /** Values of the header fields List-Unsubscribe and List-Unsubscribe-Post; null if absent. */
  listUnsubscribe: string | null;
  listUnsubscribePost: string | null;
}

/** One piece of evidence; weights add up to a confidence. */
export interface Reason {
  rule: string;
  detail: string;
  weight: number;
}

export type CodeSource = 'html' | 'text' | 'subject';

export interface Code {
  value: string;
  /** As the mail shows it. */
  display: string;
  /** 0 to 1, two places. */
  confidence: number;
  source: CodeSource;
  /** The surrounding text. */
  context: string;
  reasons: Reason[];
}

export type Objection =
  | 'address'
  | 'url'
  | 'phone'
  | 'date'
  | 'time'
  | 'amount'
  | 'percentage'
  | 'version'
  | 'colour'
  | 'postalCode'
  | 'reference'
  | 'year'
  | 'quoted'
  | 'footer'
  | 'keyword';

export interface Rejected {
  value: string;
  reason: Objection;
}

/** Kinds of which the main link of a mail is chosen. */
export const ACTION_KINDS = ['verify', 'signIn', 'reset', 'invite'] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

export type LinkKind =
  ActionKind | 'unsubscribe' | 'preferences' | 'viewOnline' | 'legal' | 'social' | 'other';

export interface Link {
  url: string;
  text: string;
  kind: LinkKind;
  /** 0 to 1, two places. */
  confidence: number;
  source: CodeSource | 'jsonld';
  /** Whether the registrable domain equals that of the From address. */
  sameDomain: boolean;
  reasons: Reason[];
}

export type UnsubscribeProblem = 'one_click_without_https' | 'bad_syntax';

export interface Unsubscribe {
  /** HTTP and HTTPS URLs of List-Unsubscribe. */
  header: string[];
  /** `mailto:` URIs of List-Unsubscribe. */
  mailto: string[];
  /** Whether List-Unsubscribe-Post asks for one-click (RFC 8058). */
  oneClick: boolean;
  /** URLs of the links of kind `unsubscribe`. */
  body: string[];
  problems: UnsubscribeProblem[];
}

export interface Extraction {
  /** Version of the rules. */
  version: number;
  code: string | null;
  link: string | null;
  codes: Code[];
  rejected: Rejected[];
  links: Link[];
  unsubscribe: Unsubscribe;
  /** The text of the author, without quoted mails and signature. */
  replyText: string;
  /** Whether a part or a list was cut at a limit. */
  truncated: boolean;
}
