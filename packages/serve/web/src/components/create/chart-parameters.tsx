import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ChartParameter } from '../../api/parameters.ts';
import { type ChartValue, chartValues, withParameter } from '../../applications/parameters.ts';
import { t } from '../../i18n/texts.ts';
import { ScrollPanel } from '../common/scroll-panel.tsx';
import type { ApplicationFormProps } from './form-parts.tsx';

/** So many are drawn; the search finds the others. */
const most = 100;

interface ChartParametersProps extends ApplicationFormProps {
  path: string;
  known: readonly ChartParameter[];
  /** Text of the chart's values.yaml: the comments above its keys say what they are for. */
  values: string;
}

/** All values of a chart, who says each, and a field to say something else. */
export function ChartParameters({ draft, change, path, known, values }: ChartParametersProps) {
  const [text, setText] = useState('');
  const [ownOnly, setOwnOnly] = useState(false);
  const all = chartValues(draft, path, known);
  const found = all.filter(
    ({ parameter, value, origin }) =>
      `${parameter.name} ${value}`.toLowerCase().includes(text.toLowerCase()) &&
      (!ownOnly || typeof origin === 'string'),
  );
  if (all.length === 0) return null;
  return (
    <section className="wide" aria-label={t('Values of the chart')}>
      <Group gap="sm" mb={6} justify="space-between">
        <Text size="sm" fw={500}>
          {t('Values of the chart')} <span className="soft">{all.length}</span>
        </Text>
        <Checkbox
          size="xs"
          label={t('Set here only')}
          checked={ownOnly}
          onChange={(event) => setOwnOnly(event.currentTarget.checked)}
        />
      </Group>
      <TextInput
        size="xs"
        mb={6}
        placeholder={t('Search values')}
        aria-label={t('Search values')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <ScrollPanel label={t('Values')} style={{ maxHeight: 340 }}>
        <ul className="parameters">
          {found.slice(0, most).map((one) => (
            <Parameter
              key={one.parameter.name}
              {...one}
              about={aboutOf(one.parameter, values)}
              set={(value) => change(withParameter(draft, path, one.parameter, value))}
            />
          ))}
        </ul>
        {found.length === 0 && (
          <Text size="sm" className="soft" p="xs">
            {t('Nothing matches.')}
          </Text>
        )}
      </ScrollPanel>
      {found.length > most && (
        <Text size="xs" className="soft" mt={4}>
          {t('{count} more: search for them', { count: found.length - most })}
        </Text>
      )}
    </section>
  );
}

interface ParameterProps extends ChartValue {
  about: string;
  set: (value: string | undefined) => void;
}

function Parameter({ parameter, value, origin, about, set }: ParameterProps) {
  const changed = origin === 'parameter';
  const before = parameter.places.map((place) => `${place.file}:${place.line}: ${place.value}`).join('\n');
  return (
    <li className="parameter" data-changed={changed || undefined}>
      <div>
        <span className="mono" title={about}>
          {parameter.name}
        </span>
        {about && (
          <Text size="xs" className="soft" lineClamp={2}>
            {about}
          </Text>
        )}
      </div>
      <div>
        <TextInput
          size="xs"
          aria-label={parameter.name}
          value={value}
          onChange={(event) => set(event.currentTarget.value)}
        />
        <Group gap={6} wrap="nowrap" mt={2}>
          <Text size="xs" className="soft" title={before} style={{ overflowWrap: 'anywhere' }}>
            {originWords(origin)}
          </Text>
          {changed && (
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => set(undefined)}
              aria-label={t('Take back {what}', { what: parameter.name })}
            >
              {t('Take back')}
            </Button>
          )}
        </Group>
      </div>
    </li>
  );
}

function originWords(origin: ChartValue['origin']): string {
  if (origin === 'parameter') return t('set by this application');
  return origin === 'values' ? t('values of this application') : `${origin.file}:${origin.line}`;
}

/** The comment right above a value in the chart's own values.yaml. */
function aboutOf({ places }: ChartParameter, values: string): string {
  const [first] = places;
  if (!first || !/(^|\/)values\.yaml$/.test(first.file)) return '';
  const lines = values.split('\n');
  const about: string[] = [];
  for (let line = first.line - 2; line >= 0 && /^\s*#/.test(lines[line] ?? ''); line--)
    about.unshift((lines[line] ?? '').replace(/^[\s#-]+/, ''));
  return about.join(' ').trim();
}
