import type { Role } from '../../rest/shapes.js';

export const roles: Record<Role, string> = {
  reader: 'Read-only access, for dashboards and monitors.',
  member: 'Full access except for managing tokens, for test suites and programs.',
  admin: 'Full access, including managing tokens.',
};

export const roleNames = Object.keys(roles) as Role[];
