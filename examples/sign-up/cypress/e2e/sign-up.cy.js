/** @type {import('@mayfly/client').MailboxData} */
let inbox;

beforeEach(() => {
  cy.createMailbox({ expiresIn: 900 }).then((mailbox) => {
    inbox = mailbox;
  });
});
afterEach(() => {
  cy.deleteMailbox(inbox.name);
});

it('signs up with the code of the mail', () => {
  cy.visit('/');
  cy.get('[name=email]').type(`${inbox.address}{enter}`);
  cy.waitForCode(inbox.name).then((code) => cy.get('[name=code]').type(`${code}{enter}`));
  cy.contains('h1', 'Welcome');
});

it('takes the code that is sent again', () => {
  cy.visit('/');
  cy.get('[name=email]').type(`${inbox.address}{enter}`);
  cy.waitForCode(inbox.name); // the first mail is there
  cy.takeMark(inbox.name).then((mark) => {
    cy.contains('button', 'Send again').click();
    cy.contains('p', 'Another code');
    cy.waitForCode(inbox.name, { mark }).then((code) => {
      cy.get('[name=code]').type(`${code}{enter}`);
    });
  });
  cy.contains('h1', 'Welcome');
});
