import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goDuration } from '@tiphys/go';
import { JqProgram } from '@tiphys/jq';
import type { KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { say } from '../pod/say.ts';
import { type Outputs, savesLogs, type Template } from '../pod/template.ts';
import { isReached, readConditions } from '../resource/conditions.ts';
import { readFlags } from '../resource/flags.ts';
import { printPath } from '../resource/json-path.ts';
import { act, type KubeTask, patch } from '../resource/kube-action.ts';
import { Problems, type Work } from '../work/work.ts';

type Resource = NonNullable<Template['resource']>;
type Parameters = NonNullable<Outputs['parameters']>;

/** `resource ACTION`: does it with the manifest, waits for its conditions, and reports what parameters want of the object. */
export async function resource(work: Work): Promise<void> {
  const { context, report } = work;
  const problems = new Problems();
  await problems.try(() => report.write({}));
  try {
    await problems.try(() => doResource(work));
  } finally {
    // `wait` reports the logs after this, and says then that it is complete
    if (!savesLogs(context.template)) await problems.try(() => report.complete());
  }
  problems.throwFirst();
}

async function doResource({ args, context, cluster, report, clock, signal, env }: Work): Promise<void> {
  const { template } = context;
  const [action = ''] = args;
  const wanted = template.resource;
  if (!wanted) throw new Error('The template is no resource template');
  const parameters = template.outputs?.parameters ?? [];
  if (action === 'delete' && (wanted.successCondition || wanted.failureCondition || parameters.length > 0))
    throw new Error('successCondition, failureCondition and outputs are not supported for delete action');
  const conditions = readConditions(wanted.successCondition, wanted.failureCondition);
  const task: KubeTask = {
    client: cluster.client,
    namespace: cluster.namespace,
    flags: readFlags(wanted.flags),
    signal,
  };
  let object = await done(task, action, { wanted, manifest: manifestOf(wanted, context) });
  if (action === 'delete') return;
  if (object && (conditions.success.length > 0 || conditions.failure.length > 0)) {
    const every = goDuration(env.RESOURCE_STATE_CHECK_INTERVAL ?? '') ?? 5000;
    const { kind, metadata } = object;
    while (!isReached(object, conditions)) {
      say(`waiting for ${kind} ${metadata.name}`);
      await clock.sleep(every, signal);
      object = await again(task, object);
    }
  }
  if (parameters.length > 0)
    await report.write({ outputs: { ...template.outputs, parameters: valuesOf(parameters, object) } });
}

async function done(
  task: KubeTask,
  action: string,
  { wanted, manifest }: { wanted: Resource; manifest: unknown },
): Promise<KubeObject | undefined> {
  if (manifest === undefined && task.flags.words.length === 0)
    throw new Error('Must provide at least one of flags or manifest.');
  if (action !== 'patch') {
    const object = manifest as KubeObject | undefined;
    if (object && (!object.kind || !object.apiVersion))
      throw new Error('Kind and apiVersion are both required in the manifest');
    return await act(task, action, object);
  }
  const strategy = wanted.mergeStrategy || 'strategic';
  const isObject = strategy !== 'json' && (manifest as KubeObject | undefined)?.kind !== undefined;
  return await patch(task, { body: manifest, strategy, object: isObject ? (manifest as KubeObject) : undefined });
}

/** The manifest as data, from the template or the artifact that it names; undefined where there is none. */
function manifestOf(wanted: Resource, { template, folders }: Work['context']): unknown {
  const artifact = wanted.manifestFrom?.artifact?.name;
  const path = template.inputs?.artifacts?.find(({ name }) => name === artifact)?.path;
  if (artifact && !path) throw new Error(`The artifact ${artifact} of manifestFrom is no input of the template`);
  const text = path ? readFileSync(folders.root ? join(folders.root, path) : path, 'utf8') : wanted.manifest;
  if (!text?.trim()) return undefined;
  const { documents } = parseDocuments(text, { file: path ?? 'resource.manifest' });
  const values = documents.map(({ value }) => value).filter((value) => value !== null && value !== undefined);
  if (values.length > 1)
    throw new Error(`The manifest has ${values.length} objects and a resource template has one: use a step for each`);
  return values[0];
}

async function again(task: KubeTask, { apiVersion, kind, metadata }: KubeObject): Promise<KubeObject> {
  const found = await act({ ...task, flags: { ...task.flags, ignoreNotFound: true, words: [] } }, 'get', {
    apiVersion,
    kind,
    metadata,
  } as KubeObject);
  if (!found)
    throw new Error('The resource has been deleted while its status was still being checked. Will not be retried');
  return found;
}

function valuesOf(parameters: Parameters, object: KubeObject | undefined): Parameters {
  return parameters.map((parameter) => {
    const { jsonPath, jqFilter, default: otherwise } = parameter.valueFrom ?? {};
    if (!parameter.valueFrom) return parameter;
    if (!object) return { ...parameter, value: otherwise === undefined ? '' : String(otherwise) };
    if (jsonPath) return { ...parameter, value: printPath(object, jsonPath) };
    if (jqFilter) return { ...parameter, value: filtered(object, jqFilter) };
    return parameter;
  });
}

/** All that a filter gives, a line each; texts as they are. */
function filtered(object: KubeObject, filter: string): string {
  const values = new JqProgram(`[${filter}\n]`).first(object) as unknown[];
  return values
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join('\n')
    .trim();
}
