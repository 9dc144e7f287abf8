import { workflowNames, workflowsDefinitions } from '@tiphys/api';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { parseDocuments } from '@tiphys/yaml';
import { type Packing, usualPacking } from '../persistence/nodes-codec.ts';
import type { ControllerSettings, SettingsBase } from './controller-settings.ts';
import { settingInvalid } from './setting-invalid.ts';

type Env = SettingsBase['env'];

/** The levels of each algorithm. */
const levels: Readonly<Record<Packing['algorithm'], readonly [number, number]>> = {
  gzip: [1, 9],
  zstd: [1, 4],
  brotli: [0, 11],
};

/** `WORKFLOW_COMPRESSION_ALGORITHM`, `WORKFLOW_COMPRESSION_LEVEL` and `MAX_WORKFLOW_SIZE`. */
export function packingOf(env: Env, problems: Diagnosis[]): Packing {
  const algorithm = chosen(env, 'WORKFLOW_COMPRESSION_ALGORITHM', ['gzip', 'zstd', 'brotli'], problems);
  const [least, most] = levels[algorithm];
  const level = number(env, 'WORKFLOW_COMPRESSION_LEVEL', [least, most], problems);
  const largest = number(env, 'MAX_WORKFLOW_SIZE', [0, Number.MAX_SAFE_INTEGER], problems);
  return { algorithm, ...(level === undefined ? {} : { level }), largest: largest || usualPacking.largest };
}

/** `WF_DEL_PROPAGATION_POLICY`. */
export function deletePropagationOf(env: Env, problems: Diagnosis[]): ControllerSettings['deletePropagation'] {
  return chosen(env, 'WF_DEL_PROPAGATION_POLICY', ['Background', 'Foreground', 'Orphan'], problems);
}

/** `WORKFLOW_USER_OVERRIDE_ALLOWLIST`: fields of a workflow's spec, with commas. */
export function userOverridesOf(env: Env, problems: Diagnosis[]): readonly string[] | undefined {
  const name = 'WORKFLOW_USER_OVERRIDE_ALLOWLIST';
  const fields = (env[name] ?? '').split(',').flatMap((field) => field.trim() || []);
  if (fields.length === 0) return undefined;
  const known = specFields();
  const unknown = fields.filter((field) => !known.has(field));
  for (const found of unknown)
    problems.push(invalid(name, { found, wanted: 'fields of spec of a Workflow, with commas' }));
  return fields.filter((field) => known.has(field));
}

/** Those that the definition of Workflow has. */
function specFields(): ReadonlySet<string> {
  for (const { file, text } of workflowsDefinitions())
    if (file === 'workflows.yaml') {
      const found = parseDocuments(text, { file }).documents[0]?.value as unknown as CrdWithSpec | undefined;
      return new Set(Object.keys(found?.spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties ?? {}));
    }
  throw new Error('There is no definition of Workflow');
}

interface CrdWithSpec {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly spec: { properties: object } } } };
    }[];
  };
}

/** One of some words; the first one if the variable is not set, or none of them. */
function chosen<T extends string>(env: Env, name: string, words: readonly [T, ...T[]], problems: Diagnosis[]): T {
  const found = env[name];
  const word = words.find((each) => each === found);
  if (found && !word) problems.push(invalid(name, { found, wanted: words.join(', ') }));
  return word ?? words[0];
}

function number(
  env: Env,
  name: string,
  [least, most]: readonly [number, number],
  problems: Diagnosis[],
): number | undefined {
  const found = env[name];
  if (!found) return undefined;
  const value = Number(found);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  problems.push(invalid(name, { found, wanted: `a whole number of ${least} to ${most}` }));
  return undefined;
}

function invalid(name: string, { found, wanted }: { found: string; wanted: string }): Diagnosis {
  return diagnose(settingInvalid, {
    message: `${name} of the workflow controller is ${JSON.stringify(found)}, which is none of: ${wanted}`,
    place: { object: `the controller of ${workflowNames.configMap}`, field: name },
    evidence: { found, wanted },
    remedies: [`Correct ${name} and start the controller again; until then its default applies`],
  });
}
