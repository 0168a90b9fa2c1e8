/**
 * Wordings of our own for kinds of mail that the public projects do not have: a code that precedes
 * its name, a code with the letter of its sender, a code of letters, and mails without a code whose
 * numbers and words look like one. No rule is made for a single one of them.
 */
import type { Sample } from '../sample.ts';
import { type Values, valuesFrom } from '../values.ts';

const SEED = 4517;
const REPEATS = 5;
const BRANDS = ['Acme', 'Blue Heron', 'Nordwind', 'Fjord & Co', 'Lumen', 'shop.example', 'Ásbyrgi'];

type Wording = [language: string, subject: string, text: string];

/** `{code}` is the code, `{brand}` a sender. */
const CODE_FIRST: Wording[] = [
  ['en', '{code} is your {brand} code', 'Hello,\n\nif this was not you, ignore this mail.'],
  ['en', '{code} is your {brand} confirmation code', 'Thanks for joining {brand}.'],
  ['en', '{code} is your {brand} verification code', 'See you soon.'],
  ['en', '[{brand}] {code} is your login code', 'The {brand} team'],
  ['en', '{code} is the code for your {brand} account', 'The {brand} team'],
  ['en', 'Welcome', 'Hi there,\n\n{code} is your {brand} sign-in code. It expires in ten minutes.'],
  ['en', 'Almost done', '{code} is your {brand} security code'],
  ['de', '{code} ist dein {brand}-Code', 'Viele Grüße\n{brand}'],
  ['de', '{code} ist Ihr Bestätigungscode für {brand}', 'Viele Grüße'],
  ['fr', '{code} est votre code {brand}', 'À bientôt'],
  ['es', '{code} es tu código de {brand}', 'Hasta pronto'],
  ['pt', '{code} é o seu código {brand}', 'Até logo'],
  ['it', '{code} è il tuo codice {brand}', 'A presto'],
  ['nl', '{code} is je {brand}-code', 'Tot snel'],
];

const PREFIXED: Wording[] = [
  ['en', '{code} is your {brand} verification code', 'Do not give it to anybody.'],
  ['en', 'Your {brand} code', 'Your {brand} verification code is {code}.'],
  ['en', 'Verify it is you', 'Enter this verification code:\n\n{code}\n\n{brand}'],
  ['de', 'Dein Bestätigungscode', '{code} ist dein Bestätigungscode für {brand}.'],
  ['fr', 'Votre code', '{code} est votre code de validation {brand}.'],
];

const LETTERS: Wording[] = [
  ['en', 'Sign in to {brand}', 'Your login code: {code}'],
  ['en', 'Sign in to {brand}', 'Your login code:\n\n{code}\n\nIt expires in 15 minutes.'],
  ['en', 'New device', 'Enter this code on your television to link it: {code}'],
  ['en', 'Your {brand} confirmation code: {code}', 'The {brand} team'],
  ['de', 'Anmeldung', 'Dein Anmeldecode: {code}'],
];

/** `{n}` is a number of five or six digits, `{hex}` a short token in lower case. */
const NOTHING: Wording[] = [
  ['en', 'Load test', 'This is message number {n}. Token {hex}'],
  ['en', 'Message number {n}', 'This is message number {n} of worker 3. Token {hex}'],
  ['en', 'Message {n}', 'message number {n} to you\n\nToken {hex}'],
  ['en', 'Run {n}', 'Mail {n} of the run. Token: {hex}'],
  ['en', 'Item {n} - token {hex}', 'Body of item {n}, sequence {n}, token {hex}.'],
  ['en', 'Build {n} passed', 'Build {n} passed in 48 s. The code is on the branch main.'],
  ['en', 'Report {n}', '{n} lines of code were changed in this sprint.'],
  ['en', 'Nightly job', '{n} rows were copied with token {hex}.'],
];

