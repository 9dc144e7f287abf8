const projectScoped = new Set(['applications', 'applicationsets', 'logs', 'exec']);

const readonly = [
  'applications',
  'applicationsets',
  'certificates',
  'clusters',
  'repositories',
  'write-repositories',
  'projects',
  'accounts',
  'gpgkeys',
  'logs',
];

const admin: Record<string, readonly string[]> = {
  applications: ['create', 'update', 'update/*', 'delete', 'delete/*', 'sync', 'override', 'action/*'],
  applicationsets: ['get', 'create', 'update', 'delete'],
  certificates: ['create', 'update', 'delete'],
  clusters: ['create', 'update', 'delete'],
  repositories: ['create', 'update', 'delete'],
  'write-repositories': ['create', 'update', 'delete'],
  projects: ['create', 'update', 'delete'],
  accounts: ['update'],
  gpgkeys: ['create', 'delete'],
  exec: ['create'],
};

const rule = (role: string, resource: string, action: string) =>
  `p, role:${role}, ${resource}, ${action}, ${projectScoped.has(resource) ? '*/*' : '*'}, allow`;

/** The roles `role:readonly` and `role:admin` as Argo CD has them, and the admin account's role. */
export const builtinPolicy = [
  ...readonly.map((resource) => rule('readonly', resource, 'get')),
  ...Object.entries(admin).flatMap(([resource, actions]) => actions.map((action) => rule('admin', resource, action))),
  'g, role:admin, role:readonly',
  'g, admin, role:admin',
].join('\n');
