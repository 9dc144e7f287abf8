import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/texts.ts';
import { Failure } from '../common/failure.tsx';

interface ConfirmButtonProps extends ButtonProps {
  label: string;
  /** Of the dialog. */
  title: string;
  /** What will happen. */
  effect: string;
  /** Stands below it. */
  detail?: ReactNode;
  run: () => Promise<unknown>;
  done: () => void;
  danger?: boolean;
}

/** A button that says what it will do, and does it when that is confirmed. */
export function ConfirmButton({ label, title, effect, detail, run, done, danger = true, ...look }: ConfirmButtonProps) {
  const [opened, setOpened] = useState(false);
  const acting = useMutation({
    mutationFn: run,
    onSuccess: () => {
      setOpened(false);
      done();
    },
  });
  return (
    <>
      <Button size="compact-sm" variant="default" style={{ flexShrink: 0 }} {...look} onClick={() => setOpened(true)}>
        {label}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={title}>
        <Stack>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {effect}
          </Text>
          {detail}
          {acting.error && <Failure error={acting.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpened(false)}>
              {t('Cancel')}
            </Button>
            <Button
              {...(danger ? { color: 'red' } : {})}
              loading={acting.isPending}
              onClick={() => acting.mutate()}
              data-autofocus
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