/** `{code}` is the code of a promotion. */
const PROMOTIONS: Wording[] = [
  ['en', 'A gift for you', 'Use code {code} at checkout and save.'],
  ['en', 'Summer sale', 'Get 20% off everything.\n\nYour code:\n\n{code}\n\nValid until Sunday.'],
  ['en', '25% off this weekend', 'Enter code {code} for 25% off your next order.'],
  ['en', '{code} is your discount code', 'Happy shopping with {brand}!'],
  ['en', 'Thank you', 'Here is a coupon: {code}. Your code is valid for one order.'],
  ['en', 'Free shipping', 'Free shipping with the code {code}, this week only.'],
  ['de', 'Nur heute', '15 % Rabatt mit dem Code {code} auf deine nächste Bestellung.'],
  ['fr', 'Soldes', 'Profitez de -30 % avec le code {code}.'],
  ['es', 'Para ti', 'Usa el código {code} y recibe un 10 % de descuento.'],
  ['it', 'Per te', 'Usa il codice {code} per uno sconto del 15 %.'],
  ['nl', 'Voor jou', 'Gebruik code {code} en krijg 10% korting.'],
];

export function wordingSamples(): Sample[] {
  const values = valuesFrom(SEED);
  const samples: Sample[] = [];
  for (let n = 0; n < REPEATS; n += 1) {
    for (const wording of CODE_FIRST) {
      for (const code of [values.code(), values.code().slice(0, 5)]) {
        samples.push(...codeSamples(wording, code, code, values));
      }
    }
    for (const wording of PREFIXED) {
      const code = values.code();
      samples.push(...codeSamples(wording, `G-${code}`, code, values));
    }
    for (const wording of LETTERS) {
      const code = `${capitals(values)}-${capitals(values)}`;
      samples.push(...codeSamples(wording, code, code, values));
    }
    for (const wording of NOTHING) {
      const counted = {
        n: String(10_000 + Number(values.code()) * 0.8).slice(0, 5),
        hex: hex(values),
      };
      samples.push(...nothingSamples(wording, { ...counted, code: '' }, values));
    }
    for (const wording of PROMOTIONS) {
      const code =
        n % 2 === 0 ? `${capitals(values)}${20 + n}` : capitals(values) + capitals(values);
      samples.push(...nothingSamples(wording, { n: '', hex: '', code }, values));
    }
  }
  return samples;
}

type Filled = Record<'code' | 'n' | 'hex', string>;

function codeSamples(wording: Wording, shown: string, code: string, values: Values): Sample[] {
  return samplesOf(wording, { code: shown, n: '', hex: '' }, values).map((sample) => {
    return { ...sample, code, asks: 'code' };
  });
}

function nothingSamples(wording: Wording, filled: Filled, values: Values): Sample[] {
  return samplesOf(wording, filled, values).map((sample) => ({ ...sample, asks: 'nothing' }));
}

/** As plain text, and as paragraphs of HTML. */
function samplesOf(
  [language, subject, text]: Wording,
  filled: Filled,
  values: Values,
): Omit<Sample, 'asks'>[] {
  const brand = BRANDS[Number(values.code()) % BRANDS.length] ?? '';
  const fill = (written: string) =>
    Object.entries({ ...filled, brand }).reduce(
      (filledIn, [name, value]) => filledIn.replaceAll(`{${name}}`, value),
      written,
    );
  const body = fill(text);
  const html = `<html><body>${body
    .split('\n\n')
    .map((paragraph) => `<p>${paragraph.replaceAll('&', '&amp;').replaceAll('\n', '<br>')}</p>`)
    .join('')}</body></html>`;
  const base = {
    ...{ project: 'wordings', language, subject: fill(subject), from: 'hello@acme.example' },
    ...{ code: null, link: null },
  };
  return [
    { ...base, layout: 'text', text: body, html: null },
    { ...base, layout: 'paragraphs', text: null, html },
  ];
}

const capitals = (values: Values) => {
  const letters = values
    .token(24)
    .replace(/[^A-Za-z]/g, '')
    .toUpperCase();
  return letters.slice(0, 4).padEnd(4, 'X');
};

const hex = (values: Values) => Number(values.code()).toString(16).slice(0, 4).padStart(4, 'a');
