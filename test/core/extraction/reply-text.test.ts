import { expect } from 'chai';
import { findReply } from '../../../core/extraction/reply/reply-text.ts';

const textOf = (text: string) => findReply({ text, html: null }).text;
const pageOf = (html: string) => findReply({ text: null, html }).text;

/** What clients write above the quoted lines. */
const ATTRIBUTIONS: Record<string, string> = {
  'Gmail, English': 'On Thu, Nov 26, 2026 at 12:50 PM Ann Acme <ann@shop.example> wrote:',
  'Gmail, wrapped': 'On Thu, Nov 26, 2026 at 12:50 PM Ann Acme <\nann@shop.example> wrote:',
  'Gmail, German': 'Am Do., 26. Nov. 2026 um 12:50 Uhr schrieb Ann Acme <\nann@shop.example>:',
  'Gmail, French': 'Le jeu. 26 nov. 2026 à 12:50, Ann Acme <ann@shop.example> a écrit :',
  'Gmail, Spanish': 'El jue, 26 nov 2026 a las 12:50, Ann Acme (<ann@shop.example>) escribió:',
  'Gmail, Portuguese':
    'Em qui., 26 de nov. de 2026 às 12:50, Ann Acme <\nann@shop.example> escreveu:',
  'Gmail, Italian':
    'Il giorno gio 26 nov 2026 alle ore 12:50 Ann Acme <\nann@shop.example> ha scritto:',
  'Gmail, Dutch': 'Op do 26 nov 2026 om 12:50 schreef Ann Acme <ann@shop.example>:',
  'Gmail, Swedish': 'Den tors 26 nov. 2026 kl 12:50 skrev Ann Acme <ann@shop.example>:',
  'Gmail, Norwegian': 'tor. 26. nov. 2026 kl. 12:50 skrev Ann Acme <ann@shop.example\n>:',
  'Gmail, Finnish': 'to 26. marrask. 2026 klo 12.50 Ann Acme (ann@shop.example) kirjoitti:',
  'Gmail, Polish': 'czw., 26 lis 2026 o 12:50 Ann Acme <ann@shop.example> napisał(a):',
  'Gmail, Czech': 'čt 26. 11. 2026 v 12:50 odesílatel Ann Acme <ann@shop.example> napsal:',
  'Gmail, Turkish': 'Ann Acme <ann@shop.example>, 26 Kas 2026 Per, 12:50 tarihinde şunu yazdı:',
  'Gmail, Russian': 'чт, 26 нояб. 2026 г. в 12:50, Ann Acme <ann@shop.example>:',
  'Gmail, Ukrainian': 'чт, 26 лист. 2026 р. о 12:50 Ann Acme <ann@shop.example> пише:',
  'Gmail, Japanese': '2026年11月26日(木) 12:50 Ann Acme <ann@shop.example>:',
  'Gmail, Chinese': 'Ann Acme <ann@shop.example> 于2026年11月26日周四 12:50写道：',
  'Gmail, Korean': '2026년 11월 26일 (목) 오후 12:50, Ann Acme <ann@shop.example>님이 작성:',
  'Gmail, Hebrew':
    '\u202bבתאריך יום ה׳, 26 בנוב׳ 2026 ב-12:50 מאת \u202aAnn Acme\u202c\u200f <\u202aann@shop.example\u202c\u200f>:\u202c',
  Thunderbird: 'On 11/26/26 12:50, Ann Acme wrote:',
  'Thunderbird, German': 'Am 26.11.26 um 12:50 schrieb Ann Acme:',
  AOL: 'In a message dated 11/26/2026 12:50:12 PM Eastern Standard Time, ann@shop.example writes:',
  mutt: '* Ann Acme <ann@shop.example> [2026-11-26 12:50]:',
  Zoho: '---- On Thu, 26 Nov 2026 12:50:12 +0100 Ann <ann@shop.example> wrote ----',
};

const fields = (from: string, sent: string, to: string, subject: string) =>
  `${from}: Ann Acme <ann@shop.example>\n${sent}: 26.11.2026 12:50\n${to}: me@box.example\n${subject}: Hello`;

