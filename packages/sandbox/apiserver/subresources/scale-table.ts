import { AGE, NAME } from '@tiphys/apiextensions';
import type { TableColumn } from '@tiphys/apimachinery';
import { numberAt } from '@tiphys/kinds';
import { ageOf } from '@tiphys/kubernetes';
import type { TableKind } from '../read/table.ts';

const column = (name: string, type: string, description: string, format = ''): TableColumn => ({
  name,
  type,
  format,
  description,
  priority: 0,
});

/** The table of a Scale, of a built-in resource or a custom one. */
export const scaleTable = (custom: boolean): TableKind => ({
  columns: [
    column('Name', 'string', NAME, custom ? 'name' : ''),
    column(
      'Desired',
      'integer',
      custom ? 'Number of desired replicas' : 'replicas is the desired number of instances for the scaled object.',
    ),
    column(
      'Available',
      'integer',
      custom
        ? 'Number of actual replicas'
        : 'replicas is the actual number of observed instances of the scaled object.',
    ),
    column('Age', custom ? 'date' : 'string', AGE.description),
  ],
  cells: (scale, now) => [
    scale.metadata.name,
    numberAt(scale, 'spec.replicas'),
    numberAt(scale, 'status.replicas'),
    ageOf(scale.metadata.creationTimestamp, now),
  ],
});
