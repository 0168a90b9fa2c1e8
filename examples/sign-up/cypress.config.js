import { mayflyTasks } from '@mayfly/client/cypress';

/** @type {Cypress.ConfigOptions} */
export default {
  e2e: {
    baseUrl: `http://127.0.0.1:${process.env.APP_PORT ?? '8080'}/`,
    setupNodeEvents: (on) => mayflyTasks(on),
  },
};
