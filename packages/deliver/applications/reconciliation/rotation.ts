import { names, type OperationState } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { RenderedSources } from '../sources/source-renderer.ts';
import type { Reconciliation } from './reconciliation.ts';

const rotationInvalid = defineDiagnosis(
  'RotationInvalid',
  'An operation asks for a rotation of generated values that cannot be done',
);

interface Selection {
  /** As it was written. */
  readonly text: string;
  readonly group: string | undefined;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * Carries out what an operation asks for in its info `tiphys.dev/rotate-generated`: `all`, or objects as
 * `[GROUP:]KIND:[NAMESPACE/]NAME`, separated by commas. The recorded values that are in them are forgotten, once for each
 * operation, and made anew by the next render: also where other objects hold them. Refuses objects that hold none.
 */
export async function rotateGenerated(
  work: Reconciliation,
  state: OperationState,
  render: () => Promise<RenderedSources>,
): Promise<void> {
  const wanted = state.operation.info?.find(({ name }) => name === names.infos.rotateGenerated)?.value;
  if (wanted === undefined || wanted === '' || state.operation.sync?.dryRun) return;
  const { next, context, memory } = work;
  // Times have whole seconds: two operations may begin at the same one, but not after the same deployment.
  const rotation = `${state.startedAt} ${next.status?.history?.at(-1)?.id ?? 'first'} ${wanted}`;
  if (context.generated.hasRotated(next, rotation)) return;
  const { objects } = await render();
  const keys = new Set<string>();
  if (wanted === 'all')
    for (const { generated } of objects)
      for (const field of generated ?? []) field.keys.forEach((key) => void keys.add(key));
  else {
    const namespace = next.spec.destination.namespace ?? '';
    for (const selection of wanted.split(',').map(selectionOf)) {
      const fields = objects.flatMap((object) =>
        selects(selection, object, namespace) ? (object.generated ?? []) : [],
      );
      if (fields.length === 0) throw failureOf(`${selection.text} holds nothing that was generated`, objects);
      for (const field of fields) for (const key of field.keys) keys.add(key);
    }
  }
  if (keys.size === 0) throw failureOf('the application holds nothing that was generated', objects);
  await context.generated.forget(next, keys, rotation);
  memory.forgetRendered();
}

function selectionOf(text: string): Selection {
  const parts = text.trim().split(':');
  const [kind = '', path = ''] = parts.slice(-2);
  const group = parts.length > 2 ? parts.slice(0, -2).join(':') : undefined;
  const slash = path.indexOf('/');
  const name = path.slice(slash + 1);
  if (parts.length < 2 || kind === '' || name === '')
    throw failureOf(`${JSON.stringify(text)} names no object; want [GROUP:]KIND:[NAMESPACE/]NAME, or all`, []);
  return { text: text.trim(), group, kind, namespace: slash < 0 ? undefined : path.slice(0, slash), name };
}

function selects(
  { group, kind, namespace, name }: Selection,
  { object }: RenderedSources['objects'][number],
  destination: string,
): boolean {
  const [version = '', rest] = object.apiVersion.split('/');
  const ownGroup = rest === undefined ? '' : version;
  if (object.kind !== kind || object.metadata.name !== name || (group !== undefined && group !== ownGroup))
    return false;
  return namespace === undefined || namespace === (object.metadata.namespace ?? destination);
}

function failureOf(why: string, objects: RenderedSources['objects']): Error {
  const holders = objects.flatMap(({ object, generated }) =>
    generated?.length
      ? [`${object.kind}:${object.metadata.namespace ? `${object.metadata.namespace}/` : ''}${object.metadata.name}`]
      : [],
  );
  return failure(rotationInvalid, {
    message: `Generated values cannot be rotated: ${why}`,
    place: { field: `operation.info[${names.infos.rotateGenerated}]` },
    evidence: holders.length > 0 ? { 'objects with generated values': holders.slice(0, 20).join(', ') } : {},
    remedies: ['Name an object that holds generated values, or all'],
  });
}
