/** The texts of the six mails that a shop sends in one language. */

export interface Phrases {
  /** BCP 47 tag. */
  language: string;
  direction: 'ltr' | 'rtl';
  brand: Brand;
  customer: { name: string; address: string };
  /** Other addresses that receive the newsletter. */
  readers: string[];
  greeting: string;
  signUp: Letter & { label: string; code: string; note: string };
  reset: Letter & { button: string; note: string };
  order: Letter & { columns: string[]; items: string[][]; total: string[]; button: string };
  invoice: Letter & {
    number: string;
    items: string[][];
    total: string[];
    /** The total with the ISO 4217 code, for the PDF file. */
    amount: string;
    file: string;
    button: string;
  };
  newsletter: Letter & {
    picture: string;
    stories: { title: string; text: string }[];
    button: string;
    unsubscribe: string;
  };
  notice: Letter & {
    kind: 'shipping' | 'appointment';
    when: string;
    where: string[];
    facts: string[][];
    event: string;
    file: string;
    button: string;
  };
}

interface Brand {
  name: string;
  /** The name in the letters of the standard fonts of PDF. */
  latinName: string;
  domain: string;
  color: string;
  foot: string;
}

interface Letter {
  sender: string;
  subject: string;
  heading: string;
  intro: string;
}
