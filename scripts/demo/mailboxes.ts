/** The mailboxes of the demo, and which mail goes where. */
import { languages } from './languages/all.ts';
import { type MailKind, type DemoMail, kinds, mailOf } from './mails.ts';
import type { Phrases } from './phrases.ts';

interface MailboxPlan {
  name: string;
  labels: Record<string, string>;
  /** Seconds. */
  expiresIn?: number;
}

const RUN = { run: 'gh-4182', branch: 'new-checkout' };

/** Lists show the last one first. */
export const mailboxes: MailboxPlan[] = [
  { name: 'gh-4182-worker-2', labels: { ...RUN, worker: '2' }, expiresIn: 4 * 3600 },
  { name: 'gh-4182-worker-1', labels: { ...RUN, worker: '1' }, expiresIn: 4 * 3600 },
  { name: 'appointments', labels: { app: 'calendar', env: 'staging' } },
  { name: 'deliveries', labels: { app: 'shipping', env: 'staging' } },
  { name: 'newsletter', labels: { app: 'campaigns', env: 'staging' } },
  { name: 'storefront', labels: { app: 'shop', env: 'staging' } },
  { name: 'billing', labels: { app: 'shop', env: 'staging' } },
  { name: 'accounts', labels: { app: 'identity', env: 'staging' } },
  { name: 'signup', labels: { app: 'identity', env: 'staging' } },
];

/** The mailboxes whose credentials send. They catch the mail to other domains. */
export const applications = ['storefront', 'newsletter'] as const;

export interface Planned {
  mail: DemoMail;
  /** Null for a mail that the mailbox of its recipient sends over REST. */
  application: (typeof applications)[number] | null;
  /** Addresses, or a mailbox with an optional tag. */
  to: string[];
  cc?: string[];
  bcc?: string[];
}

/** All mails, in the order of sending. */
export function plannedMails(): Planned[] {
  return kinds.flatMap((kind) =>
    languages.map((phrases, index) => ({
      mail: mailOf(phrases, kind),
      application: 'storefront' as const,
      ...routes[kind](phrases, index),
    })),
  );
}

type Route = Omit<Planned, 'mail' | 'application'> & Partial<Pick<Planned, 'application'>>;

const PLATFORMS = ['web', 'ios', 'android'];
const RESET_MAILBOXES = ['accounts', 'gh-4182-worker-1', 'gh-4182-worker-2'];

const routes: Record<MailKind, (phrases: Phrases, index: number) => Route> = {
  signUp: (_phrases, index) => ({ to: [`signup+${PLATFORMS[index % 3] ?? ''}`] }),
  reset: (_phrases, index) => ({ to: [RESET_MAILBOXES[index % 3] ?? ''] }),
  order: ({ language, customer }) => ({
    to: [customer.address],
    ...(language === 'en' && { cc: ['billing+orders'] }),
  }),
  invoice: ({ language, customer }) => ({
    to: ['billing+invoices'],
    ...(language === 'pt' && { cc: [customer.address] }),
  }),
  newsletter: ({ customer, readers }) => ({
    ...{ application: 'newsletter', to: [customer.address], bcc: readers },
  }),
  notice: ({ language, notice: { kind } }) =>
    kind === 'shipping'
      ? { to: [`deliveries+${language}`] }
      : { application: null, to: [`appointments+${language}`] },
};
