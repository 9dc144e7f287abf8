import { Badge, CopyButton, Stack, Table, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Diagnosis } from '../../api/model.ts';
import { isNotice } from '../../applications/notices.ts';
import { t } from '../../i18n/texts.ts';
import { PageLink } from './page-link.tsx';

interface DiagnosisPanelProps {
  diagnosis: Diagnosis;
  /** The same cause at other places. */
  others?: readonly Diagnosis[];
  /** That syncs are not tried again because of it. */
  gaveUp?: Diagnosis | undefined;
  /** What was done because of it. */
  done?: Diagnosis | undefined;
  /** What can be done about it at once. */
  children?: ReactNode;
}

/** One diagnosis: the cause, where, what was seen, what to do. */
export function DiagnosisPanel({ diagnosis, others = [], gaveUp, done, children }: DiagnosisPanelProps) {
  return (
    <section className="panel diagnosis" data-notice={isNotice(diagnosis) || undefined}>
      <div className="diagnosis-head">
        <Text fw={650} style={{ overflowWrap: 'anywhere' }}>
          {headline(diagnosis.message)}
        </Text>
        <Badge
          size="sm"
          variant="light"
          color="gray"
          tt="none"
          component={PageLink}
          to={`diagnoses/${diagnosis.code}`}
          title={t('What this diagnosis means')}
          style={{ flexShrink: 0, marginTop: 3, cursor: 'pointer' }}
        >
          {diagnosis.cause === diagnosis.code ? diagnosis.code : `${diagnosis.cause} ${diagnosis.code}`}
        </Badge>
      </div>
      <Stack gap="xs">
        {headline(diagnosis.message) !== diagnosis.message && (
          <details>
            <summary>{t('The whole sentence')}</summary>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {diagnosis.message}
            </Text>
          </details>
        )}
        {placeText(diagnosis) && <Text className="mono">{placeText(diagnosis)}</Text>}
        {others.length > 0 && (
          <details>
            <summary>{t('and at {count} more places', { count: others.length })}</summary>
            {others.map((other) => (
              <Text key={placeText(other)} className="mono">
                {placeText(other)}
              </Text>
            ))}
          </details>
        )}
        <Remedies diagnosis={diagnosis} />
        {children}
        {diagnosis.evidence && diagnosis.evidence.length > 0 && (
          <details>
            <summary>{t('Evidence')}</summary>
            <EvidenceTable evidence={diagnosis.evidence} />
          </details>
        )}
        {done && (
          <details>
            <summary>{t('What was done')}</summary>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {done.message}
            </Text>
            {done.evidence && <EvidenceTable evidence={done.evidence} />}
          </details>
        )}
        {gaveUp && (
          <details>
            <summary>{t('Syncs are not tried again by themselves')}</summary>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {gaveUp.message}
            </Text>
            <Remedies diagnosis={gaveUp} />
          </details>
        )}
        {diagnosis.causes?.map((cause) => (
          <DiagnosisPanel key={cause.code + cause.message} diagnosis={cause} />
        ))}
      </Stack>
    </section>
  );
}

function Remedies({ diagnosis }: { diagnosis: Diagnosis }) {
  return diagnosis.remedies?.map((remedy) => (
    <div key={remedy.text}>
      <Text size="sm">
        → {remedy.text}
        {remedy.loses && (
          <Text span c="red" size="sm">
            {' '}
            ({t('this loses {what}', { what: remedy.loses })})
          </Text>
        )}
      </Text>
      {remedy.paste && (
        <CopyButton value={remedy.paste}>
          {({ copied, copy }) => (
            <UnstyledButton onClick={copy} title={t('Copy')} w="100%">
              <pre className="snippet mono">{copied ? `${remedy.paste}\n— ${t('copied')} —` : remedy.paste}</pre>
            </UnstyledButton>
          )}
        </CopyButton>
      )}
    </div>
  ));
}

/** Letters of a headline; what upstream writes in one sentence can be a page. */
const longest = 180;

function headline(message: string): string {
  return message.length <= longest ? message : `${message.slice(0, message.lastIndexOf(' ', longest))} …`;
}

function EvidenceTable({ evidence }: { evidence: NonNullable<Diagnosis['evidence']> }) {
  return (
    <Table withRowBorders={false} verticalSpacing={2} horizontalSpacing="xs" fz="sm" className="evidence">
      <Table.Tbody>
        {evidence.map(({ name, value }) => (
          <Table.Tr key={name + value}>
            <Table.Td className="soft evidence-name">{name}</Table.Td>
            <Table.Td className="mono" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {value}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function placeText({ place }: Diagnosis): string {
  if (!place) return '';
  const file = [place.file, place.line, place.column].filter((part) => part !== undefined).join(':');
  return [
    file,
    place.object,
    place.field && t('field {field}', { field: place.field }),
    place.remote,
    place.revision && t('revision {revision}', { revision: place.revision.slice(0, 12) }),
  ]
    .filter(Boolean)
    .join(' · ');
}
