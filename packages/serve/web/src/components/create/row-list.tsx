import { ActionIcon, Button, Checkbox, Group, Text, Textarea, TextInput } from '@mantine/core';
import { textAt, valueAt, withValue } from '../../applications/draft.ts';
import { t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';
import type { ApplicationFormProps } from './form-parts.tsx';

/** A part of each entry: a text, a text of several lines, a number where it is one, or whether something holds. */
export interface RowColumn {
  /** Dotted path within the entry. */
  readonly key: string;
  readonly label: string;
  readonly shape?: 'text' | 'lines' | 'number' | 'check';
  readonly placeholder?: string;
}

interface RowListProps extends ApplicationFormProps {
  title: string;
  /** Path of the list in the draft. */
  path: string;
  columns: readonly RowColumn[];
  /** What the button says that makes another entry. */
  add: string;
}

/** A list of the draft whose entries have several parts: each is a row of fields, made and removed by buttons. */
export function RowList({ title, path, columns, add, draft, change }: RowListProps) {
  const value = valueAt(draft, path);
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  const keep = (next: readonly unknown[]) => change(withValue(draft, path, next.length > 0 ? next : undefined));
  return (
    <section className="wide" aria-label={t(title)}>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={500}>
          {t(title)}
        </Text>
        <Button size="compact-xs" variant="default" onClick={() => keep([...rows, {}])}>
          {t(add)}
        </Button>
      </Group>
      {rows.length > 0 && (
        <ul className="parameters panel">
          {rows.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are known by their position
            <li key={index} className="entry-row">
              <div className="entry-fields">
                {columns.map((column) => (
                  <EntryField
                    key={column.key}
                    column={column}
                    value={valueAt(draft, `${path}.${index}.${column.key}`)}
                    text={textAt(draft, `${path}.${index}.${column.key}`)}
                    set={(next) => change(withValue(draft, `${path}.${index}.${column.key}`, next))}
                  />
                ))}
              </div>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('Remove entry {number} of {list}', { number: index + 1, list: t(title) })}
                onClick={() => keep(rows.toSpliced(index, 1))}
              >
                <Icon name="minus" size={16} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface EntryFieldProps {
  column: RowColumn;
  value: unknown;
  text: string;
  set: (value: unknown) => void;
}

function EntryField({ column: { label, shape, placeholder }, value, text, set }: EntryFieldProps) {
  if (shape === 'check')
    return (
      <Checkbox
        size="xs"
        label={t(label)}
        checked={value === true}
        onChange={(event) => set(event.currentTarget.checked ? true : undefined)}
      />
    );
  const common = {
    size: 'xs' as const,
    label: t(label),
    placeholder,
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => set(typedValue(event.currentTarget.value, shape)),
  };
  return shape === 'lines' ? (
    <Textarea {...common} autosize minRows={3} maxRows={14} className="wide-field mono" />
  ) : (
    <TextInput {...common} />
  );
}

/** Of a number that is still no number the text stays, so that it can be typed to its end. */
function typedValue(text: string, shape: RowColumn['shape']): unknown {
  if (text === '') return undefined;
  return shape === 'number' && /^\d{1,9}$/.test(text) ? Number(text) : text;
}
