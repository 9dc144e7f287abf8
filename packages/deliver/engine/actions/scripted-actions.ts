import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { createMergePatch, describeKey, type KubeObject, keyOf, parseApiVersion } from '@tiphys/kubernetes';
import { type Json, Script, ScriptError, type ScriptResult } from '@tiphys/lua';
import { parseDocuments } from '@tiphys/yaml';
import { isObject } from '../model/fields.ts';
import type { ActionContext, ActionEffect, ActionInfo } from './action.ts';

const actionScriptFailed = defineDiagnosis('ActionScriptFailed', 'A script of an action gave no usable result');
const actionsInvalid = defineDiagnosis(
  'ActionsInvalid',
  'The actions that the settings define for a kind cannot be read',
);

/** The actions that the settings define for one kind. */
export interface ActionSetting {
  /** `group/Kind`, or the kind alone for the core group. */
  readonly pattern: string;
  /** YAML with `discovery.lua`, `definitions` and `mergeBuiltinActions`. */
  readonly text: string;
  /** The key of `argocd-cm` that holds it. */
  readonly key: string;
}

/** The scripts of one kind. All of it throws diagnoses that name the key, the line and the object. */
export class ScriptedActions {
  readonly setting: ActionSetting;
  readonly mergeBundled: boolean;
  readonly #discovery: string;
  readonly #definitions: ReadonlyMap<string, string>;

  constructor(setting: ActionSetting) {
    this.setting = setting;
    const value = readActions(setting);
    this.mergeBundled = value.mergeBuiltinActions === true;
    this.#discovery = String(value['discovery.lua'] ?? '');
    const definitions = Array.isArray(value.definitions) ? value.definitions.filter(isObject) : [];
    this.#definitions = new Map(
      definitions.toReversed().map((entry) => [String(entry.name ?? ''), String(entry['action.lua'] ?? '')]),
    );
  }

  defines(action: string): boolean {
    return this.#definitions.has(action);
  }

  /** What the discovery script offers for an object. */
  discover(object: KubeObject, now: number): ActionInfo[] {
    return this.#guarded('discovery.lua', object, () => {
      const result = new Script(this.#discovery).run({ obj: object, actionParams: {} }, { now: () => now });
      const offered = table(result);
      if (Array.isArray(offered)) {
        if (offered.length === 0) return [];
        throw new ScriptError({ kind: 'result', message: 'the actions have no names: wanted a table by name' });
      }
      return Object.entries(offered).map(([name, info]) => actionInfo(name, info));
    });
  }

  /** What the action does to the object and beside it. */
  run(action: string, object: KubeObject, { parameters, now }: ActionContext): ActionEffect[] {
    const source = this.#definitions.get(action) ?? '';
    return this.#guarded(`action.lua of ${action}`, object, () => {
      const value = table(new Script(source).run({ obj: object, actionParams: parameters }, { now: () => now }));
      const impacted = Array.isArray(value) ? value : [{ operation: 'patch', resource: value }];
      return impacted.map((entry) => effectOf(entry, object));
    });
  }

  #guarded<T>(script: string, object: KubeObject, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      const { line, message } = error.failure;
      const { key, pattern } = this.setting;
      throw failure(
        actionScriptFailed,
        {
          message: `error executing Lua resource action: ${script} of ${pattern}: ${message}`,
          place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]`, ...(line === undefined ? {} : { line }) },
          evidence: { object: describeKey(keyOf(object)), script },
          remedies: ['Correct the script'],
        },
        { cause: error },
      );
    }
  }
}

function readActions({ key, text }: ActionSetting): Record<string, unknown> {
  const refuse = (reason: string, cause?: unknown) =>
    failure(
      actionsInvalid,
      {
        message: `${key} cannot be used: ${reason}`,
        place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]` },
        remedies: [
          {
            text: 'Write a mapping',
            paste:
              'discovery.lua: |\n  return {["restart"] = {}}\ndefinitions:\n- name: restart\n  action.lua: |\n    return obj',
          },
        ],
      },
      cause === undefined ? {} : { cause },
    );
  let value: unknown;
  try {
    value = parseDocuments(text, { file: `argocd-cm ${key}` }).documents[0]?.value;
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error), error);
  }
  if (!isObject(value)) throw refuse('found no mapping');
  return value;
}

type Table = readonly Json[] | { readonly [key: string]: Json };

function table(result: ScriptResult): Table {
  if (result.type === 'table') return result.json() as Table;
  throw new ScriptError({ kind: 'result', message: `expect table output from Lua script, not ${result.type}` });
}

function actionInfo(key: string, value: Json): ActionInfo {
  if (!isObject(value)) return { name: key };
  const text = (field: string): string | undefined => {
    const found = value[field];
    if (found === undefined || found === null || typeof found === 'string') return found || undefined;
    throw new ScriptError({ kind: 'result', message: `the ${field} of action ${key} is no text` });
  };
  const [name, iconClass, displayName] = [text('name'), text('iconClass'), text('displayName')];
  const params = Array.isArray(value.params) ? value.params.filter(isObject) : [];
  return {
    name: name ?? key,
    ...(typeof value.disabled === 'boolean' ? { disabled: value.disabled } : {}),
    ...(iconClass ? { iconClass } : {}),
    ...(displayName ? { displayName } : {}),
    ...(params.length > 0 ? { params: params.map((param) => ({ name: String(param.name ?? '') })) } : {}),
  };
}

function effectOf(entry: Json, object: KubeObject): ActionEffect {
  if (!isObject(entry)) throw new ScriptError({ kind: 'result', message: 'an impacted resource is no table' });
  const { operation, resource } = entry;
  if (operation !== 'create' && operation !== 'patch')
    throw new ScriptError({ kind: 'result', message: `unsupported operation: ${JSON.stringify(operation ?? null)}` });
  if (!isKubeObject(resource))
    throw new ScriptError({ kind: 'result', message: 'a resource has no apiVersion, kind or metadata.name' });
  if (operation === 'create') return { operation, object: resource };
  const wanted = restored(resource, object) as KubeObject;
  return { operation, object: wanted, patch: createMergePatch(object, wanted) ?? {} };
}

function isKubeObject(value: unknown): value is KubeObject {
  if (!isObject(value) || typeof value.kind !== 'string' || typeof value.apiVersion !== 'string') return false;
  const { group, version } = parseApiVersion(value.apiVersion);
  const { metadata } = value;
  return (
    isObject(metadata) &&
    version !== '' &&
    group !== undefined &&
    (typeof metadata.name === 'string' || typeof metadata.generateName === 'string')
  );
}

/** An empty list that was an object before is one again: in Lua both are an empty table. */
function restored(value: unknown, before: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 && isObject(before)) return {};
    return Array.isArray(before) ? value.map((item, i) => restored(item, before[i])) : value;
  }
  if (!isObject(value) || !isObject(before)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restored(item, before[key])]));
}