/** What clients write above text that has no marks. */
const FIELDS: Record<string, string> = {
  Outlook: fields('From', 'Sent', 'To', 'Subject'),
  'Outlook, with a rule': `${'_'.repeat(32)}\n${fields('From', 'Sent', 'To', 'Subject')}`,
  'Outlook, bold': fields('*From*', '*Sent*', '*To*', '*Subject*'),
  'Outlook, German': fields('Von', 'Gesendet', 'An', 'Betreff'),
  'Outlook, French': fields('De ', 'Envoyé ', 'À ', 'Objet '),
  'Outlook, Spanish': fields('De', 'Enviado', 'Para', 'Asunto'),
  'Outlook, Italian': fields('Da', 'Inviato', 'A', 'Oggetto'),
  'Outlook, Dutch': fields('Van', 'Verzonden', 'Aan', 'Onderwerp'),
  'Outlook, Danish': fields('Fra', 'Sendt', 'Til', 'Emne'),
  'Outlook, Russian': fields('От', 'Отправлено', 'Кому', 'Тема'),
  'Outlook, Japanese': fields('差出人', '送信日時', '宛先', '件名'),
  'Outlook, Chinese': fields('发件人', '发送时间', '收件人', '主题'),
  'Outlook, old': `-----Original Message-----\n${fields('From', 'Sent', 'To', 'Subject')}`,
  'Outlook, old, German': `-----Ursprüngliche Nachricht-----\n${fields('Von', 'Gesendet', 'An', 'Betreff')}`,
  'Gmail, forwarded': `---------- Forwarded message ---------\n${fields('From', 'Date', 'To', 'Subject')}`,
  'Apple Mail, forwarded': `Begin forwarded message:\n\n${fields('From', 'Date', 'To', 'Subject')}`,
  Yahoo: 'On Thursday, November 26, 2026 at 12:50:12 PM GMT+1, Ann <ann@shop.example> wrote:',
  'Proton Mail':
    '------- Original Message -------\nOn Thursday, November 26th, 2026 at 12:50, Ann <ann@shop.example> wrote:',
  GroupWise: '>>> Ann Acme <ann@shop.example> 11/26/2026 12:50 >>>',
};

