import { expect } from 'chai';
import { extractFrom, inBody } from './mail-parts.ts';

type Case = [what: string, text: string, code: string | null];

const TEXTS: Case[] = [
  ['a sentence', 'Your verification code is 482913.', '482913'],
  ['a keyword after the code', '482913 is your code for Shop.', '482913'],
  [
    'a line of its own',
    'Enter this code to sign in:\n\n  482913\n\nIt expires in 10 minutes.',
    '482913',
  ],
  ['two groups of digits', 'Your code is 482 913', '482913'],
  ['groups with a hyphen', 'Security code: 482-913', '482913'],
  ['spaced digits', 'Your login code:\n4 8 2 9 1 3', '482913'],
  ['four digits that look like a year', 'Your code is 2026', '2026'],
  ['eight digits', 'Use passcode 83920174 to continue.', '83920174'],
  ['letters and digits', 'Your verification code: X7K9Q2', 'X7K9Q2'],
  ['a hyphen between letters and digits', 'Confirmation code: 2W6-1HZ', '2W6-1HZ'],
  ['letters only after a keyword', 'Your code is XKCDQW', 'XKCDQW'],
  ['an origin-bound line', 'Sign in to Shop\n\n@shop.example #918273', '918273'],
  ['letters with a hyphen after a keyword', 'Your login code: ABCD-EFGH', 'ABCD-EFGH'],
  ['letters with a hyphen on a line of their own', 'Your login code:\n\nABCD-EFGH', 'ABCD-EFGH'],
  ['a word and digits', 'Use PIN-482913 to sign in.', '482913'],
  ['two letters and digits', 'Your code is AB-4829', 'AB-4829'],
  ['a code with an unrelated percentage', 'Your code is 482913.\nSave 20% this week.', '482913'],
  ['zeros in front', 'Your code: 004211', '004211'],
  ['Arabic digits', 'رمز التحقق الخاص بك هو ٤٨٢٩١٣', '482913'],
  ['Devanagari digits', 'आपका सत्यापन कोड है: ४८२९१३', '482913'],
  ['full-width digits', '認証コード：４８２９１３', '482913'],
  ['an invisible character inside', 'Your code is 482\u200b913', '482913'],
  ['three groups of letters and digits', 'Your Acme login code is: K7-QP-2M.', 'K7-QP-2M'],
  [
    'the number of another thing before it',
    'Your OTP for transaction of INR 4,829.00 at SHOP on card ending 1130 is 660214. Valid for 10 mins.',
    '660214',
  ],
  ['the factor that it is for', 'Use 123 456 as your two-factor code.', '123456'],
  [
    'a word in capitals behind it',
    'Your code: 447121. Do NOT share this code. WARNING: we never ask for it.',
    '447121',
  ],
  ['capitals of the next sentence', 'Never share your code. ACME will never ask for it.', null],
  ['a code of a reference', 'Reference code: AC-60214', null],
  ['a code of a tax', 'VAT code: 482913', null],
  ['a code of a booking', 'Ihr Buchungscode: X7K2PQ', null],
  [
    'a promotion without a percentage',
    'Black Friday\n\nYour code: BF2026X\n\nSpend $50 and get $10 off.',
    null,
  ],
  ['an old code', 'Your new code is 660214. Your old code 482913 no longer works.', '660214'],
  ['an end of changes', 'Code freeze on 1130.', null],
  ['no code at all', 'Hello, see you tomorrow at the station.', null],
  ['an order', 'Your order 482913 has shipped.\nOrder number: 482913', null],
  ['an invoice with amounts', 'Invoice 2026-1042\nTotal: 1042.00 EUR\nPaid: $1042', null],
  ['a phone number', 'Call us: +49 30 123456 or (030) 123456', null],
  ['a time and a date', 'Meeting on 2026-11-22 at 10:30, room 4711', null],
  ['the name of a technique', 'Your 2FA code settings were changed. TOTP was removed.', null],
  ['a promotion', 'Use promo code SAVE2026 for 20% off.', null],
  ['a promotion by its percentage', 'Enter code WELCOME10 and get 10 % off.', null],
  ['a promotion of digits', 'Use code 482913 at checkout.', null],
  ['a promotion on lines of its own', '25% off everything\n\nYour code:\n\nSPRING25', null],
  ['a promotion before its name', '482913 is your discount code', null],
  ['a counted message', 'This is message number 19880 for you. Token 55cd', null],
  ['a number and the token of another value', 'Item 19880, token: 55cd', null],
  ['a number of lines', '19880 lines of code were changed.', null],
  ['words with a hyphen', 'The code of OPEN-SOURCE is free.', null],
  ['a postal code', 'Shop Inc., 1 Main St, San Francisco, CA 94107', null],
  ['a version', 'Version 10.0.19041 is out. Build 19041 fixes the code editor.', null],
  ['digits of an address', 'This mail was sent to user482913@shop.example', null],
  ['digits of a URL', 'See https://shop.example/items/482913?ref=991122', null],
  ['a quoted mail', 'No, I do not have it.\n> Your code is 482913', null],
  ['two codes alike', 'Your code is 482913.\nYour code is 771204.', null],
];

