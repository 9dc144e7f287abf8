import { Checkbox, SimpleGrid, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type Draft, pairsOf, pairsText, problemsOf, textAt, valueAt, withValue } from '../../applications/draft.ts';
import { t } from '../../i18n/texts.ts';

export interface ApplicationFormProps {
  draft: Draft;
  change: (draft: Draft) => void;
  /** Whether it is stored already, so that its name stays. */
  stored: boolean;
  /** Whether missing values are told already. */
  strict: boolean;
}

/** Value, problem and change of the field at a path. */
export function useField({ draft, change, strict }: ApplicationFormProps) {
  const problems = problemsOf(draft);
  return (path: string) => ({
    value: textAt(draft, path),
    error:
      strict || textAt(draft, path) !== '' ? (problems.has(path) ? t(problems.get(path) ?? '') : undefined) : undefined,
    onChange: (value: string | null) => change(withValue(draft, path, value || undefined)),
  });
}

type Field = ReturnType<ReturnType<typeof useField>>;
/** For inputs that tell of their changes as events. */
export const typed = ({ onChange, value, error }: Field) => ({
  value,
  error,
  onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
});

/** A list of texts, one a line. */
export function Lines({
  draft,
  change,
  label,
  path,
  placeholder,
}: ApplicationFormProps & { label: string; path: string; placeholder: string }) {
  const value = valueAt(draft, path);
  return (
    <Textarea
      label={t(label)}
      description={t('One a line')}
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={6}
      value={Array.isArray(value) ? value.join('\n') : ''}
      onChange={(event) => {
        const lines = event.currentTarget.value.split('\n');
        change(withValue(draft, path, lines.some(Boolean) ? lines : undefined));
      }}
    />
  );
}

/** Names with their values, such as labels: one `name=value` a line. A line that is not whole yet is kept here and not in the draft. */
export function Pairs({
  draft,
  change,
  label,
  path,
  placeholder,
}: ApplicationFormProps & { label: string; path: string; placeholder: string }) {
  const stored = pairsText(valueAt(draft, path));
  const [typing, setTyping] = useState<string>();
  const own = typing !== undefined && pairsText(pairsOf(typing).pairs) === stored ? typing : stored;
  const broken = pairsOf(own).broken;
  return (
    <Textarea
      label={t(label)}
      description={t('One NAME=VALUE a line')}
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={8}
      value={own}
      error={broken ? t('{line} has no =', { line: broken }) : undefined}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyping(text);
        change(withValue(draft, path, pairsOf(text).pairs));
      }}
    />
  );
}

/** What holds or does not, below a path; `choices` are names of fields with what they do. */
export function Switches({
  draft,
  change,
  path,
  choices,
}: ApplicationFormProps & { path: string; choices: readonly (readonly [field: string, label: string])[] }) {
  return choices.map(([field, label]) => (
    <Checkbox
      key={field}
      size="xs"
      label={t(label)}
      checked={valueAt(draft, `${path}.${field}`) === true}
      onChange={(event) => change(withValue(draft, `${path}.${field}`, event.currentTarget.checked ? true : undefined))}
    />
  ));
}

/** Fields that few need, folded until somebody opens them; open where one of them has a value already. */
export function RareFields({ open, children }: { open: boolean; children: ReactNode }) {
  const [first] = useState(open);
  return (
    <details className="wide rare-fields" open={first}>
      <summary>{t('More fields')}</summary>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" mt="xs">
        {children}
      </SimpleGrid>
    </details>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="form-section">
      <legend>{title}</legend>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {children}
      </SimpleGrid>
    </fieldset>
  );
}
