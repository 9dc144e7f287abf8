import {
  Alert,
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';
import { type FieldSpec, formProblems, shownFields, shownValues, type Values } from './form-fields.ts';

interface SettingsFormProps {
  fields: readonly FieldSpec[];
  initial: Values;
  /** What the button says. */
  action: string;
  /** What will happen, said before it does; nothing for no sentence. */
  effect?: (values: Values) => string | undefined;
  run: (values: Values) => Promise<unknown>;
  done: () => void;
  /** Something that can be tried before, such as a connection; its answer is shown. */
  trial?: { readonly label: string; readonly run: (values: Values) => Promise<string> };
  /** Stands below the fields, as the values are. */
  children?: (values: Values) => ReactNode;
}

/** Fields that tell what is wrong with them as soon as they were left or the form was sent, what sending it does, and what the server said. */
export function SettingsForm({ fields, initial, action, effect, run, done, trial, children }: SettingsFormProps) {
  const [values, setValues] = useState<Values>(initial);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [strict, setStrict] = useState(false);
  const problems = formProblems(fields, values);
  const sending = useMutation({ mutationFn: () => run(shownValues(fields, values)), onSuccess: done });
  const trying = useMutation({ mutationFn: () => trial?.run(shownValues(fields, values)) ?? Promise.resolve('') });
  const change = (name: string, value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    trying.reset();
  };
  const begin = (act: () => void) => {
    setStrict(true);
    if (problems.size === 0) act();
    else document.getElementById(idOf([...problems.keys()][0] ?? ''))?.focus();
  };
  const words = effect?.(values);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        begin(sending.mutate);
      }}
    >
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm">
          {shownFields(fields, values).map((field) => (
            <Field
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              problem={strict || touched.has(field.name) ? problems.get(field.name) : undefined}
              change={(value) => change(field.name, value)}
              left={() => setTouched((before) => new Set(before).add(field.name))}
            />
          ))}
        </SimpleGrid>
        {children?.(values)}
        {words && (
          <Text size="sm" className="soft" aria-live="polite">
            {words}
          </Text>
        )}
        {trying.data !== undefined && (
          <Alert color="teal" variant="light" role="status">
            {trying.data}
          </Alert>
        )}
        {trying.error && <Failure error={trying.error} />}
        {sending.error && <Failure error={sending.error} />}
        <Group justify="flex-end">
          {trial && (
            <Button variant="default" loading={trying.isPending} onClick={() => begin(trying.mutate)}>
              {t(trial.label)}
            </Button>
          )}
          <Button type="submit" loading={sending.isPending}>
            {t(action)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const idOf = (name: string) => `field-${name}`;

interface FieldProps {
  field: FieldSpec;
  value: string;
  problem: string | undefined;
  change: (value: string) => void;
  left: () => void;
}

function Field({ field, value, problem, change, left }: FieldProps) {
  const { name, label, kind = 'text', help, placeholder, required = false, choices = [], wide } = field;
  const common = {
    id: idOf(name),
    name,
    label: t(label),
    description: help ? t(help) : undefined,
    error: problem ? t(problem) : undefined,
    placeholder,
    required,
    value,
    onBlur: left,
    autoComplete: 'off',
    ...(wide || kind === 'area' || kind === 'secret-area' ? { className: 'wide-field' } : {}),
  };
  const typed = (event: { currentTarget: { value: string } }) => change(event.currentTarget.value);
  if (kind === 'check')
    return (
      <Checkbox
        id={idOf(name)}
        label={t(label)}
        description={help ? t(help) : undefined}
        className="wide-field"
        checked={value === 'true'}
        onChange={(event) => change(event.currentTarget.checked ? 'true' : '')}
      />
    );
  if (kind === 'choice')
    return (
      <Select
        {...common}
        data={choices.map((choice) => ({ value: choice.value, label: t(choice.label) }))}
        allowDeselect={!required}
        onChange={(next) => change(next ?? '')}
      />
    );
  if (kind === 'secret') return <PasswordInput {...common} autoComplete="new-password" onChange={typed} />;
  if (kind === 'area' || kind === 'secret-area')
    return (
      <Textarea
        {...common}
        autosize
        minRows={3}
        maxRows={14}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        onChange={typed}
      />
    );
  return <TextInput {...common} {...(kind === 'number' ? { inputMode: 'numeric' as const } : {})} onChange={typed} />;
}