const LANGUAGES: [language: string, text: string][] = [
  ['en', 'Use the code below to sign in:\n\n482913'],
  ['de', 'Ihr Bestätigungscode lautet: 482913'],
  ['fr', 'Votre code de vérification est : 482913'],
  ['es', 'Tu código de verificación es 482913'],
  ['pt', 'Seu código de verificação é 482913'],
  ['it', 'Il tuo codice di verifica è 482913'],
  ['nl', 'Je verificatiecode is 482913'],
  ['sv', 'Din verifieringskod är 482913'],
  ['da', 'Din bekræftelseskode er 482913'],
  ['nb', 'Bekreftelseskoden din er 482913'],
  ['fi', 'Vahvistuskoodisi on 482913'],
  ['pl', 'Twój kod weryfikacyjny to 482913'],
  ['cs', 'Váš ověřovací kód je 482913'],
  ['sk', 'Váš overovací kód je 482913'],
  ['hu', 'Az ellenőrző kódod: 482913'],
  ['ro', 'Codul tău de verificare este 482913'],
  ['el', 'Ο κωδικός επαλήθευσης είναι 482913'],
  ['tr', 'Doğrulama kodunuz: 482913'],
  ['ru', 'Ваш код подтверждения: 482913'],
  ['uk', 'Ваш код підтвердження: 482913'],
  ['bg', 'Вашият код за потвърждение е 482913'],
  ['ar', 'رمز التحقق الخاص بك هو 482913'],
  ['he', 'קוד האימות שלך הוא 482913'],
  ['fa', 'کد تأیید شما: 482913'],
  ['hi', 'आपका सत्यापन कोड 482913 है'],
  ['th', 'รหัสยืนยันของคุณคือ482913'],
  ['vi', 'Mã xác minh của bạn là 482913'],
  ['id', 'Kode verifikasi Anda adalah 482913'],
  ['ja', '確認コードは482913です。'],
  ['ko', '인증 코드는 482913입니다.'],
  ['zh-Hans', '您的验证码是482913，10分钟内有效。'],
  ['zh-Hant', '您的驗證碼為482913，10分鐘內有效。'],
];

const PAGES: Case[] = [
  ['a heading', '<p>Your code</p><h1>482 913</h1>', '482913'],
  [
    'boxes in table cells',
    '<p>Your verification code:</p><table><tr><td>4</td><td>8</td><td>2</td><td>9</td><td>1</td><td>3</td></tr></table>',
    '482913',
  ],
  [
    'boxes in spans',
    '<p>Your verification code:</p><p><span>4</span> <span>8</span> <span>2</span> <span>9</span></p>',
    '4829',
  ],
  [
    'cells beside each other',
    '<table><tr><td>Code</td><td>842526</td><td>Dieser Code gilt 10 Minuten</td></tr></table>',
    '842526',
  ],
  ['entities', '<p>Your&nbsp;code&nbsp;is&nbsp;&#52;82913</p>', '482913'],
  [
    'emphasis around the code',
    '<p>Enter <b style="font-size:24px">482913</b> as your code.</p>',
    '482913',
  ],
  [
    'hidden text with another number',
    '<div style="display:none">Your code is 111222</div><p>Hello</p>',
    null,
  ],
  [
    'a size set again inside font-size:0',
    '<td style="font-size:0">x<span style="font-size:16px">Your code is 482913</span></td>',
    '482913',
  ],
  [
    'style and script',
    '<style>.a{color:#482913}</style><script>code=482913</script><p>Hello</p>',
    null,
  ],
  ['a quotation', '<p>No.</p><blockquote>Your code is 482913</blockquote>', null],
  [
    'an order table',
    '<table><tr><td>Order</td><td>482913</td></tr><tr><td>Total</td><td>1299</td></tr></table>',
    null,
  ],
];

describe('Codes in plain text', () => {
  for (const [what, text, code] of TEXTS) {
    it(`${code === null ? 'are not found in' : 'are found in'} ${what}`, () => {
      expect(extractFrom({ text }).code).to.equal(code);
    });
  }
});

describe('Codes in each listed language', () => {
  for (const [language, text] of LANGUAGES) {
    it(language, () => {
      const { code, codes } = extractFrom({ text });
      expect(code).to.equal('482913');
      expect(codes[0]?.reasons.map(({ rule }) => rule)).to.include.oneOf([
        'keyword_before',
        'keyword_after',
      ]);
    });
  }
});

const OTHER_LANGUAGES: [language: string, text: string][] = [
  ['et', 'Teie kinnituskood on 482913'],
  ['lt', 'Jūsų patvirtinimo kodas: 482913'],
  ['uz', 'Tasdiqlash kodingiz: 482913'],
  ['hr', 'Vaš kod je 482913'],
  ['ca', 'El vostre codi és 482913'],
  ['ka', 'თქვენი კოდი: 482913'],
];

