/** A mail with a known answer. */
import { LISTED_LANGUAGES } from '../../core/extraction/vocabulary.ts';

export interface Sample {
  project: string;
  /** As the project names it, such as `pt_BR`. */
  language: string;
  layout: string;
  subject: string;
  text: string | null;
  html: string | null;
  from: string;
  code: string | null;
  /** Null where the mail has no link that asks for an action. */
  link: string | null;
  asks: 'code' | 'link' | 'nothing';
}

const OTHER_NAMES: Record<string, string> = { no: 'nb', nn: 'nb', zh: 'zh-Hans' };

/** Whether the language has keywords of its own. */
export function isListed(language: string): boolean {
  const [base = ''] = language.toLowerCase().split(/[-_]/);
  return LISTED_LANGUAGES.includes(OTHER_NAMES[base] ?? base);
}
