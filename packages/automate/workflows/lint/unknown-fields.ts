import { workflowsDefinitions } from '@tiphys/api';
import { type StructuralSchema, unknownFields } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { finding, type LintFinding } from './finding.ts';
import type { Linted } from './linted.ts';

interface Definition {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: StructuralSchema } }[];
  };
}

/**
 * Fields that an object has and its kind does not, with their paths in the object: the API server would drop them without a word. Nothing is
 * said of kinds that are none of workflows.
 */
export function lintUnknownFields(object: Linted): LintFinding[] {
  const schema = schemaOf(object.kind ?? '');
  if (!schema) return [];
  return [...unknownFields(object, schema)].map(({ at, name, known }) => {
    return finding(at, `there is no field ${name}`, remedyFor(name, known));
  });
}

/** Fields that versions before 4.0 had, each of which is a list by now. */
const older: ReadonlyMap<string, string> = new Map([
  ['schedule', 'schedules'],
  ['mutex', 'mutexes'],
  ['semaphore', 'semaphores'],
]);

function remedyFor(name: string, known: readonly string[]): string {
  const now = older.get(name);
  if (now && known.includes(now)) return `Write it in the list ${now}, as \`tiphys workflows convert\` does`;
  const close = known.find((each) => isClose(each, name));
  return close ? `Write ${close}, or take it out` : `Take it out; there are ${[...known].sort().join(', ')}`;
}

const files: ReadonlyMap<string, string> = new Map([
  ['Workflow', 'workflows.yaml'],
  ['WorkflowTemplate', 'workflowtemplates.yaml'],
  ['ClusterWorkflowTemplate', 'clusterworkflowtemplates.yaml'],
  ['CronWorkflow', 'cronworkflows.yaml'],
]);

/** Definitions are large: each is read once, when an object of its kind is there. */
const schemas = new Map<string, StructuralSchema>();

function schemaOf(kind: string): StructuralSchema | undefined {
  const wanted = files.get(kind);
  const known = schemas.get(kind);
  if (!wanted || known) return known;
  for (const { file, text } of workflowsDefinitions()) {
    if (file !== wanted) continue;
    const found = parseDocuments(text, { file }).documents[0]?.value as unknown as Definition | undefined;
    const schema = found?.spec.versions[0]?.schema.openAPIV3Schema;
    if (schema) schemas.set(kind, closeInline(schema));
  }
  return schemas.get(kind);
}

type Open = { -readonly [Field in keyof StructuralSchema]: StructuralSchema[Field] } & {
  properties?: Record<string, Open>;
  items?: Open;
};

/** Definitions cannot say that a template may stand in itself, and leave `inline` open. */
function closeInline(schema: StructuralSchema): StructuralSchema {
  const spec = (schema as Open).properties?.spec;
  const { templates, templateDefaults } = (spec?.properties?.workflowSpec ?? spec)?.properties ?? {};
  for (const template of [templates?.items, templateDefaults]) {
    const { dag, steps } = template?.properties ?? {};
    for (const call of [dag?.properties?.tasks?.items, steps?.items?.items])
      if (call?.properties && templates?.items) call.properties.inline = templates.items;
  }
  return schema;
}

/** True for words that differ in one letter, in two that changed places, or in capitals alone. */
function isClose(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (x === y) return true;
  if (Math.abs(x.length - y.length) > 1 || Math.min(x.length, y.length) < 3) return false;
  let start = 0;
  while (start < x.length && x[start] === y[start]) start += 1;
  let end = 0;
  while (end < Math.min(x.length, y.length) - start && x.at(-1 - end) === y.at(-1 - end)) end += 1;
  const [left, right] = [x.slice(start, x.length - end), y.slice(start, y.length - end)];
  return (
    (left.length <= 1 && right.length <= 1) ||
    (left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0])
  );
}
