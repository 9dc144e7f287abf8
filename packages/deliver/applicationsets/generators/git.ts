import { basename, dirname } from 'node:path/posix';
import type { GitGenerator } from '@tiphys/api';
import { type Finding, failure, type Place } from '@tiphys/diagnosis';
import { matchPath } from '@tiphys/glob';
import { parseDocuments, parseYaml, YamlError } from '@tiphys/yaml';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';
import { prefixed } from '../diagnoses/prefixed.ts';
import { flattenToText } from '../params/flatten.ts';
import { normalizeName } from '../params/names.ts';
import { type Element, isRecord, newParams, type Params } from '../params/params.ts';
import type { Generator, GeneratorContext } from './generator.ts';
import type { GitFile, GitRequest } from './sources.ts';
import { addValues } from './values.ts';

/** Folders of a repository, or the objects that its files hold. */
export const gitGenerator: Generator<GitGenerator> = {
  async generate(spec, context, field) {
    const request = requestOf(spec, context);
    if (spec.directories?.length) return { elements: await directories(spec, context, request, field), gaps: [] };
    if (spec.files?.length) return { elements: await files(spec, context, request, field), gaps: [] };
    throw failure(generatorInvalid, {
      message: 'The Git generator has neither directories nor files',
      place: { field: `${field}.git` },
      remedies: [{ text: 'Say what to look for', paste: 'git:\n  directories:\n  - path: apps/*' }],
    });
  },
  requeueAfter: ({ requeueAfterSeconds }, sources) =>
    requeueAfterSeconds === undefined ? sources.settings().requeueAfter : requeueAfterSeconds * 1000 || undefined,
};

/** Upstream rule: if the project is templated, only credentials that belong to no project are used. */
function requestOf(spec: GitGenerator, { set, sources, refresh, signal }: GeneratorContext): GitRequest {
  const wanted = set.spec.template.spec?.project ?? '';
  const project = wanted.includes('{{') ? '' : wanted;
  if (project !== '' && !sources.projectExists(project))
    throw failure(generatorInvalid, {
      message: `error getting project ${project}: AppProject.argoproj.io "${project}" not found`,
      place: { field: 'spec.template.spec.project' },
      remedies: ['Create the project, or name one that exists: its credentials read the repository'],
    });
  const maxAge = spec.requeueAfterSeconds ? spec.requeueAfterSeconds * 1000 : undefined;
  return { repoURL: spec.repoURL, revision: spec.revision, project, refresh, maxAge, signal };
}

async function directories(
  spec: GitGenerator,
  { dialect, sources }: GeneratorContext,
  request: GitRequest,
  field: string,
): Promise<Element[]> {
  const { includeHiddenDirectories: hidden } = sources.settings();
  const paths = await prefixed(
    'error generating params from git: error getting directories from repo: error retrieving Git Directories',
    () => sources.git.directories({ ...request, hidden }),
  );
  const patterns = spec.directories ?? [];
  const chosen = paths.filter(
    (path) =>
      patterns.some((pattern) => !pattern.exclude && matchPath(pattern.path, path)) &&
      !patterns.some((pattern) => pattern.exclude && matchPath(pattern.path, path)),
  );
  return chosen.map((path) => ({
    params: addValues(
      withPath(newParams(), { path }, spec.pathParamPrefix ?? '', dialect.goTemplate),
      spec.values,
      dialect,
    ),
    origin: { field: `${field}.git`, generator: 'git', element: `directory ${path}` },
  }));
}

async function files(
  spec: GitGenerator,
  { dialect, sources }: GeneratorContext,
  request: GitRequest,
  field: string,
): Promise<Element[]> {
  const patterns = spec.files ?? [];
  const { commit, value: found } = await prefixed('error generating params from git: error retrieving Git files', () =>
    sources.git.files({
      ...request,
      include: patterns.filter(({ exclude }) => !exclude).map(({ path }) => path),
      exclude: patterns.filter(({ exclude }) => exclude).map(({ path }) => path),
      newGlobbing: sources.settings().newGitFileGlobbing,
    }),
  );
  return found.flatMap((file) =>
    objectsOf(file, { remote: spec.repoURL, revision: commit }).map((object, index, { length }) => {
      const { path } = file;
      const own = newParams(dialect.goTemplate ? object : flattenToText(object));
      const place = { path: dirname(path), filename: basename(path) };
      const params = withPath(own, place, spec.pathParamPrefix ?? '', dialect.goTemplate);
      return {
        params: addValues(params, spec.values, dialect),
        origin: {
          field: `${field}.git`,
          generator: 'git',
          element: `file ${path}${length > 1 ? ` [${index}]` : ''}`,
        },
      };
    }),
  );
}

/** The parameters that name a path: nested with Go templates, flat without. */
function withPath(
  params: Params,
  { path, filename }: { path: string; filename?: string },
  prefix: string,
  goTemplate: boolean,
): Params {
  const name = basename(path);
  const segments = path.split('/');
  if (goTemplate) {
    const described = {
      path,
      basename: name,
      basenameNormalized: normalizeName(name),
      segments,
      ...(filename === undefined ? {} : { filename, filenameNormalized: normalizeName(filename) }),
    };
    if (prefix) params[prefix] = { path: described };
    else params.path = described;
    return params;
  }
  const key = prefix ? `${prefix}.path` : 'path';
  params[key] = path;
  params[`${key}.basename`] = name;
  params[`${key}.basenameNormalized`] = normalizeName(name);
  if (filename !== undefined) {
    params[`${key}.filename`] = filename;
    params[`${key}.filenameNormalized`] = normalizeName(filename);
  }
  for (const [index, segment] of segments.entries()) if (segment) params[`${key}[${index}]`] = segment;
  return params;
}

/** A file holds one object or a list of them; an empty one holds an object without members. */
function objectsOf(
  { path, content }: GitFile,
  of: { readonly remote: string; readonly revision: string },
): Record<string, unknown>[] {
  const refuse = (reason: string, place: Place, told: Partial<Finding> = {}) =>
    failure(generatorInvalid, {
      message: `unable to process file '${path}' from repository '${of.remote}': unable to parse file: ${reason}`,
      place: { ...place, file: path, ...of },
      remedies: ['Write the file as one object, or as a list of objects, in YAML or JSON; or exclude it'],
      ...told,
    });
  let value: unknown;
  try {
    value = parseYaml(content, { file: path });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { place = {}, evidence, remedies } = error.diagnosis;
    throw refuse(error.goMessage, place, {
      evidence,
      remedies: [...remedies, 'Or leave the file out: exclude: true beside a path of the generator does'],
    });
  }
  if (value === null) return [{}];
  if (isRecord(value)) return [value];
  if (Array.isArray(value) && value.every(isRecord)) return value;
  const item = Array.isArray(value) ? value.findIndex((each) => !isRecord(each)) : undefined;
  const line = parseDocuments(content).documents[0]?.lineOf(item === undefined ? [] : [item]);
  const words = item === undefined ? '' : `: item ${item} of its list is none`;
  throw refuse(`it holds neither an object nor a list of objects${words}`, line === undefined ? {} : { line });
}
