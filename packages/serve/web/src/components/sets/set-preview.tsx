import { Badge, Stack, Table, Text } from '@mantine/core';
import type { SetPreview } from '../../api/model.ts';
import { previewSummary } from '../../applications/application-sets.ts';
import { t } from '../../i18n/texts.ts';
import { DiagnosisPanel } from '../common/diagnosis-panel.tsx';
import { ScrollPanel } from '../common/scroll-panel.tsx';

const colours = { create: 'green', update: 'yellow', delete: 'red', refused: 'red', none: 'gray' } as const;

/** What would happen to each Application of a set, and why some cannot be made. */
export function SetPreviewTable({ preview }: { preview: SetPreview }) {
  const { applications, failures, gaps } = preview;
  const problems = [
    ...failures.map(({ diagnosis }) => diagnosis),
    ...gaps,
    ...applications.flatMap(({ problem }) => problem ?? []),
  ];
  return (
    <Stack gap="md">
      <Text fw={600}>{previewSummary(preview)}</Text>
      {problems.map((diagnosis) => (
        <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis} />
      ))}
      <ScrollPanel label={t('Applications of the set')}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Tbody>
            {applications.map(({ name, change, origin, patch }) => (
              <Table.Tr key={`${change} ${name}`}>
                <Table.Td w={100}>
                  <Badge color={colours[change]} variant="light" tt="none">
                    {change === 'none' ? t('as it is') : t(change)}
                  </Badge>
                </Table.Td>
                <Table.Td fw={600}>{name}</Table.Td>
                <Table.Td>{origin?.element}</Table.Td>
                <Table.Td>
                  {patch && (
                    <pre className="mono" style={{ margin: 0, whiteSpace: 'pre-wrap' }}>
                      {JSON.stringify(patch, undefined, 1)}
                    </pre>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollPanel>
    </Stack>
  );
}
