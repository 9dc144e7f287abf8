import { Drawer } from '@mantine/core';
import type { ComponentType } from 'react';
import type { ApplicationProps } from '../../extensions/registry.ts';
import { ExtensionSlot } from './extension-slot.tsx';

interface FlyoutProps extends ApplicationProps {
  title: string;
  component: ComponentType<ApplicationProps>;
  opened: boolean;
  close: () => void;
}

/** What an extension shows at the side when it is asked for. */
export function ExtensionFlyout({ title, component: Content, opened, close, ...props }: FlyoutProps) {
  return (
    <Drawer opened={opened} onClose={close} position="right" size="min(920px, 100vw)" title={title}>
      <ExtensionSlot title={title}>
        <Content {...props} />
      </ExtensionSlot>
    </Drawer>
  );
}
