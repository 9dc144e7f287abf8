import type { KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt } from '../shared/cell-values.ts';
import { name } from '../shared/cells.ts';

export function componentCells(o: KubeObject): unknown[] {
  const found = listAt<{ type: string; status: string; message?: string; error?: string }>(o, 'conditions').find(
    ({ type }) => type === 'Healthy',
  );
  const status = { True: 'Healthy', False: 'Unhealthy' }[found?.status ?? ''] ?? 'Unknown';
  return [name(o), status, found?.message ?? '', found?.error ?? ''];
}

export const componentStatuses: BuiltinKind = {
  cells: componentCells,
};
