/** Sample mails of a workspace of testers. */
import { designed } from './mail-design.ts';

export interface SampleMail {
  /** Mailbox, with an optional `+tag`. */
  to: string;
  from: string;
  fromName: string;
  subject: string;
  text: string;
  html?: string;
  attachment?: { filename: string; contentType: string; bytes: number };
  /** Age that the pictures show. */
  minutesAgo: number;
}

const HARBOUR = {
  brand: 'Harbour',
  colour: '#0f5fb8',
  foot: 'Harbour Ltd, 12 Quay Street &middot; You get this because you signed up.',
};

export const sampleMails: SampleMail[] = [
  {
    to: 'signup-flow',
    from: 'digest@fieldnotes.example',
    fromName: 'Field Notes',
    subject: 'The week in field notes: tides, otters and a new trail',
    text: 'This week: tides, otters and a new trail.',
    html: designed({
      brand: 'Field Notes',
      colour: '#8a4b12',
      heading: 'Tides, otters and a new trail',
      body: '<p>The northern path opens on Saturday.</p><img src="https://cdn.fieldnotes.example/trail.jpg" width="448" height="200" alt="The trail">',
      foot: 'Field Notes &middot; every Friday',
    }),
    minutesAgo: 1130,
  },
  {
    to: 'signup-flow',
    from: 'ci@builds.example',
    fromName: 'Build 4182',
    subject: 'Failed: acceptance tests on main (2 of 318)',
    text: 'Build 4182 on main failed.\n\n  ✗ checkout › pays with a saved card\n  ✗ checkout › shows the receipt\n\n316 passed in 4 min 12 s.\nhttps://builds.example/4182\n',
    minutesAgo: 412,
  },
  {
    to: 'signup-flow+invoice',
    from: 'billing@harbour.example',
    fromName: 'Harbour Billing',
    subject: 'Your invoice for November: €48.00',
    text: 'Your invoice for November is attached. Total: EUR 48.00',
    html: designed({
      ...HARBOUR,
      heading: 'Your invoice for November',
      body: '<p>Thank you for being with us. The invoice is attached.</p><table><tr><td>Team plan, 4 seats</td><td>€40.00</td></tr><tr><td>Extra storage, 20 GB</td><td>€8.00</td></tr><tr class="total"><td>Total</td><td>€48.00</td></tr></table><a class="button" href="https://harbour.example/billing">See all invoices</a>',
    }),
    attachment: { filename: 'Invoice 2026-11.pdf', contentType: 'application/pdf', bytes: 84_211 },
    minutesAgo: 96,
  },
  {
    to: 'signup-flow',
    from: 'maya@harbour.example',
    fromName: 'Maya Lindqvist',
    subject: 'Re: Wording of the welcome mail',
    text: 'Looks good to me. Can we say "crew" instead of "team" in the second line?\n\nMaya\n',
    minutesAgo: 41,
  },
  {
    to: 'signup-flow+reset',
    from: 'security@harbour.example',
    fromName: 'Harbour Security',
    subject: 'Reset your password',
    text: 'Reset it here: https://harbour.example/reset/7c1f',
    html: designed({
      ...HARBOUR,
      heading: 'Reset your password',
      body: '<p>Somebody asked for a new password. The link works for 30 minutes.</p><a class="button" href="https://harbour.example/reset/7c1f">Choose a new password</a>',
    }),
    minutesAgo: 12,
  },
  {
    to: 'signup-flow+welcome',
    from: 'hello@harbour.example',
    fromName: 'Harbour',
    subject: '482 913 is your Harbour code',
    text: 'Welcome aboard. Your code is 482913.',
    html: designed({
      ...HARBOUR,
      heading: 'Welcome aboard',
      body: '<p>Enter this code to confirm your address. It is good for ten minutes.</p><div class="code">482913</div><p>Or follow the link; it does the same.</p><a class="button" href="https://harbour.example/confirm/482913">Confirm my address</a>',
    }),
    minutesAgo: 2,
  },
  ...['billing', 'newsletter', 'release-notes', 'support-inbox'].flatMap((to, box) =>
    Array.from({ length: [12, 5, 3, 27][box] ?? 1 }, (_, n) => ({
      to,
      from: 'noreply@harbour.example',
      fromName: 'Harbour',
      subject: `Notice ${n + 1}`,
      text: 'A notice.',
      minutesAgo: 60 + n,
    })),
  ),
];
