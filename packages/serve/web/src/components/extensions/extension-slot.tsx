import { Alert } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { t } from '../../i18n/texts.ts';

interface SlotProps {
  title: string;
  children: ReactNode;
}

/** A component of an extension: when it fails, it says so in its own place, and the page goes on. */
export class ExtensionSlot extends Component<SlotProps, { problem?: string }> {
  override state: { problem?: string } = {};

  static getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <Alert color="red" title={t('The extension {title} failed', { title: this.props.title })}>
        {problem}
      </Alert>
    );
  }
}
