import { Checkbox, SimpleGrid, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Draft, problemsOf, textAt, valueAt, withValue } from '../../applications/draft.ts';
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