describe('Codes in languages without keywords of their own', () => {
  for (const [language, text] of OTHER_LANGUAGES) {
    it(language, () => {
      expect(extractFrom({ text }).code).to.equal('482913');
    });
  }
});

describe('Codes in HTML', () => {
  for (const [what, body, code] of PAGES) {
    it(`${code === null ? 'are not found in' : 'are found in'} ${what}`, () => {
      expect(extractFrom({ html: inBody(body) }).code).to.equal(code);
    });
  }

  it('in HTML and text are one code', () => {
    const html = inBody('<p>Your code</p><h1>482 913</h1>');
    const { code, codes } = extractFrom({
      html,
      text: 'Your code: 482913',
      subject: '482913 is your code',
    });
    expect(code).to.equal('482913');
    expect(codes).to.have.length(1);
  });
});

describe('A code', () => {
  it('comes with its display form, context and reasons', () => {
    const { codes } = extractFrom({ html: inBody('<p>Your code is <b>482 913</b></p>') });
    const [code] = codes;
    expect(code).to.include({ value: '482913', display: '482 913', source: 'html' });
    expect(code?.context).to.equal('Your code is 482 913');
    expect(code?.reasons).to.deep.include({
      rule: 'keyword_before',
      detail: 'your code',
      weight: 0.45,
    });
    expect(code?.reasons.map(({ rule }) => rule)).to.include('emphasis');
  });

  it('is found in the subject alone', () => {
    const { code, codes } = extractFrom({
      subject: '482913 is your Shop verification code',
      text: 'Hello',
    });
    expect(code).to.equal('482913');
    expect(codes[0]?.source).to.equal('subject');
  });

  for (const [subject, value, display] of [
    ['660214 is your Acme code', '660214', '660214'],
    ['66021 is your Acme code', '66021', '66021'],
    ['66021 is your Acme confirmation code', '66021', '66021'],
    ['2026 is your Acme code', '2026', '2026'],
    ['G-660214 is your Google verification code', '660214', 'G-660214'],
    ['660214 ist dein Nordwind-Code', '660214', '660214'],
    ['660214 est votre code Acme', '660214', '660214'],
  ] as const) {
    it(`is found in the subject: ${subject}`, () => {
      const { code, codes } = extractFrom({ subject, text: 'Hello' });
      expect(code).to.equal(value);
      expect(codes).to.have.length(1);
      expect(codes[0]).to.include({ value, display });
    });
  }

  it('with the letter of its sender is one with that without it', () => {
    const text = 'G-660214 is your Google verification code. Enter 660214 to go on.';
    const { code, codes } = extractFrom({ text });
    expect(code).to.equal('660214');
    expect(codes).to.have.length(1);
  });

  it('with the letters of its sender is the digits alone, if the mail has them', () => {
    const subject = 'FB-55120 is your Facebook confirmation code';
    const { code, codes } = extractFrom({ subject, text: 'Enter this confirmation code: 55120' });
    expect(code).to.equal('55120');
    expect(codes).to.have.length(1);
  });

  it('is no number that counts the mails of a test', () => {
    const [subject, text] = ['Message number 19880', 'This is message number 19880. Token 55cd'];
    expect(extractFrom({ subject, text }).code).to.equal(null);
  });

  it('of a promotion is rejected as a reference', () => {
    const { rejected } = extractFrom({ text: 'Use code SAVE20 at checkout.' });
    expect(rejected).to.deep.include({ value: 'SAVE20', reason: 'reference' });
  });

  it('without a keyword of any language has a confidence of 0.75 at most', () => {
    const { codes } = extractFrom({
      html: inBody('<p>Lorem ipsum</p><h1>482913</h1><p>dolor</p>'),
    });
    expect(codes[0]?.confidence).to.be.within(0.3, 0.75);
  });

  for (const [text, value, reason] of [
    ['Call +49 30 4829130', '4829130', 'phone'],
    ['Order number: 482913', '482913', 'reference'],
    ['See https://shop.example/482913', '482913', 'url'],
    ['Since 2019 we build shops', '2019', 'year'],
    ['It costs $4829', '4829', 'amount'],
    ['Up by 1200%', '1200', 'percentage'],
    ['Mail a.4829@shop.example', '4829', 'address'],
    ['> Your code is 482913', '482913', 'quoted'],
  ] as const) {
    it(`is rejected as ${reason}: ${text}`, () => {
      expect(extractFrom({ text }).rejected).to.deep.include({ value, reason });
    });
  }

  it('is not in the list of rejected values', () => {
    const text = 'Your code is 482913.\nhttps://shop.example/verify?code=482913';
    const { code, rejected } = extractFrom({ text });
    expect(code).to.equal('482913');
    expect(rejected).to.deep.equal([]);
  });
});
