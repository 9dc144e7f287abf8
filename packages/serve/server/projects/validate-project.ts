import { isDeepStrictEqual } from 'node:util';
import type { AppProject, ProjectRole } from '@tiphys/api';
import { windowProblem } from '@tiphys/applications';
import { isGlob } from '@tiphys/glob';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';

const exists = (message: string) => new RpcError(Code.AlreadyExists, message);

/** Throws, with Argo CD's words, for a project that may not be stored. */
export function validateProject(project: AppProject): void {
  const { spec } = project;
  assertDestinations(project);
  assertDistinct(spec.sourceNamespaces ?? [], (item) => `source namespace '${item}' already added`);
  for (const repo of spec.sourceRepos ?? [])
    if (repo === '!*') throw invalidArgument("source repository has an invalid format, '!*'");
  assertDistinct(spec.sourceRepos ?? [], (item) => `source repository '${item}' already added`);
  const roles = new Set<string>();
  for (const role of spec.roles ?? []) {
    if (roles.has(role.name)) throw exists(`role '${role.name}' already exists`);
    roles.add(role.name);
    assertRole(project.metadata.name as string, role);
  }
  assertWindows(project);
}

function assertDestinations({ spec }: AppProject): void {
  const seen = new Set<string>();
  for (const { name = '', server = '', namespace = '' } of spec.destinations ?? []) {
    for (const [field, value] of Object.entries({ name, server, namespace }))
      if (value === '!*') throw invalidArgument(`${field} has an invalid format, '!*'`);
    const key = `${server || name}/${namespace}`;
    if (seen.has(key)) throw invalidArgument(`destination '${key}' already added`);
    seen.add(key);
  }
  const accounts = new Set<string>();
  for (const { server, namespace = '', defaultServiceAccount = '' } of spec.destinationServiceAccounts ?? []) {
    if (server.includes('!') || !isGlob(server)) throw invalidArgument(`server has an invalid format, '${server}'`);
    if (namespace.includes('!') || !isGlob(namespace))
      throw invalidArgument(`namespace has an invalid format, '${namespace}'`);
    if (defaultServiceAccount.trim() === '' || /[!*[\]{}\\/]/.test(defaultServiceAccount))
      throw invalidArgument(`defaultServiceAccount has an invalid format, '${defaultServiceAccount}'`);
    const key = `${server}/${namespace}`;
    if (accounts.has(key)) throw invalidArgument(`destinationServiceAccount '${key}' already added`);
    accounts.add(key);
  }
}

function assertDistinct(items: readonly string[], words: (item: string) => string): void {
  const seen = new Set<string>();
  for (const item of items) {
    if (seen.has(item)) throw invalidArgument(words(item));
    seen.add(item);
  }
}

function assertRole(project: string, role: ProjectRole): void {
  if (!/^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/.test(role.name))
    throw invalidArgument(
      `invalid role name '${role.name}'. Must consist of alphanumeric characters, '-' or '_', and must start and end with an alphanumeric character`,
    );
  const policies = new Set<string>();
  for (const policy of role.policies ?? []) {
    if (policies.has(policy)) throw exists(`policy '${policy}' already exists for role '${role.name}'`);
    policies.add(policy);
    assertPolicy(project, role.name, policy);
  }
  const groups = new Set<string>();
  for (const group of role.groups ?? []) {
    if (groups.has(group)) throw exists(`group '${group}' already exists for role '${role.name}'`);
    groups.add(group);
    assertGroup(group);
  }
}

/** A name with a comma must be quoted, since it becomes a field of a policy line. */
function assertGroup(group: string): void {
  const trimmed = group.trim();
  const quoted = /^".*"$/s.test(trimmed) && trimmed.length > 1;
  const name = quoted ? trimmed.slice(1, -1) : trimmed;
  if (!quoted && name.includes(',')) throw invalidArgument(`group '${name}' must be quoted`);
  if (name === '') throw invalidArgument(`group '${name}' is empty`);
  if (/["\n\r\t]/.test(name)) throw invalidArgument(`group '${name}' contains invalid characters`);
  if (/^\s/.test(group)) throw invalidArgument(`group '${name}' contains a leading space`);
  if (/\s$/.test(group)) throw invalidArgument(`group '${name}' contains a trailing space`);
}

const resources = ['applications', 'applicationsets', 'repositories', 'clusters', 'logs', 'exec'];
const actions = /^(?:get|create|update|delete|sync|override|\*)$|(?:action|update|delete)\//;

/** A policy of a role speaks of that role alone, and of objects of that project. */
function assertPolicy(project: string, role: string, policy: string): void {
  const refuse = (reason: string) => invalidArgument(`invalid policy rule '${policy}': ${reason}`);
  const fields = policy.split(',').map((field) => field.replace(/^ +|(?<! ) +$/g, ''));
  if (fields[0] !== 'p' || fields.length !== 6) throw refuse("must be of the form: 'p, sub, res, act, obj, eft'");
  const [, subject = '', resource = '', action = '', object = '', effect = ''] = fields;
  if (subject !== `proj:${project}:${role}`)
    throw refuse(`policy subject must be: 'proj:${project}:${role}', not '${subject}'`);
  if (!resources.includes(resource))
    throw refuse(
      `project resource must be: 'applications', 'applicationsets', 'repositories', 'exec', 'logs' or 'clusters', not '${resource}'`,
    );
  if (!actions.test(action)) throw refuse(`invalid action '${action}'`);
  if (!new RegExp(`^${RegExp.escape(project)}(?:/[*\\w.-]+)?/[*\\w.-]+$`).test(object))
    throw refuse(
      `object must be of form '${project}/*', '${project}[/<NAMESPACE>]/<APPNAME>' or '${project}/<APPNAME>', not '${object}'`,
    );
  if (effect !== 'allow' && effect !== 'deny') throw refuse(`effect must be: 'allow' or 'deny'`);
}

function assertWindows({ spec }: AppProject): void {
  const seen: unknown[] = [];
  for (const window of spec.syncWindows ?? []) {
    const { manualSync: _manual, description: _description, syncOverrun: _overrun, ...identity } = window;
    if (seen.some((other) => isDeepStrictEqual(other, identity)))
      throw exists(
        `sync window with kind '${window.kind}', schedule '${window.schedule}', and duration '${window.duration}' already exists`,
      );
    seen.push(identity);
    const problem = windowProblem(window);
    if (problem) throw new RpcError(Code.Unknown, `error validating project: ${problem}`);
    if (!window.applications?.length && !window.namespaces?.length && !window.clusters?.length)
      throw new RpcError(
        Code.OutOfRange,
        `window '${window.kind}':'${window.schedule}':'${window.duration}' requires one of application, cluster or namespace`,
      );
  }
}
