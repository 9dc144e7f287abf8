import { families, type WorkflowSummary } from '../api/families.ts';
import { FamilyList } from '../components/family-list.tsx';
import { PhaseCell } from '../components/phase-cell.tsx';
import { ago, span } from '../time.ts';
import { newestFirst } from '../workflows.ts';

/** All Workflows of the control plane's cluster, newest first. */
export function WorkflowsPage() {
  return (
    <FamilyList<WorkflowSummary>
      title="Workflows"
      path="workflows"
      read={families.workflows}
      order={newestFirst}
      columns={[
        { title: 'Phase', cell: ({ phase, message }) => <PhaseCell phase={phase} message={message} /> },
        { title: 'Progress', cell: ({ progress }) => progress || '–' },
        { title: 'Started', cell: ({ started }) => ago(started, Date.now()) || '–' },
        {
          title: 'Duration',
          cell: ({ started, finished }) => span(started, finished || new Date().toISOString()) || '–',
        },
      ]}
    />
  );
}
