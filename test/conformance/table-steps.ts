import type { Step } from './run-case.ts';
import { del, get, merge, post, quiet, TABLE } from './steps.ts';

export type Made = Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } };

/** Times long ago: their ages change no more than once a year, and are not compared. */
export const LONG_AGO = '2010-01-01T00:00:00Z';

/** Makes objects with their statuses at a path, and asks for the table of them. */
export const table = (path: string, objects: readonly Made[], query: Record<string, string> = {}): Step[] => [
  ...quiet(
    ...objects.flatMap(({ status, ...object }) => [
      post(path, object),
      ...(status ? [merge(`${path}/${object.metadata.name}/status`, { status })] : []),
    ]),
  ),
  get(path, { includeObject: 'None', ...query }, { accept: TABLE }),
];

/** Makes cluster-scoped objects, which are asked for by name, and removes them. */
export const clusterTable = (path: string, objects: readonly Made[]): Step[] => [
  ...objects.flatMap((object) => {
    const steps = table(path, [object]);
    return [
      ...steps.slice(0, -1),
      get(`${path}/${object.metadata.name}`, { includeObject: 'None' }, { accept: TABLE }),
    ];
  }),
  ...quiet(...objects.map(({ metadata }) => del(`${path}/${metadata.name}`))),
];

export const named = (name: string, more: object = {}): Made => ({ metadata: { name }, ...more });
export const main = { name: 'main', image: 'i:1' };
export const side = { name: 'side', image: 'i:2', restartPolicy: 'Always' };

export const condition = (type: string, status = 'True', more: object = {}) => ({ type, status, ...more });
export const selector = { matchLabels: { app: 'a' } };
