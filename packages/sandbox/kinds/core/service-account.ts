import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { mapsIn } from '../shared/gates.ts';

export const serviceAccounts: BuiltinKind = {
  strategy: { generation: false, statusSubresource: false, metaRulesOnUpdate: true },
  cells: (o, now) => [name(o), listAt(o, 'secrets').length, age(o, now)],
  gated: {
    // Not behind a gate: of what a ServiceAccount refers to only the names count.
    spec(object) {
      if (Array.isArray(object.secrets))
        object.secrets = mapsIn(object.secrets).map(({ name }) => (name === undefined ? {} : { name }));
    },
  },
};
