import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type ApplicationProps, isShown, type StatusItem, type TopBarItem } from '../../extensions/registry.ts';
import { useExtensions } from '../../extensions/use-extensions.ts';
import { ExtensionFlyout } from './extension-flyout.tsx';
import { ExtensionIcon } from './extension-icon.tsx';
import { ExtensionSlot } from './extension-slot.tsx';

/** What extensions tell in the header of an application. */
export function StatusExtensions(props: ApplicationProps) {
  const { statuses } = useExtensions();
  if (statuses.length === 0) return null;
  return (
    <div className="extension-items">
      {statuses.map((item) => (
        <Status key={item.id} item={item} {...props} />
      ))}
    </div>
  );
}

function Status({ item, ...props }: ApplicationProps & { item: StatusItem }) {
  const [opened, setOpened] = useState(false);
  const { component: Content, flyout, title } = item;
  return (
    <section aria-label={title}>
      <Text size="xs" className="soft" tt="uppercase">
        {title}
      </Text>
      <ExtensionSlot title={title}>
        <Content {...props} openFlyout={() => setOpened(true)} />
      </ExtensionSlot>
      {flyout && (
        <ExtensionFlyout {...props} title={title} component={flyout} opened={opened} close={() => setOpened(false)} />
      )}
    </section>
  );
}

/** Buttons of extensions; each opens something at the side. */
export function TopBarExtensions(props: ApplicationProps) {
  const { topBar } = useExtensions();
  return topBar
    .filter((item) => isShown(item, props.application))
    .map((item) => <TopBarButton key={item.id} item={item} {...props} />);
}

function TopBarButton({ item, ...props }: ApplicationProps & { item: TopBarItem }) {
  const [opened, setOpened] = useState(false);
  const { component: Content, flyout, title, icon } = item;
  return (
    <>
      <Button variant="default" leftSection={icon && <ExtensionIcon name={icon} />} onClick={() => setOpened(true)}>
        <ExtensionSlot title={title}>
          <Content {...props} openFlyout={() => setOpened(true)} />
        </ExtensionSlot>
      </Button>
      {flyout && (
        <ExtensionFlyout {...props} title={title} component={flyout} opened={opened} close={() => setOpened(false)} />
      )}
    </>
  );
}
