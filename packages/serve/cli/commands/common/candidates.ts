import type { Application, AppProject } from '@tiphys/api';
import type { Command } from 'commander';
import type { ApiSession } from '../../client/api-session.ts';
import { ApplicationApi, parseApplicationName } from '../../client/application-api.ts';
import { type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { readSessions, sessionFile } from '../../terminal/session-file.ts';

/** Where a word is wanted: for which command, after which words of it. */
interface Asked {
  readonly command: Command;
  readonly session: ApiSession;
  readonly surroundings: Surroundings;
  /** Arguments that are given already, in their order. */
  readonly given: readonly string[];
  readonly signal: AbortSignal;
}

type Source = (asked: Asked) => Promise<readonly (string | undefined)[]> | readonly (string | undefined)[];

async function listed<T>({ session, signal }: Asked, path: string): Promise<T[]> {
  const { items } = await session.request<{ items?: T[] | null }>('GET', path, { signal });
  return items ?? [];
}

const ofList =
  <T>(path: string, nameOf: (item: T) => string | undefined): Source =>
  async (asked) =>
    (await listed<T>(asked, path)).map(nameOf);

interface Destination {
  readonly server: string;
  readonly name?: string;
}

const projects = ofList<AppProject>('/api/v1/projects', ({ metadata }) => metadata.name);
const clusters: Source = async (asked) =>
  (await listed<Destination>(asked, '/api/v1/clusters')).flatMap(({ server, name }) => [name, server]);
const clusterServers = ofList<Destination>('/api/v1/clusters', ({ server }) => server);
const clusterNames = ofList<Destination>('/api/v1/clusters', ({ name }) => name);
const repositories = ofList<{ repo: string }>('/api/v1/repositories', ({ repo }) => repo);
const accounts = ofList<{ name: string }>('/api/v1/account', ({ name }) => name);

/** Applications by their names alone, but for those of other namespaces of which the prefix is needed. */
const applications: Source = async (asked) => {
  const all = await listed<Application>(
    asked,
    '/api/v1/applications?fields=items.metadata.name,items.metadata.namespace',
  );
  const count = new Map<string, number>();
  for (const { metadata } of all) count.set(metadata.name ?? '', (count.get(metadata.name ?? '') ?? 0) + 1);
  const namespaces = new Set(all.map(({ metadata }) => metadata.namespace));
  return all.map(({ metadata: { name = '', namespace } }) =>
    namespaces.size > 1 || (count.get(name) ?? 0) > 1 ? `${namespace}/${name}` : name,
  );
};

const applicationSets: Source = async (asked) =>
  (await listed<Application>(asked, '/api/v1/applicationsets')).map(({ metadata }) => metadata.name);

const contexts: Source = ({ surroundings }) => {
  const { tokens, names = {} } = readSessions(sessionFile(surroundings.env));
  const named = new Set(Object.values(names));
  return [...Object.keys(names), ...Object.keys(tokens).flatMap((url) => (named.has(url) ? [] : new URL(url).host))];
};

const project = async ({ given: [name = ''], session, signal }: Asked): Promise<AppProject> =>
  await session.request<AppProject>('GET', `/api/v1/projects/${encodeURIComponent(name)}`, { signal });

const roles: Source = async (asked) => ((await project(asked)).spec.roles ?? []).map(({ name }) => name);

const history: Source = async ({ given: [text = ''], session }) => {
  const { status } = await new ApplicationApi(session).get(parseApplicationName(text));
  return (status?.history ?? []).map(({ id }) => String(id));
};

/** What arguments stand for, by the group of commands and the argument's name; a verb alone where its argument is another thing. */
const byArgument: Readonly<Record<string, Source>> = {
  'app <name>': applications,
  'app rollback <id>': history,
  'promote <name>': applications,
  'appset <name>': applicationSets,
  'proj <name>': projects,
  'proj <project>': projects,
  'proj role <role>': roles,
  'proj remove-source <url>': async (asked) => (await project(asked)).spec.sourceRepos ?? [],
  'proj remove-source-namespace <namespace>': async (asked) => (await project(asked)).spec.sourceNamespaces ?? [],
  'proj add-source <url>': repositories,
  'proj add-destination <server>': clusters,
  'proj remove-destination <server>': async (asked) =>
    ((await project(asked)).spec.destinations ?? []).map(({ server, name }) => server ?? name),
  'repo <url>': repositories,
  'repo add <url>': () => [],
  'repocreds <url>': ofList<{ url: string }>('/api/v1/repocreds', ({ url }) => url),
  'repocreds add <url>': () => [],
  'cluster <server>': clusters,
  'cluster <name>': clusterNames,
  'cluster add <context>': () => [],
  'cert <server>': ofList<{ serverName: string }>('/api/v1/certificates', ({ serverName }) => serverName),
  'cert add-tls <server>': () => [],
  'gpg <id>': ofList<{ keyID: string }>('/api/v1/gpgkeys', ({ keyID }) => keyID),
  'context <server>': contexts,
  'logout <server>': contexts,
  'completion <shell>': () => ['bash', 'zsh', 'fish', 'powershell'],
};

const byFlag: Readonly<Record<string, Source>> = {
  '--project': projects,
  '--dest-server': clusterServers,
  '--dest-name': clusterNames,
  '--cluster': clusters,
  '--repo': repositories,
  '--account': accounts,
  '--argocd-context': contexts,
  '--app': applications,
};

/** Milliseconds that a person waits for a list after the tabulator. */
const patience = 3_000;

/**
 * What the last of the words of a command line may be: values of a flag, or names of what the server knows. Nothing where no list is known, and where
 * the server does not answer: a completion has nowhere to tell why.
 */
export async function candidatesOf(
  program: Command,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<string[]> {
  const { command, path, given, flag, current, prefix } = read(program, words);
  const option = flag ? optionOf(command, flag) : undefined;
  const source: Source | undefined = option
    ? (option.argChoices && (() => option.argChoices ?? [])) || byFlag[option.long ?? '']
    : current.startsWith('-')
      ? undefined
      : sourceOf(command, path, given.length);
  if (!source) return [];
  const signal = AbortSignal.any([surroundings.signal, AbortSignal.timeout(patience)]);
  try {
    const found = await source({ command, session: sessionOf(command, surroundings), surroundings, given, signal });
    const fitting = found.filter((one): one is string => Boolean(one?.startsWith(current)));
    return [...new Set(fitting)].sort().map((one) => `${prefix}${one}`);
  } catch {
    return [];
  }
}

function sourceOf(command: Command, path: readonly string[], index: number): Source | undefined {
  const declared = command.registeredArguments;
  const argument = declared[index] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  if (!argument) return undefined;
  for (let length = path.length; length > 0; length--) {
    const source = byArgument[`${path.slice(0, length).join(' ')} <${argument.name()}>`];
    if (source) return source;
  }
  return undefined;
}

function optionOf(command: Command, name: string) {
  for (let at: Command | null = command; at; at = at.parent) {
    const found = at.options.find(({ short, long }) => short === name || long === name);
    if (found) return found;
  }
  return undefined;
}

/** Takes the words apart: the command, its arguments, and the flag whose value the last one is. */
function read(program: Command, words: readonly string[]) {
  let command = program;
  const path: string[] = [];
  const given: string[] = [];
  let flag: string | undefined;
  const last = words.at(-1) ?? '';
  for (const word of words.slice(0, -1)) {
    if (flag) {
      optionFor(command, flag)?.setOptionValue(nameOf(command, flag), word);
      flag = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', value] = parted(word);
      const option = optionOf(command, name);
      if (value !== undefined) optionFor(command, name)?.setOptionValue(nameOf(command, name), value);
      else if (option?.required) flag = name;
      else if (option) optionFor(command, name)?.setOptionValue(nameOf(command, name), true);
    } else {
      const next = given.length === 0 ? subcommand(command, word) : undefined;
      if (next) {
        command = next;
        path.push(next.name());
      } else given.push(word);
    }
  }
  const [name = '', value] = flag === undefined && last.startsWith('--') ? parted(last) : [undefined, undefined];
  if (value !== undefined) return { command, path, given, flag: name, current: value, prefix: `${name}=` };
  return { command, path, given, flag, current: last, prefix: '' };
}

const parted = (word: string): [string, string | undefined] => {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
};

const subcommand = (command: Command, word: string) =>
  command.commands.find((one) => one.name() === word || one.aliases().includes(word));

/** The command, or one above it, that declares the flag. */
function optionFor(command: Command, name: string): Command | undefined {
  for (let at: Command | null = command; at; at = at.parent)
    if (at.options.some(({ short, long }) => short === name || long === name)) return at;
  return undefined;
}

const nameOf = (command: Command, flag: string): string => optionOf(command, flag)?.attributeName() ?? flag;