describe('the text of a reply', () => {
  for (const [client, attribution] of Object.entries(ATTRIBUTIONS)) {
    it(`ends above the quoted lines: ${client}`, () => {
      expect(textOf(`Thanks!\n\nBye\n\n${attribution}\n\n> Hello\n> again\n`)).to.equal(
        'Thanks!\n\nBye',
      );
      expect(textOf(`Thanks!\n${attribution}\n> Hello\n`)).to.equal('Thanks!');
      expect(textOf(`${attribution}\n> Hello\n\nBelow.\n`)).to.equal('Below.');
    });
  }

  for (const [client, head] of Object.entries(FIELDS)) {
    it(`ends above a mail without marks: ${client}`, () => {
      expect(textOf(`Thanks!\n\n${head}\n\nHello\nagain\n`)).to.equal('Thanks!');
    });
  }

  it('has each answer between quotes, and no quote', () => {
    const head = ATTRIBUTIONS['Gmail, English'] ?? '';
    expect(
      textOf(`Hi Ann,\n\n${head}\n> One?\nYes.\n\n> Two?\n>> Three?\n\nNo.\nNever.\n> Four?\n`),
    ).to.equal('Hi Ann,\n\nYes.\n\nNo.\nNever.');
  });

  it('leaves out signatures, each above its quotes', () => {
    for (const signature of [
      '-- \nAnn Acme\nAcme Inc.',
      '--\nAnn',
      '—\nAnn',
      'Sent from my iPhone',
      'Get Outlook for iOS<https://aka.ms/o0ukef>',
      'Von meinem iPhone gesendet',
      'Envoyé de mon iPhone',
      'Enviado desde mi iPhone',
      'Inviato da iPhone',
      'Verstuurd vanaf mijn iPhone',
      'Skickat från min iPhone',
      'Wysłane z iPhone’a',
      'Отправлено с iPhone',
      'iPhoneから送信',
      '从我的iPhone发送',
      '나의 iPhone에서 보냄',
    ]) {
      expect(textOf(`Thanks!\n\n${signature}\n`), signature).to.equal('Thanks!');
      expect(
        textOf(`Thanks!\n\n${signature}\n\nOn 11/26/26 12:50, Ann wrote:\n> a\n\nEnd`),
      ).to.equal('Thanks!\n\nEnd');
    }
  });

  it('is the whole text of a mail that quotes nothing', () => {
    for (const text of [
      'On the other hand, we can wait.\nOn Monday we meet at 10:30.',
      'Please list these:\n- one\n- two',
      'From: Berlin\nI write to you.',
      'The price is > 100 and < 200.\n\n----\n\nTotal: 300',
      'All mails are sent from the main server.\n\nSent from my desk, which is easier.',
      'Wrote the tests: done.\n\nSee you at 10:30.',
      'Dates:\n2026-11-26 12:50:12\n26.11.2026 12:50',
    ]) {
      expect(textOf(text)).to.equal(text);
    }
    expect(findReply({ text: null, html: null })).to.deep.equal({ text: '', truncated: false });
    expect(findReply({ text: '> only\n> quotes', html: null }).text).to.equal('');
  });

  it('reads HTML by quotes and by the names that clients give to elements', () => {
    const gmail =
      '<div dir="ltr">Thanks!<div><br></div><div>Bye</div></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">Στις Πέμ 26 Νοε 2026 12:50 μ.μ. ο Ann:<br></div><blockquote class="gmail_quote"><div>Hello</div></blockquote></div>';
    expect(pageOf(gmail)).to.equal('Thanks!\n\nBye');
    const inline =
      '<div class="gmail_quote"><div class="gmail_attr">Ann:</div><blockquote>One?</blockquote><div>Yes.</div><blockquote>Two?</blockquote></div><p>No.</p>';
    expect(pageOf(inline)).to.equal('Yes.\n\nNo.');
    const outlook =
      '<p>Thanks!</p><div id="Signature">Ann</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>Od:</b> Ann<br></div><p>Hello</p>';
    expect(pageOf(outlook)).to.equal('Thanks!');
    const thunderbird =
      '<p>Thanks!</p><div class="moz-cite-prefix">Ann skrev:</div><blockquote type="cite">Hello</blockquote><div class="moz-signature">-- <br>Me</div>';
    expect(pageOf(thunderbird)).to.equal('Thanks!');
    expect(pageOf('<p>One<br>two</p><p>Three <b>four</b></p>')).to.equal('One\ntwo\n\nThree four');
  });

  it('is read from the text part if there is one', () => {
    expect(findReply({ text: 'Text.\n> a', html: '<p>Page.</p>' }).text).to.equal('Text.');
    expect(findReply({ text: ' \n', html: '<p>Page.</p>' }).text).to.equal('Page.');
  });

  it('takes time in proportion to the length of hostile text', () => {
    const MIB = 1024 * 1024;
    for (const part of [
      ...['\n', ' ', '>', 'a', '-', '--\n', '---\n\n', 'Ann wrote:\n', 'Ann wrote:\n\n', ':\n'],
      ...[
        'From: a\n',
        'From: a@b\nTo: c\n',
        '<a@b\n',
        '> a\nb\n',
        '_'.repeat(399),
        'a '.repeat(199),
      ],
      ...['On 26 Nov 2026\n', 'x@y 12:50 2026\n', '\n\n\nx', '-- \n'.repeat(20)],
    ]) {
      const text = part.repeat(Math.ceil(MIB / part.length));
      const began = process.cpuUsage();
      findReply({ text, html: null });
      findReply({ text: null, html: `<p>${text}` });
      const { user } = process.cpuUsage(began);
      expect(user / 1000, JSON.stringify(part.slice(0, 20))).to.be.below(2000);
    }
    expect(findReply({ text: 'x'.repeat(70_000), html: null })).to.deep.include({
      truncated: true,
    });
  });
});
