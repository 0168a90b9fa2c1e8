it('signs up with the code of the mail', () => {
  cy.createMailbox({ expiresIn: 300 }).then(({ name, address }) => {
    cy.visit('/');
    cy.get('[name=email]').type(`${address}{enter}`);
    cy.waitForCode(name).then((code) => cy.get('[name=code]').type(`${code}{enter}`));
    cy.contains('h1', 'Welcome');
  });
});
