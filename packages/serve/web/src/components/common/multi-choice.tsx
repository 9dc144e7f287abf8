import { MultiSelect, type MultiSelectProps, Pill } from '@mantine/core';
import { t } from '../../i18n/texts.ts';

/** A field of several values out of some. The button that takes a value away has a name, which Mantine's own has not. */
export function MultiChoice(props: MultiSelectProps) {
  return (
    <MultiSelect
      {...props}
      renderPill={({ option, onRemove, disabled }) => {
        const name = String(option.label ?? option.value);
        return (
          <Pill
            withRemoveButton={!disabled}
            {...(onRemove ? { onRemove } : {})}
            removeButtonProps={{ 'aria-label': t('Remove {name}', { name }) }}
          >
            {name}
          </Pill>
        );
      }}
    />
  );
}
