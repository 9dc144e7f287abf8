import { Checkbox, TextInput } from '@mantine/core';
import { valueAt, withValue } from '../../applications/draft.ts';
import { t } from '../../i18n/texts.ts';
import { Lines, typed, useField } from './form-parts.tsx';
import { RowList } from './row-list.tsx';
import type { ToolFieldsProps } from './tool-fields.tsx';

export function DirectoryFields({ path, ...props }: ToolFieldsProps) {
  const field = useField(props);
  return (
    <>
      <Checkbox
        label={t('With all folders below')}
        className="wide"
        checked={valueAt(props.draft, `${path}.directory.recurse`) === true}
        onChange={(event) =>
          props.change(
            withValue(props.draft, `${path}.directory.recurse`, event.currentTarget.checked ? true : undefined),
          )
        }
      />
      <TextInput
        label={t('Only files like')}
        placeholder="{app,web}*.yaml"
        {...typed(field(`${path}.directory.include`))}
      />
      <TextInput label={t('Without files like')} placeholder="*.md" {...typed(field(`${path}.directory.exclude`))} />
      {(['tlas', 'extVars'] as const).map((list) => (
        <RowList
          key={list}
          {...props}
          title={list === 'tlas' ? 'Top-level arguments of Jsonnet' : 'External variables of Jsonnet'}
          path={`${path}.directory.jsonnet.${list}`}
          add={list === 'tlas' ? 'Add an argument' : 'Add a variable'}
          columns={[
            { key: 'name', label: 'Name' },
            { key: 'value', label: 'Value' },
            { key: 'code', label: 'The value is Jsonnet', shape: 'check' },
          ]}
        />
      ))}
      <Lines {...props} label="Libraries of Jsonnet" path={`${path}.directory.jsonnet.libs`} placeholder="vendor" />
    </>
  );
}
