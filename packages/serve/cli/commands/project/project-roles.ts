import type { AppProject } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { structured, table } from '../../terminal/output.ts';
import { outputFlag } from '../common/output-flag.ts';
import { secondsOf } from '../common/seconds.ts';
import { changeProject, projectPath, readProject, type Unchanged } from './change-project.ts';

type Role = NonNullable<AppProject['spec']['roles']>[number];

interface PolicyFlags {
  readonly action: string;
  readonly permission: string;
  readonly object: string;
  readonly resource: string;
}

const tokenUnreadable = defineDiagnosis('ProjectTokenUnreadable', 'The server gave a token that is no JSON Web Token');

/** `tiphys proj role …`: the verbs of `argocd proj role`. */
export function addProjectRoleCommands(parent: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const command = parent.command('role').description("Manage a project's roles");
  /** Changes a role; `said` is printed if the project was written. */
  const changeRole = async (
    own: Command,
    [project, name]: readonly [project: string, role: string],
    { edit, said }: { edit(role: Role): Unchanged | undefined; readonly said?: string },
  ) => {
    const written = await changeProject(own, surroundings, {
      name: project,
      edit: (spec) => edit(roleOf(spec, project, name)),
    });
    if (written && said) output.out(said);
  };

  command
    .command('list <project>')
    .description('List the roles of a project')
    .addOption(outputFlag(['wide', 'name', 'json', 'yaml']))
    .action(async (name: string, flags: { output: string }, own: Command) => {
      const { roles = [] } = (await readProject(own, surroundings, name)).spec;
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, roles));
      if (flags.output === 'name') return output.out(roles.map((role) => role.name).join('\n'));
      return output.out(
        table([['ROLE-NAME', 'DESCRIPTION'], ...roles.map((role) => [role.name, role.description ?? ''])]),
      );
    });

  command
    .command('get <project> <role>')
    .description('Show a role with its policies, groups and tokens')
    .action(async (name: string, role: string, _flags: object, own: Command) => {
      const project = await readProject(own, surroundings, name);
      output.out(describe(project, roleOf(project.spec, name, role)));
    });

  command
    .command('create <project> <role>')
    .description('Create a role')
    .option('--description <text>', 'What it is for', '')
    .action(async (project: string, role: string, flags: { description: string }, own: Command) => {
      const written = await changeProject(own, surroundings, {
        name: project,
        edit: (spec) => {
          if (spec.roles?.some(({ name }) => name === role))
            return { message: `Role '${role}' already exists`, fails: false };
          spec.roles = [...(spec.roles ?? []), { name: role, description: flags.description }];
          return undefined;
        },
      });
      if (written) output.out(`Role '${role}' created`);
    });

  command
    .command('delete <project> <role>')
    .description('Delete a role')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (project: string, role: string, _flags: object, own: Command) => {
      const written = await changeProject(own, surroundings, {
        name: project,
        edit: (spec) => {
          if (!spec.roles?.some(({ name }) => name === role))
            return { message: `Role '${role}' does not exist in project`, fails: false };
          spec.roles = spec.roles.filter(({ name }) => name !== role);
          return undefined;
        },
      });
      if (written) output.out(`Role '${role}' deleted`);
    });

  const policyVerb = (name: string, description: string) =>
    command
      .command(`${name} <project> <role>`)
      .description(description)
      .requiredOption('-a, --action <action>', 'get, create, update, delete, sync, override, action or *')
      .requiredOption('-o, --object <object>', 'Object inside of the project; * for all')
      .option('-p, --permission <effect>', 'allow or deny', 'allow')
      .option('-r, --resource <resource>', 'applications, applicationsets, logs, exec, …', 'applications');

  policyVerb('add-policy', 'Add a policy to a role').action(
    async (project: string, role: string, flags: PolicyFlags, own: Command) => {
      const policy = policyOf(project, role, flags);
      await changeRole(own, [project, role], {
        edit: (found) => {
          if (found.policies?.includes(policy)) return { message: `Policy '${policy}' already present`, fails: true };
          found.policies = [...(found.policies ?? []), policy];
          return undefined;
        },
      });
    },
  );

  policyVerb('remove-policy', 'Remove a policy from a role')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (project: string, role: string, flags: PolicyFlags, own: Command) => {
      const policy = policyOf(project, role, flags);
      await changeRole(own, [project, role], {
        edit: (found) => {
          if (!found.policies?.includes(policy)) return { message: `Policy '${policy}' does not exist`, fails: true };
          found.policies = found.policies.filter((item) => item !== policy);
          return undefined;
        },
      });
    });

  command
    .command('add-group <project> <role> <group>')
    .description('Let the members of a group of the identity provider have a role')
    .action((project: string, role: string, group: string, _flags: object, own: Command) =>
      changeRole(own, [project, role], {
        edit: (found) => {
          if (found.groups?.includes(group))
            return { message: `Group '${group}' already present in role '${role}'`, fails: false };
          found.groups = [...(found.groups ?? []), group];
          return undefined;
        },
        said: `Group '${group}' added to role '${role}'`,
      }),
    );

  command
    .command('remove-group <project> <role> <group>')
    .description('Let the members of a group have a role no longer')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action((project: string, role: string, group: string, _flags: object, own: Command) =>
      changeRole(own, [project, role], {
        edit: (found) => {
          if (!found.groups?.includes(group))
            return { message: `Group '${group}' not present in role '${role}'`, fails: false };
          found.groups = found.groups.filter((item) => item !== group);
          return undefined;
        },
        said: `Group '${group}' removed from role '${role}'`,
      }),
    );

  command
    .command('create-token <project> <role>')
    .alias('token-create')
    .description('Make a token of a role')
    .option('-e, --expires-in <duration>', 'How long it is valid (12h, 7d); for ever if absent', '0s')
    .option('-i, --id <id>', 'Identifier of the token; one at random if absent')
    .option('-t, --token-only', 'Print the token alone')
    .action(async (project: string, role: string, flags: TokenFlags, own: Command) => {
      const path = projectPath(project, `/roles/${encodeURIComponent(role)}/token`);
      const { token } = await sessionOf(own, surroundings).request<{ token: string }>('POST', path, {
        body: { project, role, expiresIn: secondsOf(own, flags.expiresIn), id: flags.id },
      });
      if (flags.tokenOnly) return output.out(token);
      const { jti, iat, exp } = claimsOf(token);
      return output.out(
        [
          `Create token succeeded for proj:${project}:${role}.`,
          `  ID: ${jti ?? ''}`,
          `  Issued At: ${timeOf(iat)}`,
          `  Expires At: ${exp ? timeOf(exp) : 'Never'}`,
          `  Token: ${token}`,
        ].join('\n'),
      );
    });

  command
    .command('list-tokens <project> <role>')
    .aliases(['list-token', 'token-list'])
    .description('List the tokens of a role')
    .option('-u, --unixtime', 'Times as seconds since 1970')
    .action(async (name: string, role: string, flags: { unixtime?: boolean }, own: Command) => {
      const project = await readProject(own, surroundings, name);
      const tokens = tokensOf(project, roleOf(project.spec, name, role));
      if (tokens.length === 0) return output.out(`No tokens for ${name}.${role}`);
      const time = (value: number | undefined) =>
        flags.unixtime ? String(value ?? 0) : value ? timeOf(value) : 'Never';
      return output.out(
        table([
          ['ID', 'ISSUED AT', 'EXPIRES AT'],
          ...tokens.map(({ id, iat, exp }) => [id ?? '', time(iat), time(exp)]),
        ]),
      );
    });

  command
    .command('delete-token <project> <role> <issued-at>')
    .aliases(['token-delete', 'remove-token'])
    .description('Delete a token of a role, by when it was issued (seconds since 1970)')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (project: string, role: string, issuedAt: string, _flags: object, own: Command) => {
      if (!/^\d+$/.test(issuedAt)) return own.error(`error: ${issuedAt} is no time in seconds: see list-tokens -u`);
      const path = projectPath(project, `/roles/${encodeURIComponent(role)}/token/${issuedAt}`);
      return void (await sessionOf(own, surroundings).request('DELETE', path));
    });

  function roleOf(spec: AppProject['spec'], project: string, name: string): Role {
    const role = spec.roles?.find((one) => one.name === name);
    if (role) return role;
    output.error(`role '${name}' does not exist in project '${project}'`);
    throw new Exit(exitCodes.generic);
  }
}

