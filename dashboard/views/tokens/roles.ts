import type { Role } from '../../rest/shapes.ts';

export const roles: Record<Role, string> = {
  reader: 'Read-only access. For dashboards and monitoring.',
  member: 'Full access, except that it cannot manage tokens. For test suites and programs.',
  admin: 'Full access, including managing tokens.',
};

export const roleNames = Object.keys(roles) as Role[];
