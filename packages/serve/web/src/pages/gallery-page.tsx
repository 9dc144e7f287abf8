import { Stack, Table, Tabs, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { RequestError } from '../api/client.ts';
import type { Diagnosis } from '../api/model.ts';
import { CheckBox } from '../components/common/check-box.tsx';
import { ConditionTable } from '../components/common/condition-table.tsx';
import { DataTable } from '../components/common/data-table.tsx';
import { DiagnosisPanel } from '../components/common/diagnosis-panel.tsx';
import { EventTable } from '../components/common/event-table.tsx';
import { Failure } from '../components/common/failure.tsx';
import { FamilyList } from '../components/common/family-list.tsx';
import { KindName } from '../components/common/kind-icon.tsx';
import { PhaseCell } from '../components/common/phase-cell.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { TabStrip } from '../components/common/tab-strip.tsx';
import { HealthBar } from '../components/list/health-bar.tsx';
import { SyncPreview } from '../components/sync/sync-preview.tsx';
import { kindIcons } from '../objects/kind-icons.ts';

const diagnosis: Diagnosis = {
  code: 'ImagePullFailed',
  cause: 'S10',
  message: 'Image shop:2 of container web cannot be pulled: the registry has no such image or tag',
  place: { object: 'Pod shop/web-5f8', field: 'spec.containers[name=web]' },
  evidence: [
    { name: 'reason', value: 'ImagePullBackOff' },
    { name: 'pull secrets', value: 'none' },
  ],
  remedies: [{ text: 'Correct the image name or tag in Git, or push that tag', paste: 'image: shop:1' }],
};
const elsewhere = { ...diagnosis, place: { object: 'Pod shop/web-9c2' } };
const rows = [
  { namespace: 'shop', name: 'web', phase: 'Healthy' },
  { namespace: 'shop', name: 'worker-with-a-name-that-is-longer-than-most-of-them', phase: 'Degraded' },
];
const never = new Promise<never>(() => undefined);
const failing = (status: number, message: string) => () => Promise.reject(new RequestError(status, message));

/** Each component of the page in each of its states, for those who change one; tests compare what is drawn with what was. */
export function GalleryPage() {
  return (
    <Stack maw={1200} mx="auto" gap="lg">
      <Title order={2}>Components</Title>
      <Specimen name="list, loading">
        <FamilyList title="Rollouts" path="gallery-loading" read={() => never} columns={phases} />
      </Specimen>
      <Specimen name="list, empty">
        <FamilyList title="Rollouts" path="gallery-empty" read={async () => ({ items: [] })} columns={phases} />
      </Specimen>
      <Specimen name="list, not installed">
        <FamilyList
          title="Rollouts"
          path="gallery-note"
          read={async () => ({ items: [], note: 'The kind Rollout is not installed in this cluster.' })}
          columns={phases}
        />
      </Specimen>
      <Specimen name="list, failed">
        <FamilyList
          title="Rollouts"
          path="gallery-failed"
          read={failing(500, 'the cluster does not answer')}
          columns={phases}
        />
      </Specimen>
      <Specimen name="list, denied">
        <FamilyList
          title="Rollouts"
          path="gallery-denied"
          read={failing(403, 'permission denied: clusters, get, *')}
          columns={phases}
        />
      </Specimen>
      <Specimen name="list, filled">
        <FamilyList title="Rollouts" path="gallery-filled" read={async () => ({ items: rows })} columns={phases} />
      </Specimen>
      <Specimen name="failure, session ended">
        <Failure error={new RequestError(401, 'the token has expired')} />
      </Specimen>
      <Specimen name="failure, no answer">
        <Failure error={new RequestError(0, 'the connection was refused')} retry={() => undefined} />
      </Specimen>
      <Specimen name="failure, refused with a cause">
        <Failure error={new RequestError(400, diagnosis.message, [diagnosis])} />
      </Specimen>
      <Specimen name="diagnosis">
        <DiagnosisPanel diagnosis={diagnosis} />
      </Specimen>
      <Specimen name="diagnosis, at several places">
        <DiagnosisPanel diagnosis={diagnosis} others={[elsewhere]} />
      </Specimen>
      <Specimen name="statuses">
        {['Healthy', 'Degraded', 'Progressing', 'Missing', 'Suspended', 'Unknown', 'Synced', 'OutOfSync'].map(
          (status) => (
            <StatusBadge key={status} status={status} />
          ),
        )}
        <StatusBadge status="Healthy" size="sm" />
        <StatusBadge status="Healthy" size="lg" />
      </Specimen>
      <Specimen name="icons of kinds">
        <div className="gallery-kinds">
          {[...kindIcons.keys(), 'KafkaTopic', 'Widget'].map((name) => (
            <KindName
              key={name}
              group={name.includes('/') ? name.slice(0, name.indexOf('/')) : undefined}
              kind={name.slice(name.indexOf('/') + 1)}
            />
          ))}
        </div>
      </Specimen>
      <Specimen name="states of many">
        <HealthBar counts={emptyCounts} chosen={{ health: ['Degraded'] }} edit={() => undefined} />
      </Specimen>
      <Specimen name="events, none">
        <EventTable events={[]} />
      </Specimen>
      <Specimen name="events">
        <EventTable
          events={[
            { type: 'Normal', reason: 'Scheduled', message: 'Assigned shop/web to node-1', metadata: { name: 'a' } },
            {
              type: 'Warning',
              reason: 'BackOff',
              message: 'Back-off pulling image',
              count: 3,
              metadata: { name: 'b' },
            },
          ]}
        />
      </Specimen>
      <Specimen name="conditions">
        <ConditionTable
          conditions={[
            {
              type: 'Available',
              status: 'False',
              reason: 'Unavailable',
              message: 'No pod is ready',
              lastTransitionTime: '',
            },
          ]}
        />
      </Specimen>
      <Specimen name="table">
        <DataTable label="Repositories" heads={['Name', 'Status', '']}>
          <Table.Tr>
            <Table.Td>shop</Table.Td>
            <Table.Td>
              <PhaseCell phase="Failed" message="authentication required" />
            </Table.Td>
            <Table.Td />
          </Table.Tr>
        </DataTable>
      </Specimen>
      <Specimen name="tabs">
        <Tabs defaultValue="b">
          <TabStrip>
            <Tabs.Tab value="a">First</Tabs.Tab>
            <Tabs.Tab value="b">Second</Tabs.Tab>
          </TabStrip>
        </Tabs>
      </Specimen>
      <Specimen name="boxes to tick">
        <Box />
      </Specimen>
      <Specimen name="preview of a sync">
        <SyncPreview rows={previewed} chosen={undefined} choose={() => undefined} />
      </Specimen>
      <Specimen name="preview of a sync, nothing known">
        <SyncPreview rows={[]} chosen={undefined} choose={() => undefined} />
      </Specimen>
    </Stack>
  );
}

const phases = [
  {
    title: 'Phase',
    cell: ({ phase }: { phase: string }) => (
      <PhaseCell phase={phase} message={phase === 'Degraded' ? 'It has timed out' : ''} />
    ),
  },
];

const emptyCounts = {
  health: [
    ['Healthy', 8],
    ['Degraded', 2],
  ],
  sync: [['Synced', 10]],
} as never;

const previewed = (['create', 'change', 'apply', 'delete', 'leave', 'hook'] as const).map((effect) => ({
  key: effect,
  resource: { group: '', kind: 'ConfigMap', namespace: 'shop', name: effect, status: 'OutOfSync' as const },
  chosen: effect !== 'leave',
  effect,
  words: effect,
}));

function Box() {
  const [on, setOn] = useState(true);
  return (
    <CheckBox checked={on} onChange={() => setOn(!on)}>
      Favourites only
    </CheckBox>
  );
}

function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name} data-specimen={name}>
      <Title order={3} size="h6" mb="xs" className="soft">
        {name}
      </Title>
      {children}
    </section>
  );
}