interface TokenFlags {
  readonly expiresIn: string;
  readonly id?: string;
  readonly tokenOnly?: boolean;
}

function policyOf(project: string, role: string, { action, permission, object, resource }: PolicyFlags): string {
  return `p, proj:${project}:${role}, ${resource}, ${action}, ${project}/${object}, ${permission}`;
}

/** Since 2.0 tokens are recorded in the status; projects that are older have them in the role. */
function tokensOf({ status }: AppProject, role: Role): NonNullable<Role['jwtTokens']> {
  return status?.jwtTokensByRole?.[role.name]?.items ?? role.jwtTokens ?? [];
}

function claimsOf(token: string): { jti?: string; iat: number; exp?: number } {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as never;
  } catch (error) {
    throw failure(tokenUnreadable, { message: 'The claims of the token cannot be read' }, { cause: error });
  }
}

function timeOf(value: number): string {
  return new Date(value * 1000).toISOString().replace('.000Z', 'Z');
}

function describe(project: AppProject, role: Role): string {
  const tokens = tokensOf(project, role);
  const list = (items: readonly string[]) => (items.length === 0 ? '<none>' : items.join('\n'));
  return [
    table([
      ['Role Name:', role.name],
      ['Description:', role.description ?? ''],
    ]),
    'Policies:',
    list(role.policies ?? []),
    'Groups:',
    list((role.groups ?? []).map((group) => `  - ${group}`)),
    'JWT Tokens:',
    table([
      ['ID', 'ISSUED-AT', 'EXPIRES-AT'],
      ...tokens.map(({ iat, exp }) => [String(iat), timeOf(iat), exp ? timeOf(exp) : '<none>']),
    ]),
  ].join('\n');
}
