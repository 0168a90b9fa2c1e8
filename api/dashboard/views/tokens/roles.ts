import type { Role } from '../../rest/shapes.js';

export const roles: Record<Role, string> = {
  reader: 'May only read; for dashboards and monitors.',
  member: 'May do everything but manage tokens; for test suites and programs.',
  admin: 'May do everything, tokens included.',
};

export const roleNames = Object.keys(roles) as Role[];
