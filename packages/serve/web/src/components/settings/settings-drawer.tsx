import { Button, Drawer } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../common/icon.tsx';

/** A button that opens a form at the side; the form says when it is done. */
export function SettingsDrawer({
  label,
  title,
  variant = 'filled',
  size,
  children,
}: {
  label: string;
  title: string;
  variant?: 'filled' | 'default';
  size?: 'compact-sm' | 'sm';
  children: (close: () => void) => ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant={variant}
        {...(size ? { size } : {})}
        {...(variant === 'filled' ? { leftSection: <Icon name="plus" size={16} /> } : {})}
        onClick={() => setOpened(true)}
      >
        {label}
      </Button>
      <Drawer opened={opened} onClose={() => setOpened(false)} title={title} position="right" size="lg">
        {opened && children(() => setOpened(false))}
      </Drawer>
    </>
  );
}
